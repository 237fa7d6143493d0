"""The commands that look at graphs and benchmarks; none of them loads torch."""

from __future__ import annotations

import dataclasses
import json
from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from faan.base import InputError, check_free
from faan.cli.options import AsJson, read_tasks, refuse
from faan.cli.printing import busy, print_benchmark, print_json, print_summary, talk, visible
from faan.cli.reading import DEFAULT, GraphArgument, SourceOptions, reads_graph
from faan.graph import BUNDLED, is_saved_graph, save_graph, summarise
from faan.tasks import BuildSettings, build_benchmark, write_benchmark

benchmark_app = typer.Typer(help="Few-shot benchmarks in the layout of NELL-One.", no_args_is_help=True)

_BUILD = BuildSettings()


@reads_graph()
def check(
    graph: GraphArgument = [BUNDLED],  # noqa: B006, typer copies it
    source: SourceOptions = DEFAULT,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Also save the graph, to open it at once next time."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many relations of each kind to list.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Show what is in a graph, which of its relations are rare, and what is wrong with it."""
    if output is not None:
        check_free(output, is_saved_graph, "a saved graph")
    read = source.read(*graph)
    if output is not None:
        save_graph(read, output)
        talk.print(f"saved the graph in {visible(str(output))}")
    with busy("counting"):
        summary = summarise(read)
    if as_json:
        print_json(dataclasses.asdict(summary) | {"rare": [r.name for r in summary.rare], "problems": summary.problems})
    else:
        print_summary(summary, top)


@benchmark_app.command()
@reads_graph()
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
        int, typer.Option(help="The random seed of the split and of the order of each relation's triples.")
    ] = _BUILD.seed,
    range_cutoff: Annotated[
        float, typer.Option(help="For tails without types: how common a role must be among them.")
    ] = _BUILD.range_cutoff,
    source: SourceOptions = DEFAULT,
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
        raise typer.BadParameter(f"already says which relations are tasks; leave out {given}", param_hint="--split")
    settings = BuildSettings.model_validate(chosen | {"seed": seed, "range_cutoff": range_cutoff})
    refuse("commands that suggest facts, and a benchmark has none", {"--schema": source.schema})
    check_free(output)
    relations = _read_split(split) if split else _world_split() if graph == [BUNDLED] and not chosen else None
    read = source.read(*graph)
    with busy("building"):
        benchmark, report = build_benchmark(read, settings, relations, output.name, Path(graph[0]).name)
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
    """Show what is in a benchmark, and how much of it leaks into its background graph."""
    print_benchmark(read_tasks(folder), as_json)


def _world_split() -> dict[str, list[str]]:
    text = (resources.files("faan") / "data" / "world_split.json").read_text(encoding="utf-8")
    split: dict[str, list[str]] = json.loads(text)
    return split


def _read_split(path: Path) -> dict[str, list[str]]:
    try:
        relations = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:  # of JSON, of UTF-8, of numbers with thousands of digits
        raise InputError(f"not JSON ({error})", source=str(path), line=getattr(error, "lineno", None)) from None
    if not isinstance(relations, dict) or not all(
        isinstance(names, list) and all(isinstance(name, str) for name in names) for names in relations.values()
    ):
        raise InputError("expected a list of relation names for each of train, dev and test", source=str(path))
    return relations
