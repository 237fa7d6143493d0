"""Methods without training as rows of the main table."""

from __future__ import annotations

import time

from faan.base import OnProgress, ignore_progress
from faan.models import UntrainedConfig, methods
from faan.rank.result_file import Origin, ResultFile
from faan.rank.results import rank_splits
from faan.tasks import Benchmark, Method


def untrained_methods() -> dict[str, UntrainedConfig]:
    """The settings of each row of a method without training, by the row's name."""
    found = [one for one in methods() if issubclass(one, UntrainedConfig)]
    return {row.label: one.model_validate(dict(row.changes)) for one in found for row in one.rows}


def evaluate_method(
    benchmark: Benchmark,
    method: Method,
    name: str,
    shots: int,
    origin: Origin,
    *,
    draws: int = 0,
    on_progress: OnProgress = ignore_progress,
) -> ResultFile:
    """Rank the queries of dev and test by a method that is ready for use, as a result file of that name."""
    called, _, variant = name.partition(" ")
    start = time.perf_counter()
    figures = rank_splits(method, benchmark, shots, draws, on_progress)
    return ResultFile(
        method=called,
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
