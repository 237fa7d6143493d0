"""GMatching and FSRL as one would write them down first: one entity, one pair, one reference after the other."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from faan.base.ragged import Ints
from faan.models.entitywise import EntitywiseModel
from faan.models.fsrl import Fsrl
from faan.models.gmatching import GMatching
from faan.tasks import Episode


def encode(model: EntitywiseModel, entity: int, other: int, hidden: int | None) -> Tensor:
    """An entity (d,), seen in a pair with another; edges of a hidden relation to that other are not seen."""
    edges = [(r, e) for r, e in zip(*model.graph.of(entity), strict=True) if not (r == hidden and e == other)]
    if isinstance(model, GMatching):
        if not edges:
            return model.context.bias.tanh()
        terms = [model.context(torch.cat([model.relations[r], model.entities[e]])) for r, e in edges]
        return torch.stack(terms).mean(0).tanh()
    assert isinstance(model, Fsrl)
    if not edges:
        return torch.zeros(model.entities.shape[1])
    psi = [model.judge(torch.tanh(model.look(torch.cat([model.relations[r], model.entities[e]])))) for r, e in edges]
    alpha = torch.cat(psi).softmax(0)
    return sum((a * model.entities[e] for a, (_, e) in zip(alpha, edges, strict=True)), torch.zeros(())).tanh()


def pair(model: EntitywiseModel, head: int, tail: int, hidden: int | None) -> Tensor:
    """A pair, (D,)."""
    inverse = None if hidden is None else hidden + model.num_relations
    x = torch.cat([encode(model, head, tail, hidden), encode(model, tail, head, inverse)])
    refine = model.refine
    return functional.layer_norm(
        x + refine.outer(refine.inner(x).relu()), x.shape, refine.norm.weight, refine.norm.bias
    )


def match(model: EntitywiseModel, query: Tensor, known: Tensor) -> Tensor:
    """The product of a vector that is known with what an LSTM cell makes of the query when it sees that vector."""
    state, memory = torch.zeros(1, 2 * len(query)), torch.zeros(1, 2 * len(query))
    for _ in range(model.matching.steps):
        hidden, memory = model.matching.cell(query[None], (state, memory))
        answer: Tensor = query + hidden[0, : len(query)]
        state = torch.cat([answer, known])[None]
    return answer @ known


def sum_up(model: Fsrl, pairs: list[Tensor]) -> tuple[Tensor, Tensor]:
    """What FSRL's recurrent auto-encoder makes of references, (D,), and how far it is from saying them again."""
    zero, (by_input, by_state, *biases) = torch.zeros(len(pairs[0])), model.encoder.all_weights[0]
    state, memory, seen = zero, zero, []
    for x in pairs:
        state, memory = _lstm(x, state, memory, by_input, by_state, biases[0] + biases[1])
        seen.append(state + x)
    beta = torch.cat([model.judge_reference(model.look_reference(x).tanh()) for x in seen]).softmax(0)
    back, error = model.decoder, torch.zeros(())
    for x in reversed(pairs):
        state, memory = _lstm(state, state, memory, back.weight_ih, back.weight_hh, back.bias_ih + back.bias_hh)
        error = error + ((state - x) ** 2).sum()
    return sum((b * x for b, x in zip(beta, seen, strict=True)), zero), error


def _lstm(
    x: Tensor, state: Tensor, memory: Tensor, by_input: Tensor, by_state: Tensor, bias: Tensor
) -> tuple[Tensor, Tensor]:
    take, keep, new, show = (by_input @ x + by_state @ state + bias).chunk(4)
    memory = keep.sigmoid() * memory + take.sigmoid() * new.tanh()
    return show.sigmoid() * memory.tanh(), memory


def aggregate(model: EntitywiseModel, references: Ints, hidden: int | None) -> tuple[list[Tensor], Tensor]:
    """The vectors that a query is matched with, and what is added to the loss."""
    pairs = [pair(model, head, tail, hidden) for head, tail in sorted(references.tolist())]
    if isinstance(model, Fsrl):
        known, error = sum_up(model, pairs)
        return [known], model.reconstruction * error
    assert isinstance(model, GMatching)
    pooled = {"max": [torch.stack(pairs).amax(0)], "mean": [torch.stack(pairs).mean(0)], "best": pairs}
    return pooled[model.pooling], torch.zeros(())


def score(model: EntitywiseModel, references: Ints, head: int, tail: int, hidden: int | None = None) -> Tensor:
    """The score of a pair."""
    query = pair(model, head, tail, hidden)
    return torch.stack([match(model, query, known) for known in aggregate(model, references, hidden)[0]]).max()


def loss(model: EntitywiseModel, episode: Episode) -> Tensor:
    """The loss of an episode."""
    hidden = episode.task.hidden
    lacking = [
        functional.relu(
            model.margin
            - score(model, episode.references, head, tail, hidden)
            + score(model, episode.references, head, wrong, hidden)
        )
        for (head, tail), row in zip(episode.queries.tolist(), episode.negatives.tolist(), strict=True)
        for wrong in row
    ]
    return torch.stack(lacking).mean() + aggregate(model, episode.references, hidden)[1]
