"""Training a few-shot model on a benchmark in a run folder, from embeddings to the best weights.

| file | what it holds |
|---|---|
| `run.json` | which benchmark it is, and what the run was called with |
| `config.json` | all settings |
| `embed/` | the run of the embeddings, with its own checkpoints; trained once |
| `checkpoint.safetensors` | weights, their average, the optimiser's state, how far the run is |
| `best.safetensors` | the weights of the best dev evaluation |
| `metrics.jsonl` | loss, and dev figures of each evaluation, as they come |
| `ranker/` and others | what an evidence ranker has instead of weights (`faan.train.evidence`) |
| `broken.txt` | why training could not go on, where the loss was no longer finite |
| `seconds.json` | time spent, apart from the rest: all other files are the same each time |
| `result.json` | figures of dev and test, once the run was evaluated |
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np

from faan.base import (
    CONFIG_FILE,
    InputError,
    Stopwatch,
    atomic_folder,
    check_free,
    damaged_run,
    locked,
    read_config,
    read_small,
    write_config,
    write_text,
)
from faan.embed import fingerprint, split, triples_of
from faan.tasks import SPLITS, Benchmark, Method, read_benchmark
from faan.train.checkpoint import StepProgress
from faan.train.config import RunConfig
from faan.train.evidence import EvidenceStages
from faan.train.fewshot import FewShotStages
from faan.train.loop import Callbacks, check_dev
from faan.train.stages import Stages
from faan.train.vectors import seconds_spent, take_vectors

RUN_FILE = "run.json"
TRAINERS: dict[str, type[Stages]] = {"episodes": FewShotStages, "evidence": EvidenceStages}
"""The trainers of methods, by `MethodConfig.trainer`."""


@dataclass(frozen=True)
class RunNotes:
    """The call of a run, as in `run.json`."""

    benchmark: str | None  # its path; None where it never was on disk
    data: str  # its fingerprint
    config: str = CONFIG_FILE  # the file that the settings came from
    changes: Sequence[str] = ()  # what was changed in them, NAME=VALUE


@dataclass(frozen=True, eq=False)
class TrainedRun:
    """A finished run: the model with its best weights, and all that led to it."""

    folder: Path
    config: RunConfig
    notes: RunNotes
    benchmark: Benchmark
    model: Method
    progress: StepProgress
    seconds: dict[str, float]


def train_run(
    config: RunConfig,
    benchmark: Benchmark,
    folder: Path | str,
    *,
    path: Path | str | None = None,
    source: tuple[str, Sequence[str]] = (CONFIG_FILE, ()),
    others: Iterable[Path] = (),
    callbacks: Callbacks | None = None,
) -> TrainedRun:
    """Train embeddings and a few-shot model on a benchmark; `resume_run` continues it after an interruption.

    `path` is where the benchmark can be read again; `source` is the file of the settings and what was changed in them.
    Where one of the `others`, run folders, has trained the same embeddings, they are taken from there.
    """
    folder = Path(folder)
    check_free(folder)
    check_dev(benchmark.splits["dev"], config.train, config.shots)  # raises errors before anything is written
    split(triples_of(benchmark.graph), None, config.embed)
    _stages(folder, config, benchmark).check()
    notes = RunNotes(str(Path(path).resolve()) if path else None, _fingerprint(benchmark), source[0], list(source[1]))
    with atomic_folder(folder) as new:
        write_config(new, config)
        write_text(new / RUN_FILE, json.dumps(asdict(notes), indent=1) + "\n")
        others = list(others)
        for name, wanted in _stages(new, config, benchmark).vectors():
            take_vectors(new, name, wanted, others)
    return _to_the_end(folder, config, notes, benchmark, callbacks or Callbacks())


def resume_run(
    folder: Path | str, benchmark: Benchmark | None = None, *, callbacks: Callbacks | None = None
) -> TrainedRun:
    """Continue an interrupted run; the result is that of an uninterrupted one.

    The benchmark is read from where it was, if none is given.
    """
    folder = Path(folder)
    config, notes, benchmark = _open(folder, benchmark)
    return _to_the_end(folder, config, notes, benchmark, callbacks or Callbacks())


def load_run(folder: Path | str, benchmark: Benchmark | None = None) -> TrainedRun:
    """Open a finished run, or one whose training broke off: its best weights are from before."""
    folder = Path(folder)
    config, notes, benchmark = _open(folder, benchmark)
    stages = _stages(folder, config, benchmark)
    if how_far := stages.unfinished():
        raise InputError(
            f"the run is not finished ({how_far}); continue with `faan resume {folder}`", source=str(folder)
        )
    return TrainedRun(folder, config, notes, benchmark, stages.load(), stages.progress(), _seconds(folder))


def is_run(folder: Path) -> bool:
    """Whether a folder holds a run of a few-shot model."""
    return (folder / RUN_FILE).is_file()


def _open(folder: Path, benchmark: Benchmark | None) -> tuple[RunConfig, RunNotes, Benchmark]:
    """Read what a run began with; refuse another benchmark than that."""
    if not is_run(folder):
        raise InputError(f"holds no run of a few-shot model: {RUN_FILE} is missing", source=str(folder))
    config = read_config(folder, RunConfig)
    try:
        notes = RunNotes(**json.loads(read_small(folder / RUN_FILE)))
    except (OSError, TypeError, ValueError, RecursionError) as error:
        raise damaged_run(folder / RUN_FILE, error) from None
    if benchmark is None:
        if notes.benchmark is None or not Path(notes.benchmark).exists():
            place = f"is no longer at {notes.benchmark}" if notes.benchmark else "never was on disk"
            raise InputError(f"its benchmark {place}: pass --benchmark FOLDER", source=str(folder))
        benchmark = read_benchmark(notes.benchmark)
    if _fingerprint(benchmark) != notes.data:
        raise InputError(
            f"the benchmark {benchmark.name!r} is not the one that the run began with: its triples, tasks or"
            " candidates differ",
            source=str(folder),
        )
    return config, notes, benchmark


def _to_the_end(
    folder: Path, config: RunConfig, notes: RunNotes, benchmark: Benchmark, callbacks: Callbacks
) -> TrainedRun:
    """Train what is not trained yet, and open the run."""
    with locked(folder):
        stages = _stages(folder, config, benchmark)
        stages.embed(callbacks.on_progress)
        with Stopwatch(folder).timing("train", callbacks.on_progress) as tick:
            method = stages.train(replace(callbacks, on_progress=tick))
        return TrainedRun(folder, config, notes, benchmark, method, stages.progress(), _seconds(folder))


def _stages(folder: Path, config: RunConfig, benchmark: Benchmark) -> Stages:
    return TRAINERS[config.model.trainer](folder, config, benchmark)


def _seconds(folder: Path) -> dict[str, float]:
    """How long the vectors and the rest took."""
    return {"embed": seconds_spent(folder)} | Stopwatch(folder).seconds


def _fingerprint(benchmark: Benchmark) -> str:
    names = {split: [task.relation for task in benchmark.splits[split]] for split in SPLITS}
    return fingerprint(
        triples_of(benchmark.graph),
        np.frombuffer(json.dumps(names).encode(), dtype=np.uint8),
        *(array for task in benchmark.tasks for array in (task.pairs, task.candidates, task.truths.pairs)),
    )
