"""How a command is given a relation: by name, or by examples in a file or as options."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from faan.base import decode_lines, read_lines
from faan.cli.printing import talk, visible
from faan.complete import (
    GRAPH_FOLDER,
    Described,
    Examples,
    Extended,
    as_examples,
    ask,
    doubts_about,
    parse_pair,
    parse_pairs,
)
from faan.graph import Graph, is_saved_graph, open_graph

ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="The model folder that `faan fit` wrote.")]


@dataclass(frozen=True)
class RelationOptions:
    """Which relation: by name, by examples, or both."""

    relation: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A relation of the graph, whose facts are examples; or the name of a new one, with examples or "
            "without.",
        ),
    ] = None
    examples: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Examples, a line each: head, tab, tail; `-` for standard input."),
    ] = None
    example: Annotated[
        list[str] | None,
        typer.Option(metavar="HEAD,TAIL", help="An example; may be given several times, five are good."),
    ] = None
    not_like: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A relation whose facts must not be used as stand-ins for examples of a new relation.",
        ),
    ] = None

    def check(self) -> None:
        """Refuse options that name the relation twice or not at all."""
        if self.examples is not None and self.example:
            raise typer.BadParameter("give only one of --examples and --example", param_hint="--example")
        if self.relation is None and self.examples is None and not self.example:
            raise typer.BadParameter("give --relation, --examples or --example", param_hint="--relation")

    def look_up(self, graph: Graph) -> Examples:
        """The examples, by the names that the graph has; prints which of them look wrong."""
        pairs = self._pairs(graph)
        given = pairs if self.relation is None else Extended(self.relation, pairs) if pairs else self.relation
        examples = as_examples(given, graph, self.not_like or ())
        for doubt in doubts_about(ask(graph, examples)) if pairs else ():
            talk.print(f"note: {visible(doubt)}", style="yellow")
        return examples

    def _pairs(self, graph: Graph) -> tuple[tuple[str, str], ...]:
        if self.examples == "-":
            lines = decode_lines(sys.stdin.buffer.read(), "standard input")
            return parse_pairs(graph, lines, "standard input")
        if self.examples is not None:
            return parse_pairs(graph, read_lines(Path(self.examples)), self.examples)
        return tuple(parse_pair(graph, pair) for pair in self.example or ())


NAMELESS = RelationOptions()  # the default in signatures; the command line always passes its own


def graph_of(model: Path) -> Graph | None:
    """The graph of a model folder, for its labels; None if the folder lacks it."""
    return open_graph(model / GRAPH_FOLDER) if is_saved_graph(model / GRAPH_FOLDER) else None


def called(examples: Examples, graph: Graph) -> str | None:
    """The relation's name if it was given by name; the graph's spelling if the graph has it."""
    if isinstance(examples, Described):
        return examples.relation
    given = examples.relation if isinstance(examples, Extended) else examples
    return graph.relation_names[graph.relation(given)] if isinstance(given, str) else None
