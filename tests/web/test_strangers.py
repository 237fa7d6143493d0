"""Files that a stranger put into a model folder: decisions and the index of entities."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from faan.base import InputError
from faan.graph import Graph, read_graph
from faan.web.decision import DamagedError, NewDecision
from faan.web.decisions import Decisions
from faan.web.search_index import open_search
from faan.web.server import service_of
from faan.web.sqlite import schema_of

from .conftest import TRIPLES

PERU = NewDecision("Ana", "currency", "Peru", "Sol", "accepted", 0.9, 2.5, 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a decision, a decision that was undone, and its undoing."""
    path = tmp_path / "decisions.sqlite"
    with closing(Decisions(path)) as decisions:
        decisions.decide(PERU)
        decisions.undo(decisions.decide(NewDecision("Ana", "currency", "Japan", "Yen", "rejected")).id, "Bo")
    return path


def refused(path: Path, statement: str) -> str:
    """Why a file is refused that was changed by a statement."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(f"PRAGMA writable_schema = ON; PRAGMA ignore_check_constraints = ON; {statement}")
    with pytest.raises(InputError) as error:
        Decisions(path)
    return str(error.value)


def test_a_file_that_nobody_changed_is_opened(path: Path) -> None:
    with closing(Decisions(path)) as decisions:
        assert decisions.last == 3


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON event BEGIN UPDATE event SET verdict = 'accepted' WHERE id = new.id; END",
        "CREATE TABLE other (x)",
        "CREATE VIEW other AS SELECT * FROM event",
        "CREATE INDEX other ON event (head)",
        "DROP VIEW current; CREATE VIEW current AS SELECT * FROM event",
        "DROP INDEX of_undone",
        "UPDATE sqlite_master SET sql = replace(sql, 'REAL', 'BLOB') WHERE name = 'event'",
    ],
)
def test_another_schema_is_refused(path: Path, statement: str) -> None:
    assert "is not as faan writes decisions" in refused(path, statement)


@pytest.mark.parametrize(
    "change",
    [
        *(f"{name} = x'ff00'" for name in ("head", "tail", "relation", "reviewer", "time", "examples", "model", "key")),
        "head = CAST(x'ff' AS TEXT)",
        "time = 'yesterday'",
        "probability = 2",
        "probability = 'high'",
        "score = 9e999",
        "rank = 0",
        "rank = 1.5",
        "verdict = 'maybe'",
        "id = -1",
        "id = 9007199254740993",
        "undoes = 1",
        "head = printf('%.300000c', 'a')",
    ],
)
def test_values_that_cannot_be_are_refused(path: Path, change: str) -> None:
    assert "decisions" in refused(path, f"UPDATE event SET {change} WHERE id = 1")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET undoes = 3 WHERE id = 3",
        "UPDATE event SET undoes = 1 WHERE id = 3",
        "UPDATE event SET undoes = 99 WHERE id = 3",
        "UPDATE sqlite_sequence SET seq = 9223372036854775807",
        "UPDATE sqlite_sequence SET seq = 'many'",
        "UPDATE about SET value = 'a b'",
        "DELETE FROM about",
    ],
)
def test_numbers_that_do_not_fit_together_are_refused(path: Path, statement: str) -> None:
    assert "is not as faan writes decisions" in refused(path, statement)


def test_an_index_that_hides_decisions_is_refused(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'of_fact'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size + 3)
        file.write(b"\0\0")  # it has no entries
    with pytest.raises(InputError, match="is not as faan writes decisions"):
        Decisions(path)


def test_links_and_pipes_are_not_followed(path: Path, model: Path) -> None:
    stored = model / "decisions.sqlite"
    stored.symlink_to(path)
    with pytest.raises(InputError, match="is a link or something else"), service_of(model):
        pass
    with service_of(model, stored) as service:  # whoever names it wants it
        assert service.decisions.last == 3
    stored.unlink()
    os.mkfifo(stored)
    with pytest.raises(InputError, match="is a link or something else"), service_of(model):
        pass


def test_a_journal_that_would_delete_another_file_is_refused(path: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("precious")
    name = str(precious).encode()
    tail = name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big") + bytes.fromhex("d9d505f920a163d7")
    path.with_name(f"{path.name}-journal").write_bytes(bytes.fromhex("d9d505f920a163d7") + b"\0" * 504 + tail)
    with pytest.raises(InputError, match="journal that names other files"):
        Decisions(path)
    assert precious.exists()


@pytest.fixture
def graph() -> Graph:
    return read_graph(TRIPLES)


@contextmanager
def changed(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        yield connection


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE entity SET entity = entity + 1000000",
        "UPDATE entity SET entity = 'Peru'",
        "UPDATE entity SET entity = 0",
        "DELETE FROM entity WHERE id > 3",
        "UPDATE about SET letters = x'ff'",
        "DELETE FROM about",
        "UPDATE text_data SET block = zeroblob(100000)",
        "UPDATE text_config SET v = 99 WHERE k = 'version'",
        "DROP TABLE entity; CREATE VIEW entity AS SELECT 1 AS id, 2 AS entity",
        "CREATE TABLE other (x)",
    ],
)
def test_an_index_that_is_not_ours_is_built_again(tmp_path: Path, graph: Graph, statement: str) -> None:
    path = tmp_path / "entities.sqlite"
    expected = open_search(graph, path).find("per")
    assert [found.name for found in expected] == ["Peru"]
    with changed(path) as connection:
        ours = schema_of(connection)
        connection.executescript(statement)
    assert open_search(graph, path).find("per") == expected
    with changed(path) as connection:
        assert schema_of(connection) == ours  # a table, view or trigger of somebody else is gone


def test_an_index_that_is_damaged_while_it_is_used_is_named(tmp_path: Path, graph: Graph) -> None:
    path = tmp_path / "entities.sqlite"
    search = open_search(graph, path)
    search.close()
    path.write_bytes(b"\xff" * path.stat().st_size)
    with pytest.raises(DamagedError, match=r"remove entities\.sqlite and start the server again"):
        search.find("per")
