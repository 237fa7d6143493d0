"""Detects the format of a file by its ending, its first bytes and, if both are ambiguous, its name."""

from __future__ import annotations

import re
from pathlib import Path

from faan.base import InputError
from faan.graph.jsonlines import are_json_lines
from faan.graph.neo4j import is_neo4j
from faan.graph.ntriples import FORMATS as LINE_FORMATS
from faan.graph.rdf import FORMATS as RDF_FORMATS
from faan.graph.sources import Source, extension_of
from faan.graph.table_layout import LABEL_COLUMNS, TYPE_COLUMNS, find_columns, first_line

WIKIDATA = ("wikidata-truthy", "wikidata-json")
TABLES = ("table", "parquet", "json-lines", "neo4j")
FORMATS = (*TABLES, *LINE_FORMATS, *RDF_FORMATS, *WIKIDATA)  # of facts; `--format` takes these
DESCRIPTIONS = ("nodes", "labels", "types")  # of files that describe entities and relations of other files

_EXTENSIONS = {
    ".tsv": "table",
    ".csv": "table",
    ".sif": "table",
    ".jsonl": "json-lines",
    ".ndjson": "json-lines",
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
}
_COMMENTS = rb"\s*(?:#[^\n]*\n\s*)*"  # unambiguous, so that many blanks do not cause backtracking
_NODE = rb"(?:<[^>\n]*>|_:[^\s<]+)"
_CONTENTS = (  # tried in this order on the first bytes of files with an unknown extension
    (re.compile(rb"\s*<\?xml|\s*<rdf:RDF"), "rdf/xml"),
    (re.compile(rb"\s*[\[{]\s*[\"{\]}]"), "json"),
    (re.compile(_COMMENTS + _NODE + rb"[ \t]*<[^>\n]*>[^\n]*[>\w\"][ \t]*\.[ \t]*\r?(?:\n|$|#)"), "n-quads"),
    (re.compile(_COMMENTS + rb"(?:@prefix|@base|prefix\s|base\s+<)", re.IGNORECASE), "trig"),  # reads Turtle too
    (re.compile(_COMMENTS + _NODE + rb"\s+(?:a\s|<[^>\n]*>\s|\{)[^\n]*[;,{]?\r?\n"), "trig"),
)
_WIKIDATA_JSON = re.compile(
    rb'\s*(?:\[\s*)?\{(?=[^\n]*"(?:labels|claims)"\s*:)(?=[^\n]*"type"\s*:\s*"(?:item|property|lexeme)")'
)
_WIKIDATA_TRUTHY = re.compile(rb"<http://wikiba\.se/ontology#|<https?://www\.wikidata\.org/wiki/Special:EntityData/")
_JSON_LD = re.compile(rb'"@(?:context|id|graph|type|value|vocab|base)"')
_FIRST_VALUE = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*(.)')
_NAME_WORDS = ("id", "entity", "relation", "node", "name", "item", "key", "subject", "iri", "uri")
TYPE_WORDS = ("type", "types", "category", "class", "kind")
LABEL_WORDS = ("label", "labels", "name", "title")


def detect(source: Source, start: bytes, expected: str = "a knowledge graph") -> str:
    """The format of a source, by its ending and its first bytes."""
    if not start:
        raise InputError(f"the file is empty; expected {expected}", source=source.name)
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
    if _WIKIDATA_JSON.match(start) and not _JSON_LD.search(start):
        return "wikidata-json"
    if source.extension in _EXTENSIONS:
        format = _EXTENSIONS[source.extension]
        if format == "n-triples" and _WIKIDATA_TRUTHY.search(start):
            return "wikidata-truthy"
    else:
        format = next((format for pattern, format in _CONTENTS if pattern.match(start)), "table")
        if format == "json" or source.extension == ".json":
            return _json(start, source.name)
    return "neo4j" if format == "table" and is_neo4j(start) else format


def is_graph_file(name: str) -> bool:
    """Whether a file of a folder is read as a part of a graph: its ending is that of a format."""
    return extension_of(name) in (*_EXTENSIONS, ".json")


def described_by(source: Source, start: bytes) -> str | None:
    """Which of `DESCRIPTIONS` a table is; None for a table of triples."""
    header = first_line(start).cells
    if len(header) >= 3 and find_columns(header, None, source.name) is not None:
        return None
    if {"id", "node_index"} & set(header) and any(word in header for word in (*TYPE_COLUMNS, *LABEL_COLUMNS)):
        return "nodes"
    return described_in_header(header) or _by_name(source.name) if len(header) == 2 else None


def described_in_header(header: list[str]) -> str | None:
    """Whether the header of a table of two columns names labels or types."""
    if len(header) != 2 or header[0] not in _NAME_WORDS:
        return None
    return "types" if header[1] in TYPE_WORDS else "labels" if header[1] in LABEL_WORDS else None


def _by_name(name: str) -> str | None:
    """Whether the name of a file mentions labels or types."""
    file = Path(name).name.lower()
    for kind, words in (("types", ("type", "class", "categor")), ("labels", ("label", "name"))):
        if any(word in file for word in words):
            return kind
    return None


def check_json_ld(source: Source, start: bytes) -> None:
    """Refuse a JSON array that has none of JSON-LD's keywords."""
    if start.lstrip().startswith(b"[") and not _JSON_LD.search(start):
        raise InputError(
            'a JSON array that is not JSON-LD; write a fact a line instead, such as {"head": ..., "relation": ..., '
            '"tail": ...}',
            source=source.name,
        )


def _json(start: bytes, name: str) -> str:
    """JSON Lines, JSON-LD, or an object of labels or types, which has none of JSON-LD's keywords."""
    first_line, _, rest = start.partition(b"\n")
    if are_json_lines(first_line, rest):
        return "json-lines"
    first = _FIRST_VALUE.match(start.decode(errors="replace"))
    if first is None or _JSON_LD.search(start):
        return "json-ld"
    return "types" if first[1] == "[" else "labels" if first[1] == "{" else _by_name(name) or "labels"
