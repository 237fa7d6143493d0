"""Ranking the true tail of each query among the candidates of its relation; every method goes through this.

For a query (h, r, t), the method scores t and all candidates of r. Candidates that are other true tails of (h, r) are
skipped, and t is ranked among the rest. Ties count half (mean rank), because optimistic ranks inflate figures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from faan.base import InputError, Ints, distinct
from faan.models import Apart, Scorers
from faan.tasks import Method, Scorer, Task

SCORES_AT_ONCE = 1 << 22  # how many scores are held in memory at a time


@dataclass(frozen=True, eq=False)
class TaskRanks:
    """The rank of each query of a task, 1 the best."""

    task: Task
    ranks: NDArray[np.float64]


def rank_tasks(method: Method, tasks: Iterable[Task], shots: int) -> Iterator[TaskRanks]:
    """Rank the queries of tasks, whose first K pairs are the references."""
    for task in tasks:
        scorer = method.prepare(task, task.references(shots))
        yield TaskRanks(task, rank_task(scorer, task, task.queries(shots)))


def check_tasks(tasks: Iterable[Task], shots: int) -> None:
    """Refuse tasks that cannot be ranked: too few pairs for K references, or nothing to rank the answer among."""
    for task in tasks:
        task.references(shots)
        if not len(task.candidates):
            raise InputError(f"relation {task.relation!r} has no candidates: there is nothing to rank a tail among")


def rank_task(scorer: Scorer, task: Task, queries: Ints) -> NDArray[np.float64]:
    """Rank queries (Q, 2) of one task."""
    (ranks,) = rank_sets(Apart([scorer]), task, [queries])
    return ranks


def rank_sets(
    scorers: Scorers, task: Task, queries: Sequence[Ints], on_scored: Callable[[int], None] = lambda _: None
) -> list[NDArray[np.float64]]:
    """Rank queries (Q, 2) of one task by each of several sets of references, each set its own queries.

    A head that several queries share is scored once. `on_scored` is called with the number of heads scored since then.
    """
    asked = np.concatenate(queries)
    candidates = distinct(task.candidates, asked[:, 1])  # a true tail is always among the choices
    is_candidate = np.isin(candidates, task.candidates)  # a true tail outside of them does not compete in other queries
    heads = distinct(asked[:, 0])
    sorted_queries = [_ByHead.of(some, heads, candidates) for some in queries]

    ranks = [np.empty(len(some)) for some in queries]
    size = max(1, SCORES_AT_ONCE // (len(queries) * len(candidates)))
    for first in range(0, len(heads), size):
        chunk = heads[first : first + size]
        scores = _checked_scores(scorers, task, chunk, candidates, len(queries))  # (S, H, C)
        true = task.truths.contains(chunk[:, None], candidates[None, :])  # (H, C)
        competes = ~true & is_candidate
        for row in range(len(chunk)):
            for own, found, by_head in zip(ranks, scores[:, row], sorted_queries, strict=True):
                rows = by_head.rows(first + row)
                if len(rows):
                    own[rows] = mean_ranks(found[by_head.answers[rows]], found[competes[row]])
        on_scored(len(chunk))
    return ranks


@dataclass(frozen=True, eq=False)
class _ByHead:
    """Queries, sorted by their heads."""

    order: Ints  # (Q,)
    ends: Ints  # (heads + 1,) where the queries of each head begin and end in that order
    answers: Ints  # (Q,) the place of each query's tail among the candidates

    @classmethod
    def of(cls, queries: Ints, heads: Ints, candidates: Ints) -> _ByHead:
        order = np.argsort(queries[:, 0], kind="stable")
        ends = np.append(np.searchsorted(queries[order, 0], heads), len(queries))
        return cls(order, ends, np.searchsorted(candidates, queries[:, 1]))

    def rows(self, head: int) -> Ints:
        return self.order[self.ends[head] : self.ends[head + 1]]


def _checked_scores(scorers: Scorers, task: Task, heads: Ints, candidates: Ints, sets: int) -> NDArray[np.floating]:
    scores = np.asarray(scorers.score(heads, candidates))
    if scores.shape != (sets, len(heads), len(candidates)):
        raise ValueError(f"expected scores of shape {(sets, len(heads), len(candidates))}, found {scores.shape}")
    if np.isnan(scores).any():
        raise InputError(
            f"relation {task.relation!r}: a score is not a number: the model's weights are broken; train it again"
        )
    return scores


def mean_ranks(answers: NDArray[np.floating], others: NDArray[np.floating]) -> NDArray[np.float64]:
    """The rank of each answer's score among the others' scores; a tie counts half."""
    others = np.sort(others)
    not_better = np.searchsorted(others, answers, side="right")
    worse = np.searchsorted(others, answers, side="left")
    return 1 + (len(others) - not_better) + (not_better - worse) / 2
