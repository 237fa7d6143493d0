"""Neo4j's CSV files: what `apoc.export.csv` writes and what `neo4j-admin database import` reads.

The first has nodes and relationships in one file (`_id`, `_labels`, ..., `_start`, `_end`, `_type`). The second has
files of nodes (`:ID`, `:LABEL`) and files of relationships (`:START_ID`, `:END_ID`, `:TYPE`), whose header may be a
file of its own. Ids that are unique in their id space alone (`:ID(Person)`) are called `Person:7` where there are
several spaces.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from faan.base import InputError, shorten
from faan.graph.builder import GraphBuilder
from faan.graph.packed import COMPRESSIONS
from faan.graph.sources import Source, prefixed
from faan.graph.table_layout import BLANK, LABEL_COLUMNS, TableLayout, index_of
from faan.graph.tables import add_nodes, read_frames

_APOC = {"_id": "id", "_labels": "type", "_start": "head", "_end": "tail", "_type": "relation"}
_IMPORT = {"ID": "id", "LABEL": "type", "START_ID": "head", "END_ID": "tail", "TYPE": "relation"}
_FIELD = re.compile(rf"(?P<property>[^:]*):(?P<kind>{'|'.join(_IMPORT)})(?:\((?P<space>[^)]*)\))?(?:\{{.*\}})?", re.I)
_ENDINGS = (".csv", ".tsv", ".txt")
_NODE, _RELATIONSHIP = ("id",), ("head", "tail", "relation")


@dataclass(frozen=True)
class _Header:
    """The meaning of the columns of a file."""

    delimiter: str
    width: int
    columns: Mapping[str, int]
    spaces: Mapping[str, str] = field(default_factory=dict)  # of id, head and tail, where ids have one
    apoc: bool = False


@dataclass
class ImportFiles:
    """The files that are read as one graph: which of them are headers of others, and which id spaces they have."""

    spaces: set[str] = field(default_factory=set)
    _headers: dict[str, bytes] = field(default_factory=dict)  # files that hold nothing but a header
    _order: list[str] = field(default_factory=list)

    def look_at(self, source: Source) -> None:
        """Read the header of a file, if it has one."""
        start = source.peek()
        self._order.append(source.name)
        header = _header(start, source.name)
        if header is None:
            return
        self.spaces.update(header.spaces.values())
        if not start.partition(b"\n")[2].strip():
            self._headers[source.name] = start.strip()

    def is_header(self, name: str) -> bool:
        """Whether a file is the header of others."""
        return name in self._headers and len(self._headers) < len(self._order)

    def _header_of(self, name: str) -> bytes | None:
        """The header of a file without one: by the same name (`Person-header.csv`), else the last before it."""
        own = _stem(name)
        fitting = [other for other in self._headers if own.startswith(_stem(other)) and _stem(other)]
        if fitting:
            return self._headers[max(fitting, key=lambda other: len(_stem(other)))]
        before = self._order[: self._order.index(name)] if name in self._order else []
        last = next((other for other in reversed(before) if other in self._headers), None)
        return None if last is None else self._headers[last]

    def with_header(self, source: Source) -> Source:
        """A file with the header from another file as its first line, if there is one."""
        if not self._headers or source.name in self._headers or _header(source.peek(), source.name):
            return source
        header = self._header_of(source.name)
        return source if header is None else prefixed(source, header + b"\n")


def is_neo4j(start: bytes) -> bool:
    """Whether a table begins with a header of Neo4j's."""
    return _header(start, "") is not None


def may_be_import(name: str) -> bool:
    """Whether a file may have a header of Neo4j's."""
    return Path(_bare(name)).suffix in _ENDINGS or "header" in Path(name).name.lower()


