"""The command line: each command parses, calls the library and prints."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from pydantic import ValidationError

from faan import __version__
from faan.graph import Graph, InputError, read_graph
from faan.graph.builder import TYPE_RELATIONS
from faan.graph.errors import first_problem
from faan.graph.read import BUNDLED, FORMATS
from faan.graph.summary import summarise
from faan.graph.whole import check_free
from faan.paper import TABLES, Request
from faan.printing import (
    busy,
    out,
    print_benchmark,
    print_json,
    print_summary,
    talk,
    visible,
)
from faan.tasks import Benchmark, BuildSettings, build_benchmark, read_benchmark, write_benchmark
from faan.web.export import CHOSEN
from faan.web.export import FORMATS as EXPORT_FORMATS

app = typer.Typer(
    help="Few-shot knowledge graph completion: from a few known facts of a rare relation to the missing ones.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    add_completion=False,
    pretty_exceptions_enable=False,
)
benchmark_app = typer.Typer(help="Few-shot benchmarks in the layout of NELL-One.", no_args_is_help=True)
app.add_typer(benchmark_app, name="benchmark")

GraphArgument = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH",
        help="A table (TSV, CSV), RDF or Parquet file, plain or compressed; a folder (saved by faan, OpenKE, few-shot "
        "benchmark); `-` for standard input; `world` for the graph that ships with faan (write `./world` for a file of "
        "that name).",
    ),
]
Format = Annotated[str | None, typer.Option(help=f"Skip detection: {', '.join(FORMATS)}.", show_default=False)]
ColumnNames = Annotated[
    str | None,
    typer.Option("--columns", metavar="HEAD,RELATION,TAIL", help="Columns of a table, by name or number (from 1)."),
]
Nodes = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="A table of nodes with the columns id, category and/or name, as KGX's."),
]
Languages = Annotated[
    str, typer.Option("--language", metavar="LIST", help="Preferred languages for labels, best first.")
]
TypeRelations = Annotated[
    list[str] | None,
    typer.Option(
        "--type-relation",
        metavar="NAME",
        help="The relation that carries entity types, instead of rdf:type and P31; may be given several times.",
    ),
]
TypePattern = Annotated[
    str | None,
    typer.Option(
        metavar="REGEX", help=r"Take types from entity names: the first group, e.g. '^concept:(\[^:]+):' for NELL."
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Change a setting, e.g. --set epochs=30, or of a table --set train.steps=100; may be given several times.",
    ),
]
TensorBoard = Annotated[
    bool, typer.Option("--tensorboard", help="Also write metrics for TensorBoard, into the run's folder.")
]
SkipBadLines = Annotated[bool, typer.Option("--skip-bad-lines", help="Pass over bad lines and count them.")]
ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="A model folder, made by `faan fit`.")]
DecisionsFile = Annotated[
    Path | None,
    typer.Option(
        "--decisions", metavar="FILE", help="Where decisions are kept.  \\[default: in the model folder]", show_default=False
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


_BUILD = BuildSettings()


def main() -> None:
    """Run a command: exit code 1 and one line where something went wrong, 2 where the call itself was wrong."""
    try:
        app()
        sys.stdout.flush()
    except InputError as error:
        _fail(str(error), 1)
    except ValidationError as error:
        _fail(first_problem(error), 2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever read our output has had enough
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # it may be full: nothing more goes there
        _fail(f"{place}{error.strerror or error}", 1)


def _fail(message: str, code: int) -> NoReturn:
    talk.print(f"error: {visible(message)}", style="red")
    sys.exit(code)


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"faan {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


@app.command()
def check(
    graph: GraphArgument = BUNDLED,
    format: Format = None,
    columns: ColumnNames = None,
    nodes: Nodes = None,
    language: Languages = "en",
    type_relation: TypeRelations = None,
    type_pattern: TypePattern = None,
    skip_bad_lines: SkipBadLines = False,
    top: Annotated[int, typer.Option(min=1, help="How many relations of each kind to list.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Say what is in a graph, which of its relations are rare, and what is wrong with it."""
    read = _read(graph, format, columns, nodes, language, type_relation, type_pattern, skip_bad_lines)
    with busy("counting"):
        summary = summarise(read)
    if as_json:
        print_json(dataclasses.asdict(summary) | {"rare": [r.name for r in summary.rare], "problems": summary.problems})
    else:
        print_summary(summary, top)


