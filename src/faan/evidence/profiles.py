"""Relation profiles: which relations an entity takes part in, on which side, and how often."""

from __future__ import annotations

import weakref
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from faan.base import Ints, places_of
from faan.graph import Graph

_AT_ONCE = 1 << 20  # roles in one block


@dataclass(frozen=True, eq=False)
class Profiles:
    """The roles of each entity, ragged: role `r` is head of relation r, `r + num_relations` its tail."""

    offsets: Ints  # (entities + 1,)
    roles: Ints  # (n,)
    weights: NDArray[np.float32]  # (n,) tf-idf: log(1 + edges in the role), more for roles that few entities have
    num_roles: int

    @classmethod
    def of(cls, graph: Graph) -> Profiles:
        """Count the edges of each entity by relation; computed once for a graph."""
        if graph not in _COUNTED:
            _COUNTED[graph] = cls._count(graph)
        return _COUNTED[graph]

    @classmethod
    def _count(cls, graph: Graph) -> Profiles:
        neighbours, num_roles = graph.neighbours, 2 * graph.num_relations
        offsets = _role_offsets(neighbours.offsets, neighbours.relations)
        roles, counts = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int32)
        _count_roles(neighbours.offsets, neighbours.relations, roles, counts)
        spread = np.bincount(roles, minlength=num_roles)  # entities that have each role
        rarity = np.log((1 + graph.num_entities) / (1 + spread))
        weights = np.empty(len(roles), np.float32)
        for start in range(0, len(roles), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            weights[part] = np.log1p(counts[part]) * rarity[roles[part]]
        return cls(offsets, roles, weights, num_roles)

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
        starts = self.offsets[entities]
        places, offsets = places_of(starts, self.offsets[np.asarray(entities) + 1] - starts)
        rows = np.repeat(np.arange(len(entities)), np.diff(offsets))
        roles, weights = self.roles[places], self.weights[places]
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
def _role_offsets(offsets: np.ndarray, relations: np.ndarray) -> np.ndarray:
    """How many roles each entity has, added up; its edges are sorted by relation."""
    found = np.zeros(len(offsets), np.int64)
    for entity in range(len(offsets) - 1):
        count = 0
        for edge in range(offsets[entity], offsets[entity + 1]):
            if edge == offsets[entity] or relations[edge] != relations[edge - 1]:
                count += 1
        found[entity + 1] = found[entity] + count
    return found


@njit(nogil=True, cache=True)
def _count_roles(offsets: np.ndarray, relations: np.ndarray, roles: np.ndarray, counts: np.ndarray) -> None:
    """Each role of each entity, and its edges."""
    place = -1
    for entity in range(len(offsets) - 1):
        for edge in range(offsets[entity], offsets[entity + 1]):
            if edge == offsets[entity] or relations[edge] != relations[edge - 1]:
                place += 1
                roles[place] = relations[edge]
                counts[place] = 0
            counts[place] += 1
