"""Labels and types of entities and relations in files of their own: tables of nodes, tables of two columns, JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

from faan.base import InputError, shorten
from faan.graph.builder import GraphBuilder
from faan.graph.detect import LABEL_WORDS, TYPE_WORDS, described_by, described_in_header, detect, header_of
from faan.graph.jsonlines import read_json_lines
from faan.graph.sources import Source
from faan.graph.table_layout import BLANK
from faan.graph.tables import read_nodes, rows_of

_SHAPES = '{"Q1": "label"}, {"Q1": {"label": "..."}} or {"Q1": ["type", ...]}'


def read_descriptions(source: Source, builder: GraphBuilder, kind: str) -> None:
    """Read a file of `nodes`, `labels` or `types`; of labels and types it may be a table or JSON."""
    start = source.peek()
    found = detect(source, start, kind) if start or kind != "nodes" else "table"
    if found == "json-lines":
        read_json_lines(source, builder)
        return
    if kind == "nodes":
        read_nodes(source, builder)
        return
    if found in ("labels", "types"):
        _read_json(source, builder, kind)
    elif found != "table":
        raise InputError(
            f"expected a table of two columns or JSON, found {found}; give it as one more file of the graph",
            source=source.name,
        )
    elif described_by(source, start) == "nodes":
        read_nodes(source, builder)
    else:
        _read_pairs(source, builder, kind, start)


def _read_pairs(source: Source, builder: GraphBuilder, kind: str, start: bytes) -> None:
    """Read a table of names and their labels, or names and their types (several apart by `|`)."""
    first_line = start.split(b"\n", 1)[0]
    delimiter = max("\t,;", key=lambda mark: first_line.count(mark.encode()))
    names: list[str] = []
    values: list[str] = []
    header = described_in_header(header_of(start)) if len(header_of(start)) == 2 else None
    rows = rows_of(source.blocks(), source.name, delimiter, builder, 1)
    if header:
        next(rows)
    for number, row in rows:
        if len(row) != 2 or not all(cell.strip(BLANK) for cell in row):
            problem = f"expected a name and its {kind[:-1]}, found {shorten(delimiter.join(row))!r}"
            builder.bad_line(InputError(problem, source=source.name, line=number))
            continue
        for value in row[1].split("|") if kind == "types" else row[1:]:
            names.append(row[0])
            values.append(value)
    (builder.add_types if kind == "types" else builder.add_labels)(names, values)


def _read_json(source: Source, builder: GraphBuilder, kind: str) -> None:
    """Read an object of names: each with a label, its types, or an object that has them."""
    labels: list[tuple[str, str]] = []
    types: list[tuple[str, str]] = []
    for name, value in _objects(source):
        if isinstance(value, str):
            (types if kind == "types" else labels).append((name, value))
        elif isinstance(value, list):
            types += ((name, part) for part in _strings(value, name, source))
        elif isinstance(value, dict):
            label = next((value[word] for word in LABEL_WORDS if value.get(word)), None)
            labels += ((name, part) for part in _strings([label] if label is not None else [], name, source))
            found = next((value[word] for word in TYPE_WORDS if value.get(word)), None) or []
            types += ((name, part) for part in _strings(found if isinstance(found, list) else [found], name, source))
        else:
            raise _unexpected(name, value, source)
    for pairs, add in ((labels, builder.add_labels), (types, builder.add_types)):
        given = [(name, value) for name, value in pairs if name and value]
        if given:
            add([name for name, _ in given], [value for _, value in given])


def _objects(source: Source) -> Iterator[tuple[str, object]]:
    try:
        content = json.loads(source.read())
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        reason = error.msg if isinstance(error, json.JSONDecodeError) else shorten(str(error))
        raise InputError(f"not JSON ({reason})", source=source.name, line=line) from None
    if not isinstance(content, dict):
        raise InputError(f"expected an object such as {_SHAPES}, found a list", source=source.name)
    yield from content.items()


def _strings(values: list[object], name: str, source: Source) -> Iterator[str]:
    for value in values:
        if not isinstance(value, str):
            raise _unexpected(name, value, source)
        yield value


def _unexpected(name: str, value: object, source: Source) -> InputError:
    shown = shorten(json.dumps(value))
    return InputError(f"expected {_SHAPES}, found {shown} for {shorten(name)!r}", source=source.name)
