"""The commands `fit` and `info`: make a model of a graph, and say what it is and how good."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faan.base import counted
from faan.cli.examples import ModelArgument, graph_of
from faan.cli.options import (
    AsJson,
    Classes,
    ColumnNames,
    Format,
    GraphArgument,
    Labels,
    Languages,
    Limit,
    NamedGraphs,
    Nodes,
    Predicates,
    SkipBadLines,
    SourceOptions,
    Timeout,
    TypePattern,
    TypeRelations,
    TypesFiles,
    User,
)
from faan.cli.printing import out, print_json, stages, talk, visible

if TYPE_CHECKING:
    from faan.complete import About
    from faan.graph import Graph


def fit(
    graph: GraphArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="The model folder to write.")],
    method: Annotated[
        str | None, typer.Option(metavar="NAME", help="{methods}, the first by default.", show_default=False)
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(
            metavar="CONFIG",
            help="The configuration to fit with: a name such as `evidence` (larger vectors, takes much longer), or "
            "a TOML file.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(metavar="RELATION", help="Remove a relation from the graph first; may be given several times."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Decides everything random, such as the relations held out.")] = 0,
    format: Format = None,
    columns: ColumnNames = None,
    nodes: Nodes = None,
    labels: Labels = None,
    types: TypesFiles = None,
    language: Languages = "en",
    type_relation: TypeRelations = None,
    type_pattern: TypePattern = None,
    skip_bad_lines: SkipBadLines = False,
    predicate: Predicates = None,
    class_: Classes = None,
    named_graph: NamedGraphs = None,
    limit: Limit = None,
    user: User = None,
    timeout: Timeout = None,
    as_json: AsJson = False,
) -> None:
    """Make a model of a graph, which then suggests missing facts of any relation; says how good it is."""
    from faan.complete import check_place, recipe_of  # torch takes seconds to load
    from faan.complete import fit as fit_completer

    recipe_of(method, config)  # complains before the graph is read
    check_place(output)
    read = SourceOptions(
        graph,
        format,
        columns,
        nodes,
        labels,
        types,
        language,
        type_relation,
        type_pattern,
        skip_bad_lines,
        predicate,
        class_,
        named_graph,
        limit,
        user,
        timeout,
    ).read()
    try:
        with stages() as on_progress:
            completer = fit_completer(
                read, method=method, config=config, without=without or [], seed=seed, on_progress=on_progress
            )
        completer.save(output)
    except KeyboardInterrupt:
        talk.print("interrupted; nothing was saved, run `faan fit` again")
        raise
    talk.print(f"wrote {visible(str(output))}")
    _print_about(completer.about, completer.graph, as_json)


def info(model: ModelArgument, as_json: AsJson = False) -> None:
    """Say what a model is, from what graph, and how good."""
    from faan.complete import read_about

    _print_about(read_about(model), graph_of(model), as_json)


def _print_about(about: About, graph: Graph | None, as_json: bool) -> None:
    if as_json:
        print_json(about.model_dump())
        return
    source = about.source
    out.print(
        f"{about.method} for {visible(source.name)}: {counted(source.entities, 'entity', 'entities')}, "
        f"{counted(source.relations, 'relation')}, {counted(source.triples, 'triple')}"
    )
    if source.without:
        out.print(f"left out: {_labels(source.without, graph)}")
    out.print(about.in_words())
    if about.measured is not None:
        out.print(f"held out: {_labels(about.measured.relations, graph)}")
    for note in about.notes:
        out.print(f"note: {visible(note)}", style="yellow")
    out.print(f"made {about.date} in {sum(about.seconds.values()):,.0f} s", style="dim")


def _labels(relations: Sequence[str], graph: Graph | None) -> str:
    """Relations as a person reads them: by their labels."""
    numbers = [None if graph is None else graph.relation_names.find(name) for name in relations]
    labels = [
        name if graph is None or number is None else graph.relation_label(number)
        for name, number in zip(relations, numbers, strict=True)
    ]
    return visible(", ".join(labels))
