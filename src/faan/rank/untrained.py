"""Methods without training as rows of the main table."""

from __future__ import annotations

import time
from collections.abc import Callable

from faan.graph import Graph
from faan.models import Method, PathRules, TailCounts
from faan.rank.results import Origin, ResultFile, rank_splits
from faan.tasks import Benchmark

UNTRAINED: dict[str, Callable[[Graph], Method]] = {"Rules": PathRules, "TailCounts": TailCounts}


def evaluate_untrained(benchmark: Benchmark, name: str, shots: int, origin: Origin, draws: int = 0) -> ResultFile:
    """Rank the queries of dev and test by one of the methods that need the background graph and nothing else."""
    start = time.perf_counter()
    figures = rank_splits(UNTRAINED[name](benchmark.graph), benchmark, shots, draws)
    return ResultFile(
        method=name,
        dataset=benchmark.name,
        shots=shots,
        seed=0,
        **figures,
        seconds={"embed": 0, "train": 0, "evaluate": time.perf_counter() - start},
        steps=0,
        config=origin.config,
        command=origin.command,
    )
