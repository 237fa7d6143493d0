"""All evidence about one head as a table: a row for each candidate, columns for the values and their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.evidence.evidence import Context, Evidence, PairEvidence, TailEvidence
from faan.evidence.question import Candidates, HeadQuery, RelationQuery, Values

_AT_ONCE = 1 << 17  # candidates that are looked at together


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
    def _tail_places(self) -> dict[int, Ints]:
        """By evidence that does not depend on the head, how many candidates are higher is counted once."""
        return {number: count_higher(values) for number, values in self._among.tails.items()}

    def _competes(self, head: int) -> NDArray[np.bool_]:
        """Which of the task's candidates are not known of the head, (N,)."""
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
        places = np.empty((len(members), len(self._compared)), np.float32, order="F")
        for column, number in enumerate(self._compared):
            places[:, column] = np.log2(1 + self._places(number, among[:, number], competes))
        rows = np.searchsorted(members, candidates).clip(max=len(members) - 1)
        own = np.concatenate([among[rows], places[rows]], axis=1)
        outside = members[rows] != candidates
        is_known = ~outside & ~competes[rows]
        if is_known.any():  # the same shapes as above: rounding must not tell equals apart
            own[is_known] = self._placed(self._among.values(head, self._compared)[rows[is_known]], among[competes])
        if outside.any():
            own[outside] = self._placed(self._outside(head, candidates[outside]), among[competes])
        if self._single:
            table = _Table(self.query, candidates, self.evidence, self._single)
            own[:, self._single] = table.values(head, self._single)[:, self._single]
        return own

    def _places(self, number: int, values: Values, competes: NDArray[np.bool_]) -> Ints:
        """How many of those that compete are higher than each candidate, (N,)."""
        higher = self._tail_places.get(number)
        if competes.all():
            return count_higher(values) if higher is None else higher
        if higher is not None:
            return higher - _higher(values[~competes], values)
        found = np.zeros(len(values), np.int64)
        found[competes] = count_higher(values[competes])
        return found

    def _outside(self, head: int, candidates: Ints) -> Values:
        """The values of entities that are not among the task's candidates."""
        further, row = np.unique(candidates, return_inverse=True)
        table = _Table(self.query, further, self.evidence, self._compared)
        return np.asarray(table.values(head, self._compared)[row])

    def _placed(self, values: Values, among: Values) -> Values:
        """Values (C, E), and then their places among those of others (M, E)."""
        places = [_higher(among[:, number], values[:, number]) for number in self._compared]
        return np.concatenate([values, np.log2(1 + np.stack(places, axis=1)).astype(np.float32)], axis=1)


def column_evidence(evidence: Sequence[Evidence]) -> list[tuple[Evidence, int]]:
    """For each column of a table the evidence that it is of, and in which direction it speaks for a pair."""
    return [
        *((one, int(one.direction)) for one in evidence),
        *((one, -one.direction) for one in evidence if one.is_compared),  # place 0 is the best
    ]


def count_higher(values: Values) -> Ints:
    """For each value how many of the others are higher: (C,) to (C,)."""
    order = np.argsort(values)
    ordered = values[order]
    is_last = np.append(ordered[1:] != ordered[:-1], True)[: len(values)]
    ends = np.flatnonzero(is_last) + 1  # where each run of equals ends
    places = np.empty(len(values), np.int64)
    places[order] = np.repeat(len(values) - ends, np.diff(ends, prepend=0))
    return places


def _higher(others: Values, values: Values) -> Ints:
    """How many of the others are higher than each value: (M,) and (C,) to (C,)."""
    return len(others) - np.searchsorted(np.sort(others), values, side="right")


class _Table:
    """The values of evidence for some candidates; many are looked at in parts, so that their vectors stay on disk."""

    def __init__(
        self, query: RelationQuery, ids: Ints, evidence: Sequence[Evidence], numbers: Sequence[int] | None = None
    ) -> None:
        self._query, self._ids, self._evidence = query, ids, evidence
        self._only = Candidates(query, ids) if len(ids) <= _AT_ONCE else None  # keeps what it has computed
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
        with np.errstate(invalid="ignore"):  # some processors raise the flag in products of sound numbers
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
