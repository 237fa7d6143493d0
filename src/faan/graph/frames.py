"""Graphs that come in columns or as Python objects: Parquet, data frames, networkx, PyKEEN, any list of triples."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import polars as pl

from faan.base import InputError, shorten
from faan.graph.builder import GraphBuilder
from faan.graph.limits import unpacked_limit, unpacks_too_far
from faan.graph.sources import Source
from faan.graph.tables import BLANK, Columns, find_columns

_CHUNK = 1 << 18  # triples handed on at once
_ROW_BYTES = 3 * 16  # of a triple in columns of text, however small its file
_EDGE_ATTRIBUTES = ("relation", "predicate", "label", "type")


def read_parquet(source: Source, builder: GraphBuilder, columns: Columns | None) -> None:
    """Read a Parquet file; columns by name as in a table with a header, else the first three."""
    raw = source.read()
    try:
        with _quiet():
            rows = pl.scan_parquet(raw).select(pl.len()).collect().item()
            if rows * _ROW_BYTES > (limit := unpacked_limit(len(raw))):
                raise unpacks_too_far(limit, source.name)
            frame = pl.read_parquet(raw)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"not a readable Parquet file ({shorten(str(error))})", source=source.name) from None
    read_frame(frame, builder, columns)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what a library prints about its own failure out of the terminal; where nothing fails, it is printed."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as said:
        own = os.dup(2)
        os.dup2(said.fileno(), 2)
        try:
            yield
            said.seek(0)
            os.write(own, said.read())
        finally:
            os.dup2(own, 2)
            os.close(own)


def read_frame(frame: pl.DataFrame, builder: GraphBuilder, columns: Columns | None) -> None:
    """Read a polars frame."""
    name = builder.report.source
    if frame.width < 3:
        raise InputError(f"expected at least 3 columns (head, relation, tail), found {frame.width}", source=name)
    texts = []
    for place in _places(frame.columns, columns, builder):
        column = frame.to_series(place)
        if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
            raise InputError(f"column {column.name!r} holds {column.dtype}; expected names or numbers", source=name)
        text = column.cast(pl.String)
        empty = (text.is_null() | (text.str.strip_chars(BLANK).str.len_bytes() == 0)).arg_true()
        if len(empty):
            raise InputError(f"row {empty[0] + 1:,} has an empty {column.name!r}; expected a name", source=name)
        texts.append(text)
    builder.add(*texts)


def _places(names: list[str], columns: Columns | None, builder: GraphBuilder) -> tuple[int, int, int]:
    """Where head, relation and tail stand; the first three columns, with a note, where no names are known."""
    found = find_columns(names, columns, builder.report.source)
    if found is None:
        taken = shorten(", ".join(names[:3]))
        builder.note(f"no columns with names that are known; taken as head, relation and tail: {taken}")
    return found or (0, 1, 2)


def frame_columns(source: Any) -> list[tuple[str, list[Any]]] | None:
    """The columns of a polars, pandas or Arrow table as lists, each with its name; None for anything else."""
    if isinstance(source, pl.LazyFrame):
        source = source.collect()
    elif is_pandas(source):
        return [(str(name), source.iloc[:, i].tolist()) for i, name in enumerate(source.columns)]
    elif is_arrow(source):
        source = pl.DataFrame(source)
    if not isinstance(source, pl.DataFrame):
        return None
    return [(column.name, column.to_list()) for column in source.get_columns()]


def is_pandas(source: object) -> bool:
    """Whether something is a pandas frame, told without importing pandas."""
    return type(source).__module__.split(".")[0] == "pandas" and hasattr(source, "columns")


def is_arrow(source: object) -> bool:
    """Whether something is an Arrow table, of pyarrow or another library, that polars can read."""
    return hasattr(source, "__arrow_c_stream__") and hasattr(source, "column_names")


def read_pandas(frame: Any, builder: GraphBuilder, columns: Columns | None) -> None:
    """Read a pandas frame."""
    names = [str(name) for name in frame.columns]
    if len(names) < 3:
        raise InputError(
            f"expected at least 3 columns (head, relation, tail), found {len(names)}", source=builder.report.source
        )
    places = _places(names, columns, builder)
    columns_read = [frame.iloc[:, place].astype(object) for place in places]
    read_rows(zip(*(column.where(column.notna(), None) for column in columns_read), strict=True), builder)


def read_factory(factory: Any, builder: GraphBuilder) -> None:
    """Read the labelled triples of a PyKEEN `TriplesFactory`."""
    read_rows(factory.label_triples(factory.mapped_triples), builder)


def read_networkx(graph: Any, builder: GraphBuilder) -> None:
    """Read a networkx graph; an edge's relation is its attribute relation, predicate, label or type, or its key."""
    if not graph.is_directed():
        raise InputError(
            "expected a directed networkx graph: facts have a head and a tail", source=builder.report.source
        )
    read_rows(_networkx_triples(graph), builder)
    for attribute, add in (("label", builder.add_labels), ("type", builder.add_types)):
        known = [(str(node), str(data[attribute])) for node, data in graph.nodes(data=True) if data.get(attribute)]
        add([node for node, _ in known], [value for _, value in known])


def _networkx_triples(graph: Any) -> Iterator[tuple[Any, Any, Any]]:
    edges = (
        graph.edges(keys=True, data=True)
        if graph.is_multigraph()
        else ((*e[:2], None, e[2]) for e in graph.edges(data=True))
    )
    for head, tail, key, data in edges:
        relation = next((data[a] for a in _EDGE_ATTRIBUTES if data.get(a)), key if isinstance(key, str) else None)
        if relation is None:
            raise InputError(
                f"edge {shorten(repr((head, tail)))} has no relation; "
                f"set one of the attributes {', '.join(_EDGE_ATTRIBUTES)}"
            )
        yield head, relation, tail


def read_rows(rows: Iterable[Iterable[Any]], builder: GraphBuilder) -> None:
    """Read any iterable of (head, relation, tail)."""
    triples = _checked(rows)
    while chunk := list(islice(triples, _CHUNK)):
        builder.add(*(list(column) for column in zip(*chunk, strict=True)))


def _checked(rows: Iterable[Iterable[Any]]) -> Iterator[tuple[str, ...]]:
    for number, row in enumerate(rows, start=1):
        parts = tuple(row) if isinstance(row, Iterable) and not isinstance(row, str | bytes) else ()
        if len(parts) != 3:
            raise InputError(f"triple {number:,}: expected (head, relation, tail), found {shorten(repr(row))}")
        names = tuple("" if part is None or part != part else str(part) for part in parts)  # NaN is not itself
        if not all(name.strip(BLANK) for name in names):
            raise InputError(f"triple {number:,}: a name is empty in {shorten(repr(row))}")
        yield names
