"""What users pass as names and examples: text, lists, arrays, dicts, series, data frames, files.

A line of text holds a pair with a tab or a comma between head and tail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from faan.base import InputError, UnknownNameError, read_lines, shorten, wrong
from faan.complete.standins import check_new
from faan.complete.types import Described, Examples, Extended, Suggestion
from faan.graph import Graph, frame_columns, pair_columns

NamesLike: TypeAlias = str | Iterable[Any]
"""One name, or several: a list, tuple, set, generator, numpy array, or a polars or pandas series."""

PairsLike: TypeAlias = Iterable[Any]
"""Pairs (head, tail): a list of tuples or lists, a dict of head to tail, a data frame, suggestions."""

ExamplesLike: TypeAlias = str | Path | Extended | Described | PairsLike
"""A relation by name, or pairs of any relation, or a file of pairs, one a line."""


def as_names(given: NamesLike, what: str) -> list[str]:
    """The names that a user passed as `what`; one text is one name."""
    if isinstance(given, str):
        return [str(given)]
    columns = frame_columns(given)
    if columns is not None:
        if len(columns) != 1:
            raise InputError(f"{what}: expected names, found a table of {_listed(columns)}; pass one column of it")
        given = columns[0][1]
    if not isinstance(given, Iterable) or isinstance(given, bytes | Mapping | Path):
        raise wrong(what, "a name or a list of names", given)
    return [as_name(value, what) for value in _values(given)]


def as_pairs(given: PairsLike, what: str = "examples") -> tuple[tuple[str, str], ...]:
    """The pairs (head, tail) that a user passed as `what`."""
    columns = frame_columns(given)
    if columns is not None:
        return tuple(_rows_of(columns, what))
    if isinstance(given, Mapping):
        return tuple(_items(given, what))
    if isinstance(given, tuple) and len(given) == 2 and all(isinstance(part, str) for part in given):
        return ((str(given[0]), str(given[1])),)
    if not isinstance(given, Iterable) or isinstance(given, str | bytes | Path):
        raise wrong(what, "pairs of head and tail", given)
    return tuple(_pair(row, what) for row in _values(given))


def as_examples(given: ExamplesLike, graph: Graph, not_like: NamesLike = ()) -> Examples:
    """The examples that a user passed: the name of a relation stays a name, all else becomes pairs."""
    unlike = tuple(as_names(not_like, "not_like"))
    if isinstance(given, str):
        if given not in graph.relation_names and Path(given).suffix and Path(given).is_file():
            raise InputError(f"no relation is called {given!r}; to read examples from this file, pass Path({given!r})")
        return _known(given, graph, unlike) or Described(given, (), unlike)
    if isinstance(given, Extended):
        pairs = as_pairs(given.pairs)
        relation = _known(given.relation, graph, unlike, exact=bool(pairs))
        return Described(given.relation, pairs, unlike) if relation is None else Extended(relation, pairs)
    if isinstance(given, Described):
        return Described(given.relation, as_pairs(given.pairs), unlike or given.not_like)
    if unlike:
        raise InputError("not_like is for a new relation that is given by its name")
    if isinstance(given, Path):
        return parse_pairs(graph, read_lines(given), str(given))
    return as_pairs(given)


def _known(relation: str, graph: Graph, not_like: tuple[str, ...], *, exact: bool = False) -> str | None:
    """The graph's name of a relation, None for a new one; a new name that is nearly the same is a mistake.

    With examples only the exact name counts: facts of the graph must not be added to a new relation by accident.
    """
    try:
        name = graph.relation_names[graph.relation(relation, exact=exact)]
    except UnknownNameError:
        check_new(graph, relation)
        return None
    if not_like:
        raise InputError(f"the graph has the relation {relation!r}: not_like is for one that it lacks")
    return name


def _values(given: Iterable[Any]) -> Iterable[Any]:
    """Python's own values, not those of numpy, pandas or polars."""
    for method in ("to_list", "tolist"):
        if hasattr(given, method):
            values = getattr(given, method)()
            return values if isinstance(values, list) else [values]
    return given


