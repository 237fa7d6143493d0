"""FAAN's first part: encodes an entity by its own vector and its neighbours, weighted for the task (eq. 1 to 4)."""

from __future__ import annotations

from typing import Literal, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from faan.models.background import Background
from faan.models.dropout import Dropout
from faan.models.interface import to_tensor
from faan.models.ragged_attention import Edges, products_of_edges, softmax_of_edges, weighted_sum

Weighing = Literal["adaptive", "attention", "mean"]


class BackgroundVectors(NamedTuple):
    """The vectors of entities and relations, before any task."""

    entities: Tensor  # (entities, d)
    relations: Tensor  # (2 * relations, d_relation), inverse relations after the others


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

    def forward(
        self, edges: Edges, x: Tensor, task: Tensor, vectors: BackgroundVectors, hidden: Tensor | None = None
    ) -> Tensor:
        """f of n heads and then of their n tails: x (2 n, d), task relations (n, d_relation), to (2 n, d).

        `hidden` (e,) marks edges not to be seen.
        """
        weights = self.weights(edges, task, vectors, hidden)
        context = weighted_sum(edges, edges.entities, vectors.entities, weights, self.dropout)  # (2 n, d)
        if self.own is None:
            combined: Tensor = self.norm(functional.relu(self.context(context)))
        else:
            combined = self.norm(functional.relu(self.own(x) + self.context(context)) + x)
        return combined

    def weights(self, edges: Edges, task: Tensor, vectors: BackgroundVectors, hidden: Tensor | None = None) -> Tensor:
        """The weight of each edge, (e,); those of one entity sum to 1, or to 0 where all of its edges are hidden."""
        if self.weighing == "adaptive":
            left = (task @ self.fit).repeat(2, 1)  # head and tail are seen in the light of the same relation
            psi = products_of_edges(edges, left, edges.relations, vectors.relations)  # (e,)
        else:
            psi = self._taskless(edges, vectors)
        if hidden is not None:
            psi = psi.masked_fill(hidden, -torch.inf)
        return softmax_of_edges(edges, psi)

    def _taskless(self, edges: Edges, vectors: BackgroundVectors) -> Tensor:
        """psi where the task does not matter, (e,)."""
        if self.weighing == "mean":
            return vectors.entities.new_zeros(int(edges.offsets[-1]))
        return psi_of_neighbours(edges, vectors, self.look, self.judge)[to_tensor(edges.places)]


def psi_of_neighbours(edges: Edges, vectors: BackgroundVectors, look: nn.Linear, judge: nn.Linear) -> Tensor:
    """psi = u' tanh(W [r_nbr; e_nbr] + b) of each stored edge, with look = (W, b) and judge = u, to (stored,)."""
    relations, entities = to_tensor(edges.relations), to_tensor(edges.entities)
    both = torch.cat([vectors.relations[relations], vectors.entities[entities]], -1)  # (stored, d_relation + d)
    psi: Tensor = judge(look(both).tanh()).squeeze(-1)
    return psi