@benchmark_app.command()
def build(
    graph: GraphArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where to write it; must be empty.")],
    min_triples: Annotated[
        int | None, typer.Option(help=f"A relation with fewer triples is background.  [default: {_BUILD.min_triples}]")
    ] = None,
    max_triples: Annotated[
        int | None, typer.Option(help=f"A relation with more triples is background.  [default: {_BUILD.max_triples}]")
    ] = None,
    dev_share: Annotated[
        float | None,
        typer.Option(help=f"Share of the rare relations for dev, at least one.  [default: {_BUILD.dev_share}]"),
    ] = None,
    test_share: Annotated[
        float | None,
        typer.Option(help=f"Share of the rare relations for test, at least one.  [default: {_BUILD.test_share}]"),
    ] = None,
    split: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help='JSON with the relations by name: {"train": [...], "dev": [...], "test": [...]}. `world` has a split '
            "of its own, which is used unless one of the four options above is given.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Decides the split and the order of each relation's triples.")
    ] = _BUILD.seed,
    range_cutoff: Annotated[
        float, typer.Option(help="For tails without types: how common a role must be among them.")
    ] = _BUILD.range_cutoff,
    format: Format = None,
    columns: ColumnNames = None,
    nodes: Nodes = None,
    type_relation: TypeRelations = None,
    type_pattern: TypePattern = None,
    skip_bad_lines: SkipBadLines = False,
    as_json: AsJson = False,
) -> None:
    """Turn any graph into a few-shot benchmark: its rare relations become tasks, the rest the background."""
    choice = {
        "min_triples": min_triples,
        "max_triples": max_triples,
        "dev_share": dev_share,
        "test_share": test_share,
    }
    chosen = {name: value for name, value in choice.items() if value is not None}
    if split is not None and chosen:
        given = ", ".join(f"--{name.replace('_', '-')}" for name in chosen)
        raise typer.BadParameter(f"the split decides what is a task; leave out {given}", param_hint="--split")
    settings = BuildSettings.model_validate(chosen | {"seed": seed, "range_cutoff": range_cutoff})
    check_free(output)
    relations = _read_split(split) if split else _world_split() if graph == BUNDLED and not chosen else None
    read = _read(graph, format, columns, nodes, "en", type_relation, type_pattern, skip_bad_lines)
    with busy("building"):
        benchmark, report = build_benchmark(read, settings, relations, output.name, Path(graph).name)
        write_benchmark(benchmark, output)
    talk.print(f"wrote {visible(str(output))}")
    for relation in report.returned_relations:
        name = visible(relation)
        talk.print(f"  {name} went back to the background: too few of its triples have entities that occur there")
    print_benchmark(benchmark, as_json)


@benchmark_app.command()
def info(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A benchmark folder or its tar.gz.")],
    as_json: AsJson = False,
) -> None:
    """Say what is in a benchmark, and how much of it the background graph gives away."""
    print_benchmark(_benchmark(folder), as_json)


@app.command()
def embed(
    graph: GraphArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="The run's folder; must be empty.")],
    model: Annotated[
        str, typer.Option(help="transe, distmult, complex, simple or rotate, with settings that suit it.")
    ] = "transe",
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

    check_free(output)
    settings = embed_config(model, config, setting)

    def read(source: str) -> Graph:
        return _read(source, format, columns, None, "en", type_relation, None, skip_bad_lines)

    held_out = {name: (path, read(path)) for name, path in (("valid", valid), ("test", test)) if path}
    run_embed(read(graph), settings, output, held_out, tsv, as_json)


@app.command()
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
    run_train(settings, source, _benchmark(benchmark), benchmark, output, tensorboard, as_json)


@app.command()
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

        _refuse("runs of `faan embed`", {"--tsv": tsv})
        run_resume_training(folder, _benchmark(benchmark) if benchmark else None, tensorboard, as_json)
    else:
        from faan.embed_commands import run_resume

        _refuse("runs of `faan train`", {"--benchmark": benchmark, "--tensorboard": tensorboard})
        run_resume(folder, tsv, as_json)


