"""JSON Lines: a fact or a node a line, as KGX writes them, under any of the names that columns of tables have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic_core import from_json

from faan.base import InputError, shorten
from faan.graph.builder import DESCRIPTION, GraphBuilder
from faan.graph.collected import CHUNK, Collected
from faan.graph.limits import is_too_long, too_long
from faan.graph.sources import Source
from faan.graph.table_layout import BLANK, KGX, KNOWN_HEADERS, LABEL_COLUMNS, TRIPLE, TYPE_COLUMNS, Columns

_EXPECTED = (
    'expected a fact such as {"subject": ..., "predicate": ..., "object": ...} or a node with "id" and "category"'
)


def read_json_lines(source: Source, builder: GraphBuilder, columns: Columns | None = None) -> None:
    """Read facts and nodes, in any order; `columns` names the keys of head, relation and tail."""
    collected, known = Collected(builder), KNOWN_HEADERS if columns is None else (columns,)
    for number, line in source.lines():
        try:
            _add(from_json(line, cache_strings="none"), known, collected)
        except (ValueError, InputError) as error:
            problem = str(error) if isinstance(error, InputError) else f"not JSON ({shorten(str(error))})"
            builder.bad_line(InputError(problem, source=source.name, line=number))
        collected.flush(at_least=CHUNK)
    collected.flush()


def are_json_lines(first: bytes, second: bytes) -> bool:
    """Whether a text begins with JSON Lines: a fact or a node in a line, or any two objects in two lines."""
    try:
        content = from_json(first)
    except ValueError:
        return False
    if not isinstance(content, dict):
        return False
    keys = {key.lower() for key in content}
    return (
        second.lstrip().startswith(b"{")
        or any(keys >= set(names) for names in KNOWN_HEADERS)
        or ("id" in keys and bool(keys & {"category", "name"}))
    )


def _add(content: Any, known: Sequence[Columns], collected: Collected) -> None:
    """Add the fact or node of one line, or nothing if the line is bad."""
    if not isinstance(content, dict):
        raise InputError(f"{_EXPECTED}, found {_shown(content)}")
    keys = _keys_of(content, known)
    if keys is None and any(key != key.lower() for key in content):  # as headers of tables, in any letter case
        content = {key.lower(): value for key, value in content.items()}
        keys = _keys_of(content, known)
    if keys is not None:
        head, relation, tail = (_name(content[key], part) for key, part in zip(keys, TRIPLE, strict=True))
        collected.facts.append((head, relation, tail))
    elif "id" in content and not content.keys() & set(KGX):
        _add_node(content, collected)
    else:
        raise InputError(_what_lacks(content))


def _keys_of(content: dict[str, Any], known: Sequence[Columns]) -> Columns | None:
    """The keys of head, relation and tail, where it has them."""
    return next((names for names in known if all(name in content for name in names)), None)


def _add_node(content: dict[str, Any], collected: Collected) -> None:
    name = _name(content["id"], "id")
    kinds: Any = next((content[key] for key in TYPE_COLUMNS if content.get(key)), [])
    label = next((content[key] for key in LABEL_COLUMNS if content.get(key)), None)
    types = [(name, _name(kind, "category")) for kind in (kinds if isinstance(kinds, list) else [kinds])]
    labels = [] if label is None else [(name, _name(label, "name"), 0)]
    if text := content.get("description"):
        labels.append((name, _name(text, "description"), DESCRIPTION))
    collected.types += types
    collected.labels += labels


def _what_lacks(content: dict[str, Any]) -> str:
    missing = [key for key in KGX if key not in content]
    if len(missing) < len(KGX):
        lack = "is" if len(missing) == 1 else "are"
        return f"KGX edges need {', '.join(KGX)}; {' and '.join(missing)} {lack} missing in {_shown(content)}"
    return f"{_EXPECTED}, found {_shown(content)}"


def _name(value: Any, part: str) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"the {part} is {_shown(value)}; expected text")
    text = str(value)
    if not text.strip(BLANK):
        raise InputError(f"the {part} is empty; expected a name")
    if "\x00" in text:
        raise InputError(f"the {part} has a NUL character in it; expected text: {shorten(text)!r}")
    if is_too_long(text):
        raise InputError(too_long(text))
    return text


def _shown(value: Any) -> str:
    return shorten(repr(value))
