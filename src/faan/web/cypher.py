"""Decided facts as Cypher for Neo4j and other property graphs: statements with parameters, and a file of them.

Names of entities and all values are parameters. Names of relations, labels and properties cannot be; they are quoted.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from faan.base import InputError, shorten
from faan.web.decision import Decision

INTERNAL_ID = "_id"  # the key of nodes that are found by Neo4j's own number, as `apoc.export.csv` writes it
_BATCH = 500  # facts in one statement
_NUMBER_DIGITS = 18  # of an internal number
_PROPERTIES = ("probability", "score", "rank", "reviewer", "time", "model")  # of a relationship, with their values
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


@dataclass(frozen=True)
class NodeKey:
    """How Cypher finds nodes: by their label and a property that holds the name of an entity."""

    label: str = "Entity"
    property: str = "id"


Statement = tuple[str, dict[str, list[dict[str, Any]]]]


def cypher_statements(decisions: Sequence[Decision], key: NodeKey) -> Iterator[Statement]:
    """Statements with their parameters, as drivers take them: accepted facts are merged, rejected ones deleted."""
    by_kind = sorted(decisions, key=lambda decision: (decision.relation, decision.verdict))
    for (relation, verdict), group in itertools.groupby(by_kind, key=lambda one: (one.relation, one.verdict)):
        text = _text(key, quoted(relation), verdict == "accepted")
        rows = [_row(decision, key, verdict == "accepted") for decision in group]
        for start in range(0, len(rows), _BATCH):
            yield text, {"rows": rows[start : start + _BATCH]}


def cypher_file(decisions: Sequence[Decision], key: NodeKey) -> Iterator[str]:
    """The same as a file for cypher-shell, which sets parameters by `:param`."""
    pieces = list(cypher_statements(decisions, key))
    yield "// Run this with: cypher-shell -f FILE\n" if pieces else "// nothing was decided\n"
    for text, parameters in pieces:
        yield f":param rows => {_literal(parameters['rows'])}\n{text};\n"


def quoted(name: str) -> str:
    """A name in backticks; one that Neo4j would read as something else is refused."""
    if "\\u" in name or "\x00" in name or not name:
        raise InputError(
            f"Cypher cannot hold the name {shorten(name)!r}: it has \\u or a NUL character in it, or is empty. "
            "Choose another format."
        )
    return "`" + name.replace("`", "``") + "`"


def _text(key: NodeKey, relation: str, accepted: bool) -> str:
    """The statement that merges or deletes facts of a relation; its name is quoted."""
    head, tail = (_node(variable, key) for variable in ("head", "tail"))
    find = "MERGE" if accepted and key.property != INTERNAL_ID else "MATCH"
    found = f"UNWIND $rows AS row\n{find} {head}\n{find} {tail}\n"
    if not accepted:
        return f"{found}MATCH (head)-[f:{relation}]->(tail)\nDELETE f"
    values = ", ".join(f"f.{name} = row.{name}" for name in _PROPERTIES)
    return f"{found}MERGE (head)-[f:{relation}]->(tail)\nSET {values}"


def _node(variable: str, key: NodeKey) -> str:
    if key.property == INTERNAL_ID:
        return f"({variable}) WHERE id({variable}) = row.{variable}"
    return f"({variable}:{quoted(key.label)} {{{quoted(key.property)}: row.{variable}}})"


def _row(decision: Decision, key: NodeKey, with_values: bool) -> dict[str, Any]:
    ends: dict[str, Any] = {"head": decision.head, "tail": decision.tail}
    if key.property == INTERNAL_ID:
        ends = {part: _number(name) for part, name in ends.items()}
    return ends | ({name: getattr(decision, name) for name in _PROPERTIES} if with_values else {})


def _number(name: str) -> int:
    if not (name.isascii() and name.isdecimal() and len(name) <= _NUMBER_DIGITS):
        raise InputError(f"{shorten(name)!r} is not an internal number of Neo4j; give another property by --node-key")
    return int(name)


def _literal(value: Any) -> str:
    """A value as Cypher writes it."""
    if value is None:
        return "null"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_literal(one)}" for name, one in value.items()) + "}"
    if isinstance(value, str):
        text = value.translate(_ESCAPES).replace("\\\\u", "\\\\' + 'u")  # some versions replace \u escapes first
        return f"'{text}'"
    return repr(value)
