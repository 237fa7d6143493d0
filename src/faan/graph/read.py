"""Reading a graph from whatever a user has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import polars as pl

from faan.base import InputError, OnProgress, ignore_progress
from faan.graph.builder import TYPE_RELATIONS, GraphBuilder
from faan.graph.frames import read_frame, read_networkx, read_pandas, read_parquet, read_rows
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
    nodes: str | Path | None = None,
    languages: Sequence[str] = ("en",),
    type_relations: Sequence[str] = TYPE_RELATIONS,
    type_pattern: str | None = None,
    skip_bad_lines: bool = False,
    on_progress: OnProgress = ignore_progress,
) -> Graph:
    """Read a knowledge graph.

    `source` is a file in any supported format, plain or compressed, `-` for standard input, a folder (a saved graph,
    OpenKE's `*2id.txt`, a few-shot benchmark or its tar archive), the bundled graph's name "world", an iterable of
    (head, relation, tail), a polars or pandas frame, or a directed networkx graph.

    `format` is only needed where detection fails. `columns` names (or numbers, from 1) the columns of head, relation
    and tail in a table. `nodes` is a table of `id`, `category` and `name`. `languages` are those preferred for labels.
    The triples of `type_relations` become entity types; `type_pattern` takes types from the entities' names instead.
    `on_progress` is told the share of a file that has been read.
    """
    if format is not None and format not in FORMATS:
        raise InputError(f"unknown format {format!r}; expected one of {', '.join(FORMATS)}")
    if isinstance(source, str) and source == "-" == str(nodes):
        raise InputError("the graph and its nodes cannot both come from standard input")
    builder = GraphBuilder(type_relations, type_pattern, skip_bad_lines)
    if not isinstance(source, str | Path):
        builder.report = ReadReport(source=type(source).__name__, format=type(source).__name__)
        _read_object(source, builder, columns)
    else:
        if str(source) != BUNDLED and is_saved_graph(Path(source)):
            _refuse_options(source, "a folder", format, columns)
            if nodes is not None or type_pattern is not None or tuple(type_relations) != tuple(TYPE_RELATIONS):
                raise InputError("a saved graph's nodes and types are fixed; they cannot be set", source=str(source))
            return open_graph(source)
        builder.report = ReadReport(source="standard input" if str(source) == "-" else str(source), format="table")
        _read_path(source, builder, format, columns, languages, on_progress)
    if nodes is not None:
        with open_source(nodes) as table:
            read_nodes(table, builder)
    return builder.finish()


def has_fixed_columns(source: str) -> bool:
    """Whether a source has a format and columns that cannot be set: the bundled graph, or a saved one."""
    return source == BUNDLED or is_saved_graph(Path(source))


def _read_object(source: object, builder: GraphBuilder, columns: Columns | None) -> None:
    module = type(source).__module__.split(".")[0]
    if isinstance(source, pl.DataFrame | pl.LazyFrame):
        read_frame(source.lazy().collect(), builder, columns)
    elif module == "pandas" and hasattr(source, "columns"):
        read_pandas(source, builder, columns)
    elif hasattr(source, "is_directed") and hasattr(source, "edges"):
        read_networkx(source, builder)
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
