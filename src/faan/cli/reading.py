"""The options that say how a graph is read: listed once, for every command that reads one."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Annotated

import typer

from faan.base import InputError
from faan.cli.options import with_options
from faan.cli.printing import busy
from faan.graph import FORMATS, TYPE_RELATIONS, Endpoint, Graph, is_endpoint, read_graph

GraphArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="GRAPH...",
        help="A table (TSV, CSV), RDF, KGX, JSON Lines, Neo4j's CSV or Parquet file, plain or compressed; a folder "
        "(saved by faan, OpenKE, few-shot benchmark, files) or an archive of one; a SPARQL endpoint "
        "(`sparql+https://host/sparql`); `-` for standard input; `world` for the graph that ships with faan (write "
        "`./world` for a file of that name). Several files are read as one graph; some may hold only labels or types.",
    ),
]
User = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="The user at the endpoint; the password comes from FAAN_PASSWORD, or faan asks for it."
    ),
]


_NAMES = {"class_": "--class", "named_graph": "--graph"}  # options that are not called as their fields


@dataclass(frozen=True)
class SourceOptions:
    """How a graph is read. Each field is an option of the commands that `reads_graph` marks."""

    format: Annotated[
        str | None, typer.Option(help=f"The format, instead of detecting it: {', '.join(FORMATS)}.", show_default=False)
    ] = None
    columns: Annotated[
        str | None,
        typer.Option(metavar="HEAD,RELATION,TAIL", help="Columns of a table, by name or number (from 1)."),
    ] = None
    nodes: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A table of nodes with the columns id, category and/or name, as KGX's; may be given several times.",
        ),
    ] = None
    labels: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="Labels of entities and relations: a table of name and label, or JSON; may be given several times.",
        ),
    ] = None
    types: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="Types of entities: a table of entity and type, or JSON; may be given several times."
        ),
    ] = None
    schema: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="An ontology or SHACL shapes in RDF: its rules for relations and types give warnings and evidence; "
            "may be given several times.",
        ),
    ] = None
    language: Annotated[str, typer.Option(metavar="LIST", help="Preferred languages for labels, best first.")] = "en"
    type_relation: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="The relation that carries entity types, instead of rdf:type and P31; may be given several times.",
        ),
    ] = None
    type_pattern: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX", help=r"Take types from entity names: the first group, e.g. '^concept:(\[^:]+):' for NELL."
        ),
    ] = None
    skip_bad_lines: Annotated[bool, typer.Option("--skip-bad-lines", help="Skip bad lines and count them.")] = False
    predicate: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Read only this relation; may be given several times.", show_default=False),
    ] = None
    class_: Annotated[
        list[str] | None,
        typer.Option(
            "--class", metavar="NAME", help="Read only facts whose head has this type; may be given several times."
        ),
    ] = None
    named_graph: Annotated[
        list[str] | None,
        typer.Option(
            "--graph", metavar="IRI", help="A named graph of the endpoint to read; may be given several times."
        ),
    ] = None
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Read at most N triples of each predicate of the endpoint.")
    ] = None
    user: User = None
    timeout: Annotated[
        float | None, typer.Option(min=1, metavar="SECONDS", help="How long to wait for the endpoint.  [default: 60]")
    ] = None

    def read(self, *sources: str) -> Graph:
        """Read files, folders or endpoints as one graph, with a progress bar."""
        names = [part.strip() for part in self.columns.split(",")] if self.columns else []
        if self.columns and len(names) != 3:
            raise typer.BadParameter("expected three columns: HEAD,RELATION,TAIL", param_hint="--columns")
        if self.format is not None and self.format not in FORMATS:
            raise typer.BadParameter(f"expected one of {', '.join(FORMATS)}", param_hint="--format")
        given = any((self.named_graph, self.limit, self.user, self.timeout))
        endpoint = endpoint_of(self.named_graph, self.limit, self.user, self.timeout) if given else None
        shown = ", ".join(source.split("?")[0] if is_endpoint(source) else source for source in sources)
        with busy(f"reading {shown}") as on_progress:
            return read_graph(
                list(sources),
                format=self.format,
                columns=(names[0], names[1], names[2]) if names else None,
                nodes=self.nodes or (),
                labels=self.labels or (),
                types=self.types or (),
                schema=self.schema or (),
                languages=[part.strip() for part in self.language.split(",")],
                type_relations=self.type_relation or TYPE_RELATIONS,
                type_pattern=self.type_pattern,
                predicates=self.predicate or (),
                classes=self.class_ or (),
                endpoint=endpoint,
                skip_bad_lines=self.skip_bad_lines,
                on_progress=on_progress,
            )

    @property
    def words(self) -> list[str]:
        """The options as words of a command, with the names of files instead of their paths.

        Defaults are skipped, and so is the user at an endpoint: the words are for others, who have their own.
        """
        told, words = replace(self, user=None), list[str]()
        for field in fields(told):
            option = _NAMES.get(field.name, f"--{field.name.replace('_', '-')}")
            value = getattr(told, field.name)
            if value is True:
                words.append(option)
            elif value != field.default:
                for one in value if isinstance(value, list) else [value]:
                    words += [option, one.name if isinstance(one, Path) else str(one)]
        return words

    def of_table(self) -> SourceOptions:
        """The options that say how a table is laid out: for further files, such as held-out triples."""
        return SourceOptions(self.format, self.columns, skip_bad_lines=self.skip_bad_lines)


DEFAULT = SourceOptions()  # the default of `source` in signatures; the command line always passes its own


def reads_graph(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of `SourceOptions`, or those that are named, in the place of `source`."""
    return with_options("source", SourceOptions, names)


def endpoint_of(graphs: Sequence[str] | None, limit: int | None, user: str | None, timeout: float | None) -> Endpoint:
    """How to access an endpoint; on a terminal, faan asks for the password."""
    password = os.environ.get("FAAN_PASSWORD")
    if user is not None and password is None:
        if not sys.stdin.isatty():
            raise InputError("--user needs a password: set the environment variable FAAN_PASSWORD")
        password = typer.prompt("password", hide_input=True, err=True)
    endpoint = Endpoint(tuple(graphs or ()), limit, user, password if user is not None else None)
    return endpoint if timeout is None else replace(endpoint, timeout=timeout)
