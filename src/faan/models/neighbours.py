"""FAAN's first part: an entity is what it is and what it is next to, seen in the light of the task (eq. 1 to 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from faan.graph.graph import Neighbours
from faan.graph.ragged import Ints
from faan.models.background import Background
from faan.models.dropout import Dropout

Weighing = Literal["adaptive", "attention", "mean"]


class Vectors(NamedTuple):
    """What is known of everything, before any task."""

    entities: Tensor  # (entities, d)
    relations: Tensor  # (2 * relations, d_relation), inverse relations after the others


@dataclass(frozen=True, eq=False)
class Edges:
    """The neighbours of n entities, ragged, as tensors."""

    offsets: Tensor  # (n + 1,)
    owner: Tensor  # (e,) which of the n entities an edge belongs to
    relations: Tensor  # (e,)
    entities: Tensor  # (e,)

    @classmethod
    def of(cls, neighbours: Neighbours, entities: Ints, hidden: tuple[int, Ints] | None = None) -> Edges:
        """The edges that leave some entities, but none of a `hidden` relation to each entity's given other."""
        found = neighbours.gather(entities) if hidden is None else neighbours.gather_hiding(entities, *hidden)
        offsets, relations, others = found
        owner = np.repeat(np.arange(len(entities)), np.diff(offsets))
        return cls(*(torch.from_numpy(x.astype(np.int64)) for x in (offsets, owner, relations, others)))

    def __len__(self) -> int:
        return len(self.offsets) - 1


class NeighbourEncoder(nn.Module):
    """f(e) = LayerNorm(relu(W1 e + W2 c) + e), c the weighted mean of e's neighbours.

    The weights of the neighbours are a softmax of

        psi = r' W r_nbr               adaptive: how a neighbour's relation fits the task relation r  (eq. 2)
        psi = u' tanh(W [r_nbr; e_nbr] + b)     attention: without a look at the task (FSRL's encoder)
        psi = 0                        mean (GMatching's encoder)

    (The paper adds a learnt number to psi, which the softmax takes away again.) With c alone, `own_vector` false, f is
    LayerNorm(relu(W2 c)). An entity without neighbours has c = 0.
    """

    def __init__(self, background: Background, weighing: Weighing, own_vector: bool, dropout: float) -> None:
        super().__init__()
        d, d_relation = background.dimension, background.relations.shape[1]
        self.weighing, self.own_vector = weighing, own_vector
        if weighing == "adaptive":
            self.fit = nn.Parameter(nn.init.xavier_uniform_(torch.empty(d_relation, d_relation)))  # W
        elif weighing == "attention":
            self.look = nn.Linear(d_relation + d, d)
            self.judge = nn.Linear(d, 1, bias=False)  # u
        self.own = nn.Linear(d, d) if own_vector else None  # W1
        self.context = nn.Linear(d, d, bias=not own_vector)  # W2
        self.norm = nn.LayerNorm(d)
        self.dropout = Dropout(dropout)

    def heads(self, edges: Edges, x: Tensor, task: Tensor, vectors: Vectors, hidden: Tensor | None = None) -> Tensor:
        """f of G heads, each seen with m tails: x (G, d), task relations (G, m, d_relation) to (G, m, d).

        `hidden` (G, m, widest) marks edges that a pair must not see.
        """
        weights, neighbours = self.head_weights(edges, task, vectors, hidden)  # (G, m, widest), (G, widest, d)
        return self._combine(x[:, None], weights @ self.dropout(neighbours))

    def head_weights(
        self, edges: Edges, task: Tensor, vectors: Vectors, hidden: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """The weights of the heads' neighbours (G, m, widest), 0 where there is none, and their vectors."""
        degrees = edges.offsets.diff()
        widest = max(1, int(degrees.max()))
        place = torch.arange(len(edges.owner)) - edges.offsets[edges.owner]  # of an edge within its row
        exists = torch.arange(widest) < degrees[:, None]  # (G, widest)
        padded = torch.zeros(2, len(edges), widest, dtype=torch.long)
        padded[:, edges.owner, place] = torch.stack([edges.relations, edges.entities])
        relations, neighbours = vectors.relations[padded[0]], vectors.entities[padded[1]]  # (G, widest, d)
        if self.weighing == "adaptive":
            psi = (task @ self.fit) @ relations.transpose(1, 2)  # (G, m, widest)
        else:
            psi = self._taskless(relations, neighbours)[:, None].expand(-1, task.shape[1], -1)
        seen = exists[:, None] if hidden is None else exists[:, None] & ~hidden
        weights = psi.masked_fill(~seen, -torch.inf).softmax(-1)
        return weights.masked_fill(~seen, 0), neighbours  # a row without neighbours is all NaN before

    def tails(self, edges: Edges, x: Tensor, task: Tensor, vectors: Vectors, hidden: Tensor | None = None) -> Tensor:
        """f of n tails, each seen with its head: x (n, d), task relations (n, d_relation) to (n, d)."""
        weights = self.tail_weights(edges, task, vectors, hidden)
        return self._combine(x, weighted_sum(edges, edges.entities, vectors.entities, weights, self.dropout))

    def tail_weights(self, edges: Edges, task: Tensor, vectors: Vectors, hidden: Tensor | None = None) -> Tensor:
        """The weight of each edge, (e,); those of one tail sum to 1. `hidden` (e,) marks edges not to be seen."""
        if self.weighing == "adaptive":
            psi = ((task @ self.fit)[edges.owner] * vectors.relations[edges.relations]).sum(-1)  # (e,)
        else:
            psi = self._taskless(vectors.relations[edges.relations], vectors.entities[edges.entities])
        if hidden is not None:
            psi = psi.masked_fill(hidden, -torch.inf)
        return softmax_of_edges(edges, psi)

    def _taskless(self, relations: Tensor, neighbours: Tensor) -> Tensor:
        """psi where the task does not matter: (..., d_relation) and (..., d) to (...)."""
        if self.weighing == "mean":
            return neighbours.new_zeros(neighbours.shape[:-1])
        found: Tensor = self.judge(self.look(torch.cat([relations, neighbours], -1)).tanh()).squeeze(-1)
        return found

    def _combine(self, x: Tensor, context: Tensor) -> Tensor:
        if self.own is None:
            combined: Tensor = self.norm(functional.relu(self.context(context)))
        else:
            combined = self.norm(functional.relu(self.own(x) + self.context(context)) + x)
        return combined


def softmax_of_edges(edges: Edges, psi: Tensor) -> Tensor:
    """The softmax of numbers (e,) over the edges of each entity; an edge at minus infinity has weight 0."""
    highest = psi.new_full((len(edges),), -torch.inf).scatter_reduce(0, edges.owner, psi.detach(), "amax")
    highest = highest.masked_fill(highest.isinf(), 0)  # all hidden: every exponential below is 0
    exponentials = (psi - highest[edges.owner]).exp()
    sums = psi.new_zeros(len(edges)).index_add(0, edges.owner, exponentials).clamp_min(1e-30)
    return exponentials / sums[edges.owner]


def weighted_sum(edges: Edges, rows: Tensor, table: Tensor, weights: Tensor, dropout: Dropout) -> Tensor:
    """For each of n entities the sum over its edges: rows (e,) of a table (., d) times weights (e,), to (n, d)."""
    if dropout.training and dropout.share > 0:
        terms = dropout(table[rows]) * weights[:, None]  # (e, d)
        return table.new_zeros(len(edges), table.shape[1]).index_add(0, edges.owner, terms)
    return functional.embedding_bag(rows, table, edges.offsets[:-1], mode="sum", per_sample_weights=weights)
