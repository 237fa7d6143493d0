"""All evidence about one head as a table: a row for each candidate, columns for the values and their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from faan.base import Ints
from faan.evidence.evidence import Context, Evidence, PairEvidence, TailEvidence
from faan.evidence.question import Candidates, HeadQuery, RelationQuery, Values

_AT_ONCE = 1 << 17  # candidates that are looked at together


class Measure:
    """The evidence of one question.

    A value by itself says little where its scale differs from question to question. So most have a second column, its
    place among the candidates of the task: log2(1 + number of candidates with a higher value). It is counted among the
    task's candidates, whichever are asked about, so that a pair's evidence does not depend on what else is asked.
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
    def _tail_places(self) -> dict[int, Values]:
        """The places by evidence that does not depend on the head are found once."""
        return {number: log_places(values) for number, values in self._among.tails.items()}

    def values(self, head: int) -> Values:
        """The values for a head with each of the task's candidates, (N, E); without those that have no place."""
        if self._last is None or self._last[0] != head:
            self._last = head, self._among.values(head, self._compared)
        return self._last[1]

    def table(self, head: int, candidates: Ints) -> Values:
        """Values and then places of all evidence for a head and each candidate, (C, F)."""
        members, among = self.query.candidates, self.values(head)
        places = np.empty((len(members), len(self._compared)), np.float32, order="F")
        for column, number in enumerate(self._compared):
            known = self._tail_places.get(number)
            places[:, column] = log_places(among[:, number]) if known is None else known
        rows = np.searchsorted(members, candidates).clip(max=len(members) - 1)
        own = np.concatenate([among[rows], places[rows]], axis=1)
        outside = members[rows] != candidates
        if outside.any():
            own[outside] = self._outside(head, candidates[outside], among)
        if self._single:
            table = _Table(self.query, candidates, self.evidence, self._single)
            own[:, self._single] = table.values(head, self._single)[:, self._single]
        return own

    def _outside(self, head: int, candidates: Ints, among: Values) -> Values:
        """Values and places of entities that are not among the task's candidates."""
        further, row = np.unique(candidates, return_inverse=True)
        table = _Table(self.query, further, self.evidence, self._compared)
        values = table.values(head, self._compared)[row]
        places = [
            len(among) - np.searchsorted(np.sort(among[:, number]), values[:, number], side="right")
            for number in self._compared
        ]
        return np.concatenate([values, np.log2(1 + np.stack(places, axis=1)).astype(np.float32)], axis=1)


def column_evidence(evidence: Sequence[Evidence]) -> list[tuple[Evidence, int]]:
    """For each column of a table the evidence that it is of, and in which direction it speaks for a pair."""
    return [
        *((one, int(one.direction)) for one in evidence),
        *((one, -one.direction) for one in evidence if one.is_compared),  # place 0 is the best
    ]


def log_places(values: Values) -> Values:
    """For each value log2(1 + how many of the others are higher): (C,) to (C,)."""
    order = np.argsort(values)
    ordered = values[order]
    is_last = np.append(ordered[1:] != ordered[:-1], True)[: len(values)]
    ends = np.flatnonzero(is_last) + 1  # where each run of equals ends
    places = np.empty(len(values), np.float32)
    places[order] = np.repeat(np.log2(1 + len(values) - ends), np.diff(ends, prepend=0))
    return places


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

    def values(self, head: int, numbers: Sequence[int]) -> Values:
        """The values of some of the evidence for a head with each candidate, (C, E); zero for the other."""
        table = np.zeros((len(self._ids), len(self._evidence)), np.float32, order="F")
        with np.errstate(invalid="ignore"):  # some processors raise the flag in products of sound numbers
            for part, candidates in self._parts():
                query = HeadQuery(candidates, head)
                for number in numbers:
                    one = self._evidence[number]
                    if isinstance(one, PairEvidence):
                        table[part, number] = one.of(query)
                    elif isinstance(one, Context):
                        table[part, number] = one.of(self._query, head)
                    else:
                        table[part, number] = self.tails[number][part]
        return table
