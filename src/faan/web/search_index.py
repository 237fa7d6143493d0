"""Builds the index for searching entities."""

from __future__ import annotations

import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np

from faan.base import Checked, InputError, Ints, OnProgress, atomic_file, ignore_progress
from faan.complete import GRAPH_FOLDER
from faan.graph import Graph
from faan.web.search import SHORT, Search, local_part, open_index, words_of
from faan.web.sqlite import schema_by, schema_of

_VERSION = 3
_BATCH = 20_000
_STEPS = 10_000  # of SQLite between two reports of progress
_BUILDING = "building the index of names"  # as progress calls it
_LETTERS = 60  # how many different letters are tried in the place of a wrong one
_SCHEMA = (
    "CREATE TABLE about (version INTEGER, graph TEXT, letters TEXT, content INTEGER)",
    "CREATE TABLE entity (id INTEGER PRIMARY KEY, entity INTEGER NOT NULL)",
    "CREATE VIRTUAL TABLE text USING fts5(words, content='', columnsize=0, detail=none, tokenize='ascii', "
    f"prefix='{' '.join(map(str, range(1, SHORT + 1)))}')",
    "CREATE VIRTUAL TABLE word USING fts5vocab(text, 'instance')",
)


def open_search(graph: Graph, path: Path, on_progress: OnProgress = ignore_progress) -> Search:
    """The index in a file; it is built if there is none, or one of another graph."""
    prepare(graph, path, on_progress)
    return Search(graph, path)


def open_first(graph: Graph, path: Path, count: int) -> Search:
    """An index of the entities with most edges, in a new file; to search while that of all is built."""
    _build(graph, path, ignore_progress, count)
    return Search(graph, path, complete=False)


def is_prepared(path: Path) -> bool:
    """Whether an index was built or looked through before, on this machine, and has not changed since."""
    return _checked(path).is_known and not path.is_symlink()


def prepare(graph: Graph, path: Path, on_progress: OnProgress = ignore_progress) -> None:
    """Build the index in a file if there is none, or one of another graph.

    One in a model folder is not looked through again unless it or the graph beside it has changed. What `on_progress`
    raises ends it, and nothing is written.
    """
    if is_prepared(path):
        return
    checked = _checked(path)
    if not _fits(graph, path):
        try:
            with atomic_file(path) as part:
                _build(graph, part, on_progress)
        except (OSError, sqlite3.Error) as error:
            raise InputError(f"the index of entities cannot be written ({error})", source=str(path)) from None
        checked = _checked(path)
    checked.remember()


def _checked(path: Path) -> Checked:
    return Checked(path.parent, (path.name, GRAPH_FOLDER) if (path.parent / GRAPH_FOLDER).is_dir() else ())


def _fits(graph: Graph, path: Path) -> bool:
    """Whether an index is one that faan built of this graph, unchanged.

    A forged index can pass. It can change which entities a search finds, but only to other entities of the graph.
    """
    if path.is_symlink() or not path.is_file():
        return False
    try:
        with closing(open_index(path)) as connection:
            if schema_of(connection) != schema_by(_SCHEMA):
                return False
            ((letters, *about),) = connection.execute("SELECT letters, version, graph, content FROM about")
            rows = connection.execute("SELECT id, entity FROM entity ORDER BY id").fetchall()
            return (
                about == [_VERSION, _fingerprint(graph), _content(connection)]
                and isinstance(letters, str)
                and rows == list(enumerate(_order(graph).tolist()))
            )
    except (sqlite3.Error, OSError, ValueError):
        return False


def _order(graph: Graph, most: int | None = None) -> Ints:
    """The entities as the index numbers them, all or the first ones: those with most edges first, then by number."""
    degrees, count = graph.neighbours.degrees, graph.num_entities
    keys = (degrees.max(initial=0) - degrees).astype(np.uint64) << np.uint64(32) | np.arange(count, dtype=np.uint64)
    if most is not None and most < count:
        keys = np.partition(keys, most)[:most]
    return (np.sort(keys) & np.uint64(0xFFFFFFFF)).astype(np.int64)


def _content(connection: sqlite3.Connection) -> int:
    """A checksum of the lists of words."""
    found = 0
    for table, columns in (("text_config", "k, v"), ("text_data", "id, block"), ("text_idx", "segid, term, pgno")):
        for row in connection.execute(f"SELECT {columns} FROM {table} ORDER BY 1, 2"):
            for value in row:
                found = zlib.crc32(value if isinstance(value, bytes) else str(value).encode(), found)
    return found


def _fingerprint(graph: Graph) -> str:
    """A checksum of the entities and their order."""
    names, labels = graph.entity_names, graph.entity_labels
    checks = [zlib.crc32(column.data.tobytes()) for column in (names, labels) if column is not None]
    return f"{graph.num_entities} {graph.num_triples} {checks}"


def _build(graph: Graph, path: Path, on_progress: OnProgress, most: int | None = None) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = OFF")  # written atomically
        connection.execute("PRAGMA synchronous = OFF")
        for statement in _SCHEMA:
            connection.execute(statement)
        # Much is collected in memory before it is written: fewer parts to merge at the end.
        connection.execute("INSERT INTO text (text, rank) VALUES ('hashsize', 67108864)")
        order = _order(graph, most)
        letters: Counter[str] = Counter()
        connection.execute("BEGIN")
        for start in range(0, len(order), _BATCH):
            rows = list(enumerate(order[start : start + _BATCH].tolist(), start))
            connection.executemany("INSERT INTO entity VALUES (?, ?)", rows)
            texts = list(_texts(graph, rows))
            connection.executemany("INSERT INTO text (rowid, words) VALUES (?, ?)", texts)
            letters.update("".join(text for _, text in texts))
            on_progress(_BUILDING, 0.9 * start / len(order))
        connection.set_progress_handler(lambda: on_progress(_BUILDING, 0.9), _STEPS)  # an exception in it ends the work
        connection.execute("INSERT INTO text (text) VALUES ('optimize')")
        connection.set_progress_handler(None, 0)
        connection.execute("COMMIT")
        about = (_VERSION, _fingerprint(graph), _most_frequent(letters), _content(connection))
        connection.execute("INSERT INTO about VALUES (?, ?, ?, ?)", about)
        on_progress(_BUILDING, 1.0)
    finally:
        connection.close()


def _texts(graph: Graph, rows: list[tuple[int, int]]) -> Iterator[tuple[int, str]]:
    """The words of each entity: of its label and of its name, of an IRI only the last part."""
    names, labels = graph.entity_names, graph.entity_labels
    for row, entity in rows:
        text = local_part(names[entity])
        if labels is not None and labels[entity] != text:
            text = f"{labels[entity]} {text}"
        yield row, " ".join(words_of(text))


def _most_frequent(letters: Counter[str]) -> str:
    """The letters that the words of all entities consist of, the most frequent first."""
    del letters[" "]
    return "".join(letter for letter, _ in letters.most_common(_LETTERS))