def as_name(value: object, what: str) -> str:
    """The name that a user passed as `what`; a number is a name too."""
    if not isinstance(value, str | int | float | np.generic) or isinstance(value, bytes | bool):
        raise InputError(f"{what}: expected a name, found {shorten(repr(value))}")
    if value != value:  # NaN is not itself
        raise InputError(f"{what}: a name is missing (found {value!r}); drop empty values first")
    return str(value)


def _pair(row: object, what: str) -> tuple[str, str]:
    if isinstance(row, Suggestion):
        return row.head, row.tail
    parts = list(_values(row)) if isinstance(row, Iterable) and not isinstance(row, str | bytes | Mapping) else []
    if len(parts) != 2:
        hint = "; leave the relation out" if len(parts) == 3 else ""
        raise InputError(f"{what}: expected pairs (head, tail), found {shorten(repr(row))}{hint}")
    return as_name(parts[0], what), as_name(parts[1], what)


def _items(given: Mapping[Any, Any], what: str) -> Iterator[tuple[str, str]]:
    """A dict of head to tail, or of head to several tails."""
    for head, tails in given.items():
        several = isinstance(tails, Iterable) and not isinstance(tails, str | bytes)
        for tail in _values(tails) if several else [tails]:
            yield as_name(head, what), as_name(tail, what)


def _rows_of(columns: list[tuple[str, list[Any]]], what: str) -> Iterator[tuple[str, str]]:
    """The pairs of a table: its columns head and tail (or source and target, ...), else the only two columns."""
    places = pair_columns([name for name, _ in columns])
    if places is None:
        if len(columns) != 2:
            raise InputError(
                f"{what}: expected a table with the columns head and tail, found {_listed(columns)}; "
                "select these two columns, or rename them"
            )
        places = (0, 1)
    for head, tail in zip(columns[places[0]][1], columns[places[1]][1], strict=True):
        yield as_name(head, what), as_name(tail, what)


def _listed(columns: list[tuple[str, list[Any]]]) -> str:
    return f"{len(columns)} columns ({shorten(', '.join(name for name, _ in columns))})"


def parse_pair(graph: Graph, text: str) -> tuple[str, str]:
    """Head and tail of `HEAD<tab>TAIL` or `HEAD,TAIL`; where names hold commas, the cut that gives two known names."""
    if "\t" in text:
        cells = [trimmed(graph, cell) for cell in text.split("\t")]
        if len(cells) != 2:
            raise InputError(f"expected two columns, head and tail, found {len(cells)} in {shorten(text)!r}")
        return cells[0], cells[1]
    parts = text.split(",")
    if len(parts) < 2:
        raise InputError(f"expected HEAD,TAIL (or a tab between the two), found {shorten(text)!r}")
    cuts = [(trimmed(graph, ",".join(parts[:i])), trimmed(graph, ",".join(parts[i:]))) for i in range(1, len(parts))]
    known = [pair for pair in cuts if all(_is_entity(graph, name) for name in pair)]
    if len(known) > 1:
        ways = " or ".join(repr(pair) for pair in known[:2])
        raise InputError(f"{shorten(text)!r} can be read as {ways}: write a tab instead of the comma between the two")
    return known[0] if known else cuts[0]


def parse_pairs(graph: Graph, lines: Iterable[str], source: str) -> tuple[tuple[str, str], ...]:
    """A pair a line; empty lines are skipped, and every name must be one of the graph's."""
    pairs = []
    for number, line in enumerate(lines, 1):
        text = line.strip("\r\n")
        if not text.strip():
            continue
        try:
            pair = parse_pair(graph, text)
            graph.entity(pair[0]), graph.entity(pair[1])
        except InputError as error:
            raise InputError(str(error), source=source, line=number) from None
        pairs.append(pair)
    if not pairs:
        raise InputError("holds no pair of head and tail", source=source)
    return tuple(pairs)


def trimmed(graph: Graph, name: str) -> str:
    """A name without blanks at its ends, unless the graph has it with them."""
    return name if _is_entity(graph, name) else name.strip()


def _is_entity(graph: Graph, name: str) -> bool:
    return name in graph.entity_names or bool(graph.entity_labels and name and graph.entity_labels.find_all(name))