@app.command()
def evaluate(
    target: Annotated[
        Path,
        typer.Argument(
            metavar="TARGET",
            help="The run folder of `faan train`, a TOML file of embeddings, or a method without training: `Rules`, "
            "`TailCounts` (a folder of that name comes first).",
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
    if target.is_dir():
        from faan.train_commands import run_evaluate_run

        _refuse("embeddings, not for a run folder", {"--translation": translation, "--set": setting})
        run_evaluate_run(target, _benchmark(benchmark) if benchmark else None, shots, draws, output, as_json)
        return
    from faan.embed_commands import embed_config, run_evaluate, run_evaluate_untrained
    from faan.rank import UNTRAINED, Origin

    if str(target) not in UNTRAINED and not target.exists():
        known = ", ".join(UNTRAINED)
        raise InputError(f"expected a run folder, a TOML file or one of {known}; there is none", source=str(target))
    if benchmark is None:
        raise typer.BadParameter("needed for everything but a run folder", param_hint="--benchmark")
    if str(target) in UNTRAINED:
        _refuse("embeddings, not for a method without training", {"--translation": translation, "--set": setting})
        run_evaluate_untrained(_benchmark(benchmark), str(target), shots or 5, draws, output, as_json)
        return
    if draws and not translation:
        raise typer.BadParameter("embedding models learn their references in training", param_hint="--draws")
    settings = embed_config(None, target, setting)
    tasks, shots = _benchmark(benchmark), shots or 5
    origin = Origin.of_evaluation(
        str(target), tasks.name, shots, translation=translation, draws=draws, changes=setting or ()
    )
    run_evaluate(tasks, settings, shots, origin, translation, draws, output, as_json)


@app.command()
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
    _refuse("attention with --run", {"--from": trained if table != "attention" or not run else None})
    names = [name.strip() for name in rows.split(",") if name.strip()] if rows is not None else None
    request = Request(table, dataset.resolve().name, results, names, seeds, quick, tuple(setting or ()))
    if run:
        compute(request, _benchmark(dataset), dataset, trained)
    show(request, dataset, output, as_json)


@app.command()
def serve(
    model: ModelArgument,
    host: Annotated[
        str, typer.Option(help="Where to listen; anywhere but on this machine it needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 for any that is free.")] = 8000,
    token: Annotated[
        str | None,
        typer.Option(envvar="FAAN_TOKEN", show_envvar=True, help="Only who has it may use the page.", show_default=False),
    ] = None,
    decisions: DecisionsFile = None,
) -> None:
    """Open the review page: suggestions with their reasons, to accept or reject; also an HTTP interface."""
    from faan.web_commands import run_serve

    run_serve(model, host, port, token, decisions)


@app.command()
def export(
    model: ModelArgument,
    format: Annotated[str, typer.Option(help=f"{', '.join(EXPORT_FORMATS)}.")] = "nt",
    decision: Annotated[str, typer.Option(help="accepted, rejected or all.")] = "accepted",
    relation: Annotated[str | None, typer.Option(metavar="NAME", help="Only this relation.")] = None,
    base: Annotated[
        str, typer.Option(metavar="IRI", help="Put before names that are no IRIs, where the format needs IRIs.")
    ] = "urn:faan:",
    decisions: DecisionsFile = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Instead of standard output.")
    ] = None,
) -> None:
    """Write the facts that were accepted on the review page (or rejected, or all), with where they come from."""
    from faan.web_commands import run_export

    if format not in EXPORT_FORMATS:
        raise typer.BadParameter(f"expected one of {', '.join(EXPORT_FORMATS)}", param_hint="--format")
    if decision not in CHOSEN:
        raise typer.BadParameter(f"expected one of {', '.join(CHOSEN)}", param_hint="--decision")
    run_export(model, format, decision, relation, base, decisions, output)


def _benchmark(path: Path) -> Benchmark:
    with busy("reading"):
        return read_benchmark(path)


def _refuse(only_for: str, options: Mapping[str, object]) -> None:
    """Complain about options that were given where they mean nothing."""
    for name, value in options.items():
        if value:
            raise typer.BadParameter(f"only for {only_for}", param_hint=name)


def _read(
    graph: str,
    format: str | None,
    columns: str | None,
    nodes: Path | None,
    language: str,
    type_relation: list[str] | None,
    type_pattern: str | None,
    skip_bad_lines: bool,
) -> Graph:
    names = [part.strip() for part in columns.split(",")] if columns else []
    if columns and len(names) != 3:
        raise typer.BadParameter("expected three columns: HEAD,RELATION,TAIL", param_hint="--columns")
    if format is not None and format not in FORMATS:
        raise typer.BadParameter(f"expected one of {', '.join(FORMATS)}", param_hint="--format")
    with busy(f"reading {graph}") as progress:
        return read_graph(
            graph,
            format=format,
            columns=(names[0], names[1], names[2]) if names else None,
            nodes=nodes,
            languages=[part.strip() for part in language.split(",")],
            type_relations=type_relation or TYPE_RELATIONS,
            type_pattern=type_pattern,
            skip_bad_lines=skip_bad_lines,
            progress=progress,
        )


def _world_split() -> dict[str, list[str]]:
    text = (resources.files("faan") / "data" / "world_split.json").read_text(encoding="utf-8")
    split: dict[str, list[str]] = json.loads(text)
    return split


def _read_split(path: Path) -> dict[str, list[str]]:
    try:
        relations = json.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 ({error.reason})", source=str(path)) from None
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON ({error.msg})", source=str(path), line=error.lineno) from None
    if not isinstance(relations, dict) or not all(
        isinstance(names, list) and all(isinstance(name, str) for name in names) for names in relations.values()
    ):
        raise InputError("expected a list of relation names for each of train, dev and test", source=str(path))
    return relations
