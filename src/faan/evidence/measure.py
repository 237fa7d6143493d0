"""All evidence about one head as a table: a row for each candidate, columns for the values and their places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, unlocked_property
from faan.evidence.evidence import Context, Evidence, PairEvidence, TailEvidence
from faan.evidence.head_query import Candidates, HeadQuery
from faan.evidence.places import are_few, count_each, count_higher
from faan.evidence.relation_query import RelationQuery
from faan.evidence.sources import Values

_AT_ONCE = 1 << 17  # candidates in one block


class Measure:
    """The evidence of one question.

    A value by itself says little where its scale differs from question to question. So most have a second column, its
    place among the candidates of the task: log2(1 + number of candidates with a higher value). It is counted among the
    task's candidates, whichever are asked about, so that a pair's evidence does not depend on what else is asked. Known
    tails of the head are not counted, if the relation is one of the graph: they would come before all missing ones.
    """

    def __init__(self, query: RelationQuery, evidence: Sequence[Evidence]) -> None:
        self.query, self.evidence = query, evidence
        self._compared = [number for number, one in enumerate(evidence) if one.is_compared]
        self._last: tuple[int, Values] | None = None

    @unlocked_property
    def _among(self) -> _Table:
        return _Table(self.query, self.query.candidates, self.evidence)

    @unlocked_property
    def _sorted_tails(self) -> dict[int, Values]:
        """The values of evidence that does not depend on the head are sorted once."""
        return {number: np.sort(values) for number, values in self._among.tails.items()}

    @unlocked_property
    def _counted_tails(self) -> dict[int, NDArray[np.int32]]:
        """For the same evidence, how many of all candidates are higher than each of them."""
        everyone = np.ones(len(self.query.candidates), dtype=bool)
        return {number: count_each(values, everyone) for number, values in self._among.tails.items()}

    @unlocked_property
    def _places(self) -> Values:
        """The place of a candidate, by how many are higher."""
        return np.log2(1 + np.arange(len(self.query.candidates) + 1)).astype(np.float32)

    def _competes(self, head: int) -> NDArray[np.bool_]:
        """Which of the task's candidates are not known tails of the head, (N,)."""
        return ~np.isin(self.query.candidates, self.query.known_tails(head))

    def values(self, head: int) -> Values:
        """The values for a head with each of the task's candidates, (N, E); without those that have no place.

        The values of known tails of the head are undefined.
        """
        if self._last is None or self._last[0] != head:
            self._last = head, self._among.values(head, self._compared, self._competes(head))
        return self._last[1]

    def table(self, head: int, candidates: Ints) -> Values:
        """Values and then places of all evidence for a head and each candidate, (C, F)."""
        members, among, competes = self.query.candidates, self.values(head), self._competes(head)
        rows = np.searchsorted(members, candidates).clip(max=len(members) - 1)
        outside = members[rows] != candidates
        is_known = ~outside & ~competes[rows]
        size = len(self.evidence)
        found = np.empty((len(candidates), size + len(self._compared)), np.float32, order="F")
        for number in range(size):
            np.take(among[:, number], rows, out=found[:, number])
        if is_known.any():  # the same shapes as above, so that equal values are rounded alike
            wanted = rows[is_known]
            found[is_known, :size] = self._among.values(head, self._compared, parts_with=wanted)[wanted]
        if outside.any():
            found[outside, :size] = self._outside(head, candidates[outside])
        is_other = outside | is_known
        for column, number in enumerate(self._compared, size):
            higher = self._higher(number, found[:, number], among[:, number], competes, rows, is_other)
            found[:, column] = self._places[higher]
        self._measure_single(head, candidates, found)
        return found

    def _higher(
        self,
        number: int,
        values: Values,
        among: Values,
        competes: NDArray[np.bool_],
        rows: Ints,
        is_other: NDArray[np.bool_],
    ) -> Ints:
        """How many of the candidates that compete are higher than each value: (C,) and (N,) to (C,).

        The values are those of some rows, but for some that are other ones.
        """
        if are_few(rows, among):
            return self._higher_than(number, values, among, competes)
        is_same = number in self._among.tails and competes.all()
        found = (self._counted_tails[number] if is_same else count_each(among, competes))[rows]
        if is_other.any():
            found[is_other] = self._higher_than(number, values[is_other], among, competes)
        return found

    def _higher_than(self, number: int, values: Values, among: Values, competes: NDArray[np.bool_]) -> Ints:
        known = self._sorted_tails.get(number)
        if known is None:
            return count_higher(np.sort(among[competes]), values)
        higher = count_higher(known, values)
        return higher if competes.all() else higher - count_higher(np.sort(among[~competes]), values)

    def _measure_single(self, head: int, candidates: Ints, table: Values) -> None:
        """Fill in the evidence that has no place."""
        several = []
        for number, one in enumerate(self.evidence):
            if isinstance(one, Context):
                table[:, number] = one.of(self.query, head)
            elif not one.is_compared:
                several.append(number)
        if several:
            found = _Table(self.query, candidates, self.evidence, several).values(head, several)
            table[:, several] = found[:, several]

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

    def _parts(self, rows: Ints | None = None) -> Iterator[tuple[slice, Candidates]]:
        """All parts, or those that hold some rows."""
        if self._only is not None:
            yield slice(None), self._only
            return
        for start in range(0, len(self._ids), _AT_ONCE):
            if rows is None or (rows // _AT_ONCE == start // _AT_ONCE).any():
                part = slice(start, start + _AT_ONCE)
                yield part, Candidates(self._query, self._ids[part])

    def values(
        self,
        head: int,
        numbers: Sequence[int],
        wanted: NDArray[np.bool_] | None = None,
        parts_with: Ints | None = None,
    ) -> Values:
        """The values of some of the evidence for a head with each candidate, (C, E); zero for the other evidence.

        Values that are not `wanted` are undefined, and with `parts_with` those of parts that hold none of these rows.
        """
        table = np.zeros((len(self._ids), len(self._evidence)), np.float32, order="F")
        with np.errstate(invalid="ignore"):  # some processors set the flag for products of finite numbers
            for part, candidates in self._parts(parts_with):
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
