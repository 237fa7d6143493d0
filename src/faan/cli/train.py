"""The commands `train`, `resume` and `evaluate`: few-shot models on benchmarks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faan.base import RESULT_FILE, InputError, check_free, config_name, config_names, is_config
from faan.cli.embed import embed_config, resume_embedding
from faan.cli.engine import HERE, EngineOptions
from faan.cli.options import (
    AsJson,
    BenchmarkFolder,
    Settings,
    TensorBoard,
    read_tasks,
    refuse,
    with_changes,
    with_options,
)
from faan.cli.printing import busy, new_table, out, print_json, shown, talk, visible
from faan.rank import METRICS, Origin, ResultFile
from faan.tasks import Benchmark, find_benchmark

if TYPE_CHECKING:
    from faan.models import Kind
    from faan.train import Callbacks, DevReport, TrainedRun


def train(
    config: Annotated[
        Path,
        typer.Argument(
            metavar="CONFIG",
            help="Settings of a few-shot model: a name (`evidence`, `faan`) or a TOML file.",
        ),
    ],
    benchmark: BenchmarkFolder,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="The run's folder; must be empty.")],
    setting: Settings = None,
    tensorboard: TensorBoard = False,
    as_json: AsJson = False,
) -> None:
    """Train a few-shot model on a benchmark; `faan resume FOLDER` continues an interrupted run."""
    from faan.train import RunConfig, train_run  # torch takes seconds to load

    check_free(output)
    settings = with_changes(RunConfig.from_toml(config), setting)
    source, tasks = (config_name(config), setting or []), read_tasks(benchmark)
    with training_callbacks(f"faan resume {output}", output if tensorboard else None) as callbacks:
        run = train_run(settings, tasks, output, path=find_benchmark(benchmark), source=source, callbacks=callbacks)
    _finish(run, as_json)


@with_options("engine", EngineOptions)
def resume(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of an interrupted run.")],
    benchmark: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the benchmark of `faan train` is, if it was moved.")
    ] = None,
    tensorboard: TensorBoard = False,
    tsv: Annotated[
        bool, typer.Option("--tsv", help="For `faan embed`: also write the vectors as TSV, for other tools.")
    ] = False,
    engine: EngineOptions = HERE,
    as_json: AsJson = False,
) -> None:
    """Continue an interrupted run. It ends with the same numbers as an uninterrupted one."""
    from faan.train import is_run, resume_run

    if not is_run(folder):
        refuse("runs of `faan train`", {"--benchmark": benchmark, "--tensorboard": tensorboard})
        resume_embedding(folder, tsv, as_json, engine.cluster)
        return
    refuse("runs of `faan embed`", {"--tsv": tsv, **engine.given})
    tasks = read_tasks(benchmark) if benchmark else None
    with training_callbacks(f"faan resume {folder}", folder if tensorboard else None) as callbacks:
        run = resume_run(folder, tasks, callbacks=callbacks)
    _finish(run, as_json)


def evaluate(
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET",
            help="The run folder of `faan train`, embeddings (a name such as `embed-transe`, or a TOML file), "
            "or a method without training: {untrained} (a folder of that name takes precedence).",
        ),
    ],
    benchmark: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="A few-shot benchmark, or its name in FAAN_DATA. A run has its own."),
    ] = None,
    shots: Annotated[
        int | None,
        typer.Option("-k", "--shots", min=1, help="References of each relation [default: the run's own, or 5]."),
    ] = None,
    draws: Annotated[
        int, typer.Option(min=0, help="Rank again with this many random draws of references; report the spread.")
    ] = 0,
    translation: Annotated[
        bool,
        typer.Option("--translation", help="Train on the background alone; score by the references' mean translation."),
    ] = False,
    likeness: Annotated[
        bool,
        typer.Option("--likeness", help="Train on the background alone; score by likeness to the references' tails."),
    ] = False,
    setting: Settings = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write the result here; a run's goes to its folder."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Rank the dev and test queries of a benchmark: a row of the main table. Embedding models are trained first."""
    if output is not None and output.is_dir():
        raise typer.BadParameter(f"{output} is a folder: name a file in it", param_hint="--output")
    for_embeddings = {"--translation": translation, "--likeness": likeness, "--set": setting}
    if target.is_dir():
        refuse("embeddings, not for a run folder", for_embeddings)
        _evaluate_run(target, read_tasks(benchmark) if benchmark else None, shots, draws, output, as_json)
        return
    from faan.rank import untrained_methods

    untrained = untrained_methods()
    name = next((known for known in untrained if known.lower() == str(target).lower()), None)
    if name is None and not is_config(target):
        known = ", ".join([*untrained, *(known for known in config_names() if known.startswith("embed-"))])
        raise InputError(
            f"no run folder, TOML file or method has this name; expected one of {known}", source=str(target)
        )
    if benchmark is None:
        raise typer.BadParameter("required unless the target is a run folder", param_hint="--benchmark")
    if name is not None:
        refuse("embeddings, not for a method without training", for_embeddings)
        result = _evaluate_untrained(name, read_tasks(benchmark), shots or 5, draws)
    else:
        if translation and likeness:
            raise typer.BadParameter("cannot be combined with --translation: pass one of them", param_hint="--likeness")
        by: Kind = "translation" if translation else "likeness" if likeness else "embedding"
        result = _evaluate_embedding(target, by, benchmark, shots or 5, draws, setting or [])
    _finish_result(result, output, as_json)


