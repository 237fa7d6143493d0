"""All evidence about one head as a table: a row for each candidate, columns for the values and their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.evidence.evidence import Context, Evidence, PairEvidence, TailEvidence
from faan.evidence.head_query import Candidates, HeadQuery
from faan.evidence.relation_query import RelationQuery
from faan.evidence.sources import Values

_FEW = 8  # values are sorted first if they are more than one in so many
_AT_ONCE = 1 << 17  # candidates in one block


class Measure:
    """The evidence of one question.

    A value by itself says little where its scale differs from question to question. So most have a second column, its
    place among the candidates of the task: log2(1 + number of candidates with a higher value). It is counted among the
    task's candidates, whichever are asked about, so that a pair's evidence does not depend on what else is asked. What
    is known of the head, where it is a relation of the graph, takes no place: a head with a hundred tails has them all
    before any that is missing.
    """

    def __init__(self, query: RelationQuery, evidence: Sequence[Evidence]) -> None:
        self.query, self.evidence = query, evidence
        self._compared = [number for number, one in enumerate(evidence) if one.is_compared]
        self._single = [number for number, one in enumerate(evidence) if not one.is_compared]
        self._last: tuple[int, Values] | None = None

    @cached_property
    def _among(self) -> _Table:
        return _Table(self.query, self.query.candidates, self.evidence)

    @cached_property
    def _sorted_tails(self) -> dict[int, Values]:
        """The values of evidence that does not depend on the head are sorted once."""
        return {number: np.sort(values) for number, values in self._among.tails.items()}

    def _competes(self, head: int) -> NDArray[np.bool_]:
        """Which of the task's candidates are not known tails of the head, (N,)."""
        return ~np.isin(self.query.candidates, self.query.known_tails(head))

    def values(self, head: int) -> Values:
        """The values for a head with each of the task's candidates, (N, E); without those that have no place.

        Of what is known of the head nothing is to be had here.
        """
        if self._last is None or self._last[0] != head:
            self._last = head, self._among.values(head, self._compared, self._competes(head))
        return self._last[1]

    def table(self, head: int, candidates: Ints) -> Values:
        """Values and then places of all evidence for a head and each candidate, (C, F)."""
        members, among, competes = self.query.candidates, self.values(head), self._competes(head)
        rows = np.searchsorted(members, candidates).clip(max=len(members) - 1)
        values, outside = among[rows], members[rows] != candidates
        is_known = ~outside & ~competes[rows]
        if is_known.any():  # the same shapes as above, so that equal values are rounded alike
            values[is_known] = self._among.values(head, self._compared)[rows[is_known]]
        if outside.any():
            values[outside] = self._outside(head, candidates[outside])
        places = np.empty((len(candidates), len(self._compared)), np.float32, order="F")
        for column, number in enumerate(self._compared):
            places[:, column] = np.log2(1 + self._higher(number, values[:, number], among[:, number], competes))
        if self._single:
            table = _Table(self.query, candidates, self.evidence, self._single)
            values[:, self._single] = table.values(head, self._single)[:, self._single]
        return np.concatenate([values, places], axis=1)

    def _higher(self, number: int, values: Values, among: Values, competes: NDArray[np.bool_]) -> Ints:
        """How many competing candidates have a higher value than each: (C,) and (N,) to (C,)."""
        known = self._sorted_tails.get(number)
        if known is None:
            return count_higher(np.sort(among[competes]), values)
        higher = count_higher(known, values)
        return higher if competes.all() else higher - count_higher(np.sort(among[~competes]), values)

    def _outside(self, head: int, candidates: Ints) -> Values:
        """The values of entities that are not among the task's candidates."""
        further, row = np.unique(candidates, return_inverse=True)
        table = _Table(self.query, further, self.evidence, self._compared)
        return np.asarray(table.values(head, self._compared)[row])


def column_evidence(evidence: Sequence[Evidence]) -> list[tuple[Evidence, int]]:
    """The evidence of each column of a table, and whether higher values support a pair."""
    return [
        *((one, int(one.direction)) for one in evidence),
        *((one, -one.direction) for one in evidence if one.is_compared),  # place 0 is the best
    ]


def count_higher(ordered: Values, values: Values) -> Ints:
    """How many of some sorted numbers are higher than each value: (N,) and (C,) to (C,)."""
    if len(values) * _FEW < len(ordered):
        return len(ordered) - np.searchsorted(ordered, values, side="right")
    order, found = np.argsort(values), np.empty(len(values), np.int64)
    found[order] = len(ordered) - np.searchsorted(ordered, values[order], side="right")  # twice as fast in order
    return found


class _Table:
    """The values of evidence for some candidates; many are looked at in parts, so that their vectors stay on disk."""

    def __init__(
        self, query: RelationQuery, ids: Ints, evidence: Sequence[Evidence], numbers: Sequence[int] | None = None
    ) -> None:
        self._query, self._ids, self._evidence = query, ids, evidence
        self._only = Candidates(query, ids) if len(ids) <= _AT_ONCE else None  # caches what it computed
        wanted = [
            (number, one)
            for number, one in enumerate(evidence)
            if isinstance(one, TailEvidence) and (numbers is None or number in numbers)
        ]
        self.tails = {number: np.empty(len(ids), np.float32) for number, _ in wanted}
        for part, candidates in self._parts():
            for number, one in wanted:
                self.tails[number][part] = one.of(candidates)

    def _parts(self) -> Iterator[tuple[slice, Candidates]]:
        if self._only is not None:
            yield slice(None), self._only
            return
        for start in range(0, len(self._ids), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            yield part, Candidates(self._query, self._ids[part])

    def values(self, head: int, numbers: Sequence[int], wanted: NDArray[np.bool_] | None = None) -> Values:
        """The values of some of the evidence for a head with each candidate, (C, E); zero for the other evidence."""
        table = np.zeros((len(self._ids), len(self._evidence)), np.float32, order="F")
        with np.errstate(invalid="ignore"):  # some processors set the flag for products of finite numbers
            for part, candidates in self._parts():
                query = HeadQuery(candidates, head, None if wanted is None else wanted[part])
                for number in numbers:
                    one = self._evidence[number]
                    if isinstance(one, PairEvidence):
                        table[part, number] = one.of(query)
                    elif isinstance(one, Context):
                        table[part, number] = one.of(self._query, head)
                    else:
                        table[part, number] = self.tails[number][part]
        return table
