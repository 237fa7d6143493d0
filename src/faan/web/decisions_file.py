"""The file of decisions: its schema, and checks that a file is as faan writes it."""

from __future__ import annotations

import json
import re
import sqlite3
import uuid
from pathlib import Path

from faan.base import InputError
from faan.web.limits import MAX_EVENT
from faan.web.sqlite import schema_by, schema_of

_KEPT = "id, time, reviewer, relation, head, tail, verdict, probability, score, rank, examples, model"
COLUMNS = f"{_KEPT}, reasons"
_APPLICATION = 0x6661616E  # "faan": tells our files from other SQLite files
_VERSION = 2
_MAX_FILE = 1 << 32  # bytes
_MAX_TEXT, _MAX_EXAMPLES, _MAX_REASONS = 1 << 18, 1 << 26, 1 << 18  # bytes of a name; of what a decision keeps
_TABLES = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT UNIQUE,              -- the caller's own, so that asking twice decides once
    time TEXT NOT NULL,           -- UTC
    reviewer TEXT NOT NULL,
    relation TEXT NOT NULL,
    head TEXT NOT NULL,
    tail TEXT NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('accepted', 'rejected', 'skipped', 'undone')),
    probability REAL,
    score REAL,
    rank INTEGER,
    examples TEXT NOT NULL,       -- JSON: what the suggestion was asked with
    model TEXT NOT NULL,
    undoes INTEGER REFERENCES event (id)
);
CREATE INDEX of_fact ON event (relation, head, tail, id);
CREATE UNIQUE INDEX of_undone ON event (undoes) WHERE undoes IS NOT NULL;
"""
_SHOWN = """
CREATE TABLE shown (
    event INTEGER PRIMARY KEY REFERENCES event (id),
    reasons TEXT NOT NULL         -- JSON: the sentences that the reviewer was shown
);
CREATE VIEW told AS SELECT event.*, coalesce(shown.reasons, '[]') AS reasons
    FROM event LEFT JOIN shown ON shown.event = event.id;
"""


def _views(columns: str, source: str) -> str:
    """Views of the decisions that were not undone, and of the current one of each fact."""
    return f"""
CREATE VIEW standing AS SELECT {columns} FROM {source}
    WHERE verdict != 'undone' AND id NOT IN (SELECT undoes FROM event WHERE undoes IS NOT NULL);
CREATE VIEW current AS SELECT {columns} FROM standing AS s WHERE NOT EXISTS (
    SELECT 1 FROM standing AS later
    WHERE later.relation = s.relation AND later.head = s.head AND later.tail = s.tail AND later.id > s.id);
"""


def _statements(script: str) -> list[str]:
    return [statement for statement in script.split(";\n") if statement.strip()]


_SCHEMAS = {  # by version; the first one kept no reasons
    1: _statements(_TABLES + _views(_KEPT, "event")),
    _VERSION: _statements(_TABLES + _SHOWN + _views(COLUMNS, "told")),
}
_FROM_FIRST = ["DROP VIEW current", "DROP VIEW standing", *_statements(_SHOWN + _views(COLUMNS, "told"))]


def _is_text(column: str, most: int = _MAX_TEXT) -> str:
    return f"typeof({column}) = 'text' AND length(CAST({column} AS BLOB)) <= {most}"


_RIGHT = {  # the condition of each column of an event
    "id": f"id BETWEEN 1 AND {MAX_EVENT}",
    "key": f"key IS NULL OR ({_is_text('key')})",
    "time": f"{_is_text('time', 40)} AND time GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9]*'",
    **{name: _is_text(name) for name in ("reviewer", "relation", "head", "tail", "model")},
    "verdict": "verdict IN ('accepted', 'rejected', 'skipped', 'undone')",
    "probability": "probability IS NULL OR (typeof(probability) = 'real' AND probability BETWEEN 0 AND 1)",
    "score": "score IS NULL OR (typeof(score) = 'real' AND abs(score) < 9e999)",
    "rank": f"rank IS NULL OR (typeof(rank) = 'integer' AND rank BETWEEN 1 AND {MAX_EVENT})",
    "examples": _is_text("examples", _MAX_EXAMPLES),
    "undoes": "(undoes IS NOT NULL) = (verdict = 'undone')",
}
_WRONG_UNDOING = """
SELECT undoing.id FROM event AS undoing LEFT JOIN event AS undone ON undone.id = undoing.undoes
WHERE undoing.undoes IS NOT NULL AND NOT coalesce(
    undone.id < undoing.id AND undone.verdict != 'undone'
    AND (undone.relation, undone.head, undone.tail) = (undoing.relation, undoing.head, undoing.tail), 0)
