"""MetaR: the references' relation as a vector, which takes one gradient step before it is used for queries.

Chen, Zhang, Zhang, Chen, Chen: Meta Relational Learning for Few-Shot Link Prediction in Knowledge Graphs. EMNLP 2019.

    R   = mean over the references of MLP([h; t])                     relation meta
    G   = gradient in R of the references' margin loss                gradient meta
    R'  = R - rate * G
    score(h, t) = -|| h + R' - t ||_2

Where this differs from the paper, and why:
- LayerNorm in place of batch normalisation in the MLP: what a task gets does not depend on the tasks beside it, one
  reference is enough to train on, and training and evaluation are the same function. (The authors' program normalises
  each of the K places of a reference by itself, over the batch, which makes the references' order matter.)
- The gradient is written down (that of a length is the unit vector), and its own gradient flows in training.
- The references' loss is a mean over references of one task, so the size of the step does not depend on how many
  tasks and references there are.
- Wrong tails of references are drawn from the candidates by a stream that the references fix; only what the references
  themselves say is held to be true, in training as after it, for more is not known of a new relation.
- Vectors are scaled to a common length first, so that settings do not depend on the embeddings.

`train_vectors` moves the vectors of all entities in each step: a third of a step's time on NELL's 70,000 entities,
seconds on graphs of millions, where the vectors should stay as they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn

from faan.base import Ints, Purpose, Stream
from faan.models.background import Background, hold_vectors
from faan.models.dropout import Dropout
from faan.models.interface import FewShotConfig, FewShotModel, evaluating, to_tensor
from faan.models.register import Row
from faan.tasks import Episode, PairSet, Task, draw_negatives, has_negatives

Count = Annotated[int, Field(ge=1)]


class MetaRConfig(FewShotConfig):
    """The settings of MetaR; the defaults are the paper's."""

    order: ClassVar[int] = 40
    rows: ClassVar[tuple[Row, ...]] = (Row("MetaR", "metar", tables=("main", "shots", "relations")),)
    fit_config: ClassVar[str | None] = "metar"
    samples: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "small": {"widths": (12, 10), "rate": 0.5, "dropout": 0.2},
        "frozen": {"widths": (16,), "rate": 0.5, "reference_negatives": 3, "train_vectors": False},
    }

    method: Literal["metar"] = "metar"
    """Which few-shot model."""
    widths: Annotated[tuple[Count, ...], Field(strict=False)] = (500, 200)
    """Widths of the layers between a reference, twice as wide as a vector, and its relation."""
    dropout: float = Field(0.5, ge=0.0, lt=1.0)
    """Dropout rate of each layer's output."""
    rate: float = Field(5.0, ge=0.0)
    """Size of the gradient step of a relation; 0 skips it."""
    reference_negatives: int = Field(1, ge=1)
    """Wrong tails of each reference in the loss of that step."""
    margin: float = Field(1.0, gt=0.0)
    """The margin of the loss between a true tail and a wrong one, for references and queries."""
    train_vectors: bool = True
    """Also train the vectors of entities; otherwise they stay fixed."""

    def build(self, background: Background) -> MetaR:
        """The model before training."""
        return MetaR(background, self)


