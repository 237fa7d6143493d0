"""Reading a graph from whatever a user has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import polars as pl

from faan.base import InputError, OnProgress, progress_bars
from faan.graph.builder import TYPE_RELATIONS, GraphBuilder
from faan.graph.frames import (
    is_arrow,
    is_pandas,
    read_factory,
    read_frame,
    read_networkx,
    read_pandas,
    read_parquet,
    read_rows,
)
from faan.graph.graph import Graph, ReadReport
from faan.graph.ntriples import FORMATS as LINE_FORMATS
from faan.graph.ntriples import read_ntriples
from faan.graph.openke import is_openke, read_openke
from faan.graph.rdf import FORMATS as RDF_FORMATS
from faan.graph.rdf import read_rdf
from faan.graph.sources import Folder, Source, is_tar, open_source
from faan.graph.store import is_saved_graph, open_graph
from faan.graph.tables import Columns, read_nodes, read_table, read_triples

BUNDLED = "world"  # the graph that ships inside the package; a file of that name is `./world`
BACKGROUND = "path_graph"  # the background graph's file in a few-shot benchmark folder
FORMATS = ("table", "parquet", *LINE_FORMATS, *RDF_FORMATS)

_EXTENSIONS = {
    ".tsv": "table",
    ".csv": "table",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".nt": "n-triples",
    ".nq": "n-quads",
    ".ttl": "turtle",
    ".trig": "trig",
    ".rdf": "rdf/xml",
    ".owl": "rdf/xml",
    ".xml": "rdf/xml",
    ".jsonld": "json-ld",
    ".json": "json-ld",
}
_COMMENTS = rb"(?:\s*(?:#[^\n]*\n)?)*"
_NODE = rb"(?:<[^>\n]*>|_:\S+)"
_CONTENTS = (  # tried in this order on the first bytes of files whose extension tells nothing
    (re.compile(rb"\s*<\?xml|\s*<rdf:RDF"), "rdf/xml"),
    (re.compile(rb"\s*[\[{]\s*[\"{\]}]"), "json-ld"),
    (re.compile(_COMMENTS + _NODE + rb"[ \t]*<[^>\n]*>[ \t]*[^\n]*[>\w\"][ \t]*\.[ \t]*\r?(?:\n|$|#)"), "n-quads"),
    (re.compile(_COMMENTS + rb"(?:@prefix|@base|prefix\s|base\s+<)", re.IGNORECASE), "trig"),  # reads Turtle too
    (re.compile(_COMMENTS + _NODE + rb"\s+(?:a\s|<[^>\n]*>\s|\{)[^\n]*[;,{]?\r?\n"), "trig"),
)


def read_graph(
    source: Any,
    *,
    format: str | None = None,
    columns: Columns | None = None,
    nodes: str | Path | Sequence[str | Path] = (),
    languages: Sequence[str] = ("en",),
    type_relations: Sequence[str] = TYPE_RELATIONS,
    type_pattern: str | None = None,
    skip_bad_lines: bool = False,
    progress: bool = True,
    on_progress: OnProgress | None = None,
) -> Graph:
    """Read a knowledge graph from whatever holds it.

    Args:
        source: A file in any supported format, plain or compressed; `-` for standard input; a folder (a saved graph,
            OpenKE's `*2id.txt`, a few-shot benchmark or its tar archive); `"world"`, the graph that ships with faan;
            an iterable of (head, relation, tail); a polars or pandas frame or an Arrow table; a directed networkx
            graph; a PyKEEN `TriplesFactory`; or a `Graph`, which is given back.
        format: One of `faan.graph.FORMATS`; only needed if detection fails.
        columns: The names (or numbers, from 1) of the columns of head, relation and tail in a table.
        nodes: A table of `id`, `category` and `name` with the types and labels of entities, or several.
        languages: The preferred languages of labels.
        type_relations: The relations whose triples become entity types.
        type_pattern: A regular expression that takes types from the names of entities instead.
        skip_bad_lines: Report and skip bad lines of a file instead of raising an error.
        progress: Show a progress bar in terminals and notebooks; elsewhere the logger `faan` reports.
        on_progress: A function that is called with what is going on and its share, instead of bars.

    Returns:
        The graph; `graph.report` says what happened on the way.

    Raises:
        InputError: The source cannot be read; the message names the place and what to do.

    >>> import faan
    >>> faan.read_graph([("Peru", "capital", "Lima"), ("Japan", "capital", "Tokyo")])
    Graph(4 entities, 1 relation, 2 triples, from list)
    """
    if format is not None and format not in FORMATS:
        raise InputError(f"unknown format {format!r}; expected one of {', '.join(FORMATS)}")
    tables = [nodes] if isinstance(nodes, str | Path) else list(nodes)
    if sum(isinstance(place, str | Path) and str(place) == "-" for place in (source, *tables)) > 1:
        raise InputError("only one of the graph and its tables of nodes can come from standard input")
    if isinstance(source, Graph) or (isinstance(source, str | Path) and _is_saved(source)):
        what, place = ("a graph", source.report.source) if isinstance(source, Graph) else ("a saved graph", source)
        _refuse_options(place, what, format, columns)
        if tables or type_pattern is not None or tuple(type_relations) != tuple(TYPE_RELATIONS):
            raise InputError(f"{what}'s nodes and types are fixed; they cannot be set", source=str(place))
        return source if isinstance(source, Graph) else open_graph(source)
    builder = GraphBuilder(type_relations, type_pattern, skip_bad_lines)
    if not isinstance(source, str | Path):
        builder.report = ReadReport(source=type(source).__name__, format=type(source).__name__)
        _read_object(source, builder, columns)
    else:
        builder.report = ReadReport(source="standard input" if str(source) == "-" else str(source), format="table")
        with progress_bars(wanted=progress) if on_progress is None else nullcontext(on_progress) as told:
            _read_path(source, builder, format, columns, languages, told)
    for place in tables:
        with open_source(place) as table:
            read_nodes(table, builder)
    return builder.finish()


def _is_saved(source: str | Path) -> bool:
    return str(source) != BUNDLED and is_saved_graph(Path(source))


def has_fixed_columns(source: str) -> bool:
    """Whether a source has a format and columns that cannot be set: the bundled graph, or a saved one."""
    return source == BUNDLED or _is_saved(source)


def _read_object(source: Any, builder: GraphBuilder, columns: Columns | None) -> None:
    if isinstance(source, pl.DataFrame | pl.LazyFrame):
        read_frame(source.lazy().collect(), builder, columns)
    elif is_pandas(source):
        read_pandas(source, builder, columns)
    elif is_arrow(source):
        read_frame(pl.DataFrame(source), builder, columns)
    elif hasattr(source, "mapped_triples") and hasattr(source, "label_triples"):
        read_factory(source, builder)
    elif hasattr(source, "is_directed") and hasattr(source, "edges"):
        read_networkx(source, builder)
    elif isinstance(source, Mapping):
        raise InputError("expected triples, found a dict; pass a list of (head, relation, tail) or a data frame")
    elif isinstance(source, Iterable) and not isinstance(source, bytes):
        read_rows(source, builder)
    else:
        raise InputError(f"expected a path, triples, a data frame or a networkx graph, found {type(source).__name__}")


def _read_path(
    path: str | Path,
    builder: GraphBuilder,
    format: str | None,
    columns: Columns | None,
    languages: Sequence[str],
    on_progress: OnProgress,
) -> None:
    if str(path) == BUNDLED:
        _refuse_options(path, "the bundled graph", format, columns)
        place = resources.files("faan") / "data" / "world.tsv.xz"
        with resources.as_file(place) as bundled, open_source(bundled, on_progress) as source:
            read_triples(source, builder)
        return
    if not str(path):
        raise InputError("the path is empty; expected a file or folder, or . for this one")
    if str(path) != "-" and Path(path).is_dir():
        _read_folder(Folder(path), builder, format, columns)
        return
    with open_source(path, on_progress) as source:
        start = source.peek()
        if is_tar(start) and str(path) == "-":
            raise InputError("an archive cannot come from standard input; give its path")
        if not is_tar(start):
            kind = format or _detect(source, start)
            if columns and kind not in ("table", "parquet"):
                raise InputError(f"columns can be named in tables and Parquet, not in {kind}", source=source.name)
            builder.report = replace(builder.report, format=kind)
            if kind == "parquet":
                read_parquet(source, builder, columns)
            elif kind == "table":
                read_table(source, builder, columns, languages)
            elif kind in LINE_FORMATS:
                read_ntriples(source, builder, kind, languages)
            else:
                read_rdf(source, builder, kind, languages)
            return
    _read_folder(Folder(path), builder, format, columns)


def _read_folder(folder: Folder, builder: GraphBuilder, format: str | None, columns: Columns | None) -> None:
    _refuse_options(folder.path, "a folder", format, columns)
    if is_openke(folder):
        builder.report = replace(builder.report, format="openke")
        read_openke(folder, builder)
    elif BACKGROUND in folder.names():
        builder.report = replace(builder.report, format="benchmark")
        builder.note(
            "this is the background graph of a few-shot benchmark; `faan benchmark info` tells about its tasks"
        )
        with folder.open(BACKGROUND) as source:
            read_triples(source, builder)
    else:
        raise InputError(
            "expected a folder with path_graph (few-shot benchmark), with entity2id.txt, relation2id.txt and "
            "train2id.txt (OpenKE), or with graph.json (saved by faan); "
            f"found {', '.join(sorted(folder.names())[:5]) or 'no files'}",
            source=str(folder.path),
        )


def _refuse_options(source: str | Path, what: str, format: str | None, columns: Columns | None) -> None:
    if format or columns:
        raise InputError(f"{what}'s format and columns are fixed; they cannot be set", source=str(source))


def _detect(source: Source, start: bytes) -> str:
    if not start:
        raise InputError("the file is empty; expected a knowledge graph", source=source.name)
    if start.startswith(b"PAR1") and b"\x00" in start:
        return "parquet"
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("the file is in UTF-16; save it as UTF-8", source=source.name)
    if start.startswith(b"PK\x03\x04"):
        raise InputError("this is a zip file; unpack it first", source=source.name)
    if b"\x00" in start[:4096]:
        raise InputError(
            "this is a binary file; expected a table, RDF or Parquet, plain or compressed by gzip, xz, bzip2 or zstd",
            source=source.name,
        )
    if source.extension in _EXTENSIONS:
        return _EXTENSIONS[source.extension]
    return next((format for pattern, format in _CONTENTS if pattern.match(start)), "table")