LIMIT 1
"""
_WRONG_REASONS = f"""
SELECT count(*) FROM shown LEFT JOIN event ON event.id = shown.event
WHERE NOT coalesce(event.verdict != 'undone' AND {_is_text("reasons", _MAX_REASONS)}, 0)
"""


def is_empty(connection: sqlite3.Connection) -> bool:
    """Whether a database is empty, without a schema."""
    return not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]


def create(connection: sqlite3.Connection) -> None:
    """Create the tables of decisions in an empty database."""
    for statement in _SCHEMAS[_VERSION]:
        connection.execute(statement)
    connection.execute("INSERT INTO about VALUES ('id', ?)", (uuid.uuid4().hex,))
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {_VERSION}")


def is_old(connection: sqlite3.Connection) -> bool:
    """Whether an earlier version of faan wrote the file."""
    return _version(connection) < _VERSION


def upgrade(connection: sqlite3.Connection) -> None:
    """Add the table of reasons to a checked file of the first version; its events stay."""
    for statement in _FROM_FIRST:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {_VERSION}")


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse a file that faan would not have written: other tables, triggers, values of another type or range."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    version = _version(connection)
    if application != _APPLICATION:
        raise InputError("is not a file of decisions; choose another with --decisions FILE", source=str(path))
    if version > _VERSION:
        raise InputError(
            f"was written by a newer version of faan (format {version}, this one reads {_VERSION})", source=str(path)
        )
    problem = _problem(connection, path, version)
    if problem:
        raise InputError(
            f"is not as faan writes decisions ({problem}). Do not trust it: put a copy back, or choose another file "
            "with --decisions FILE",
            source=str(path),
        )


def _problem(connection: sqlite3.Connection, path: Path, version: int) -> str | None:
    """The first problem of a file; a million decisions take a few seconds."""
    if path.stat().st_size > _MAX_FILE:
        return f"it is larger than {_MAX_FILE:,} bytes"
    if version not in _SCHEMAS:
        return f"there is no format {version}"
    if strange := schema_of(connection) ^ schema_by(_SCHEMAS[version]):
        return f"its schema differs in {min(name for _, name, *_ in strange)}"
    (sound,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if sound != "ok":
        return f"it is damaged: {sound}"
    found = connection.execute("SELECT name, value FROM about").fetchall()
    if [name for name, _ in found] != ["id"] or not re.fullmatch("[0-9a-f]{32}", str(found[0][1])):
        return "its id is not one that faan writes"
    (next_ids,) = connection.execute("SELECT count(*) FROM sqlite_sequence WHERE name != 'event'").fetchone()
    (last,) = connection.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence").fetchone()
    if next_ids or not isinstance(last, int) or not 0 <= last <= MAX_EVENT:
        return "it does not say which number the next decision has"
    return _wrong_event(connection) or (_wrong_reasons(connection) if version > 1 else None)


def _wrong_event(connection: sqlite3.Connection) -> str | None:
    counts = ", ".join(f"total(({right}) IS NOT 1)" for right in _RIGHT.values())
    for name, count in zip(_RIGHT, connection.execute(f"SELECT {counts} FROM event").fetchone(), strict=True):
        if count:
            return f"{name} has impossible values"
    wrong = connection.execute(_WRONG_UNDOING).fetchone()
    if wrong is not None:
        return f"event {wrong[0]} undoes something that is not a decision"
    for _ in connection.execute("SELECT key, time, reviewer, relation, head, tail, examples, model FROM event"):
        pass  # raises where a text is not UTF-8
    return None


def _wrong_reasons(connection: sqlite3.Connection) -> str | None:
    """Reasons belong to decisions, and are lists of texts."""
    (wrong,) = connection.execute(_WRONG_REASONS).fetchone()
    if wrong or not all(_are_texts(reasons) for (reasons,) in connection.execute("SELECT reasons FROM shown")):
        return "reasons are not as faan writes them"
    return None


def _are_texts(written: str) -> bool:
    try:
        found = json.loads(written)
        if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
            return False
        "".join(found).encode()  # JSON can hold half a character (\ud800), an answer in UTF-8 cannot
    except (ValueError, RecursionError):
        return False
    return True