class MetaR(FewShotModel):
    """Scores a pair by how well a relation, learnt from the references and moved by them, leads from head to tail."""

    entities: Tensor

    def __init__(self, background: Background, config: MetaRConfig) -> None:
        super().__init__()
        self.config, d = config, background.dimension
        hold_vectors(self, "entities", background.entities, trained=config.train_vectors)
        layers: list[nn.Module] = []
        for before, after in pairwise((2 * d, *config.widths)):
            layers += [nn.Linear(before, after), nn.LayerNorm(after), nn.LeakyReLU(), Dropout(config.dropout)]
        self.learn = nn.Sequential(*layers, nn.Linear((2 * d, *config.widths)[-1], d))

    def vectors(self, *ids: Ints) -> list[Tensor]:
        """The vectors of entities, arrays of any shape; the gradient of one gather is as large as the whole table."""
        gathered = self.entities[to_tensor(np.concatenate([each.ravel() for each in ids]))]
        parts = gathered.split([each.size for each in ids])
        return [part.view(*each.shape, -1) for part, each in zip(parts, ids, strict=True)]

    def relations(self, heads: Tensor, tails: Tensor, wrong: Tensor, sizes: Tensor) -> Tensor:
        """R' of T tasks, (T, d), from all their references: (n, d), (n, d) and (n, N, d); `sizes` (T,) is K of each."""
        owner = torch.arange(len(sizes)).repeat_interleave(sizes)  # (n,)

        def mean(rows: Tensor) -> Tensor:
            return rows.new_zeros(len(sizes), rows.shape[1]).index_add(0, owner, rows / sizes[owner, None])

        relations = mean(self.learn(torch.cat([heads, tails], -1)))  # R: (T, d)
        gradients = gradient_of_margin_loss(heads + relations[owner], tails, wrong, self.config.margin)
        return relations - self.config.rate * mean(gradients)

    def wrong_tails(self, task: Task, references: Ints) -> Ints:
        """Wrong tails (K, N) of references; which ones depends on the set of references, not on their order."""
        count = self.config.reference_negatives
        known = replace(task, truths=PairSet.of(references, len(self.entities)))
        if len(task.candidates) <= len(references) and not has_negatives(known):
            return np.repeat(references[:, 1:], count, axis=1)  # a tail that competes with itself: no gradient
        pairs = known.truths.pairs
        seed = (pairs + 1).astype(np.uint64) * np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], dtype=np.uint64)
        drawn = draw_negatives(
            known, pairs[:, 0], count, Stream(int((seed[:, 0] ^ seed[:, 1]).sum()), Purpose.METAR_NEGATIVES)
        )
        keys, asked = (each[:, 0].astype(np.int64) * len(self.entities) + each[:, 1] for each in (pairs, references))
        return drawn[np.searchsorted(keys, asked)]

    def loss(self, episodes: Sequence[Episode]) -> Tensor:
        """The mean over the episodes of what their queries' true tails lack to win by the margin."""
        references, queries, negatives, wrong = (
            np.concatenate(arrays)
            for arrays in zip(
                *((e.references, e.queries, e.negatives, self.wrong_tails(e.task, e.references)) for e in episodes),
                strict=True,
            )
        )
        known, asked, x_negatives, x_wrong = self.vectors(references, queries, negatives, wrong)
        sizes = torch.tensor([len(episode.references) for episode in episodes])
        relations = self.relations(known[:, 0], known[:, 1], x_wrong, sizes)  # (T, d)
        counts = torch.tensor([len(episode.queries) for episode in episodes])
        owner = torch.arange(len(counts)).repeat_interleave(counts)  # (all queries,)
        tails = torch.cat([asked[:, 1:], x_negatives], 1)  # (all queries, 1 + N, d), the true ones first
        distances = torch.linalg.vector_norm((asked[:, 0] + relations[owner])[:, None] - tails, dim=-1)
        lacking = (self.config.margin + distances[:, :1] - distances[:, 1:]).relu().mean(1)  # (all queries,)
        loss: Tensor = (lacking / counts[owner]).sum() / len(episodes)
        return loss

    def prepare(self, task: Task, references: Ints) -> _MetaRScorer:
        """Find the relation that the references stand for."""
        with evaluating(self):
            known, wrong = self.vectors(references, self.wrong_tails(task, references))
            relation = self.relations(known[:, 0], known[:, 1], wrong, torch.tensor([len(references)]))[0]
        return _MetaRScorer(self.entities.detach(), relation)


def gradient_of_margin_loss(lead: Tensor, tails: Tensor, wrong: Tensor, margin: float) -> Tensor:
    """The gradient in `lead` = h + R of each reference's mean of relu(margin + |lead - t| - |lead - t_wrong|).

    (n, d), (n, d) and (n, N, d) to (n, d). The gradient of a length is the unit vector in its direction.
    """
    right, others = lead - tails, lead[:, None] - wrong
    lengths, other_lengths = (torch.linalg.vector_norm(x, dim=-1, keepdim=True) for x in (right, others))
    lacks = margin + lengths[:, None] - other_lengths > 0  # (n, N, 1)
    units = (right / lengths.clamp_min(1e-12))[:, None] - others / other_lengths.clamp_min(1e-12)
    gradient: Tensor = (units * lacks).mean(1)
    return gradient


class _MetaRScorer:
    def __init__(self, entities: Tensor, relation: Tensor) -> None:
        self._entities, self._relation = entities, relation

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        lead = self._entities[to_tensor(heads)] + self._relation
        tails = self._entities[to_tensor(candidates)]
        distances: NDArray[np.float32] = torch.cdist(
            lead, tails, compute_mode="donot_use_mm_for_euclid_dist"
        ).numpy()  # products of matrices would lose digits where head and tail are near
        return -distances
