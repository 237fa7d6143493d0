"""What trees learn from: the evidence of true tails and of wrong ones, head by head."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import lightgbm
import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, Stream
from faan.evidence import Measure, Values


@dataclass(frozen=True)
class Wrong:
    """Which wrong tails each head has: the first that some evidence likes best, and some at random."""

    liked_by: Collection[str]  # names of evidence
    hard: int  # of each
    random: int


class Rows:
    """Pairs to learn from, one group after the other: each is a head with true and wrong tails."""

    def __init__(self) -> None:
        self._relations: list[str] = []  # whose group it is
        self._tables: list[Values] = []
        self._labels: list[NDArray[np.bool_]] = []

    def draw(
        self,
        measure: Measure,
        asked: Ints,
        heads: int,
        wanted: Wrong,
        stream: Stream,
    ) -> None:
        """Add a group for some of the heads of the pairs (n, 2) that are asked for."""
        choices = np.unique(asked[:, 0])
        for head in choices[stream.permutation(len(choices))[:heads]].tolist():
            true = np.unique(asked[asked[:, 0] == head, 1])
            wrong = _wrong_tails(measure, head, wanted, stream)
            if len(wrong):
                self._relations.append(measure.query.task.relation)
                self._tables.append(np.ascontiguousarray(measure.table(head, np.concatenate([true, wrong]))))
                self._labels.append(np.repeat([True, False], [len(true), len(wrong)]))

    def mean(self, column: int) -> float:
        """The mean of a column."""
        return float(np.concatenate([table[:, column] for table in self._tables]).mean(dtype=np.float64))

    def data(self, without: Collection[str] = ()) -> lightgbm.Dataset:
        """The rows as LightGBM takes them, without those of some relations."""
        chosen = [number for number, relation in enumerate(self._relations) if relation not in without]
        tables = [self._tables[number] for number in chosen]  # not as one, which would take as much memory again
        labels = [self._labels[number] for number in chosen]
        names = [f"c{number}" for number in range(tables[0].shape[1])]  # LightGBM takes no commas
        groups = [len(one) for one in labels]
        return lightgbm.Dataset(tables, label=np.concatenate(labels), group=groups, feature_name=names)


def _wrong_tails(measure: Measure, head: int, wanted: Wrong, stream: Stream) -> Ints:
    """Candidates that are wrong for a head: hard ones and random ones, sorted."""
    question = measure.query
    places = np.flatnonzero(~np.isin(question.candidates, question.task.truths.tails_of(head)))
    if not len(places):
        return places
    values = measure.values(head)[places]
    chosen = [places[stream.integers(len(places), wanted.random)]]
    for number, one in enumerate(measure.evidence):
        if one.name in wanted.liked_by:
            chosen.append(places[np.argsort(-values[:, number], kind="stable")[: wanted.hard]])
    return question.candidates[np.unique(np.concatenate(chosen))]
