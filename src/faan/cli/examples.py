"""How commands say which relation is meant: by name, or by examples in a file or as options."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faan.base import decode_lines, read_lines
from faan.cli.printing import busy
from faan.complete import Examples, parse_pair, parse_pairs
from faan.graph import Graph, is_saved_graph, open_graph

if TYPE_CHECKING:
    from faan.complete import Completer

ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="The model folder that `faan fit` wrote.")]
Relation = Annotated[
    str | None, typer.Option(metavar="NAME", help="A relation of the graph; its own facts are the examples.")
]
ExamplesFile = Annotated[
    str | None,
    typer.Option("--examples", metavar="FILE", help="Examples, a line each: head, tab, tail; `-` for standard input."),
]
Example = Annotated[
    list[str] | None,
    typer.Option("--example", metavar="HEAD,TAIL", help="An example; may be given several times, five are good."),
]


@dataclass(frozen=True)
class Wanted:
    """Which relation of which model: one of the three ways to say it."""

    model: Path
    relation: str | None
    examples_file: str | None
    pairs: Sequence[str]

    def open(self) -> tuple[Completer, Examples]:
        """Load the model and look up the examples."""
        with busy("loading"):
            from faan.complete import Completer  # torch takes seconds to load

            completer = Completer.load(self.model)
        return completer, self._examples(completer.graph)

    def _examples(self, graph: Graph) -> Examples:
        if self.relation is not None:
            return self.relation
        if self.examples_file == "-":
            lines = decode_lines(sys.stdin.buffer.read(), "standard input")
            return parse_pairs(graph, lines, "standard input")
        if self.examples_file is not None:
            return parse_pairs(graph, read_lines(Path(self.examples_file)), self.examples_file)
        return tuple(parse_pair(graph, pair) for pair in self.pairs)


def graph_of(model: Path) -> Graph | None:
    """The graph of a model folder, for its labels; None where the folder has lost it."""
    from faan.complete import GRAPH_FOLDER

    return open_graph(model / GRAPH_FOLDER) if is_saved_graph(model / GRAPH_FOLDER) else None


def wanted(model: Path, relation: str | None, examples: str | None, example: list[str] | None) -> Wanted:
    """Which relation of which model is meant; refuses options that say it twice or not at all."""
    given = [relation is not None, examples is not None, bool(example)]
    if sum(given) != 1:
        raise typer.BadParameter("give exactly one of --relation, --examples and --example", param_hint="--example")
    return Wanted(model, relation, examples, example or [])
