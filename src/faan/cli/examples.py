"""How a command is given a relation: by name, or by examples in a file or as options."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faan.base import decode_lines, read_lines
from faan.cli.loading import load_lightgbm
from faan.cli.printing import busy
from faan.complete import Described, Examples, Extended, parse_pair, parse_pairs
from faan.graph import Graph, is_saved_graph, open_graph

if TYPE_CHECKING:
    from faan.complete import Completer

ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="The model folder that `faan fit` wrote.")]
Relation = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="A relation of the graph, whose facts are examples; or the name of a new one, with examples or without.",
    ),
]
ExamplesFile = Annotated[
    str | None,
    typer.Option("--examples", metavar="FILE", help="Examples, a line each: head, tab, tail; `-` for standard input."),
]
Example = Annotated[
    list[str] | None,
    typer.Option("--example", metavar="HEAD,TAIL", help="An example; may be given several times, five are good."),
]
NotLike = Annotated[
    list[str] | None,
    typer.Option(
        "--not-like",
        metavar="NAME",
        help="A relation whose facts must not be used as stand-ins for examples of a new relation.",
    ),
]


@dataclass(frozen=True)
class Wanted:
    """Which relation of which model: by name, by examples, or both."""

    model: Path
    relation: str | None
    examples_file: str | None
    pairs: Sequence[str]
    not_like: Sequence[str] = ()

    def open(self) -> tuple[Completer, Examples]:
        """Load the model and look up the examples."""
        with busy("loading"):
            load_lightgbm()
            from faan.complete import Completer, as_examples  # torch takes seconds to load

            completer = Completer.load(self.model)
        pairs, graph = self._pairs(completer.graph), completer.graph
        if self.relation is None:
            return completer, as_examples(pairs, graph, self.not_like)
        given = Extended(self.relation, pairs) if pairs else self.relation
        return completer, as_examples(given, graph, self.not_like)

    def _pairs(self, graph: Graph) -> tuple[tuple[str, str], ...]:
        if self.examples_file == "-":
            lines = decode_lines(sys.stdin.buffer.read(), "standard input")
            return parse_pairs(graph, lines, "standard input")
        if self.examples_file is not None:
            return parse_pairs(graph, read_lines(Path(self.examples_file)), self.examples_file)
        return tuple(parse_pair(graph, pair) for pair in self.pairs)


def graph_of(model: Path) -> Graph | None:
    """The graph of a model folder, for its labels; None if the folder lacks it."""
    from faan.complete import GRAPH_FOLDER

    return open_graph(model / GRAPH_FOLDER) if is_saved_graph(model / GRAPH_FOLDER) else None


def wanted(
    model: Path,
    relation: str | None,
    examples: str | None,
    example: list[str] | None,
    not_like: list[str] | None = None,
) -> Wanted:
    """The model and the relation; refuses options that name the relation twice or not at all."""
    if examples is not None and example:
        raise typer.BadParameter("give only one of --examples and --example", param_hint="--example")
    if relation is None and examples is None and not example:
        raise typer.BadParameter("give --relation, --examples or --example", param_hint="--relation")
    return Wanted(model, relation, examples, example or [], not_like or [])


def called(examples: Examples, graph: Graph) -> str | None:
    """The relation's name if it was given by name; the graph's spelling if the graph has it."""
    if isinstance(examples, Described):
        return examples.relation
    given = examples.relation if isinstance(examples, Extended) else examples
    return graph.relation_names[graph.relation(given)] if isinstance(given, str) else None
