"""The commands of a researcher: train, resume, evaluate, reproduce. What needs torch is imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faan.graph import Graph, InputError
from faan.graph.read import has_fixed_columns
from faan.graph.whole import check_free, check_writable
from faan.options import (
    AsJson,
    ColumnNames,
    Format,
    GraphArgument,
    Settings,
    SkipBadLines,
    TensorBoard,
    TypeRelations,
    read_source,
    read_tasks,
    refuse,
)
from faan.paper import TABLES, Request
from faan.tasks import benchmark_name


def embed(
    graph: GraphArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="The run's folder; must be empty.")],
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="transe, distmult, complex, simple or rotate, with settings that suit it [default: transe].",
            show_default=False,
        ),
    ] = None,
    config: Annotated[Path | None, typer.Option(metavar="FILE", help="Settings from a TOML file instead.")] = None,
    setting: Settings = None,
    valid: Annotated[str | None, typer.Option(metavar="FILE", help="Triples to watch training by.")] = None,
    test: Annotated[str | None, typer.Option(metavar="FILE", help="Triples to report link prediction on.")] = None,
    tsv: Annotated[bool, typer.Option("--tsv", help="Also write the vectors as TSV, for other tools.")] = False,
    format: Format = None,
    columns: ColumnNames = None,
    type_relation: TypeRelations = None,
    skip_bad_lines: SkipBadLines = False,
    as_json: AsJson = False,
) -> None:
    """Train entity and relation embeddings of a graph; an interrupted run goes on with `faan resume FOLDER`."""
    from faan.embed_commands import embed_config, run_embed  # torch takes seconds to load; few commands need it

    if model is not None and config is not None:
        raise typer.BadParameter("the file of --config says which model; leave one of them out", param_hint="--model")
    check_free(output)
    settings = embed_config(model, config, setting)

    def read(source: str, format: str | None, columns: str | None, types: list[str] | None = None) -> Graph:
        return read_source(source, format, columns, None, "en", types, None, skip_bad_lines)

    held_out = {name: (path, read(path, format, columns)) for name, path in (("valid", valid), ("test", test)) if path}
    if held_out and has_fixed_columns(graph):
        format = columns = None  # they are those of the held-out files
    run_embed(read(graph, format, columns, type_relation), settings, output, held_out, tsv, as_json)


def train(
    config: Annotated[
        Path, typer.Argument(metavar="CONFIG", help="A TOML file with the settings of a few-shot model.")
    ],
    benchmark: Annotated[Path, typer.Option(metavar="FOLDER", help="A few-shot benchmark.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="The run's folder; must be empty.")],
    setting: Settings = None,
    tensorboard: TensorBoard = False,
    as_json: AsJson = False,
) -> None:
    """Train a few-shot model on a benchmark; an interrupted run goes on with `faan resume FOLDER`."""
    from faan.train_commands import run_config, run_train

    check_free(output)
    settings = run_config(config, setting)
    source = (str(config), setting or [])
    run_train(settings, source, read_tasks(benchmark), benchmark, output, tensorboard, as_json)


def resume(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder of an interrupted run.")],
    benchmark: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the benchmark of `faan train` is, if it was moved.")
    ] = None,
    tensorboard: TensorBoard = False,
    tsv: Annotated[
        bool, typer.Option("--tsv", help="For `faan embed`: also write the vectors as TSV, for other tools.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Go on with an interrupted run; it ends with the same numbers as if it had never been interrupted."""
    from faan.train.runs import is_run

    if is_run(folder):
        from faan.train_commands import run_resume_training

        refuse("runs of `faan embed`", {"--tsv": tsv})
        run_resume_training(folder, read_tasks(benchmark) if benchmark else None, tensorboard, as_json)
    else:
        from faan.embed_commands import run_resume

        refuse("runs of `faan train`", {"--benchmark": benchmark, "--tensorboard": tensorboard})
        run_resume(folder, tsv, as_json)


