"""Relation profiles: which relations an entity takes part in, on which side, and how often."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from faan.base import Ints
from faan.graph import Graph, Neighbours


@dataclass(frozen=True, eq=False)
class Profiles:
    """The roles of each entity: role `r` is head of relation r, `r + num_relations` its tail.

    They weigh by tf-idf: log(1 + edges in the role), more for roles that few entities have. Roles are counted for the
    entities that are asked about, whose edges are sorted by relation; those of all would not stay in memory.
    """

    neighbours: Neighbours
    rarity: NDArray[np.float64]  # (roles,) what a role weighs because few entities have it

    @classmethod
    def of(cls, graph: Graph) -> Profiles:
        """Count how many entities have each role; once for a graph, however many ask."""
        if graph not in _COUNTED:
            neighbours = graph.neighbours
            spread = neighbours.count_roles(graph.num_relations)
            _COUNTED[graph] = cls(neighbours, np.log((1 + graph.num_entities) / (1 + spread)))
        return _COUNTED[graph]

    @property
    def num_roles(self) -> int:
        """How many roles there are."""
        return len(self.rarity)

    def dense(self, entities: Ints, hidden: int | None) -> NDArray[np.float32]:
        """The profiles of a few entities, (n, roles), each of length 1; 0 for an entity without edges."""
        rows, roles, weights, _ = self._gather(entities, hidden)
        table = np.zeros((len(entities), self.num_roles), np.float32)
        table[rows, roles] = weights
        units: NDArray[np.float32] = table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12)
        return units

    def similarities(self, entities: Ints, others: NDArray[np.float32], hidden: int | None) -> NDArray[np.float32]:
        """Cosines of the profiles of many entities with a few dense ones: (n,) and (K, roles) to (n, K)."""
        rows, roles, weights, lengths = self._gather(entities, hidden)
        products = _sum_rows(weights[:, None] * others.T[roles], rows, len(entities))
        return (products / np.maximum(lengths, 1e-12)[:, None]).astype(np.float32)

    def popularity(self, entities: Ints, wanted: NDArray[np.float32], hidden: int | None) -> NDArray[np.float32]:
        """How much entities have the wanted roles (roles,): the sum of the weights of their own roles."""
        rows, roles, weights, _ = self._gather(entities, hidden)
        return _sum_rows((weights * wanted[roles])[:, None], rows, len(entities))[:, 0]

    def _gather(
        self, entities: Ints, hidden: int | None
    ) -> tuple[Ints, Ints, NDArray[np.float32], NDArray[np.float32]]:
        """Row, role and weight of each role of some entities, without a hidden relation's; lengths of the rows."""
        offsets, relations = self.neighbours.offsets, self.neighbours.relations
        rows, roles, counts = _roles_of(offsets, relations, np.asarray(entities, np.int64))
        weights = (np.log1p(counts) * self.rarity[roles]).astype(np.float32)
        if hidden is not None:
            weights = np.where(roles % (self.num_roles // 2) == hidden % (self.num_roles // 2), np.float32(0), weights)
        lengths = np.sqrt(_sum_rows((weights * weights)[:, None], rows, len(entities))[:, 0])
        return rows, roles, weights, lengths


def _sum_rows(values: NDArray[np.float32], rows: Ints, count: int) -> NDArray[np.float32]:
    """Sums of the values (n, m) of each row, (count, m)."""
    sums = [np.bincount(rows, weights=column, minlength=count) for column in values.T]
    return np.stack(sums, axis=1).astype(np.float32)


_COUNTED: weakref.WeakKeyDictionary[Graph, Profiles] = weakref.WeakKeyDictionary()


@njit(nogil=True, cache=True)
def _roles_of(
    offsets: np.ndarray, relations: np.ndarray, entities: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, role and number of edges of each role of some entities."""
    size = 0
    for entity in entities:
        for edge in range(offsets[entity], offsets[entity + 1]):
            size += edge == offsets[entity] or relations[edge] != relations[edge - 1]
    rows, roles, counts = np.empty(size, np.int64), np.empty(size, np.int32), np.zeros(size, np.int32)
    place = -1
    for row in range(len(entities)):
        first = offsets[entities[row]]
        for edge in range(first, offsets[entities[row] + 1]):
            if edge == first or relations[edge] != relations[edge - 1]:
                place += 1
                rows[place], roles[place] = row, relations[edge]
            counts[place] += 1
    return rows, roles, counts
