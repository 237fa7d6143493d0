"""The commands that train and evaluate few-shot models, apart from the others because they load torch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from faan.cli.embedding import finish_result, shares, training_progress, with_changes
from faan.cli.printing import busy, out, print_json, talk, visible
from faan.embed import RESULT_FILE
from faan.models import EvidenceConfig
from faan.tasks import Benchmark
from faan.train import Callbacks, Report, RunConfig, TrainedRun, evaluate_run, resume_run, train_run, why_broken
from faan.train import tensorboard as to_tensorboard


def run_config(path: Path, changes: list[str] | None) -> RunConfig:
    """The settings of a file, with single ones changed."""
    return with_changes(RunConfig.from_toml(path), changes)


def run_train(
    config: RunConfig,
    source: tuple[str, list[str]],
    benchmark: Benchmark,
    path: Path,
    folder: Path,
    tensorboard: bool,
    as_json: bool,
) -> None:
    """Train a few-shot model in a run folder."""
    with training_callbacks(f"faan resume {folder}", folder if tensorboard else None) as callbacks:
        run = train_run(config, benchmark, folder, path=path, source=source, callbacks=callbacks)
    _finish(run, as_json)


def run_resume_training(folder: Path, benchmark: Benchmark | None, tensorboard: bool, as_json: bool) -> None:
    """Go on with the run of a few-shot model."""
    with training_callbacks(f"faan resume {folder}", folder if tensorboard else None) as callbacks:
        run = resume_run(folder, benchmark, callbacks=callbacks)
    _finish(run, as_json)


def run_evaluate_run(
    folder: Path, benchmark: Benchmark | None, shots: int | None, draws: int, output: Path | None, as_json: bool
) -> None:
    """Rank the queries of dev and test with a trained model."""
    if why := why_broken(folder):
        talk.print(f"training broke off: {visible(why)} Those best weights are evaluated here.")
    with busy("ranking") as on_ranked:
        result = evaluate_run(folder, benchmark, shots=shots, draws=draws, on_ranked=on_ranked)
    name = RESULT_FILE if shots is None else f"result-{shots}shot.json"
    finish_result(result, output or folder / name, as_json)


@contextmanager
def training_callbacks(goes_on: str, tensorboard: Path | None = None) -> Iterator[Callbacks]:
    """Show how embeddings and then the model are trained, in TensorBoard's files in a run folder too.

    After an interruption it is said which command goes on.
    """
    with (
        to_tensorboard(tensorboard / "tensorboard") if tensorboard else nullcontext() as on_metrics,
        training_progress() as new_bar,
    ):
        try:
            bars = new_bar("embedding"), new_bar("training")
            yield Callbacks(*bars, _print_evaluation, on_metrics, shares(new_bar("ranking")))
        except KeyboardInterrupt:
            talk.print(f"interrupted; `{visible(goes_on)}` goes on")
            raise


def _print_evaluation(report: Report) -> None:
    talk.print(f"step {report.step:,}: dev MRR {report.mrr:.4f}{', the best so far' if report.is_best else ''}")


def _finish(run: TrainedRun, as_json: bool) -> None:
    progress, name = run.progress, run.config.model.display_name
    if as_json:
        best = {"best_step": progress.best_step, "best_mrr": progress.best_mrr}
        print_json({"folder": str(run.folder), "steps": progress.step, **best, "seconds": run.seconds})
        return
    if isinstance(run.config.model, EvidenceConfig):
        found = "no dev tasks" if progress.best_mrr is None else f"dev MRR {progress.best_mrr:.4f}"
        out.print(f"{name}, {progress.step:,} trees: {found}")
        return
    found = "no dev tasks, so these are the last weights"
    if progress.best_mrr is not None:
        found = f"best dev MRR {progress.best_mrr:.4f} at step {progress.best_step:,}"
    out.print(f"{name}, {progress.step:,} steps: {found}")
