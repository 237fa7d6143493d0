"""What a finished run is worth: its dev and test queries ranked, as a result file."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

from faan.rank import ResultFile, rank_splits
from faan.tasks import Benchmark
from faan.train.runs import TrainedRun, load_run


def evaluate_run(
    folder: Path | str, benchmark: Benchmark | None = None, *, shots: int | None = None, draws: int = 0
) -> ResultFile:
    """Rank the dev and test queries with the best weights of a run.

    K is the run's own unless `shots` is given; `draws` ranks again with random references, so many times.
    """
    run = load_run(folder, benchmark)
    shots = shots or run.config.shots
    start = time.perf_counter()
    figures = rank_splits(run.model, run.benchmark, shots, draws)
    return ResultFile(
        method=run.config.model.display_name,
        variant=run.config.variant,
        dataset=run.benchmark.name,
        protocol=run.config.protocol,
        shots=shots,
        seed=run.config.seed,
        **figures,
        seconds=run.seconds | {"evaluate": time.perf_counter() - start},
        steps=run.progress.step,
        config=run.notes.config,
        command=_command(run, shots, draws),
    )


def _command(run: TrainedRun, shots: int, draws: int) -> str:
    """What gives this result from the raw files; folders by their last name, for paths differ between machines."""
    train = ["faan", "train", run.notes.config, "--benchmark", run.benchmark.name, "-o", run.folder.resolve().name]
    for change in run.notes.changes:
        train += ["--set", change]
    evaluate = ["faan", "evaluate", run.folder.resolve().name, "--shots", str(shots)]
    if draws:
        evaluate += ["--draws", str(draws)]
    return f"{shlex.join(train)} && {shlex.join(evaluate)}"
