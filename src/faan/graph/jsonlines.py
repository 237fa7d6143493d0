"""JSON Lines: a fact or a node a line, as KGX writes them, under any of the names that columns of tables have."""

from __future__ import annotations

from typing import Any

from pydantic_core import from_json

from faan.base import InputError, shorten
from faan.graph.builder import DESCRIPTION, GraphBuilder
from faan.graph.limits import is_too_long, too_long
from faan.graph.sources import Source
from faan.graph.table_layout import BLANK, KGX, KNOWN_HEADERS, LABEL_COLUMNS, TRIPLE, TYPE_COLUMNS, Columns

_CHUNK = 1 << 16  # facts in one chunk
_EXPECTED = (
    'expected a fact such as {"subject": ..., "predicate": ..., "object": ...} or a node with "id" and "category"'
)


def read_json_lines(source: Source, builder: GraphBuilder, columns: Columns | None = None) -> None:
    """Read facts and nodes, in any order; `columns` names the keys of head, relation and tail."""
    collected = _Collected(builder, columns)
    for number, line in source.lines():
        try:
            collected.add(from_json(line, cache_strings="none"))
        except (ValueError, InputError) as error:
            problem = str(error) if isinstance(error, InputError) else f"not JSON ({shorten(str(error))})"
            builder.bad_line(InputError(problem, source=source.name, line=number))
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


class _Collected:
    """Collects facts, types and labels, and adds them in chunks."""

    def __init__(self, builder: GraphBuilder, columns: Columns | None) -> None:
        self._builder = builder
        self._known = KNOWN_HEADERS if columns is None else (columns,)
        self._facts: list[tuple[str, ...]] = []
        self._types: list[tuple[str, str]] = []
        self._labels: list[tuple[str, str, int]] = []

    def add(self, content: Any) -> None:
        """Add one line; a bad line adds nothing."""
        if not isinstance(content, dict):
            raise InputError(f"{_EXPECTED}, found {_shown(content)}")
        keys = self._keys_of(content)
        if keys is None and any(key != key.lower() for key in content):  # as headers of tables, in any letter case
            content = {key.lower(): value for key, value in content.items()}
            keys = self._keys_of(content)
        if keys is not None:
            fact = tuple(_name(content[key], part) for key, part in zip(keys, TRIPLE, strict=True))
            self._facts.append(fact)
        elif "id" in content and not content.keys() & set(KGX):
            self._add_node(content)
        else:
            raise InputError(_what_lacks(content))
        if len(self._facts) >= _CHUNK or len(self._labels) + len(self._types) >= _CHUNK:
            self.flush()

    def _keys_of(self, content: dict[str, Any]) -> Columns | None:
        """The keys of head, relation and tail, where it has them."""
        return next((names for names in self._known if all(name in content for name in names)), None)

    def _add_node(self, content: dict[str, Any]) -> None:
        name = _name(content["id"], "id")
        kinds: Any = next((content[key] for key in TYPE_COLUMNS if content.get(key)), [])
        label = next((content[key] for key in LABEL_COLUMNS if content.get(key)), None)
        types = [(name, _name(kind, "category")) for kind in (kinds if isinstance(kinds, list) else [kinds])]
        labels = [] if label is None else [(name, _name(label, "name"), 0)]
        if text := content.get("description"):
            labels.append((name, _name(text, "description"), DESCRIPTION))
        self._types += types
        self._labels += labels

    def flush(self) -> None:
        """Add what was collected to the builder."""
        heads, relations, tails = zip(*self._facts, strict=True) if self._facts else ((), (), ())
        self._builder.add(heads, relations, tails)
        self._builder.add_types([name for name, _ in self._types], [kind for _, kind in self._types])
        names, labels, ranks = zip(*self._labels, strict=True) if self._labels else ((), (), ())
        self._builder.add_labels(names, labels, ranks)
        self._facts, self._types, self._labels = [], [], []


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
