"""How alike two entities are, in facts that a person can check.

Half of it is what they share to the letter: facts with the same relation and the same other end (`official_language
Spanish`), a rare fact counting more than one that thousands share (tf-idf). The other half is the roles they play
(`faan.evidence.profiles`). Entities with a great many facts are compared by roles alone, which keeps the work bounded.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.evidence import Profiles
from faan.graph import Graph

_MAX_FACTS = 2_000
_KEPT = 200_000  # facts of entities that are remembered: memory does not grow with the size of a job


@dataclass(frozen=True, eq=False)
class Facts:
    """The facts of an entity, each a relation and its other end, and how much it says (idf)."""

    relations: Ints  # (n,)
    entities: Ints  # (n,)
    keys: NDArray[np.int64]  # (n,) one number for both, sorted
    idf: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Group:
    """Entities that others are compared with."""

    entities: list[int]
    profiles: NDArray[np.float32]  # (K, roles)


class Likeness:
    """Compares entities of a graph; a hidden relation counts as if the graph had none of it."""

    def __init__(self, graph: Graph, hidden: int | None) -> None:
        self.graph, self.profiles, self.hidden = graph, Profiles.of(graph), hidden
        self._facts: dict[int, Facts] = {}
        self._kept = 0  # facts in there, and one for each entity

    def facts(self, entity: int) -> Facts:
        """The facts of an entity, kept for the next time; none where there are too many."""
        if entity not in self._facts:
            if self._kept >= _KEPT:
                self._facts.clear()
                self._kept = 0
            self._facts[entity] = self._look_up(entity)
            self._kept += len(self._facts[entity].keys) + 1
        return self._facts[entity]

    def edges(self, entity: int) -> tuple[Ints, Ints]:
        """Relations and entities next to an entity, without the edges of the hidden relation."""
        relations, others = self.graph.neighbours.of(entity)
        if self.hidden is None:
            return relations, others
        keep = relations % self.graph.num_relations != self.hidden % self.graph.num_relations
        return relations[keep], others[keep]

    def _look_up(self, entity: int) -> Facts:
        graph = self.graph
        relations, others = (ids.astype(np.int64) for ids in self.edges(entity))
        if len(graph.neighbours.of(entity)[0]) > _MAX_FACTS:
            relations, others = relations[:0], others[:0]
        keys = relations * graph.num_entities + others
        order = np.argsort(keys, kind="stable")
        sharing = np.array([self._sharing(int(r), int(e)) for r, e in zip(relations, others, strict=True)])
        idf = np.log1p(graph.num_entities / np.maximum(sharing, 1))
        return Facts(relations[order], others[order], keys[order], idf[order])

    def _sharing(self, relation: int, other: int) -> int:
        """How many entities have the fact: edges of its other end, seen from there."""
        around, total = self.graph.neighbours, 2 * self.graph.num_relations
        span = around.relations[around.offsets[other] : around.offsets[other + 1]]
        first, last = np.searchsorted(span, np.array([0, 1]) + (relation + total // 2) % total)
        return int(last - first)

    def group(self, entities: Ints) -> Group:
        """Entities that others will be compared with."""
        return Group([int(entity) for entity in entities], self.profiles.dense(entities, self.hidden))

    def alike(self, entity: int, group: Group) -> NDArray[np.float64]:
        """How much an entity is like each of a group, (K,): from 0, nothing in common, to 1, the same."""
        own, facts = self.facts(entity), np.zeros(len(group.entities))
        for i, other in enumerate(map(self.facts, group.entities)):
            shared = own.idf[np.isin(own.keys, other.keys, assume_unique=True)].sum()
            facts[i] = shared / max(np.sqrt(own.idf.sum() * other.idf.sum()), 1e-9)
        roles = self.profiles.similarities(np.array([entity]), group.profiles, self.hidden)[0]
        return np.asarray((facts + roles) / 2)

    def weights(self, entity: int, likes: Ints) -> NDArray[np.float64]:
        """How much each fact of an entity makes it look like a group of others, (n,); they sum to 1 or are all 0.

        A fact counts by its idf times the share of the others that have it too, and a little for its role: what the
        role weighs in their profiles, spread over all facts of the entity in that role.
        """
        own = self.facts(entity)
        others = [int(other) for other in np.unique(likes) if other != entity]
        if not others or not len(own.keys):
            return np.zeros(len(own.keys))
        share = np.mean([np.isin(own.keys, self.facts(other).keys) for other in others], axis=0)
        playing = self.profiles.dense(np.array(others), self.hidden).mean(0)[own.relations]
        in_role = np.bincount(own.relations, minlength=1)[own.relations]
        weights = own.idf * share + playing / in_role
        return np.asarray(weights / max(weights.sum(), 1e-12))
