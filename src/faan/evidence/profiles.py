"""Relation profiles: which relations an entity takes part in, on which side, and how often."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, offsets_of, places_of
from faan.graph import Graph


@dataclass(frozen=True, eq=False)
class Profiles:
    """The roles of each entity, ragged: role `r` is head of relation r, `r + num_relations` its tail."""

    offsets: Ints  # (entities + 1,)
    roles: Ints  # (n,)
    weights: NDArray[np.float32]  # (n,) tf-idf: log(1 + edges in the role), more for roles that few entities have
    num_roles: int

    @classmethod
    def of(cls, graph: Graph) -> Profiles:
        """Count the edges of each entity by relation."""
        neighbours, num_roles = graph.neighbours, 2 * graph.num_relations
        owner = np.repeat(np.arange(graph.num_entities), neighbours.degrees)
        is_first = np.ones(len(owner), dtype=bool)  # edges are sorted by entity, then by relation
        is_first[1:] = (owner[1:] != owner[:-1]) | (neighbours.relations[1:] != neighbours.relations[:-1])
        places = np.flatnonzero(is_first)
        roles, counts = neighbours.relations[places], np.diff(np.append(places, len(owner)))
        spread = np.bincount(roles, minlength=num_roles)  # entities that have each role
        rarity = np.log((1 + graph.num_entities) / (1 + spread))
        weights = (np.log1p(counts) * rarity[roles]).astype(np.float32)
        offsets = offsets_of(np.bincount(owner[places], minlength=graph.num_entities))
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
        """How much entities play the wanted roles (roles,): the weights of their own roles, summed up."""
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
