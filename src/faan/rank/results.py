"""From ranks to the figures of a result file: dev and test, several K, random references, each relation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from faan.base import InputError, OnProgress, Purpose, Stream, distinct, ignore_progress
from faan.models import prepare_sets
from faan.rank.metrics import summarise_ranks, summarise_split
from faan.rank.ranker import TaskRanks, check_tasks, rank_sets
from faan.tasks import Benchmark, Method, Task


def rank_splits(
    method: Method, benchmark: Benchmark, shots: int, draws: int = 0, on_progress: OnProgress = ignore_progress
) -> dict[str, Any]:
    """The figures of dev (empty without dev tasks), of test, and of each test relation, as in a result file.

    The first K pairs of each task are its references. With `draws` all is ranked again so many times with random
    references instead, the same for every method and seed, and the result has the spread of the MRR too.
    """
    return rank_shots(method, benchmark, [shots], draws, on_progress)[shots]


def rank_shots(
    method: Method,
    benchmark: Benchmark,
    shots: Sequence[int],
    draws: int,
    on_progress: OnProgress,
) -> dict[int, dict[str, Any]]:
    """As `rank_splits` for several K; methods that can do so look at each pair once for all of them."""
    if not benchmark.splits["test"]:
        raise InputError(f"the benchmark {benchmark.name!r} has no test tasks: there is nothing to evaluate")
    figures: dict[int, dict[str, Any]] = {k: {"dev": {}} for k in shots}
    pace = _Pace([*benchmark.splits["dev"], *benchmark.splits["test"]], on_progress)
    for split in ("dev", "test"):
        tasks = benchmark.splits[split]
        if not tasks:
            continue  # a benchmark need not have dev tasks
        for k in shots:
            check_tasks(tasks, k)
        orders = [tasks, *(draw_references(tasks, draw) for draw in range(draws))]
        ranked = _rank_orders(method, orders, shots, pace)
        for k, own in figures.items():
            first, *drawn = ranked[k]
            own[split] = split_metrics(first)
            if draws:
                own[split]["draws"] = _spread(drawn)
            if split == "test":
                own["relations"] = relation_metrics(first)
    return figures


def _rank_orders(
    method: Method, orders: Sequence[Sequence[Task]], shots: Sequence[int], pace: _Pace
) -> dict[int, list[list[TaskRanks]]]:
    """The ranks for each K of the same tasks with their pairs in several orders."""
    found: dict[int, list[list[TaskRanks]]] = {k: [[] for _ in orders] for k in shots}
    for versions in zip(*orders, strict=True):
        cases = [(k, place, task) for k in shots for place, task in enumerate(versions)]
        scorers = prepare_sets(method, versions[0], [task.references(k) for k, _, task in cases])
        ranks = rank_sets(scorers, versions[0], [task.queries(k) for k, _, task in cases], pace.of(versions[0]))
        for (k, place, task), own in zip(cases, ranks, strict=True):
            found[k][place].append(TaskRanks(task, own))
    return found


class _Pace:
    """How far the ranking of tasks is; a task counts by its heads and its candidates."""

    def __init__(self, tasks: Iterable[Task], on_progress: OnProgress) -> None:
        self._on_progress, self._done = on_progress, 0
        self._all = sum(len(distinct(task.pairs[:, 0])) * len(task.candidates) for task in tasks)

    def of(self, task: Task) -> Callable[[int], None]:
        def more(heads: int) -> None:
            self._done += heads * len(task.candidates)
            self._on_progress("ranking", self._done / self._all)

        return more


def _spread(draws: Iterable[Sequence[TaskRanks]]) -> dict[str, Any]:
    """The MRR of each draw of references, their mean and standard deviation."""
    mrrs = [summarise_ranks(np.concatenate([task.ranks for task in found]))["mrr"] for found in draws]
    return {
        "mrr": mrrs,
        "mean": float(np.mean(mrrs)),
        "std": float(np.std(mrrs, ddof=1)) if len(mrrs) > 1 else 0.0,
    }


def draw_references(tasks: Sequence[Task], draw: int) -> list[Task]:
    """The tasks with their pairs in random order, so that the first K of each are other references."""
    streams = (Stream(0, Purpose.REFERENCES, draw * len(tasks) + place) for place in range(len(tasks)))
    return [
        replace(task, pairs=task.pairs[stream.permutation(len(task.pairs))])
        for task, stream in zip(tasks, streams, strict=True)
    ]


def split_metrics(found: Sequence[TaskRanks]) -> dict[str, Any]:
    """The figures of a split: averages over queries (micro), over relations (macro), and an interval for MRR."""
    relations = [task.ranks for task in found]
    return summarise_split(np.concatenate(relations), relations)


def relation_metrics(found: Sequence[TaskRanks]) -> dict[str, dict[str, float]]:
    """The figures of each relation."""
    return {
        one.task.relation: {
            "queries": len(one.ranks),
            "candidates": len(one.task.candidates),
            **summarise_ranks(one.ranks),
        }
        for one in found
    }
