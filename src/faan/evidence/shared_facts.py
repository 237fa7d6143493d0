"""Shared facts: the tails of references whose heads share a fact with the query's head.

Who works in Paris speaks French: of the references whose head has the fact *works in, Paris*, most have the tail
*French*. Such rules with constants say much where there are many references and few tails (Meilicke et al., Anytime
Bottom-Up Rule Learning, IJCAI 2019); here they are counted for all facts of a head at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from faan.base import Ints, distinct, offsets_of
from faan.graph import Graph

MAX_FACTS = 300  # facts of one head that are used
PSEUDO_COUNT = 2  # pseudocount: heads with other tails, added to those seen


@dataclass(frozen=True)
class SharedFact:
    """A fact of a head that heads of references share, and how many of these have a certain tail."""

    relation: int
    entity: int  # the other end
    support: float
    heads: int  # other heads that have the fact
    right: int  # how many of them have the tail


@dataclass(frozen=True, eq=False)
class SharedFacts:
    """The references (K, 2), found by the facts of their heads."""

    graph: Graph
    hidden: int  # facts of this relation are ignored, in both directions; -1 for none
    tails: Ints  # (U,) different tails
    heads: Ints  # (K,) the head of each reference
    slots: Ints  # (K,) the place of its tail
    facts: Ints  # (F,) different facts, sorted: relation * entities + other end
    offsets: Ints  # (F + 1,)
    having: Ints  # (n,) references whose head has the fact

    @classmethod
    def of(cls, graph: Graph, references: Ints, hidden: int | None) -> SharedFacts:
        """Sort the references by the facts of their heads."""
        unseen = -1 if hidden is None else hidden % graph.num_relations
        tails, slots = np.unique(references[:, 1], return_inverse=True)
        owners, codes = _facts(graph, references[:, 0], unseen)
        order = np.lexsort((owners, codes))
        facts, counts = np.unique(codes, return_counts=True)
        heads = np.ascontiguousarray(references[:, 0])
        return cls(graph, unseen, tails, heads, slots, facts, offsets_of(counts), owners[order])

    def of_head(self, head: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """For each different tail (U,): the support by the best fact of the head, and by all facts together.

        The support of a fact is n / (m + 2): m references of other heads have the fact, n of these have the tail.
        That of all facts is the sum of -log(1 - support), a noisy-or.
        """
        best, total = np.zeros(len(self.tails)), np.zeros(len(self.tails))
        _count(self.offsets, self.having, self.heads, self.slots, head, self._shared(head), best, total)
        return best, total

    def supporting(self, head: int, tail: int) -> list[SharedFact]:
        """The facts of a head that references with a certain tail share, those that support it best first."""
        found = []
        for place in self._shared(head).tolist():
            having = self.having[self.offsets[place] : self.offsets[place + 1]]
            having = having[self.heads[having] != head]
            right = having[self.tails[self.slots[having]] == tail]
            if len(right):
                relation, entity = divmod(int(self.facts[place]), self.graph.num_entities)
                heads, with_tail = (len(distinct(self.heads[rows])) for rows in (having, right))
                found.append(SharedFact(relation, entity, len(right) / (len(having) + PSEUDO_COUNT), heads, with_tail))
        return sorted(found, key=lambda one: -one.support)

    def _shared(self, head: int) -> Ints:
        """The places of the facts that a head shares with references."""
        _, codes = _facts(self.graph, np.array([head]), self.hidden)
        places = np.searchsorted(self.facts, codes)
        known = places < len(self.facts)
        known[known] = self.facts[places[known]] == codes[known]
        return places[known]


def _facts(graph: Graph, entities: Ints, hidden: int) -> tuple[Ints, NDArray[np.int64]]:
    """The facts of entities as numbers, and their owners; only the first facts of an entity with many."""
    offsets, relations, others = graph.neighbours.gather(entities, MAX_FACTS)
    owners = np.repeat(np.arange(len(entities)), np.diff(offsets))
    keep = relations % graph.num_relations != hidden
    return owners[keep], relations[keep].astype(np.int64) * graph.num_entities + others[keep]


@njit(nogil=True, cache=True)
def _count(
    offsets: np.ndarray,
    having: np.ndarray,
    heads: np.ndarray,
    slots: np.ndarray,
    head: int,
    facts: np.ndarray,
    best: np.ndarray,
    total: np.ndarray,
) -> None:
    counts = np.zeros(len(best), np.int64)
    for fact in facts:
        seen = 0
        for i in range(offsets[fact], offsets[fact + 1]):
            if heads[having[i]] != head:  # the query's own head is no evidence for itself
                counts[slots[having[i]]] += 1
                seen += 1
        for i in range(offsets[fact], offsets[fact + 1]):
            slot = slots[having[i]]
            if counts[slot]:
                share = counts[slot] / (seen + PSEUDO_COUNT)
                best[slot] = max(best[slot], share)
                total[slot] -= np.log1p(-share)
                counts[slot] = 0
