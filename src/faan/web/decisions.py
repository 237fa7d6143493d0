"""The decisions of reviewers, in an SQLite file: a decision is on the disk before it is acknowledged.

Nothing is ever changed or deleted. Each decision and each undo is an event; the current decision about a fact is its
last one that was not undone.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import Any

from faan.base import InputError
from faan.web import decisions_file
from faan.web.decision import (
    VERDICTS,
    ConflictError,
    Decision,
    FactState,
    LockedError,
    NewDecision,
    Tally,
    UnknownDecisionError,
    Verdict,
)
from faan.web.decisions_file import COLUMNS
from faan.web.sqlite import Readers, Writer, check_regular, connect, in_words

DECISIONS_FILE = "decisions.sqlite"
_STANDING = f"SELECT {COLUMNS} FROM standing WHERE relation = ? AND head = ? AND tail = ? ORDER BY id DESC LIMIT 1"


class Decisions:
    """The decisions of a file; may be used by many threads, and by many processes at once."""

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = Path(path)
        if not create and not self.path.is_file():
            raise InputError(
                "there are no decisions: nothing was reviewed yet; `faan serve` opens the review page",
                source=str(self.path),
            )
        check_regular(self.path)
        try:
            self._writer = Writer(self.path)
            try:
                self._prepare(self._writer.connection)
            except BaseException:
                self._writer.close()
                raise
        except LockedError as error:
            raise InputError(str(error), source=str(self.path)) from None
        except sqlite3.Error as error:
            raise InputError(
                f"cannot be used as a file of decisions ({error}); choose another file with --decisions FILE",
                source=str(self.path),
            ) from None
        self._readers = Readers(partial(connect, self.path))

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Check that the file holds decisions; create the tables of an empty one, upgrade an older one."""
        if decisions_file.is_empty(connection):
            with self._writer.transaction():
                if decisions_file.is_empty(connection):  # no other process was faster
                    decisions_file.create(connection)
        decisions_file.check(connection, self.path)
        if decisions_file.is_old(connection):
            with self._writer.transaction():
                decisions_file.check(connection, self.path)
                if decisions_file.is_old(connection):
                    decisions_file.upgrade(connection)
        if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):  # in which readers wait for no writer
            connection.execute("PRAGMA journal_mode = WAL")

    def close(self) -> None:
        """Let the file go."""
        self._readers.close()
        self._writer.close()

    def __del__(self) -> None:
        if hasattr(self, "_readers"):
            self.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._writer.transaction() as connection:
                yield connection
        except sqlite3.Error as error:
            raise in_words(error, self.path) from None

    def _read(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._readers.query(query, values)
        except sqlite3.Error as error:
            raise in_words(error, self.path) from None

    @property
    def identity(self) -> str:
        """The random id of this file."""
        return str(self._read("SELECT value FROM about WHERE name = 'id'")[0][0])

    @property
    def last(self) -> int:
        """The number of the last event."""
        return int(self._read("SELECT coalesce(max(id), 0) FROM event")[0][0])

    def decide(self, new: NewDecision) -> Decision:
        """Save a decision; returns when it is on the disk."""
        fact = (new.relation, new.head, new.tail)
        with self._writing() as connection:
            if new.key is not None:
                again = connection.execute(f"SELECT {COLUMNS} FROM told WHERE key = ?", (new.key,)).fetchone()
                if again is not None:
                    return _same(_decision(again), new)
            standing = _standing(connection, fact)
            if new.seen is not None and new.seen != (standing.id if standing else 0):
                raise ConflictError(_meanwhile(standing), standing)
            values = (_now(), new.reviewer, *fact, new.verdict, new.probability, new.score, new.rank)
            cursor = connection.execute(
                "INSERT INTO event (key, time, reviewer, relation, head, tail, verdict, probability, score, rank, "
                "examples, model) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (new.key, *values, new.examples, new.model),
            )
            number = cursor.lastrowid or 0
            if new.reasons:
                kept = json.dumps(new.reasons, ensure_ascii=False)
                connection.execute("INSERT INTO shown (event, reasons) VALUES (?, ?)", (number, kept))
            return Decision(number, *values, tuple(new.reasons), new.examples, new.model)

    def undo(self, number: int, reviewer: str) -> FactState:
        """Undo a decision; the one before it is current again. Undoing it twice has no further effect."""
        with self._writing() as connection:
            row = connection.execute(
                f"SELECT {COLUMNS} FROM told WHERE id = ? AND verdict != 'undone'", (number,)
            ).fetchone()
            if row is None:
                raise UnknownDecisionError(f"there is no decision {number}")
            decision = _decision(row)
            fact = (decision.relation, decision.head, decision.tail)
            undone = connection.execute("SELECT id FROM event WHERE undoes = ?", (number,)).fetchone()
            if undone is None:
                standing = _standing(connection, fact)
                if standing is None or standing.id != number:
                    raise ConflictError(_meanwhile(standing), standing)
                cursor = connection.execute(
                    "INSERT INTO event (time, reviewer, relation, head, tail, verdict, examples, model, undoes) "
                    "VALUES (?, ?, ?, ?, ?, 'undone', '{}', '', ?)",
                    (_now(), reviewer, *fact, number),
                )
                undone = (cursor.lastrowid,)
            return FactState(*fact, changed=undone[0], decision=_standing(connection, fact))

    def changes(self, relation: str | None = None, after: int = 0, limit: int = 1000) -> list[FactState]:
        """Facts that were decided or undone after an event, with their current decisions, oldest change first."""
        rows = self._read(
            f"""SELECT changed.relation, changed.head, changed.tail, changed.changed, {_of("current")} FROM (
                    SELECT relation, head, tail, max(id) AS changed FROM event
                    WHERE id > ? AND (? IS NULL OR relation = ?) GROUP BY relation, head, tail
                    ORDER BY changed LIMIT ?) AS changed
                LEFT JOIN current USING (relation, head, tail) ORDER BY changed.changed""",
            (after, relation, relation, limit),
        )
        return [
            FactState(row[0], row[1], row[2], row[3], None if row[4] is None else _decision(row[4:])) for row in rows
        ]

    def current(
        self, relation: str | None = None, verdicts: tuple[Verdict, ...] = VERDICTS, until: int | None = None
    ) -> list[Decision]:
        """The current decisions, oldest first; with `until` only those up to that event."""
        marks = ", ".join("?" * len(verdicts))
        rows = self._read(
            f"SELECT {COLUMNS} FROM current WHERE verdict IN ({marks}) AND (? IS NULL OR relation = ?) "
            "AND (? IS NULL OR id <= ?) ORDER BY id",
            (*verdicts, relation, relation, until, until),
        )
        return [_decision(row) for row in rows]

    def past(self, relation: str | None = None, before: int | None = None, limit: int = 100) -> list[Decision]:
        """The current decisions, the latest first; with `before` only those older than that event."""
        rows = self._read(
            f"SELECT {COLUMNS} FROM current WHERE (? IS NULL OR relation = ?) AND (? IS NULL OR id < ?) "
            "ORDER BY id DESC LIMIT ?",
            (relation, relation, before, before, limit),
        )
        return [_decision(row) for row in rows]

    def relations(self) -> list[str]:
        """The relations that have decisions."""
        return [row[0] for row in self._read("SELECT DISTINCT relation FROM event ORDER BY relation")]

    def of_fact(self, relation: str, head: str, tail: str) -> Decision | None:
        """The current decision about a fact."""
        rows = self._read(_STANDING, (relation, head, tail))
        return _decision(rows[0]) if rows else None

    def tally(self, relation: str | None = None) -> Tally:
        """How many facts were accepted, rejected and skipped, and how many the model expected to be accepted."""
        (row,) = self._read(
            """SELECT coalesce(sum(verdict = 'accepted'), 0), coalesce(sum(verdict = 'rejected'), 0),
                   coalesce(sum(verdict = 'skipped'), 0), avg(CASE WHEN verdict != 'skipped' THEN probability END)
               FROM current WHERE ? IS NULL OR relation = ?""",
            (relation, relation),
        )
        accepted, rejected, skipped, expected = row
        precision = accepted / (accepted + rejected) if accepted + rejected else None
        return Tally(accepted, rejected, skipped, precision, expected)


def _decision(row: tuple[Any, ...]) -> Decision:
    """A row of COLUMNS."""
    *told, examples, model, reasons = row
    return Decision(*(*told, tuple(json.loads(reasons)), examples, model))


def _of(table: str) -> str:
    return ", ".join(f"{table}.{column}" for column in COLUMNS.split(", "))


def _standing(connection: sqlite3.Connection, fact: tuple[str, str, str]) -> Decision | None:
    row = connection.execute(_STANDING, fact).fetchone()
    return None if row is None else _decision(row)


def _same(stored: Decision, new: NewDecision) -> Decision:
    """The decision of an earlier call with the same key, if both are the same."""
    given = (new.reviewer, new.relation, new.head, new.tail, new.verdict)
    if (stored.reviewer, stored.relation, stored.head, stored.tail, stored.verdict) != given:
        raise ConflictError("the key was used for another decision; use a new key for each decision", stored)
    return stored


def _meanwhile(standing: Decision | None) -> str:
    if standing is None:
        return "the decision was undone meanwhile; look again and decide"
    return f"{standing.reviewer} {standing.verdict} this meanwhile; look again and decide"


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")
