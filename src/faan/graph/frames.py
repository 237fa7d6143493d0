"""Graphs in columns or as Python objects: Parquet, data frames, networkx, igraph, PyKEEN, any list of triples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import islice
from typing import Any

import polars as pl

from faan.base import InputError, counted, quiet, shorten
from faan.graph.builder import DESCRIPTION, GraphBuilder
from faan.graph.collected import CHUNK, Collected
from faan.graph.limits import unpacked_limit, unpacks_too_far
from faan.graph.sources import Source
from faan.graph.table_layout import BLANK, Columns, find_columns

_ROW_BYTES = 3 * 16  # of a triple in columns of text, however small its file
_EDGE_ATTRIBUTES = ("relation", "predicate", "label", "type")
_TYPE_ATTRIBUTES = ("types", "type", "category")


def read_object(source: Any, builder: GraphBuilder, columns: Columns | None) -> None:
    """Read a Python object of any kind that holds triples."""
    if isinstance(source, pl.DataFrame | pl.LazyFrame):
        _read_frame(source.lazy().collect(), builder, columns)
    elif _is_pandas(source):
        _read_pandas(source, builder, columns)
    elif _is_arrow(source):
        _read_frame(pl.DataFrame(source), builder, columns)
    elif columns is not None:
        raise InputError(f"columns can be named in data frames, not in {type(source).__name__}; leave them out")
    elif hasattr(source, "mapped_triples") and hasattr(source, "label_triples"):
        _read_factory(source, builder)
    elif hasattr(source, "is_directed") and hasattr(source, "edges"):
        _read_networkx(source, builder)
    elif hasattr(source, "is_directed") and hasattr(source, "vs"):
        _read_igraph(source, builder)
    elif isinstance(source, Mapping):
        raise InputError("expected triples, found a dict; pass a list of (head, relation, tail) or a data frame")
    elif isinstance(source, Iterable) and not isinstance(source, bytes):
        _read_rows(source, builder)
    else:
        raise InputError(
            f"expected a path, triples, a data frame or a networkx or igraph graph, found {type(source).__name__}"
        )


def read_parquet(source: Source, builder: GraphBuilder, columns: Columns | None) -> None:
    """Read a Parquet file; columns by name as in a table with a header, else the first three."""
    raw = source.read()
    try:
        with quiet():
            rows = pl.scan_parquet(raw).select(pl.len()).collect().item()
            if rows * _ROW_BYTES > (limit := unpacked_limit(len(raw))):
                raise unpacks_too_far(limit, source.name)
            frame = pl.read_parquet(raw)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"not a readable Parquet file ({shorten(str(error))})", source=source.name) from None
    _read_frame(frame, builder, columns)


def _read_frame(frame: pl.DataFrame, builder: GraphBuilder, columns: Columns | None) -> None:
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
    """The columns of head, relation and tail; the first three, with a note, if no name is known."""
    found = find_columns(names, columns, builder.report.source)
    if found is None:
        taken = shorten(", ".join(names[:3]))
        builder.note(f"no column has a known name; read as head, relation and tail: {taken}")
    return found or (0, 1, 2)


def frame_columns(source: Any) -> list[tuple[str, list[Any]]] | None:
    """The columns of a polars, pandas or Arrow table as lists, each with its name; None for anything else."""
    if isinstance(source, pl.LazyFrame):
        source = source.collect()
    elif _is_pandas(source):
        return [(str(name), source.iloc[:, i].tolist()) for i, name in enumerate(source.columns)]
    elif _is_arrow(source):
        source = pl.DataFrame(source)
    if not isinstance(source, pl.DataFrame):
        return None
    return [(column.name, column.to_list()) for column in source.get_columns()]


def _is_pandas(source: object) -> bool:
    """Whether something is a pandas frame, without importing pandas."""
    return type(source).__module__.split(".")[0] == "pandas" and hasattr(source, "columns")


def _is_arrow(source: object) -> bool:
    """Whether something is an Arrow table, of pyarrow or another library, that polars can read."""
    return hasattr(source, "__arrow_c_stream__") and hasattr(source, "column_names")


def _read_pandas(frame: Any, builder: GraphBuilder, columns: Columns | None) -> None:
    """Read a pandas frame."""
    names = [str(name) for name in frame.columns]
    if len(names) < 3:
        raise InputError(
            f"expected at least 3 columns (head, relation, tail), found {len(names)}", source=builder.report.source
        )
    places = _places(names, columns, builder)
    columns_read = [frame.iloc[:, place].astype(object) for place in places]
    _read_rows(zip(*(column.where(column.notna(), None) for column in columns_read), strict=True), builder)


def _read_factory(factory: Any, builder: GraphBuilder) -> None:
    """Read the triples of a PyKEEN `TriplesFactory` by their labels."""
    entities, relations = _labels(factory.entity_id_to_label), _labels(factory.relation_id_to_label)
    triples = factory.mapped_triples.cpu().numpy()
    sides = enumerate((entities, relations, entities))
    columns = [names.gather(triples[:, i], null_on_oob=True) for i, names in sides]
    if any(column.null_count() for column in columns):
        raise InputError("a triple of the factory has a number without a label", source=builder.report.source)
    builder.add(*columns)


def _labels(names: Mapping[int, str]) -> pl.Series:
    """The names of numbers from 0 on; null where a number has none."""
    return pl.Series([names.get(number) for number in range(max(names, default=-1) + 1)], dtype=pl.String)


def _read_networkx(graph: Any, builder: GraphBuilder) -> None:
    """Read a networkx graph; an edge's relation is its attribute relation, predicate, label or type, or its key."""
    edges: Iterable[tuple[Any, Any, Any, Mapping[str, Any]]] = (
        graph.edges(keys=True, data=True)
        if graph.is_multigraph()
        else ((head, tail, None, data) for head, tail, data in graph.edges(data=True))
    )
    _read_rows(_triples(edges), builder)
    _describe(graph.nodes(data=True), graph.is_directed(), builder)


