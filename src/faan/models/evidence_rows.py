"""What trees learn from: the evidence of true tails and of wrong ones, head by head."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

import lightgbm
import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, Stream, distinct
from faan.evidence import Measure, Values


@dataclass(frozen=True)
class Wrong:
    """Which wrong tails each head has: the first that some evidence likes best, and some at random."""

    liked_by: Collection[str]  # names of evidence
    hard: int  # of each
    random: int


@dataclass(frozen=True, eq=False)
class Group:
    """A head with true and wrong tails."""

    relation: str
    table: Values  # (tails, columns)
    labels: NDArray[np.bool_]  # (tails,)


class Rows:
    """Pairs to learn from, one group after the other."""

    def __init__(self, groups: Iterable[Group]) -> None:
        self._groups = list(groups)

    def mean(self, column: int) -> float:
        """The mean of a column."""
        return float(np.concatenate([group.table[:, column] for group in self._groups]).mean(dtype=np.float64))

    def data(self, without: Collection[str] = ()) -> lightgbm.Dataset:
        """The rows as LightGBM takes them, without those of some relations."""
        chosen = [group for group in self._groups if group.relation not in without]
        tables = [group.table for group in chosen]  # not as one, which would take as much memory again
        labels = np.concatenate([group.labels for group in chosen])
        names = [f"c{number}" for number in range(tables[0].shape[1])]  # LightGBM takes no commas
        sizes = [len(group.labels) for group in chosen]
        return lightgbm.Dataset(tables, label=labels, group=sizes, feature_name=names)


def draw_groups(measure: Measure, asked: Ints, heads: int, wanted: Wrong, stream: Stream) -> list[Group]:
    """A group for some of the heads of the pairs (n, 2) that are asked for."""
    choices, found = distinct(asked[:, 0]), []
    for head in choices[stream.permutation(len(choices))[:heads]].tolist():
        true = distinct(asked[asked[:, 0] == head, 1])
        wrong = _wrong_tails(measure, head, wanted, stream)
        if len(wrong):
            table = np.ascontiguousarray(measure.table(head, np.concatenate([true, wrong])))
            labels = np.repeat([True, False], [len(true), len(wrong)])
            found.append(Group(measure.query.task.relation, table, labels))
    return found


def _wrong_tails(measure: Measure, head: int, wanted: Wrong, stream: Stream) -> Ints:
    """Candidates that are wrong for a head: hard ones and random ones, sorted."""
    question = measure.query
    places = np.flatnonzero(~np.isin(question.candidates, question.task.truths.tails_of(head)))
    if not len(places):
        return places
    values = measure.values(head)
    chosen = [places[stream.integers(len(places), wanted.random)]]
    for number, one in enumerate(measure.evidence):
        if one.name in wanted.liked_by:
            chosen.append(places[_highest(values[places, number], wanted.hard)])
    return question.candidates[distinct(*chosen)]


def _highest(values: Values, count: int) -> Ints:
    """The rows of the highest values, of equals the first ones; in any order."""
    if not 0 < count < len(values):
        return np.arange(len(values) if count else 0)
    least = np.partition(values, len(values) - count)[len(values) - count]
    above = np.flatnonzero(values > least)
    return np.concatenate([above, np.flatnonzero(values == least)[: count - len(above)]])
