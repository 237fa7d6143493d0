"""What GMatching and FSRL share: entities encoded by their neighbours, pairs by two entities, LSTM matching.

How an entity is represented does not depend on the pair it is in, so when one head is scored with many candidates each
entity is encoded once. (Where edges between a pair's head and tail must not be seen, it does depend on the pair.)
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn
from torch.nn import functional

from faan.base import Ints
from faan.models.background import Background, hold_vectors
from faan.models.dropout import Dropout
from faan.models.interface import PAIRS_AT_ONCE, FewShotConfig, SharingModel, evaluating, margin_loss
from faan.models.matching import LstmMatching
from faan.models.ragged_attention import Edges
from faan.tasks import Episode, Task


class EntitywiseConfig(FewShotConfig):
    """The settings that GMatching and FSRL share."""

    matching_steps: int = Field(2, ge=1)
    """Steps of the matching network."""
    neighbour_dropout: float = Field(0.5, ge=0.0, lt=1.0)
    """Dropout rate of the neighbours' vectors."""
    dropout: float = Field(0.5, ge=0.0, lt=1.0)
    """Dropout rate in the encoder of pairs."""
    train_vectors: bool = False
    """Also train the vectors of entities and relations; otherwise they stay fixed."""
    margin: float = Field(5.0, gt=0.0)
    """The margin of the loss between a true tail and a wrong one."""


class EntitywiseModel(SharingModel):
    """Encodes entities by their neighbours, joins two to a pair, and matches pairs with what it makes of references."""

    entities: Tensor
    relations: Tensor

    def __init__(self, background: Background, config: EntitywiseConfig) -> None:
        super().__init__()
        self.margin, self.graph = config.margin, background.neighbours
        self.num_relations = len(background.relations) // 2
        hold_vectors(self, "entities", background.entities, trained=config.train_vectors)
        hold_vectors(self, "relations", background.relations, trained=config.train_vectors)
        self.neighbour_dropout = Dropout(config.neighbour_dropout)
        width = 2 * background.dimension
        self.refine = PairRefiner(width, config.dropout)
        self.matching = LstmMatching(width, config.matching_steps)

    @abstractmethod
    def encode(self, edges: Edges) -> Tensor:
        """Represent n entities by their edges, (n, d)."""

    @abstractmethod
    def aggregate(self, references: Tensor) -> tuple[Tensor, Tensor]:
        """What queries are matched with, the best of S vectors: (K, D) to (S, D); and what is added to the loss."""

    def pairs(self, heads: Ints, tails: Ints, hidden: int | None = None) -> Tensor:
        """Represent each head with each of its tails: (G,) and (G, m) to (G, m, D).

        Edges of the relation `hidden` between a pair's head and tail are not seen.
        """
        each = np.repeat(heads, tails.shape[1])  # (G m,) the head of each tail
        if hidden is None:
            f_head = self.encode(Edges.of(self.graph, heads))[:, None].expand(-1, tails.shape[1], -1)
            f_tail = self.encode(Edges.of(self.graph, tails.ravel()))
        else:
            inverse = (hidden + self.num_relations) % (2 * self.num_relations)
            f_head = self.encode(Edges.of(self.graph, each, (hidden, tails.ravel()))).view(*tails.shape, -1)
            f_tail = self.encode(Edges.of(self.graph, tails.ravel(), (inverse, each)))
        refined: Tensor = self.refine(torch.cat([f_head, f_tail.view(*tails.shape, -1)], -1))
        return refined

    def reference_pairs(self, references: Ints, hidden: int | None) -> Tensor:
        """Represent reference pairs: (K, 2) to (K, D)."""
        return self.pairs(references[:, 0], references[:, 1:], hidden)[:, 0]

    def match(self, queries: Tensor, *known: Tensor) -> Tensor:
        """The score of queries (n, D) for each of T sets of what is known, (S, D) each: (T, n).

        It is the product of what the network answers with what is known, the best of them.
        """
        every = torch.cat(known)  # (all S, D)
        answers = self.matching.answer(queries, every[:, None])  # (all S, n, D)
        products = (answers @ every[..., None]).squeeze(-1)
        return torch.stack([own.amax(0) for own in products.split([len(one) for one in known])])

    def loss(self, episodes: Sequence[Episode]) -> Tensor:
        """The margin loss of the queries' true tails, averaged over the episodes."""
        return torch.stack([self._episode_loss(episode) for episode in episodes]).mean()

    def _episode_loss(self, episode: Episode) -> Tensor:
        hidden = episode.task.hidden
        known, penalty = self.aggregate(self.reference_pairs(episode.references, hidden))
        tails = np.concatenate([episode.queries[:, 1:], episode.negatives], axis=1)  # (Q, 1 + N), the true ones first
        queries = self.pairs(episode.queries[:, 0], tails, hidden)
        scores = self.match(queries.flatten(0, 1), known)[0].view(tails.shape)
        return margin_loss(scores, self.margin) + penalty

    def prepare_sets(self, task: Task, sets: Sequence[Ints]) -> _EntitywiseScorers:
        """Aggregate the references."""
        with evaluating(self):
            known = [self.aggregate(self.reference_pairs(references, task.hidden))[0] for references in sets]
        return _EntitywiseScorers(self, known, task.hidden)


class _EntitywiseScorers:
    def __init__(self, model: EntitywiseModel, known: Sequence[Tensor], hidden: int | None) -> None:
        self._model, self._known, self._hidden = model, known, hidden

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        model, total = self._model, len(heads) * len(candidates)
        scores = np.empty((len(self._known), total), dtype=np.float32)
        with evaluating(model):
            if self._hidden is None:
                f_head, f_tail = (model.encode(Edges.of(model.graph, ids)) for ids in (heads, candidates))
            size = max(1, PAIRS_AT_ONCE // sum(map(len, self._known)))
            for start in range(0, total, size):
                numbers = np.arange(start, min(start + size, total))
                row, column = np.divmod(numbers, len(candidates))
                if self._hidden is None:
                    pairs = model.refine(torch.cat([f_head[row], f_tail[column]], -1))
                else:
                    pairs = model.pairs(heads[row], candidates[column][:, None], self._hidden)[:, 0]
                scores[:, numbers] = model.match(pairs, *self._known).numpy()
        return scores.reshape(-1, len(heads), len(candidates))


class PairRefiner(nn.Module):
    """GMatching's encoder of pairs: x -> LayerNorm(x + W2 relu(W1 x)), twice as wide inside."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.norm = nn.LayerNorm(width)
        self.dropout = Dropout(dropout)

    def forward(self, pairs: Tensor) -> Tensor:
        """(..., D) to (..., D)."""
        refined: Tensor = self.norm(pairs + self.dropout(self.outer(functional.relu(self.inner(pairs)))))
        return refined
