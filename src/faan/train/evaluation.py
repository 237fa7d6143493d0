"""Evaluates a finished run: ranks its dev and test queries, returns a result file."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from pathlib import Path

from faan.base import OnProgress, ignore_progress
from faan.rank import ResultFile, rank_shots, settings_hash
from faan.tasks import Benchmark
from faan.train.checkpoint import why_broken
from faan.train.runs import TrainedRun, load_run


def evaluate_run(
    folder: Path | str,
    benchmark: Benchmark | None = None,
    *,
    shots: int | None = None,
    draws: int = 0,
    on_progress: OnProgress = ignore_progress,
) -> ResultFile:
    """Rank the dev and test queries with the best weights of a run.

    K is the run's own unless `shots` is given; `draws` ranks again with random references, so many times.
    """
    (result,) = evaluate_shots(folder, benchmark, None if shots is None else [shots], draws, on_progress)
    return result


def evaluate_shots(
    folder: Path | str,
    benchmark: Benchmark | None = None,
    shots: Sequence[int] | None = None,
    draws: int = 0,
    on_progress: OnProgress = ignore_progress,
) -> list[ResultFile]:
    """As `evaluate_run`, for several K in not much more time than for one, where the model permits."""
    run = load_run(folder, benchmark)
    shots = shots or [run.config.shots]
    start = time.perf_counter()
    figures = rank_shots(run.model, run.benchmark, shots, draws, on_progress)
    seconds = run.seconds | {"evaluate": (time.perf_counter() - start) / len(shots)}
    return [
        ResultFile(
            method=run.config.model.display_name,
            variant=run.config.variant,
            dataset=run.benchmark.name,
            protocol=run.config.protocol,
            shots=k,
            seed=run.config.seed,
            **figures[k],
            seconds=seconds,
            steps=run.progress.step,
            config=run.notes.config,
            settings=settings_hash(run.config),
            broken_off=why_broken(run.folder),
            command=_command(run, k, draws),
        )
        for k in shots
    ]


def _command(run: TrainedRun, shots: int, draws: int) -> str:
    """The commands that give this result again; folders by their last name, because paths differ between machines."""
    train = ["faan", "train", run.notes.config, "--benchmark", run.benchmark.name, "-o", run.folder.resolve().name]
    for change in run.notes.changes:
        train += ["--set", change]
    evaluate = ["faan", "evaluate", run.folder.resolve().name, "--shots", str(shots)]
    if draws:
        evaluate += ["--draws", str(draws)]
    return f"{shlex.join(train)} && {shlex.join(evaluate)}"
