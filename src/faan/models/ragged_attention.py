"""Sums over the edges of entities, each of which has its own number of them; differentiable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from faan.base import Ints, offsets_of, places_of
from faan.graph import Neighbours
from faan.models import ragged_kernels as kernels
from faan.models.dropout import Dropout
from faan.models.threads import for_rows


@dataclass(frozen=True, eq=False)
class Edges:
    """The edges of n entities, ragged. What has one number for each edge of each entity is flat, (e,).

    An entity can be there several times and have different numbers each time; its edges are stored once.
    """

    starts: Ints  # (n,) where an entity's edges are stored
    offsets: Ints  # (n + 1,) where its numbers are
    relations: Ints  # (stored,)
    entities: Ints  # (stored,)

    @classmethod
    def of(cls, neighbours: Neighbours, entities: Ints, hidden: tuple[int, Ints] | None = None) -> Edges:
        """The edges that leave some entities, but none of a `hidden` relation to each entity's given other."""
        found = neighbours.gather(entities) if hidden is None else neighbours.gather_hiding(entities, *hidden)
        offsets, relations, others = found
        return cls(offsets[:-1], offsets, relations, others)

    def of_rows(self, rows: Ints) -> Edges:
        """The edges of some of these entities, any number of times."""
        return Edges(self.starts[rows], offsets_of(self.degrees[rows]), self.relations, self.entities)

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def degrees(self) -> Ints:
        """How many edges each entity has, (n,)."""
        return np.diff(self.offsets)

    @property
    def places(self) -> Ints:
        """Where each entity's edges are stored, one after the other, (e,)."""
        return places_of(self.starts, self.degrees)[0]

    def lead_to(self, relations: Ints, others: Ints) -> Tensor:
        """Which edges are of each entity's given relation and lead to its given other: (n,), (n,) to (e,)."""
        owner, places = np.repeat(np.arange(len(self)), self.degrees), self.places
        return torch.from_numpy((self.relations[places] == relations[owner]) & (self.entities[places] == others[owner]))


def products_of_edges(edges: Edges, left: Tensor, rows: Ints, table: Tensor) -> Tensor:
    """The product of each entity's vector, left (n, d), with each of its edges', rows (stored,) of a table: (e,)."""
    ragged, factors = (edges.starts, edges.offsets, rows), table.new_empty(0, 0)
    found: Tensor = _Products.apply(left, table, ragged, factors)  # type: ignore[no-untyped-call]
    return found


def softmax_of_edges(edges: Edges, psi: Tensor) -> Tensor:
    """The softmax of numbers (e,) over the edges of each entity; an edge at minus infinity has weight 0."""
    found: Tensor = _Softmax.apply(psi, edges.offsets)  # type: ignore[no-untyped-call]
    return found


def weighted_sum(edges: Edges, rows: Ints, table: Tensor, weights: Tensor, dropout: Dropout) -> Tensor:
    """For each of n entities the sum over its edges: rows (stored,) of a table (., d) times weights (e,), to (n, d)."""
    factors = dropout.factors((len(rows), table.shape[1]))
    ragged = (edges.starts, edges.offsets, rows)
    found: Tensor = _Sums.apply(weights, table, ragged, factors)  # type: ignore[no-untyped-call]
    return found


_Ragged = tuple[Ints, Ints, Ints]  # starts, offsets and rows, as the kernels call them


class _Products(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, left: Tensor, table: Tensor, ragged: _Ragged, factors: Tensor) -> Tensor:
        ctx.save_for_backward(left, table, factors)
        ctx.ragged = ragged
        return _products(ragged, table, factors, left)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        left, table, factors = ctx.saved_tensors
        to_left = _sums(ctx.ragged, table, factors, gradients[0]) if ctx.needs_input_grad[0] else None
        to_table = _scatter(ctx.ragged, table, factors, gradients[0], left) if ctx.needs_input_grad[1] else None
        return to_left, to_table, None, None


class _Sums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weights: Tensor, table: Tensor, ragged: _Ragged, factors: Tensor) -> Tensor:
        ctx.save_for_backward(weights, table, factors)
        ctx.ragged = ragged
        return _sums(ragged, table, factors, weights)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        weights, table, factors = ctx.saved_tensors
        to_weights = _products(ctx.ragged, table, factors, gradients[0]) if ctx.needs_input_grad[0] else None
        to_table = _scatter(ctx.ragged, table, factors, weights, gradients[0]) if ctx.needs_input_grad[1] else None
        return to_weights, to_table, None, None


class _Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, psi: Tensor, offsets: Ints) -> Tensor:
        weights = torch.empty_like(psi, memory_format=torch.contiguous_format)
        kernels.edge_softmax(offsets, _array(psi), weights.numpy())
        ctx.save_for_backward(weights)
        ctx.offsets = offsets
        return weights

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        (weights,) = ctx.saved_tensors
        to_psi = torch.empty_like(weights)
        kernels.edge_softmax_gradients(ctx.offsets, weights.numpy(), _array(gradients[0]), to_psi.numpy())
        return to_psi, None


def _products(ragged: _Ragged, table: Tensor, factors: Tensor, left: Tensor) -> Tensor:
    found = left.new_empty(int(ragged[1][-1]))
    given, left_, found_ = (_array(table), factors.numpy()), _array(left), found.numpy()
    for_rows(len(left), lambda rows: kernels.edge_products(*_part(ragged, rows), *given, left_[rows], found_))
    return found


def _sums(ragged: _Ragged, table: Tensor, factors: Tensor, weights: Tensor) -> Tensor:
    found = table.new_zeros(len(ragged[0]), table.shape[1])
    given, found_ = (_array(table), factors.numpy(), _array(weights)), found.numpy()
    for_rows(len(found), lambda rows: kernels.edge_sums(*_part(ragged, rows), *given, found_[rows]))
    return found


def _scatter(ragged: _Ragged, table: Tensor, factors: Tensor, weights: Tensor, left: Tensor) -> Tensor:
    found = torch.zeros_like(table)
    kernels.edge_scatter(*ragged, found.numpy(), factors.numpy(), _array(weights), _array(left))
    return found


def _part(ragged: _Ragged, rows: slice) -> _Ragged:
    starts, offsets, places = ragged
    return starts[rows], offsets[rows.start : rows.stop + 1], places


def _array(tensor: Tensor) -> np.ndarray:
    """The numbers of a tensor, side by side: the kernels are compiled for that."""
    return tensor.detach().contiguous().numpy()
