"""Methods without training as rows of the main table."""

from __future__ import annotations

import time
from collections.abc import Callable

from faan.base import OnProgress, ignore_progress
from faan.models import Method, PathRules, TailCounts
from faan.rank.result_file import Origin, ResultFile
from faan.rank.results import rank_splits
from faan.tasks import Benchmark, with_task_edges

UNTRAINED: dict[str, Callable[[Benchmark], Method]] = {
    "Rules": lambda benchmark: PathRules(benchmark.graph),
    "Rules plus": lambda benchmark: PathRules(with_task_edges(benchmark.graph, benchmark.splits["train"])[0]),
    "TailCounts": lambda benchmark: TailCounts(benchmark.graph),
}
"""By the row's name, a method and its variant: in `plus` paths lead over the edges of the training tasks too."""


def evaluate_untrained(
    benchmark: Benchmark,
    name: str,
    shots: int,
    origin: Origin,
    draws: int = 0,
    on_progress: OnProgress = ignore_progress,
) -> ResultFile:
    """Rank the queries of dev and test by one of the methods that need what is known and nothing else."""
    method, _, variant = name.partition(" ")
    start = time.perf_counter()
    figures = rank_splits(UNTRAINED[name](benchmark), benchmark, shots, draws, on_progress)
    return ResultFile(
        method=method,
        variant=variant or None,
        dataset=benchmark.name,
        shots=shots,
        seed=0,
        **figures,
        seconds={"embed": 0, "train": 0, "evaluate": time.perf_counter() - start},
        steps=0,
        config=origin.config,
        command=origin.command,
    )