def _evaluate_untrained(name: str, benchmark: Benchmark, shots: int, draws: int) -> ResultFile:
    from faan.rank import evaluate_method, untrained_methods

    origin = Origin.of_evaluation(name, benchmark.name, shots, draws=draws)
    with busy("ranking") as on_progress:
        method = untrained_methods()[name].build(benchmark)
        return evaluate_method(benchmark, method, name, shots, origin, draws=draws, on_progress=on_progress)


def _evaluate_embedding(
    config: Path, by: Kind, benchmark: Path, shots: int, draws: int, changes: list[str]
) -> ResultFile:
    """Train vectors on a benchmark, and rank by them."""
    from faan.train import evaluate_embedding

    if draws and by == "embedding":
        raise typer.BadParameter("embedding models learn their references in training", param_hint="--draws")
    settings = embed_config(None, config, changes)
    if by == "translation" and settings.model != "transe":
        raise typer.BadParameter("expected TransE vectors", param_hint="--translation")
    tasks = read_tasks(benchmark)
    origin = Origin.of_evaluation(config_name(config), tasks.name, shots, by=by, draws=draws, changes=changes)
    with busy("training vectors") as on_progress:
        return evaluate_embedding(tasks, settings, shots, origin, by=by, draws=draws, on_progress=on_progress)


def _evaluate_run(
    folder: Path, benchmark: Benchmark | None, shots: int | None, draws: int, output: Path | None, as_json: bool
) -> None:
    """Rank the queries of dev and test with a trained model."""
    from faan.train import evaluate_run, why_broken

    if why := why_broken(folder):
        talk.print(f"training broke off: {visible(why)} These best weights are evaluated.")
    with busy("ranking") as on_progress:
        result = evaluate_run(folder, benchmark, shots=shots, draws=draws, on_progress=on_progress)
    name = RESULT_FILE if shots is None else f"result-{shots}shot.json"
    _finish_result(result, output or folder / name, as_json)


@contextmanager
def training_callbacks(goes_on: str, tensorboard: Path | None = None) -> Iterator[Callbacks]:
    """Show how embeddings and then the model are trained, in TensorBoard's files in a run folder too.

    After an interruption it prints the command that continues the run.
    """
    from faan.train import Callbacks
    from faan.train import tensorboard as to_tensorboard

    with (
        to_tensorboard(tensorboard / "tensorboard") if tensorboard else nullcontext() as on_metrics,
        busy("training vectors") as on_progress,
    ):
        try:
            yield Callbacks(on_progress, _print_evaluation, on_metrics)
        except KeyboardInterrupt:
            talk.print(f"interrupted; continue with `{visible(goes_on)}`")
            raise


def _print_evaluation(report: DevReport) -> None:
    talk.print(f"step {report.step:,}: dev MRR {report.mrr:.4f}{', the best so far' if report.is_best else ''}")


def _finish(run: TrainedRun, as_json: bool) -> None:
    progress, name = run.progress, run.config.model.display_name
    if as_json:
        best = {"best_step": progress.best_step, "best_mrr": progress.best_mrr}
        print_json({"folder": str(run.folder), "steps": progress.step, **best, "seconds": run.seconds})
        return
    found = "no dev tasks"
    if progress.best_mrr is not None:
        found = f"best dev MRR {progress.best_mrr:.4f} after {progress.best_step:,}"
    out.print(f"{name}, {progress.step:,} {run.config.model.unit}: {found}")


def _finish_result(result: ResultFile, output: Path | None, as_json: bool) -> None:
    """Write a result, and print it."""
    if output is not None:
        result.write(output)
        talk.print(f"wrote {visible(str(output))}")
    if as_json:
        print_json(result.model_dump())
    else:
        _print_result(result)


def _print_result(result: ResultFile) -> None:
    """Print a row of the main table, and test relation by relation."""
    table = new_table(result.title, "", *METRICS)
    for split, figures in (("dev", result.dev), ("test", result.test)):
        if not figures:
            continue  # there are no dev tasks
        table.add_row(split, *(f"{figures[metric]:.3f}" for metric in METRICS))
        table.add_row(f"{split}, mean over relations", *(f"{figures[f'macro_{metric}']:.3f}" for metric in METRICS))
    for relation, figures in result.relations.items():
        table.add_row(shown(f"  {relation}"), *(f"{figures[metric]:.3f}" for metric in METRICS))
    out.print(table)
    low, high = result.test["mrr_interval"]
    out.print(f"test MRR with 95 % confidence between {low:.3f} and {high:.3f} (over queries)")
    if draws := result.test.get("draws"):
        spread = f"{draws['mean']:.3f} ± {draws['std']:.3f}"
        out.print(f"test MRR over {len(draws['mrr'])} random draws of the references: {spread}")
    out.print("seconds: " + ", ".join(f"{part} {seconds:,.0f}" for part, seconds in result.seconds.items()))
