"""Runs the jobs of a table, here or on Ray: train, evaluate, write the result. An interrupted job resumes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from faan.base import Cluster, InputError, OnDone, UnknownSettingError, read_config
from faan.embed import EmbedConfig
from faan.paper.jobs import QUICK_PAIRS, Job, changes_of
from faan.rank import Origin, ResultFile, evaluate_method, untrained_methods
from faan.tasks import Benchmark, read_benchmark
from faan.train import Callbacks, RunConfig, evaluate_embedding, evaluate_shots, is_run, resume_run, train_run

QUICK_STEPS, QUICK_EPOCHS = 300, 3


def try_job(job: Job, benchmark: Benchmark, path: Path, callbacks: Callbacks | None = None) -> str | None:
    """Compute what is missing of a job; an error about its row alone is returned as text, so that others can go on.

    Run folders note `path`, from which the benchmark can be read again.
    """
    try:
        for result in _results(job, benchmark, path, callbacks or Callbacks()):
            own = result if job.command is None else result.model_copy(update={"command": job.command})
            own.write(job.outputs[result.shots])
    except UnknownSettingError:
        raise  # a wrong --set is wrong for every row
    except InputError as error:
        return str(error)
    return None


def _results(job: Job, benchmark: Benchmark, path: Path, callbacks: Callbacks) -> Iterator[ResultFile]:
    shots, on_progress = list(job.outputs), callbacks.on_progress
    if job.row.kind == "trained":
        _train(job, benchmark, path, callbacks)
        yield from evaluate_shots(job.folder, benchmark, shots, on_progress=on_progress) if shots else ()
    elif job.row.kind == "untrained":
        method = untrained_methods()[job.row.label].build(benchmark)
        for k in shots:
            origin = Origin.of_evaluation(job.row.label, benchmark.name, k)
            yield evaluate_method(benchmark, method, job.row.label, k, origin, on_progress=on_progress)
    else:
        settings = EmbedConfig.from_toml(job.row.config)
        changes = [f"seed={job.seed}", *([f"epochs={min(settings.epochs, QUICK_EPOCHS)}"] if job.request.quick else [])]
        settings = settings.changed(changes)
        for k in shots:
            origin = Origin.of_evaluation(job.row.config, benchmark.name, k, by=job.row.kind, changes=changes)
            yield evaluate_embedding(benchmark, settings, k, origin, by=job.row.kind, on_progress=on_progress)


def _train(job: Job, benchmark: Benchmark, path: Path, callbacks: Callbacks) -> None:
    """Train the model in its run folder, or resume that; a finished run stays as it is."""
    settings = RunConfig.from_toml(job.row.config)
    variant = [] if job.row.variant is None else [f"variant={job.row.variant}"]
    changes = [*variant, *(_quick(settings) if job.request.quick else ()), *changes_of(job.request), f"seed={job.seed}"]
    settings = settings.changed(changes)
    if not is_run(job.folder):
        others = sorted(job.folder.parent.parent.glob("*/*"))  # rows differ in the model, seldom in the embeddings
        source, whole = (job.row.config, changes), None if job.request.quick else path
        train_run(settings, benchmark, job.folder, path=whole, source=source, others=others, callbacks=callbacks)
        return
    if read_config(job.folder, RunConfig) != settings:
        raise InputError(
            f"holds a run with other settings than {job.row.config} has now; remove the folder to begin again",
            source=str(job.folder),
        )
    resume_run(job.folder, benchmark, callbacks=callbacks)


def _quick(settings: RunConfig) -> list[str]:
    """A schedule for trying out: minutes at most, and nothing that could be compared with anything."""
    steps = min(settings.train.steps, QUICK_STEPS)
    return [
        f"train.steps={steps}",
        f"train.warmup_steps={min(settings.train.warmup_steps, steps // 10)}",
        f"train.evaluate_every={steps}",
        f"embed.epochs={min(settings.embed.epochs, QUICK_EPOCHS)}",
        *settings.model.quick_changes(QUICK_EPOCHS),
    ]


class RowWorker:
    """Computes rows in the folder that the command was called in, with the benchmark in memory once."""

    def __init__(self, here: Path, path: Path, quick: bool) -> None:
        os.chdir(here)  # run folders and results are named from there
        benchmark = read_benchmark(path)
        self._benchmark = benchmark.shortened(QUICK_PAIRS) if quick else benchmark
        self._path = path

    def compute(self, job: Job) -> str | None:
        """Do what is missing of a job; returns what is wrong with its row, if that is not possible."""
        return try_job(job, self._benchmark, self._path)


def run_on_ray(jobs: Sequence[Job], path: Path, engine: Cluster, on_job: OnDone) -> None:
    """Compute the jobs of a table; if a worker or machine dies, another worker continues its job.

    `on_job` is called with each job and the text of its error, or None.
    """
    given = Path.cwd(), path.resolve(), jobs[0].request.quick
    with engine.pool(RowWorker, given, len(jobs)) as pool:
        pool.run(jobs, on_job)