def evaluate(
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET",
            help="The run folder of `faan train`, a TOML file of embeddings, or a method without training: `Rules`, "
            "`Rules plus`, `TailCounts` (a folder of that name comes first).",
        ),
    ],
    benchmark: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="A few-shot benchmark; a run knows where its own is.")
    ] = None,
    shots: Annotated[
        int | None,
        typer.Option("-k", "--shots", min=1, help="References of each relation [default: the run's own, or 5]."),
    ] = None,
    draws: Annotated[
        int, typer.Option(min=0, help="Rank again with random references, so many times, and report the spread.")
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
        from faan.train_commands import run_evaluate_run

        refuse("embeddings, not for a run folder", for_embeddings)
        run_evaluate_run(target, read_tasks(benchmark) if benchmark else None, shots, draws, output, as_json)
        return
    from faan.embed_commands import embed_config, run_evaluate, run_evaluate_untrained
    from faan.rank import UNTRAINED, Matching, Origin

    if str(target) not in UNTRAINED and not target.exists():
        known = ", ".join(UNTRAINED)
        raise InputError(f"expected a run folder, a TOML file or one of {known}; there is none", source=str(target))
    if benchmark is None:
        raise typer.BadParameter("needed for everything but a run folder", param_hint="--benchmark")
    if str(target) in UNTRAINED:
        refuse("embeddings, not for a method without training", for_embeddings)
        run_evaluate_untrained(read_tasks(benchmark), str(target), shots or 5, draws, output, as_json)
        return
    if translation and likeness:
        raise typer.BadParameter("is one way to score, --translation another: leave one out", param_hint="--likeness")
    by: Matching = "translation" if translation else "likeness" if likeness else "own vector"
    if draws and by == "own vector":
        raise typer.BadParameter("embedding models learn their references in training", param_hint="--draws")
    settings = embed_config(None, target, setting)
    tasks, shots = read_tasks(benchmark), shots or 5
    origin = Origin.of_evaluation(str(target), tasks.name, shots, by=by, draws=draws, changes=setting or ())
    run_evaluate(tasks, settings, shots, origin, by, draws, output, as_json)


def reproduce(
    table: Annotated[str, typer.Argument(metavar="TABLE", help=f"One of {', '.join(TABLES)}.")],
    dataset: Annotated[
        Path, typer.Option(metavar="FOLDER", help="A few-shot benchmark; without --run its name is enough.")
    ] = Path("NELL-One"),
    rows: Annotated[
        str | None, typer.Option(metavar="LIST", help="Only these rows, apart by commas, e.g. FAAN,Rules.")
    ] = None,
    seeds: Annotated[
        int | None,
        typer.Option(min=1, help="Seeds 0 to N - 1 [default: all that there are; with --run one].", show_default=False),
    ] = None,
    run: Annotated[bool, typer.Option("--run", help="Compute what is missing first; can be interrupted.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="A much shorter schedule, for trying out; its results are kept apart.")
    ] = False,
    setting: Settings = None,
    trained: Annotated[
        Path | None,
        typer.Option("--from", metavar="FOLDER", help="For `attention` with --run: a finished run of FAAN to look at."),
    ] = None,
    results: Annotated[Path, typer.Option(metavar="FOLDER", help="Where result files are.")] = Path("results"),
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FOLDER", help="Also write Markdown, CSV and figures.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the tables of the FAAN paper: what was measured here beside what was published, and what is missing."""
    from faan.reproduce_commands import compute, show

    if table not in TABLES:
        raise typer.BadParameter(f"expected one of {', '.join(TABLES)}, found {table!r}", param_hint="TABLE")
    if setting and not (run and table in ("ablation", "shots")):
        raise typer.BadParameter("only for ablation and shots with --run", param_hint="--set")
    refuse("attention with --run", {"--from": trained if table != "attention" or not run else None})
    names = [name.strip() for name in rows.split(",") if name.strip()] if rows is not None else None
    if names == []:
        raise typer.BadParameter("names no row", param_hint="--rows")
    name, changes = benchmark_name(dataset), tuple(setting or ())
    request = Request(table, name, results, names, seeds, quick, changes, given=str(dataset))
    if output is not None:
        check_writable(output / "table")
    if run:
        compute(request, read_tasks(dataset), dataset, trained)
    show(request, dataset, output, as_json)
