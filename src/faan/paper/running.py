"""Running the jobs of a table: train, evaluate, write the result. A job that was interrupted goes on where it was."""

from __future__ import annotations

from pathlib import Path

from faan.embed import EmbedConfig
from faan.embed.embeddings import CONFIG_FILE
from faan.graph import InputError
from faan.models import EvidenceConfig
from faan.paper.jobs import Job
from faan.paper.measured import key_of, label_of
from faan.rank import Matching, Origin, ResultFile, evaluate_embedding, evaluate_untrained
from faan.tasks import Benchmark
from faan.train import Callbacks, RunConfig, evaluate_shots, resume_run, train_run
from faan.train.runs import is_run

QUICK_STEPS, QUICK_EPOCHS = 300, 3


def run_job(job: Job, benchmark: Benchmark, path: Path | None, callbacks: Callbacks | None = None) -> None:
    """Do what is missing of a job; `path` is where the benchmark can be read again."""
    callbacks = callbacks or Callbacks()
    if job.row.kind == "trained":
        _train(job, benchmark, path, callbacks)
        for result in _evaluate(job, benchmark, callbacks):
            _write(job, result)
        return
    for shots in job.outputs:
        if job.row.kind == "untrained":
            origin = Origin.of_evaluation(job.row.label, benchmark.name, shots)
            result = evaluate_untrained(benchmark, job.row.label, shots, origin, on_ranked=callbacks.on_ranked)
        else:
            result = _embedding(job, benchmark, shots, callbacks)
        _write(job, result)


def _evaluate(job: Job, benchmark: Benchmark, callbacks: Callbacks) -> list[ResultFile]:
    if not job.outputs:
        return []
    return evaluate_shots(job.folder, benchmark, list(job.outputs), on_ranked=callbacks.on_ranked)


def _write(job: Job, result: ResultFile) -> None:
    if job.command is not None:
        result = result.model_copy(update={"command": job.command})
    result.write(job.outputs[result.shots])


def _embedding(job: Job, benchmark: Benchmark, shots: int, callbacks: Callbacks) -> ResultFile:
    settings = EmbedConfig.from_toml(job.config)
    changes = [f"seed={job.seed}"]
    if job.quick:
        changes.append(f"epochs={min(settings.epochs, QUICK_EPOCHS)}")
    ways: dict[str, Matching] = {"translation": "translation", "likeness": "likeness"}
    by = ways.get(job.row.kind, "own vector")
    origin = Origin.of_evaluation(job.config.as_posix(), benchmark.name, shots, by=by, changes=changes)
    settings = settings.changed(changes)
    return evaluate_embedding(
        benchmark,
        settings,
        shots,
        origin,
        by=by,
        on_update=callbacks.on_embed,
        on_ranked=callbacks.on_ranked,
    )


def _train(job: Job, benchmark: Benchmark, path: Path | None, callbacks: Callbacks) -> None:
    """Train the model in its run folder, or go on with that; a finished run stays as it is."""
    settings = RunConfig.from_toml(job.config)
    changes = [*(_quick(settings) if job.quick else ()), *job.changes, f"seed={job.seed}"]
    if job.row.variant is not None:
        changes.insert(0, f"variant={job.row.variant}")
    settings = settings.changed(changes)
    label = label_of(settings.model.display_name, settings.variant)
    if key_of(label) != key_of(job.row.label):
        raise InputError(f"is called {label} in results, not {job.row.label}: set its variant", source=str(job.config))
    if not is_run(job.folder):
        others = sorted(job.folder.parent.parent.glob("*/*"))  # rows differ in the model, seldom in the embeddings
        source = job.config.as_posix(), changes
        train_run(settings, benchmark, job.folder, path=path, source=source, others=others, callbacks=callbacks)
        return
    begun = (job.folder / CONFIG_FILE).read_text(encoding="utf-8")
    if begun != settings.model_dump_json(indent=1) + "\n":
        raise InputError(
            f"holds a run with other settings than {job.config} has now; remove the folder to begin again",
            source=str(job.folder),
        )
    resume_run(job.folder, benchmark, callbacks=callbacks)


def _quick(settings: RunConfig) -> list[str]:
    """A schedule for trying out: minutes at most, and nothing that could be compared with anything."""
    steps = min(settings.train.steps, QUICK_STEPS)
    changes = [
        f"train.steps={steps}",
        f"train.warmup_steps={min(settings.train.warmup_steps, steps // 10)}",
        f"train.evaluate_every={steps}",
        f"embed.epochs={min(settings.embed.epochs, QUICK_EPOCHS)}",
    ]
    if isinstance(settings.model, EvidenceConfig):
        epochs = min(settings.model.translation.epochs, QUICK_EPOCHS)
        changes += ["model.heads=3", f"model.translation.epochs={epochs}"]
    return changes
