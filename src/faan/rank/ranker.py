"""Ranking the true tail of each query among the candidates of its relation; every method goes through this.

For a query (h, r, t): t and all candidates of r are scored, candidates that are other true tails of (h, r) are left
out, and t is ranked among the rest. Ties count half (mean rank): optimistic ranks are how numbers get inflated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from faan.graph import InputError
from faan.graph.ragged import Ints
from faan.models import Method, Scorer
from faan.tasks import Task

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
    """Rank queries (Q, 2) of one task; a head that several queries share is scored once."""
    candidates = np.union1d(task.candidates, queries[:, 1])  # sorted; a true tail is always among the choices
    answer = np.searchsorted(candidates, queries[:, 1])  # (Q,) its place
    order = np.argsort(queries[:, 0], kind="stable")
    heads, starts = np.unique(queries[order, 0], return_index=True)
    ends = np.append(starts[1:], len(queries))
    is_candidate = np.isin(candidates, task.candidates)  # an answer that is none competes with no other query

    ranks = np.empty(len(queries))
    size = max(1, SCORES_AT_ONCE // len(candidates))
    for first in range(0, len(heads), size):
        chunk = heads[first : first + size]
        scores = np.asarray(scorer.score(chunk, candidates))  # (H, C)
        if scores.shape != (len(chunk), len(candidates)):
            raise ValueError(f"expected scores of shape {(len(chunk), len(candidates))}, found {scores.shape}")
        if np.isnan(scores).any():
            raise InputError(f"relation {task.relation!r}: a score is not a number; the model's weights are broken")
        true = task.truths.contains(chunk[:, None], candidates[None, :])  # (H, C)
        competes = ~true & is_candidate
        for row in range(len(chunk)):
            rows = order[starts[first + row] : ends[first + row]]
            ranks[rows] = mean_ranks(scores[row, answer[rows]], scores[row, competes[row]])
    return ranks


def mean_ranks(answers: NDArray[np.floating], others: NDArray[np.floating]) -> NDArray[np.float64]:
    """The rank of each answer's score among the others' scores; a tie counts half."""
    others = np.sort(others)
    not_better = np.searchsorted(others, answers, side="right")
    worse = np.searchsorted(others, answers, side="left")
    return 1 + (len(others) - not_better) + (not_better - worse) / 2
