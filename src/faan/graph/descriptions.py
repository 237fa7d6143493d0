"""Labels and types of entities and relations in files of their own: tables of nodes, tables of two columns, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from faan.base import InputError, shorten
from faan.graph.builder import GraphBuilder
from faan.graph.collected import CHUNK, Collected
from faan.graph.detect import LABEL_WORDS, TYPE_WORDS, described_by, described_in_header, detect
from faan.graph.jsonlines import read_json_lines
from faan.graph.sources import Source
from faan.graph.table_layout import BLANK, first_line
from faan.graph.tables import read_nodes, rows_of

_SHAPES = '{"Q1": "label"}, {"Q1": {"label": "..."}} or {"Q1": ["type", ...]}'


def read_descriptions(source: Source, builder: GraphBuilder, kind: str) -> None:
    """Read a file of `nodes`, `labels` or `types`; of labels and types it may be a table or JSON."""
    start = source.peek()
    found = detect(source, start, kind) if start or kind != "nodes" else "table"
    if found == "json-lines":
        read_json_lines(source, builder)
    elif kind == "nodes" or (found == "table" and described_by(source, start) == "nodes"):
        read_nodes(source, builder)
    elif found == "table":
        _read_pairs(source, builder, kind, start)
    elif found in ("labels", "types"):
        _read_json(source, builder, kind)
    else:
        expected = _SHAPES if found == "json-ld" else "a table of two columns or JSON"
        problem = f"expected {expected}, found {found}; give it as one more file of the graph"
        raise InputError(problem, source=source.name)


def _read_pairs(source: Source, builder: GraphBuilder, kind: str, start: bytes) -> None:
    """Read a table of names and their labels, or names and their types (several apart by `|`)."""
    first, collected = first_line(start), Collected(builder)
    rows = rows_of(source.blocks(), source.name, first.delimiter, builder, 1)
    if described_in_header(first.cells):
        next(rows)
    for number, row in rows:
        if len(row) != 2 or not all(cell.strip(BLANK) for cell in row):
            problem = f"expected a name and its {kind[:-1]}, found {shorten(first.delimiter.join(row))!r}"
            builder.bad_line(InputError(problem, source=source.name, line=number))
            continue
        name, value = row
        if kind == "types":
            collected.types += ((name, one) for one in value.split("|") if one)
        else:
            collected.labels.append((name, value, 0))
        collected.flush(at_least=CHUNK)
    collected.flush()


def _read_json(source: Source, builder: GraphBuilder, kind: str) -> None:
    """Read an object of names: each with a label, its types, or an object that has them."""
    try:
        content = json.loads(source.read())
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        reason = error.msg if isinstance(error, json.JSONDecodeError) else shorten(str(error))
        raise InputError(f"not JSON ({reason})", source=source.name, line=line) from None
    collected = Collected(builder)
    for name, value in content.items():  # an object: `detect` has seen how it begins
        labels: list[object] = []
        types: object = []
        if isinstance(value, dict):
            labels = [label] if (label := _first(value, LABEL_WORDS)) is not None else []
            types = _first(value, TYPE_WORDS) or []
        elif isinstance(value, list) or kind == "types":
            types = value
        else:
            labels = [value]
        collected.labels += ((name, text, 0) for text in _texts(labels, name, source))
        collected.types += ((name, text) for text in _texts(types, name, source))
    collected.flush()


def _first(value: dict[str, object], words: Iterable[str]) -> object:
    return next((value[word] for word in words if value.get(word)), None)


def _texts(given: object, name: str, source: Source) -> Iterator[str]:
    """One text or a list of them, without empty ones; none for an empty name."""
    for text in given if isinstance(given, list) else [given]:
        if not isinstance(text, str):
            shown = shorten(json.dumps(text))
            raise InputError(f"expected {_SHAPES}, found {shown} for {shorten(name)!r}", source=source.name)
        if name and text:
            yield text
