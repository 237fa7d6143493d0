"""Choosing which relations of a graph become tasks, some to learn from and some to measure with."""

from __future__ import annotations

from itertools import product

from faan.base import InputError
from faan.graph import Graph
from faan.tasks import SPLITS, Benchmark, BuildSettings, build_benchmark

_RANGES = (
    (50, 500),
    (20, 2_000),
    (10, 10_000),
)  # facts of a task relation: rare relations first, wider ranges if there are too few
_ENOUGH = 12  # with so many relations in a range, the next range is not tried
_MOST = 60  # tasks
_SHARE = 3  # a third of the relations at most: what is left should look like the whole graph
_ATTEMPTS = 8  # tries on a small graph, where one choice may leave the other tasks without known entities
_SMALL = 100_000  # triples
_DEV, _TEST = 0.1, 0.25  # the share to choose by and the share to measure with


def choose_tasks(graph: Graph, seed: int) -> Benchmark | None:
    """Tasks of a graph and what is left of it, with the same ids; None where too few relations can be tasks."""
    most = min(_MOST, len(graph.used_relations) // _SHARE)
    if most < len(SPLITS):
        return None
    best: Benchmark | None = None
    attempts = _ATTEMPTS if graph.num_triples < _SMALL else 1
    for (low, high), attempt in product(_RANGES, range(attempts)):
        settings = BuildSettings(
            min_triples=low,
            max_triples=high,
            max_tasks=most,
            dev_share=_DEV,
            test_share=_TEST,
            seed=seed + attempt,
        )
        try:
            found, _ = build_benchmark(graph, settings, name="tasks", keep_ids=True)
        except InputError:  # fewer than three
            continue
        if best is None or len(found.tasks) > len(best.tasks):
            best = found
        if len(best.tasks) >= min(_ENOUGH, most):
            break
    return best
