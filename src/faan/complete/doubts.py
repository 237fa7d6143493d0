"""Doubts about examples: a pair that looks reversed, and a pair of an entity with itself.

A pair looks reversed if its head has what the tails of the other pairs have, and its tail what their heads have: types,
and roles (a relation that an entity takes part in, and on which side). A type or role counts if it is much more
frequent on one side than on the other, so there is no doubt about a relation between things of one kind.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from faan.base import Ints, Purpose, Stream
from faan.complete.question import Question
from faan.complete.shape import has_loops
from faan.graph import Graph
from faan.tasks import PairSet

_LEAST = 3  # fewer other pairs do not show which side is which
_FACTS = 200  # of the relation in the graph, at most, that examples are compared with
_TOLD = 5  # doubts that are worded; the others are counted
_MORE = 0.5  # by how much a type or role is more frequent on one side than on the other, as a share of the pairs


def doubts_about(question: Question) -> tuple[str, ...]:
    """What looks wrong with the examples that were given beside the facts of the graph, in sentences."""
    graph, known, facts = question.graph, question.known.pairs, _facts(question)
    if len(known) == len(facts):
        return ()
    given = known[~PairSet.of(facts, graph.num_entities).contains(known[:, 0], known[:, 1])]
    some = facts[Stream(0, Purpose.EXAMPLES, question.hidden or 0).permutation(len(facts))[:_FACTS]]
    pairs = np.concatenate([given, some])
    sides = _Sides(graph, question.hidden, pairs)
    doubts = []
    for place, (head, tail) in enumerate(given.tolist()):
        one, other = graph.entity_label(head), graph.entity_label(tail)
        if head == tail:
            if not has_loops(np.delete(pairs, place, axis=0)):
                doubts.append(f"the head and the tail of an example are the same entity: {one}")
        elif len(pairs) > _LEAST and sides.are_reversed(head, tail):
            doubts.append(f"the example {one} → {other} looks reversed: is {other} the head, and {one} the tail?")
    more = [f"{len(doubts) - _TOLD} more examples look wrong in these ways"] if len(doubts) > _TOLD else []
    return (*doubts[:_TOLD], *more)


def _facts(question: Question) -> Ints:
    """The facts (n, 2) of the relation in the graph; none of a new relation."""
    return np.empty((0, 2), np.int32) if question.hidden is None else question.graph.pairs_of(question.hidden)


class _Sides:
    """What distinguishes the heads of some pairs from their tails."""

    def __init__(self, graph: Graph, hidden: int | None, pairs: Ints) -> None:
        self._graph, self._hidden, self._others = graph, hidden, len(pairs) - 1
        self._traits: dict[int, set[int]] = {}
        self._heads, self._tails = (
            Counter(trait for entity in column for trait in self._of(entity)) for column in pairs.T.tolist()
        )

    def are_reversed(self, head: int, tail: int) -> bool:
        """Whether one of the pairs has the traits of the others the other way round."""
        own, others = self._of(head), self._of(tail)

        def lean(trait: int) -> float:
            """How much more frequent a trait is among the other heads than among the other tails, -1 to 1."""
            heads, tails = self._heads[trait] - (trait in own), self._tails[trait] - (trait in others)
            return (heads - tails) / self._others

        of_head, of_tail = [lean(trait) for trait in own], [lean(trait) for trait in others]
        is_like_tails = min(of_head, default=0.0) <= -_MORE and max(of_head, default=0.0) < _MORE
        is_like_heads = max(of_tail, default=0.0) >= _MORE and min(of_tail, default=0.0) > -_MORE
        return is_like_tails and is_like_heads

    def _of(self, entity: int) -> set[int]:
        """The types and roles of an entity as numbers; its roles in the relation itself do not count."""
        if entity not in self._traits:
            count, types = self._graph.num_relations, self._graph.types
            roles = set(np.unique(self._graph.neighbours.of(entity)[0]).tolist())
            if self._hidden is not None:
                roles -= {self._hidden, self._hidden + count}
            kinds = [] if types is None else types.of(entity).tolist()
            self._traits[entity] = {*roles, *(2 * count + kind for kind in kinds)}
        return self._traits[entity]
