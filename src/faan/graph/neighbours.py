"""The edges of each entity in both directions, and a check that those of a saved graph match its triples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, are_below, is_ragged, offsets_of, places_of
from faan.graph.names import damaged

_PIECE = 1 << 16  # edges multiplied at once
_ENTITIES = 1 << 17  # whose relations are counted at once


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The edges of each entity, both directions, ragged (compressed sparse rows).

    Relation `r` seen from its tail is `r + num_relations`.
    """

    offsets: Ints  # (entities + 1,)
    relations: Ints  # (2 * triples,)
    entities: Ints  # (2 * triples,)

    @classmethod
    def build(cls, heads: Ints, relations: Ints, tails: Ints, num_entities: int, num_relations: int) -> Neighbours:
        """Group the edges and their inverses by the entity they leave, then by relation."""
        _check_ids(heads, relations, tails, num_entities, num_relations)
        source = np.concatenate([heads, tails])
        relation = np.concatenate([relations, relations + num_relations]).astype(np.int32)
        order = np.argsort(source.astype(np.int64) * (2 * num_relations) + relation, kind="stable")
        offsets = offsets_of(np.bincount(source, minlength=num_entities))
        return cls(offsets, relation[order], np.concatenate([tails, heads])[order].astype(np.int32))

    def check(self, heads: Ints, relations: Ints, tails: Ints, num_relations: int) -> None:
        """Refuse numbers out of range in neighbours and triples that were loaded from disk."""
        num_entities = len(self.offsets) - 1
        _check_ids(heads, relations, tails, num_entities, num_relations)
        fitting = (
            is_ragged(self.offsets, len(self.entities))
            and are_below(self.entities, num_entities)
            and are_below(self.relations, 2 * num_relations)
        )
        if not fitting:
            raise damaged("its neighbours are out of range")

    def check_edges(self, heads: Ints, relations: Ints, tails: Ints, num_relations: int) -> None:
        """Refuse neighbours, found on disk and in range, that are not the edges of the triples, grouped by relation.

        Both are compared as sums of products of random numbers, which no file can be made to match: that is three times
        as fast as to sort them.
        """
        random = np.random.default_rng()
        num_entities = len(self.offsets) - 1
        near, far, kind = (
            random.integers(1 << 63, size=count, dtype=np.uint64) | np.uint64(1)
            for count in (num_entities, num_entities, 2 * num_relations)
        )
        owners = np.repeat(np.arange(num_entities, dtype=np.int32), np.diff(self.offsets))
        grouped = (self.relations[1:] >= self.relations[:-1]) | (owners[1:] != owners[:-1])
        found = _sum_of_products(near, owners, kind, self.relations, far, self.entities)
        wanted = _sum_of_products(near, heads, kind, relations, far, tails)
        wanted += _sum_of_products(near, tails, kind[num_relations:], relations, far, heads)
        if not grouped.all() or (found - wanted) % 2**64:
            raise damaged("its neighbours are not those of its triples")

    @property
    def degrees(self) -> Ints:
        """The number of edges of each entity, both directions."""
        return np.diff(self.offsets)

    def count_roles(self, num_relations: int) -> NDArray[np.int64]:
        """How many entities have edges of each relation, then of each inverse relation: (2 * num_relations,)."""
        found = np.zeros(2 * num_relations, np.int64)
        for start in range(0, len(self.offsets) - 1, _ENTITIES):
            ends = self.offsets[start : start + _ENTITIES + 1]
            relations = self.relations[ends[0] : ends[-1]]
            is_first = np.ones(len(relations), dtype=bool)  # of its relation among the edges of its entity
            is_first[1:] = relations[1:] != relations[:-1]
            is_first[(ends[:-1] - ends[0])[ends[:-1] < ends[-1]]] = True
            found += np.bincount(relations[is_first], minlength=2 * num_relations)
        return found

    def of(self, entity: int) -> tuple[Ints, Ints]:
        """Relations and entities next to one entity."""
        if not 0 <= entity < len(self.offsets) - 1:
            raise IndexError(f"entity {entity} is outside 0 to {len(self.offsets) - 2}")
        span = slice(self.offsets[entity], self.offsets[entity + 1])
        return self.relations[span], self.entities[span]

    def along(self, entity: int, relation: int) -> Ints:
        """The entities that the edges of one relation lead to from one entity."""
        relations, entities = self.of(entity)
        begin, end = np.searchsorted(relations, [relation, relation + 1])
        return entities[begin:end]

    def degrees_of(self, entities: Ints) -> Ints:
        """The number of edges of some entities, (n,)."""
        return self.offsets[np.asarray(entities) + 1] - self.offsets[entities]

    def gather(self, entities: Ints, most: int | None = None) -> tuple[NDArray[np.int64], Ints, Ints]:
        """The edges of many entities at once, at most so many of each: offsets (n + 1,), relations, neighbours."""
        counts = self.degrees_of(entities)
        places, offsets = places_of(self.offsets[entities], counts if most is None else np.minimum(counts, most))
        return offsets, self.relations[places], self.entities[places]

    def gather_hiding(self, entities: Ints, relation: int, others: Ints) -> tuple[NDArray[np.int64], Ints, Ints]:
        """As `gather`, without the edge of a relation (or its inverse) between each entity and its `other`."""
        offsets, relations, neighbours = self.gather(entities)
        owner = np.repeat(np.arange(len(entities)), np.diff(offsets))
        keep = (relations != relation) | (neighbours != np.asarray(others)[owner])
        return offsets_of(np.bincount(owner[keep], minlength=len(entities))), relations[keep], neighbours[keep]


def _sum_of_products(
    near: NDArray[np.uint64],
    owners: Ints,
    kind: NDArray[np.uint64],
    relations: Ints,
    far: NDArray[np.uint64],
    entities: Ints,
) -> int:
    """The sum over all edges of the product of three numbers, modulo 2**64; in pieces that stay small."""
    total = 0
    for start in range(0, len(owners), _PIECE):
        part = slice(start, start + _PIECE)
        total += int((near[owners[part]] * kind[relations[part]] * far[entities[part]]).sum())
    return total


def _check_ids(heads: Ints, relations: Ints, tails: Ints, num_entities: int, num_relations: int) -> None:
    for name, ids, count in (("head", heads, num_entities), ("tail", tails, num_entities)):
        if not are_below(ids, count):
            raise damaged(f"a {name} is none of its {num_entities:,} entities")
    if not are_below(relations, num_relations):
        raise damaged(f"a triple has none of its {num_relations:,} relations")
