"""Reads a graph from files, folders, endpoints or Python objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from faan.base import (
    InputError,
    OnProgress,
    as_path,
    as_texts,
    check_flags,
    check_function,
    check_kind,
    ignore_progress,
    progress_bars,
    shorten,
    wrong,
)
from faan.graph.builder import TYPE_RELATIONS, GraphBuilder
from faan.graph.descriptions import read_descriptions
from faan.graph.detect import DESCRIPTIONS, FORMATS, check_json_ld, described_by, detect, is_graph_file
from faan.graph.endpoint import PREFIX, Endpoint, is_endpoint
from faan.graph.frames import read_object, read_parquet
from faan.graph.graph import Graph
from faan.graph.jsonlines import read_json_lines
from faan.graph.neo4j import ImportFiles, may_be_import, read_neo4j
from faan.graph.ntriples import FORMATS as LINE_FORMATS
from faan.graph.ntriples import read_ntriples
from faan.graph.openke import is_openke, read_openke
from faan.graph.rdf import read_rdf
from faan.graph.schema_file import with_schema_files
from faan.graph.sources import Folder, Source, is_tar, open_source
from faan.graph.sparql import read_endpoint
from faan.graph.store import is_saved_graph, open_graph
from faan.graph.table_layout import Columns
from faan.graph.tables import read_table, read_triples
from faan.graph.wikidata import read_entities, read_truthy

BUNDLED = "world"  # the graph that ships inside the package; a file of that name is `./world`
_WITH_COLUMNS = ("table", "json-lines", "parquet")  # formats in which columns have names that can be chosen
BACKGROUND = "path_graph"  # the background graph's file in a few-shot benchmark folder
Paths = str | Path | Sequence[str | Path]


def read_graph(
    source: Any,
    *,
    format: str | None = None,
    columns: tuple[str | int, str | int, str | int] | None = None,
    nodes: Paths = (),
    labels: Paths = (),
    types: Paths = (),
    schema: Paths = (),
    languages: Sequence[str] = ("en",),
    type_relations: Sequence[str] = TYPE_RELATIONS,
    type_pattern: str | None = None,
    predicates: Sequence[str] = (),
    classes: Sequence[str] = (),
    endpoint: Endpoint | None = None,
    skip_bad_lines: bool = False,
    progress: bool = True,
    on_progress: OnProgress | None = None,
) -> Graph:
    """Read a knowledge graph from a file, folder, endpoint or Python object.

    Args:
        source: A file in any supported format, plain or compressed; `-` for standard input; a folder (a saved graph,
            OpenKE's `*2id.txt`, a few-shot benchmark or its tar archive); a SPARQL endpoint
            (`"sparql+https://..."`); `"world"`, the graph that ships with faan;
            an iterable of (head, relation, tail), or of dicts with these keys; a polars or pandas frame or an Arrow
            table; a networkx or igraph graph; a PyKEEN `TriplesFactory`; or a `Graph`, which is given back. A list of
            paths is one graph: some may hold only labels or types.
        format: One of `faan.graph.FORMATS`; only needed if detection fails.
        columns: The names (or numbers, from 1) of the columns of head, relation and tail in a table.
        nodes: A table of `id`, `category` and `name` with the types and labels of entities, or several.
        labels: Labels of entities and relations, as a table of two columns or JSON; one file or several.
        types: Types of entities, as a table of two columns or JSON; one file or several.
        schema: An ontology or shapes in RDF, or several: what they say of relations and types becomes the graph's
            `rules`. What an RDF graph says itself counts without this.
        languages: The preferred languages of labels, one or several.
        type_relations: The relations whose triples become entity types.
        type_pattern: A regular expression that takes types from the names of entities instead.
        predicates: The only relations to read, by name or IRI; `wdt:P36` and `P36` are Wikidata's.
        classes: Read only facts whose head has one of these types.
        endpoint: How a SPARQL endpoint is read: `faan.graph.Endpoint(graphs=..., limit=..., user=..., password=...)`.
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
    chosen = _column_names(columns)
    languages, type_relations = as_texts(languages, "languages"), as_texts(type_relations, "type_relations")
    predicates, classes = as_texts(predicates, "predicates"), as_texts(classes, "classes")
    check_kind("type_pattern", type_pattern, str | None, "a regular expression")
    check_kind("endpoint", endpoint, Endpoint | None, "a faan.graph.Endpoint")
    check_flags(skip_bad_lines=skip_bad_lines, progress=progress)
    check_function("on_progress", on_progress)
    described = {kind: _paths(given, kind) for kind, given in zip(DESCRIPTIONS, (nodes, labels, types), strict=True)}
    beside = [(kind, path) for kind, paths in described.items() for path in paths]
    ruling = _paths(schema, "schema")
    sources = _paths(source, "source") if isinstance(source, str | Path) or _are_paths(source) else [source]
    files = [*sources, *ruling, *(path for _, path in beside)]
    if sum(isinstance(one, str | Path) and str(one) == "-" for one in files) > 1:
        raise InputError("only one file can come from standard input")
    if endpoint is not None and not any(is_endpoint(one) for one in sources):
        raise InputError("no source is a SPARQL endpoint; leave out the options for endpoints")
    if len(sources) == 1 and (isinstance(source, Graph) or _is_saved(sources[0])):
        what, place = ("a graph", source.report.source) if isinstance(source, Graph) else ("a saved graph", sources[0])
        _refuse_options(place, what, format, chosen)
        if type_pattern is not None or type_relations != tuple(TYPE_RELATIONS):
            raise InputError(f"{what}'s types are fixed; they cannot be set", source=str(place))
        if not (beside or predicates or classes):
            found = source if isinstance(source, Graph) else open_graph(sources[0])
            return with_schema_files(found, ruling, on_progress or ignore_progress)
    builder = GraphBuilder(type_relations, type_pattern, skip_bad_lines, predicates, classes)
    with progress_bars(wanted=progress) if on_progress is None else nullcontext(on_progress) as told:
        several = len(sources) + len(beside) > 1
        reading = _Reading(builder, format, chosen, languages, told, several, endpoint or Endpoint())
        for one in reading.without_headers(sources):
            reading.read(one)
        for kind, path in beside:
            reading.read_beside(path, kind)
    reading.check_columns()
    return with_schema_files(builder.finish(), ruling, on_progress or ignore_progress)


def _column_names(columns: tuple[str | int, str | int, str | int] | None) -> Columns | None:
    if columns is None:
        return None
    is_row = isinstance(columns, Sequence) and not isinstance(columns, str) and len(columns) == 3
    if not is_row or not all(type(column) in (str, int) for column in columns):
        raise InputError(f"expected three columns by name or number, found {shorten(repr(columns))}")
    head, relation, tail = map(str, columns)
    return head, relation, tail


def _paths(given: Paths, what: str) -> list[str | Path]:
    if isinstance(given, str | Path):
        return [given]
    if not isinstance(given, Iterable) or isinstance(given, bytes):
        raise wrong(what, "a path, or a list of paths", given)
    return [one if isinstance(one, str) else as_path(one, what) for one in given]


def _are_paths(source: object) -> bool:
    return isinstance(source, list | tuple) and bool(source) and all(isinstance(one, str | Path) for one in source)


def _is_saved(source: object) -> bool:
    return isinstance(source, str | Path) and str(source) != BUNDLED and is_saved_graph(Path(source))


def has_fixed_columns(source: str) -> bool:
    """Whether a source has a format and columns that cannot be set: the bundled graph, or a saved one."""
    return source == BUNDLED or _is_saved(source)


@dataclass
class _Reading:
    """One graph being read, from one source or several."""

    builder: GraphBuilder
    format: str | None
    columns: Columns | None
    languages: Sequence[str]
    on_progress: OnProgress
    several: bool  # so a file may hold nothing but labels or types
    endpoint: Endpoint
    used_columns: bool = False
    import_files: ImportFiles = field(default_factory=ImportFiles)

    def without_headers(self, sources: Sequence[Any]) -> list[Any]:
        """The sources, without files that hold the headers of others."""
        for one in sources:
            if isinstance(one, str | Path) and may_be_import(str(one)) and os.path.isfile(one):  # noqa: PTH113
                with open_source(one) as source:
                    self.import_files.look_at(source)
        return [one for one in sources if not self.import_files.is_header(str(one))]

    def read(self, source: Any) -> None:
        """Read one source of any kind."""
        if isinstance(source, Graph):
            self.builder.begin(source.report.source, source.report.format)
            self.builder.add_graph(source)
        elif not isinstance(source, str | Path):
            self.builder.begin(type(source).__name__, type(source).__name__)
            self.used_columns = True  # or `read_object` refuses them
            read_object(source, self.builder, self.columns)
        elif is_endpoint(source):
            _refuse_options(PREFIX, "an endpoint", self.format, self.columns)
            read_endpoint(str(source), self.builder, self.endpoint, self.languages, self.on_progress)
        else:
            self.builder.begin("standard input" if str(source) == "-" else str(source), "table")
            self._read_path(source)

    def read_beside(self, path: str | Path, kind: str) -> None:
        """Read a file of labels or types of other files."""
        with open_source(path, self.on_progress) as source:
            self.builder.begin(source.name)
            read_descriptions(source, self.builder, kind)

    def check_columns(self) -> None:
        """Refuse named columns if no file has columns."""
        if self.columns and not self.used_columns:
            raise InputError("only tables, JSON Lines and Parquet have columns, and none of the files is one")

    def _read_path(self, path: str | Path) -> None:
        if str(path) == BUNDLED:
            _refuse_options(path, "the bundled graph", self.format, self.columns)
            place = resources.files("faan") / "data" / "world.tsv.xz"
            with resources.as_file(place) as bundled, open_source(bundled, self.on_progress) as source:
                read_triples(source, self.builder)
            return
        if not str(path):
            raise InputError("the path is empty; expected a file or folder, or . for this one")
        if str(path) != "-" and os.path.isdir(path):  # noqa: PTH112, raises no error where a path is too long
            with Folder(path) as folder:
                self._read_folder(folder)
            return
        with open_source(path, self.on_progress) as source:
            if not is_tar(source.peek()):
                self._read_file(source)
                return
            if str(path) == "-":
                raise InputError("an archive cannot come from standard input; give its path")
        with Folder(path) as folder:
            self._read_folder(folder)

    def _read_file(self, source: Source) -> None:
        source = self.import_files.with_header(source)
        start = source.peek()
        kind = self.format or detect(source, start)
        if kind == "neo4j" and self.columns:
            kind = "table"
        if kind == "table" and self.several and not self.columns:
            kind = described_by(source, start) or kind
        if self.columns and kind not in _WITH_COLUMNS and not self.several:
            raise InputError(
                f"columns can be named in tables, JSON Lines and Parquet, not in {kind}", source=source.name
            )
        if kind in DESCRIPTIONS:
            read_descriptions(source, self.builder, kind)
            return
        self.builder.of_format(kind)
        if kind in _WITH_COLUMNS:
            self.used_columns = True
        if kind == "parquet":
            read_parquet(source, self.builder, self.columns)
        elif kind == "table":
            read_table(source, self.builder, self.columns, self.languages)
        elif kind == "json-lines":
            read_json_lines(source, self.builder, self.columns)
        elif kind == "neo4j":
            read_neo4j(source, self.builder, self.import_files)
        elif kind == "wikidata-json":
            read_entities(source, self.builder, self.languages)
        elif kind == "wikidata-truthy":
            read_truthy(source, self.builder, self.languages)
        elif kind in LINE_FORMATS:
            read_ntriples(source, self.builder, kind, self.languages)
        else:
            if kind == "json-ld":
                check_json_ld(source, start)
            read_rdf(source, self.builder, kind, self.languages)

    def _read_folder(self, folder: Folder) -> None:
        names = folder.names()
        parts = sorted(name for name in names if is_graph_file(name))
        known = is_saved_graph(folder.path) or is_openke(folder) or BACKGROUND in names
        if known or not parts:
            _refuse_options(folder.path, "a folder", self.format, self.columns)
        if is_saved_graph(folder.path):
            self.builder.of_format("saved graph")
            saved = open_graph(folder.path)
            saved.check()
            self.builder.add_graph(saved)
        elif is_openke(folder):
            self.builder.of_format("openke")
            read_openke(folder, self.builder)
        elif BACKGROUND in names:
            self.builder.of_format("benchmark")
            self.builder.note(
                "this is the background graph of a few-shot benchmark; `faan benchmark info` shows its tasks"
            )
            with folder.open(BACKGROUND) as source:
                read_triples(source, self.builder)
        elif parts:
            self._read_parts(folder, parts, sorted(names - set(parts)))
        else:
            raise InputError(
                "expected a folder with path_graph (few-shot benchmark), with entity2id.txt, relation2id.txt and "
                "train2id.txt (OpenKE), with graph.json (saved by faan), or with files whose endings are those of "
                f"formats, such as .nt and .tsv; found {', '.join(sorted(names)[:5]) or 'no files'}",
                source=str(folder.path),
            )

    def _read_parts(self, folder: Folder, parts: list[str], others: list[str]) -> None:
        """Read all files of a folder whose endings are known, in the order of their names."""
        self.several = True
        for name in filter(may_be_import, parts):
            with folder.open_part(name) as source:
                self.import_files.look_at(source)
        for name in parts:
            if self.import_files.is_header(f"{folder.path}/{name}"):
                continue
            self.builder.begin(str(folder.path / name), inside=True)
            with folder.open_part(name, self.on_progress) as source:
                self._read_file(source)
        if others:
            shown = shorten(", ".join(others))
            self.builder.note(f"{folder.path}: not read, because their endings are of no format: {shown}")


def _refuse_options(source: str | Path, what: str, format: str | None, columns: Columns | None) -> None:
    if format or columns:
        raise InputError(f"{what}'s format and columns are fixed; they cannot be set", source=str(source))
