"""FAAN as one would write it down first: the definition that the fast one is held to.

Neighbours are padded to the most that any entity has, all three places go through all blocks, dropout draws its own
bits, and a query is scored one pair after the other. It reads the weights of a `Faan` and has none of its own.
"""

from __future__ import annotations

import math
from functools import cache

import torch
from torch import Tensor
from torch.nn import functional

from faan.base.ragged import Ints
from faan.graph import Neighbours
from faan.models.faan import Faan
from faan.models.interface import to_tensor
from faan.models.matching import LstmMatching
from faan.models.pairs import Block
from faan.tasks import Episode


def encode(model: Faan, heads: Tensor, tails: Tensor, hidden: int | None = None, training: bool = False) -> Tensor:
    """Pairs (n,), (n,) to their representations (n, D)."""
    config = model.config
    h, t = model.entities[heads], model.entities[tails]
    task = model.between(h, t)  # (n, d)
    f_head = _encode_entity(model, heads, tails, task, hidden, training)
    inverse = None if hidden is None else (hidden + model.num_relations) % (2 * model.num_relations)
    f_tail = _encode_entity(model, tails, heads, task, inverse, training)
    if config.pair == "concatenation":
        return torch.cat([f_head, f_tail], -1)
    middle = model.token.expand_as(f_head)
    if config.middle == "relation":
        middle = middle + model.norm(task + model.bend(task))
    x = torch.stack([f_head, middle, f_tail], 1)  # (n, 3, d)
    if model.transformer.positions is not None:
        x = x + model.transformer.positions
    x = torch.cat([x] * model.transformer.repeats, -1)  # (n, 3, w)
    for block in model.transformer.blocks:
        assert isinstance(block, Block)
        x = _block(block, x, config.dropout if training else 0.0)
    return x[:, 1]


@cache
def padded(graph: Neighbours) -> tuple[Tensor, Tensor, Tensor]:
    """The relations and neighbours of every entity, and which of them are real: (entities, most) each."""
    entities, most = len(graph.degrees), max(1, int(graph.degrees.max()))
    relations, neighbours = torch.zeros(2, entities, most, dtype=torch.long)
    real = torch.zeros(entities, most, dtype=torch.bool)
    for entity in range(entities):
        own_relations, own_neighbours = graph.of(entity)
        relations[entity, : len(own_relations)] = to_tensor(own_relations)
        neighbours[entity, : len(own_relations)] = to_tensor(own_neighbours)
        real[entity, : len(own_relations)] = True
    return relations, neighbours, real


def _encode_entity(
    model: Faan, entities: Tensor, others: Tensor, task: Tensor, hidden: int | None, training: bool
) -> Tensor:
    encoder = model.neighbours
    relations, neighbours, real = (table[entities] for table in padded(model.graph))  # (n, most)
    if hidden is not None:
        real = real & ~((relations == hidden) & (neighbours == others[:, None]))
    r, e = model.relations[relations], model.entities[neighbours]  # (n, most, d)
    if encoder.weighing == "adaptive":
        psi = (task[:, None] @ encoder.fit @ r.transpose(1, 2))[:, 0]  # (n, most)
    elif encoder.weighing == "attention":
        psi = encoder.judge(torch.tanh(encoder.look(torch.cat([r, e], -1))))[..., 0]
    else:
        psi = torch.zeros(real.shape)
    alpha = (psi - 1e9 * ~real).softmax(-1) * real
    e = functional.dropout(e, encoder.dropout.share, training)
    context = (alpha[..., None] * e).sum(1)  # (n, d)
    own = model.entities[entities]
    added: Tensor = encoder.context(context) if encoder.own is None else encoder.own(own) + encoder.context(context)
    represented: Tensor = encoder.norm(functional.relu(added) + (0 if encoder.own is None else own))
    return represented


def _block(block: Block, x: Tensor, dropout: float) -> Tensor:
    n, _, width = x.shape
    q, k, v = block.project(x).chunk(3, -1)
    size = width // block.heads
    if block.published:
        slices = torch.stack([part.reshape(n, 3 * block.heads, size) for part in (q, k, v)])
        groups = slices.split(3, dim=2)  # (3, n, 3, size) each
        mixed = torch.cat([_attend(group, (size / block.heads) ** -0.5, dropout) for group in groups], 1)
        y = mixed.reshape(n, 3, width)
    else:
        groups = torch.stack([q, k, v]).split(size, dim=-1)  # (3, n, 3, size) each
        y = torch.cat([_attend(group, 1 / math.sqrt(size), dropout) for group in groups], -1)
    x = block.norm_mix(x + functional.dropout(block.mix(y), dropout))
    inner = functional.gelu(block.inner(x))
    result: Tensor = block.norm_outer(x + functional.dropout(block.outer(inner), dropout))
    return result


def _attend(group: Tensor, scale: float, dropout: float) -> Tensor:
    q, k, v = group  # (n, 3, size) each
    mixed: Tensor = functional.dropout((q @ k.transpose(1, 2) * scale).softmax(-1), dropout) @ v
    return mixed


def match(model: Faan, query: Tensor, references: Tensor) -> Tensor:
    """The score of one query (D,) given references (K, D)."""
    products = references @ query  # (K,)
    kind = model.config.matching
    if kind == "adaptive":
        beta = (products / math.sqrt(len(query))).softmax(0)
        return query @ (beta[:, None] * references).sum(0)
    if kind == "mean":
        return query @ references.mean(0)
    if kind == "nearest":
        return products.max()
    assert isinstance(model.matching, LstmMatching)
    state, memory = torch.zeros(1, 2 * len(query)), torch.zeros(1, 2 * len(query))
    for _ in range(2):
        hidden, memory = model.matching.cell(query[None], (state, memory))
        answer: Tensor = query + hidden[0, : len(query)]
        beta = (references @ answer).softmax(0)
        state = torch.cat([answer, (beta[:, None] * references).sum(0)])[None]
    return answer @ references.mean(0)


def score(model: Faan, references: Ints, heads: Ints, tails: Ints, hidden: int | None = None) -> Tensor:
    """The scores of pairs, one after the other: (n,)."""
    known_heads, known_tails = to_tensor(references).T
    known = encode(model, known_heads, known_tails, hidden)
    scores = []
    for head, tail in zip(heads.tolist(), tails.tolist(), strict=True):
        pair = encode(model, torch.tensor([head]), torch.tensor([tail]), hidden)[0]
        scores.append(match(model, pair, known))
    return torch.stack(scores)


def loss(model: Faan, episode: Episode, training: bool = False) -> Tensor:
    """The loss of an episode."""
    hidden = episode.task.hidden
    count = episode.negatives.shape[1]
    references, queries, negatives = map(to_tensor, (episode.references, episode.queries, episode.negatives))
    heads = torch.cat([references[:, 0], queries[:, 0], queries[:, 0].repeat_interleave(count)])
    tails = torch.cat([references[:, 1], queries[:, 1], negatives.flatten()])
    known, right, wrong = encode(model, heads, tails, hidden, training).split(
        [len(references), len(queries), negatives.numel()]
    )
    right_scores = torch.stack([match(model, pair, known) for pair in right])  # (Q,)
    wrong_scores = torch.stack([match(model, pair, known) for pair in wrong]).view(len(queries), count)
    if model.log_scale is None:
        return functional.relu(model.config.margin - right_scores[:, None] + wrong_scores).mean()
    logits = torch.cat([right_scores[:, None], wrong_scores], 1) * model.log_scale.exp()
    return -logits.log_softmax(1)[:, 0].mean()
