"""Options that several commands share, and what commands do with them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from faan import base
from faan.base import InputError, UnknownSettingError
from faan.cli.printing import busy
from faan.graph import FORMATS, TYPE_RELATIONS, Endpoint, Graph, is_endpoint, read_graph
from faan.tasks import Benchmark, read_benchmark

SettingsT = TypeVar("SettingsT", bound=base.Settings)

GraphArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="GRAPH...",
        help="A table (TSV, CSV), RDF or Parquet file, plain or compressed; a folder (saved by faan, OpenKE, few-shot "
        "benchmark, files); a SPARQL endpoint (`sparql+https://host/sparql`); `-` for standard input; `world` for the "
        "graph that ships with faan (write `./world` for a file of that name). Several files are read as one graph; "
        "some may hold only labels or types.",
    ),
]
Format = Annotated[str | None, typer.Option(help=f"Skip detection: {', '.join(FORMATS)}.", show_default=False)]
ColumnNames = Annotated[
    str | None,
    typer.Option("--columns", metavar="HEAD,RELATION,TAIL", help="Columns of a table, by name or number (from 1)."),
]
Nodes = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="A table of nodes with the columns id, category and/or name, as KGX's; may be given several times.",
    ),
]
Labels = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="Labels of entities and relations: a table of name and label, or JSON; may be given several times.",
    ),
]
TypesFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--types",
        metavar="FILE",
        help="Types of entities: a table of entity and type, or JSON; may be given several times.",
    ),
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
Predicates = Annotated[
    list[str] | None,
    typer.Option(
        "--predicate", metavar="NAME", help="Read only this relation; may be given several times.", show_default=False
    ),
]
Classes = Annotated[
    list[str] | None,
    typer.Option(
        "--class", metavar="NAME", help="Read only facts whose head has this type; may be given several times."
    ),
]
NamedGraphs = Annotated[
    list[str] | None,
    typer.Option("--graph", metavar="IRI", help="A named graph of the endpoint to read; may be given several times."),
]
Limit = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="Read at most N triples of each predicate of the endpoint.")
]
User = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="The user at the endpoint; the password comes from FAAN_PASSWORD, or faan asks for it."
    ),
]
Timeout = Annotated[
    float | None, typer.Option(min=1, metavar="SECONDS", help="How long to wait for the endpoint.  [default: 60]")
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
Base = Annotated[
    str, typer.Option(metavar="IRI", help="Prefix for names that are not IRIs, in formats that need IRIs.")
]
RelationBase = Annotated[
    str | None,
    typer.Option(
        metavar="IRI", help="The same for names of relations.  [default: that of entities]", show_default=False
    ),
]
BenchmarkFolder = Annotated[
    Path, typer.Option("--benchmark", metavar="FOLDER", help="A few-shot benchmark, or its name in FAAN_DATA.")
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the file if it is there.")]
SkipBadLines = Annotated[bool, typer.Option("--skip-bad-lines", help="Skip bad lines and count them.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def read_tasks(path: Path) -> Benchmark:
    """Read a benchmark, showing that it takes time."""
    with busy("reading"):
        return read_benchmark(path)


def format_of(given: str | None, output: Path | None, endings: Mapping[str, str], default: str) -> str:
    """The format that was asked for, else that of the file's ending, else a default where there is no file."""
    formats = list(dict.fromkeys([default, *endings.values()]))
    if given is not None:
        if given not in formats:
            raise typer.BadParameter(f"expected one of {', '.join(formats)}", param_hint="--format")
        return given
    if output is None:
        return default
    if output.suffix.lower() not in endings:
        raise typer.BadParameter(
            f"a name that ends in {', '.join(endings)} says what to write; for {output.name!r} say it with --format",
            param_hint="-o",
        )
    return endings[output.suffix.lower()]


def check_new_file(path: Path, force: bool, instead: str = "") -> None:
    """Refuse to overwrite a file without having been told to, and a folder that is not there."""
    if not path.parent.is_dir():
        raise InputError("its folder does not exist: make it first", source=str(path))
    if path.is_file() and not force:
        raise InputError(f"exists; {instead}overwrite it (--force) or choose another file", source=str(path))


def refuse(only_for: str, options: Mapping[str, object]) -> None:
    """Complain about options that were given where they mean nothing."""
    for name, value in options.items():
        if value:
            raise typer.BadParameter(f"only for {only_for}", param_hint=name)


@dataclass(frozen=True)
class SourceOptions:
    """What a graph is read from, and how."""

    sources: Sequence[str]
    format: str | None = None
    columns: str | None = None
    nodes: Sequence[Path] | None = None
    labels: Sequence[Path] | None = None
    types: Sequence[Path] | None = None
    language: str = "en"
    type_relation: Sequence[str] | None = None
    type_pattern: str | None = None
    skip_bad_lines: bool = False
    predicate: Sequence[str] | None = None
    classes: Sequence[str] | None = None
    graph: Sequence[str] | None = None
    limit: int | None = None
    user: str | None = None
    timeout: float | None = None

    @property
    def name(self) -> str:
        """What to call the graph."""
        return Path(self.sources[0]).name

    def read(self) -> Graph:
        """Read the graph, showing how far it is."""
        names = [part.strip() for part in self.columns.split(",")] if self.columns else []
        if self.columns and len(names) != 3:
            raise typer.BadParameter("expected three columns: HEAD,RELATION,TAIL", param_hint="--columns")
        if self.format is not None and self.format not in FORMATS:
            raise typer.BadParameter(f"expected one of {', '.join(FORMATS)}", param_hint="--format")
        given = any((self.graph, self.limit, self.user, self.timeout))
        endpoint = endpoint_of(self.graph, self.limit, self.user, self.timeout) if given else None
        shown = ", ".join(source.split("?")[0] if is_endpoint(source) else source for source in self.sources)
        with busy(f"reading {shown}") as on_progress:
            return read_graph(
                list(self.sources),
                format=self.format,
                columns=(names[0], names[1], names[2]) if names else None,
                nodes=self.nodes or (),
                labels=self.labels or (),
                types=self.types or (),
                languages=[part.strip() for part in self.language.split(",")],
                type_relations=self.type_relation or TYPE_RELATIONS,
                type_pattern=self.type_pattern,
                predicates=self.predicate or (),
                classes=self.classes or (),
                endpoint=endpoint,
                skip_bad_lines=self.skip_bad_lines,
                on_progress=on_progress,
            )


def endpoint_of(graphs: Sequence[str] | None, limit: int | None, user: str | None, timeout: float | None) -> Endpoint:
    """How to talk to an endpoint; the password is asked for where a person can answer."""
    password = os.environ.get("FAAN_PASSWORD")
    if user is not None and password is None:
        if not sys.stdin.isatty():
            raise InputError("--user needs a password: set the environment variable FAAN_PASSWORD")
        password = typer.prompt("password", hide_input=True, err=True)
    endpoint = Endpoint(tuple(graphs or ()), limit, user, password if user is not None else None)
    return endpoint if timeout is None else replace(endpoint, timeout=timeout)


def with_changes(settings: SettingsT, changes: list[str] | None) -> SettingsT:
    """Settings with some changed by NAME=VALUE, those of a table by TABLE.NAME=VALUE."""
    try:
        return settings.changed(changes or ())
    except UnknownSettingError as error:
        raise typer.BadParameter(str(error), param_hint="--set") from None
