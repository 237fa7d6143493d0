from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from faan.base import InputError
from faan.base.ragged import Ints
from faan.rank import mean_ranks, rank_task, rank_tasks, ranker, split_metrics
from faan.tasks import Benchmark, PairSet, Task

ENTITIES = 12


class FromTable:
    """Scores out of a table, and counts what it is asked."""

    def __init__(self, table: NDArray[np.float64]) -> None:
        self.table, self.asked = table, 0

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.float64]:
        self.asked += len(heads) * len(candidates)
        return self.table[heads][:, candidates]


def slow_rank(table: NDArray[np.float64], task: Task, head: int, tail: int) -> float:
    """The definition, one query at a time."""
    others = [
        c for c in task.candidates.tolist() if c != tail and not task.truths.contains(np.array(head), np.array(c))
    ]
    better = sum(table[head, c] > table[head, tail] for c in others)
    equal = sum(table[head, c] == table[head, tail] for c in others)
    return float(1 + better + equal / 2)


entity = st.integers(0, ENTITIES - 1)


@given(
    st.lists(st.tuples(entity, entity), min_size=1, unique=True),
    st.lists(entity, unique=True),
    st.integers(0, 3),
    st.integers(1, 100),
)
def test_ranks_are_those_of_the_definition(
    pairs: list[tuple[int, int]], candidates: list[int], levels: int, at_once: int
) -> None:
    array = np.array(pairs, np.int32)
    truths = PairSet(array[:, 0], array[:, 1], ENTITIES)
    task = Task("r", array, np.array(candidates, np.int32), truths)
    table = np.random.default_rng(len(pairs)).integers(0, levels + 1, (ENTITIES, ENTITIES)).astype(float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranker, "SCORES_AT_ONCE", at_once)
        found = rank_task(FromTable(table), task, array)
    assert found.tolist() == [slow_rank(table, task, head, tail) for head, tail in pairs]


def test_a_pair_is_scored_once_however_many_queries_share_its_head() -> None:
    pairs = np.array([[0, tail] for tail in range(5)], np.int32)
    task = Task("r", pairs, np.arange(ENTITIES, dtype=np.int32), PairSet(pairs[:, 0], pairs[:, 1], ENTITIES))
    scorer = FromTable(np.zeros((ENTITIES, ENTITIES)))
    rank_task(scorer, task, pairs)
    assert scorer.asked == ENTITIES


def test_a_tie_counts_half() -> None:
    assert mean_ranks(np.array([1.0]), np.array([1.0, 1.0, 1.0, 1.0])).tolist() == [3.0]
    assert mean_ranks(np.array([2.0, 0.0]), np.array([1.0, 1.0])).tolist() == [1.0, 3.0]


def test_nan_is_an_error_never_a_rank() -> None:
    pairs = np.array([[0, 1]], np.int32)
    task = Task("r", pairs, np.arange(3, dtype=np.int32), PairSet(pairs[:, 0], pairs[:, 1], ENTITIES))
    with pytest.raises(InputError, match="a score is not a number"):
        rank_task(FromTable(np.full((ENTITIES, ENTITIES), np.nan)), task, pairs)


class TailCounts:
    """How often a candidate is a tail among the references; for its known figures, see the test below."""

    def prepare(self, task: Task, references: Ints) -> FromTable:
        counts = np.bincount(references[:, 1], minlength=1 << 17)
        return FromTable(np.broadcast_to(counts, (1 << 17, len(counts))))


@pytest.mark.nell
def test_counting_tails_on_nell_one_gives_its_known_mrr(nell: Benchmark) -> None:
    metrics = split_metrics(list(rank_tasks(TailCounts(), nell.splits["test"], shots=5)))
    assert round(metrics["mrr"], 3) == 0.179  # optimistic ties would make it .404
    low, high = metrics["mrr_interval"]
    assert low < metrics["mrr"] < high