def _read_igraph(graph: Any, builder: GraphBuilder) -> None:
    """Read an igraph graph; vertices are called by their attribute name, else by their number."""
    has_names = "name" in graph.vs.attributes()
    names = graph.vs["name"] if has_names else list(range(graph.vcount()))
    edges = ((names[edge.source], names[edge.target], None, edge.attributes()) for edge in graph.es)
    _read_rows(_triples(edges), builder)
    nodes = ((name, vertex.attributes()) for name, vertex in zip(names, graph.vs, strict=True))
    _describe(nodes, graph.is_directed(), builder)


def _triples(edges: Iterable[tuple[Any, Any, Any, Mapping[str, Any]]]) -> Iterator[tuple[Any, Any, Any]]:
    """Triples from edges: head, tail, key and attributes."""
    for head, tail, key, data in edges:
        relation = next((data[a] for a in _EDGE_ATTRIBUTES if data.get(a)), key if isinstance(key, str) else None)
        if relation is None:
            raise InputError(
                f"edge {shorten(repr((head, tail)))} has no relation; "
                f"set one of the attributes {', '.join(_EDGE_ATTRIBUTES)}"
            )
        yield head, relation, tail


def _describe(nodes: Iterable[tuple[Any, Mapping[str, Any]]], directed: bool, builder: GraphBuilder) -> None:
    """Add what the attributes of nodes say: label, type or types (one, or a list), description."""
    collected = Collected(builder)
    names: Counter[str] = Counter()
    for node, data in nodes:
        names[name := str(node)] += 1
        kinds = next((data[a] for a in _TYPE_ATTRIBUTES if data.get(a)), ())
        collected.types += ((name, str(kind)) for kind in (kinds if isinstance(kinds, list | tuple | set) else [kinds]))
        given = (("label", 0), ("description", DESCRIPTION))
        collected.labels += ((name, str(data[a]), rank) for a, rank in given if data.get(a))
    collected.flush()
    if shared := [name for name, count in names.items() if count > 1]:
        what = counted(len(shared), "name belongs", "names belong")
        builder.note(f"{what} to several nodes, which are one entity here: {shorten(', '.join(map(repr, shared)))}")
    if not directed:
        builder.note("the graph is undirected; each edge is one fact, in the direction in which it was listed")


def _read_rows(rows: Iterable[Iterable[Any]], builder: GraphBuilder) -> None:
    """Read any iterable of (head, relation, tail), or of mappings with these keys."""
    triples = _checked(rows)
    while chunk := list(islice(triples, CHUNK)):
        builder.add(*zip(*chunk, strict=True))


def _checked(rows: Iterable[Iterable[Any]]) -> Iterator[tuple[str, ...]]:
    for number, row in enumerate(rows, start=1):
        parts = _parts(row)
        if len(parts) != 3:
            raise InputError(f"triple {number:,}: expected (head, relation, tail), found {shorten(repr(row))}")
        names = tuple("" if part is None or part != part else str(part) for part in parts)  # NaN differs from itself
        if not all(name.strip(BLANK) for name in names):
            raise InputError(f"triple {number:,}: a name is empty in {shorten(repr(row))}")
        yield names


def _parts(row: object) -> tuple[Any, ...]:
    """Head, relation and tail of a row, which may be a mapping by the names of columns; () if it has no order."""
    if isinstance(row, Mapping):
        values, places = list(row.values()), find_columns([str(key) for key in row], None, "")
        return () if places is None else tuple(values[place] for place in places)
    return tuple(row) if isinstance(row, Iterable) and not isinstance(row, str | bytes | Set) else ()
