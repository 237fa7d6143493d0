"""SQLite files for many threads: readers never wait, one thread writes, errors say what to do."""

from __future__ import annotations

import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from faan.base import InputError
from faan.web.decision import DamagedError, LockedError, StorageError

PATIENCE = 5.0  # seconds that a writer waits for another program that has the file locked
_READERS = 16  # connections at most: each takes open files
_SIDE_FILES = ("-wal", "-shm", "-journal")
_SUPER_JOURNAL = bytes.fromhex("d9d505f920a163d7")  # ends a journal that names another file, which SQLite would delete


class Readers:
    """Connections for reading, each used by one thread at a time."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._places = threading.Semaphore(_READERS)

    def query(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self._places:
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect()
            try:
                return connection.execute(query, values).fetchall()
            finally:
                self._idle.append(connection)
                if self._closed:  # meanwhile, by another thread
                    self.close()

    def close(self) -> None:
        """Close all connections; one that is in use is closed at the end of its query."""
        self._closed = True
        with suppress(IndexError):
            while True:
                self._idle.pop().close()


class Writer:
    """The connection for writing, used by one thread at a time."""

    def __init__(self, path: Path) -> None:
        self.path, self.connection = path, connect(path)
        self._lock = threading.Lock()

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction; it is on the disk at the end."""
        until = time.monotonic() + PATIENCE
        if not self._lock.acquire(timeout=PATIENCE):  # another thread waits for the same lock of another program
            raise locked(self.path)
        try:
            self.connection.execute(f"PRAGMA busy_timeout = {max(0, int((until - time.monotonic()) * 1000))}")
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            finally:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
        finally:
            self._lock.release()

    def close(self) -> None:
        """Let the file go."""
        with self._lock:
            self.connection.close()


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a file that others may have written: its schema may not call functions with side effects."""
    connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def check_regular(path: Path) -> None:
    """Refuse what a stranger could have put in the place of a file: links to other files, pipes, strange journals."""
    for place in (path, *(path.with_name(path.name + ending) for ending in _SIDE_FILES)):
        try:
            mode = place.lstat().st_mode
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(mode):
            raise InputError(
                "is a link or something else that is not a file; name the file itself with --decisions FILE",
                source=str(place),
            )
    journal = path.with_name(f"{path.name}-journal")
    if journal.exists() and _ending(journal, len(_SUPER_JOURNAL)) == _SUPER_JOURNAL:
        raise InputError(
            "is a journal that names other files, which faan does not write; remove it", source=str(journal)
        )


def _ending(path: Path, size: int) -> bytes:
    """The last bytes of a file, however large it is."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - size))
        return file.read(size)


def locked(path: Path) -> LockedError:
    """The error for a file that another program keeps locked."""
    return LockedError(
        f"{path.name} is locked: another program has been writing to it for {PATIENCE:g} seconds. Nothing was decided; "
        "end that program, or its transaction, and try again"
    )


def in_words(error: sqlite3.Error, path: Path) -> StorageError:
    """What went wrong with a file, without the folders that it is in: the answer may go to another machine."""
    text = str(error)
    if "locked" in text or "busy" in text:
        return locked(path)
    if "malformed" in text or "not a database" in text or "UTF-8" in text or "no such" in text:
        return DamagedError(
            f"{path.name} is damaged ({text}). Stop the server, put a copy of the file back or move the file away, "
            "and start the server again"
        )
    return StorageError(
        f"nothing was decided: {path.name} cannot be written ({text}). Make sure that the disk has room and that the "
        "file may be written, then try again"
    )


def schema_of(connection: sqlite3.Connection) -> set[tuple[str, ...]]:
    """All tables, indexes, views and triggers of a database, with the statements that made them."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return {tuple(map(str, row)) for row in rows}


def schema_by(statements: Iterable[str]) -> set[tuple[str, ...]]:
    """The schema that some statements make."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in statements:
            connection.execute(statement)
        return schema_of(connection)