def read_neo4j(source: Source, builder: GraphBuilder, files: ImportFiles) -> None:
    """Read nodes, relationships or both."""
    header = _header(source.peek(), source.name)
    if header is None:
        raise InputError(
            "expected a header of Neo4j's: _id, _labels, _start, _end and _type of apoc.export.csv, or :ID, or "
            ":START_ID, :END_ID and :TYPE of neo4j-admin",
            source=source.name,
            line=1,
        )
    rows = tuple(kind for kind in (_NODE, _RELATIONSHIP) if all(part in header.columns for part in kind))
    if not rows:
        raise InputError(
            "relationships need the columns :START_ID, :END_ID and :TYPE; add the missing ones to the header",
            source=source.name,
            line=1,
        )
    table = TableLayout(header.delimiter, header.width, 1, header.columns, rows)
    for frame in read_frames(source, builder, table):
        named = _in_spaces(frame, header, files.spaces)
        if _NODE in rows:
            add_nodes(_nodes(named, header.apoc), builder)
        if _RELATIONSHIP in rows:
            facts = named.filter(pl.all_horizontal(pl.col(part) != "" for part in _RELATIONSHIP))
            builder.add(facts["head"], facts["relation"], facts["tail"])


def _nodes(frame: pl.DataFrame, apoc: bool) -> pl.DataFrame:
    """The rows of nodes, with types apart by `|`: apoc writes `:Person:Actor`, neo4j-admin reads `Person;Actor`."""
    nodes = frame.filter(pl.col("id") != "")
    if "type" not in nodes.columns:
        return nodes
    return nodes.with_columns(pl.col("type").str.replace_all(":" if apoc else ";", "|", literal=True))


def _in_spaces(frame: pl.DataFrame, header: _Header, spaces: set[str]) -> pl.DataFrame:
    """Ids with their space before them, where there is more than one."""
    if len(spaces) < 2:
        return frame
    return frame.with_columns(
        pl.when(pl.col(part) == "").then(pl.lit("")).otherwise(pl.lit(f"{space}:") + pl.col(part)).alias(part)
        for part, space in header.spaces.items()
    )


def _header(start: bytes, name: str) -> _Header | None:
    """The columns by the first line of a file, if it is a header of Neo4j's."""
    line = start.partition(b"\n")[0].decode(errors="replace").strip(BLANK)
    if ":" not in line and "_" not in line:
        return None
    delimiter = max(",;\t|", key=line.count)
    try:
        cells = [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return None
    if set(_APOC) <= set(cells):
        columns = {part: cells.index(cell) for cell, part in _APOC.items()}
        before_edges = cells[: columns["head"]]  # what follows are properties of relationships
        return _Header(delimiter, len(cells), columns | _described(before_edges), apoc=True)
    found = [(place, match) for place, cell in enumerate(cells) if (match := _FIELD.fullmatch(cell))]
    parts = {_IMPORT[match["kind"].upper()]: place for place, match in found}
    if not parts.keys() & {"id", "head", "tail"}:
        return None
    if len(parts) < len(found):
        raise InputError(f"a column occurs twice in the header {shorten(line)!r}", source=name, line=1)
    if "id" in parts:
        parts |= _described([cell.partition(":")[0] for cell in cells])
    spaces = {_IMPORT[match["kind"].upper()]: match["space"] for _, match in found if match["space"]}
    return _Header(delimiter, len(cells), parts, spaces)


def _described(properties: Sequence[str]) -> dict[str, int]:
    """Which properties are the label and the description of a node."""
    lowered = [name.lower() for name in properties]
    found = {"label": index_of(lowered, *LABEL_COLUMNS), "description": index_of(lowered, "description")}
    return {part: place for part, place in found.items() if place is not None}


def _bare(name: str) -> str:
    """A file's name in lower case without the ending of its compression."""
    path = Path(name.lower())
    return path.stem if path.suffix in COMPRESSIONS else path.name


def _stem(name: str) -> str:
    """What a header and its files have in common: `person` of `Person-header.csv` and of `Person-part000.csv`."""
    return re.sub(r"[-_.]?headers?[-_.]?", "", Path(_bare(name)).stem)
