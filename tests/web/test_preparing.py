"""A large graph is searched at once, while the index of all its names is built."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from faan.base import OnProgress, ignore_progress
from faan.graph import Graph, read_graph, save_graph
from faan.web import preparing
from faan.web.app import create_app
from faan.web.naming import Naming
from faan.web.preparing import prepared_search
from faan.web.search import PreparingError, Search
from faan.web.search_index import open_search, prepare

from .conftest import MakeService


class Builder:
    """Builds indexes when it is told to."""

    def __init__(self) -> None:
        self.go, self.built, self.indexes = threading.Event(), threading.Event(), list[Path]()

    def prepare(self, graph: Graph, path: Path, on_progress: OnProgress) -> None:
        self.go.wait(60)
        prepare(graph, path, on_progress)
        self.indexes.append(path)


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Builder]:
    made = Builder()
    monkeypatch.setattr(preparing, "prepare", made.prepare)
    monkeypatch.setattr(preparing, "FIRST", 2)
    yield made
    made.go.set()


@pytest.fixture
def graph() -> Graph:
    rows = [(f"Old Town {i}", "lies in", "Old Land") for i in range(9)]
    return read_graph([*rows, ("Old Town 0", "twin of", "Old Town 1"), ("Old Town 0", "twin of", "Old Town 2")])


def found(search: Search, text: str) -> list[str]:
    return [one.name for one in search.find(text, limit=20)]


def test_important_entities_are_found_at_once_and_all_when_the_index_is_built(
    graph: Graph, tmp_path: Path, builder: Builder
) -> None:
    path = tmp_path / "entities.sqlite"
    save_graph(graph, tmp_path / "graph")
    with prepared_search(graph, path, ignore_progress, builder.built.set) as search:
        assert not search.is_complete
        assert found(search, "old") == ["Old Land", "Old Town 0"]
        assert found(search, "Old Town 7") == ["Old Town 7"]  # by its whole name
        assert found(search, "towm") == ["Old Town 0"]
        builder.go.set()
        assert builder.built.wait(60)
        assert search.is_complete
        whole = open_search(graph, tmp_path / "other.sqlite")
        for text in ("old", "towm", "town 7", "Old Town 7", "lan", ""):
            assert search.find(text) == whole.find(text)
        assert len(found(search, "old")) == 10
    with prepared_search(graph, path, ignore_progress) as again:
        assert again.is_complete
        assert builder.indexes == [path]
        assert found(again, "old town 7") == ["Old Town 7"]


def test_an_index_that_is_there_is_not_built_again(graph: Graph, tmp_path: Path, builder: Builder) -> None:
    path = tmp_path / "entities.sqlite"
    open_search(graph, path).close()
    written = path.stat().st_mtime_ns
    builder.go.set()
    with prepared_search(graph, path, ignore_progress, builder.built.set) as search:
        assert builder.built.wait(60)
        assert len(found(search, "old")) == 10
    assert path.stat().st_mtime_ns == written


def test_a_folder_that_cannot_be_written_gets_a_temporary_index(graph: Graph, tmp_path: Path, builder: Builder) -> None:
    builder.go.set()
    with prepared_search(graph, tmp_path / "nowhere" / "entities.sqlite", ignore_progress, builder.built.set) as search:
        assert builder.built.wait(60)
        assert len(found(search, "old")) == 10
    assert list(tmp_path.iterdir()) == []


def test_a_server_that_is_stopped_meanwhile_leaves_no_index_behind(
    graph: Graph, tmp_path: Path, builder: Builder
) -> None:
    path = tmp_path / "entities.sqlite"
    with prepared_search(graph, path, ignore_progress, builder.built.set):
        threading.Timer(0.1, builder.go.set).start()  # it begins to build after it was stopped
    assert not builder.built.is_set()
    assert list(tmp_path.iterdir()) == []


def test_an_index_that_cannot_be_built_leaves_the_first_one(
    graph: Graph, tmp_path: Path, builder: Builder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    tried = threading.Event()

    def broken(graph: Graph, path: Path, on_progress: OnProgress) -> None:
        tried.set()
        raise OSError("no space left")

    monkeypatch.setattr(preparing, "prepare", broken)
    with prepared_search(graph, tmp_path / "entities.sqlite", ignore_progress) as search:
        assert tried.wait(60)
        assert found(search, "old") == ["Old Land", "Old Town 0"]
    assert "entities with few edges are found by whole names only" in caplog.text  # its thread has ended


def test_pages_and_programs_are_told_that_the_index_is_being_built(
    graph: Graph, tmp_path: Path, builder: Builder, make_service: MakeService
) -> None:
    with prepared_search(graph, tmp_path / "entities.sqlite", ignore_progress, builder.built.set) as search:
        client = TestClient(create_app(make_service(graph, Naming(graph, search))), base_url="http://localhost")
        answer = client.get("/api/entities", params={"q": "old"}).json()
        assert ([one["name"] for one in answer["entities"]], answer["complete"]) == (["Old Land", "Old Town 0"], False)
        refused = client.get("/reconcile", params={"queries": '{"q0": {"query": "Old Town 7"}}'})
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "30")
        with pytest.raises(PreparingError):
            search.candidates("Old Town 7", 5, set())
        builder.go.set()
        assert builder.built.wait(60)
        assert client.get("/api/entities", params={"q": "old"}).json()["complete"] is True
        answer = client.get("/reconcile", params={"queries": '{"q0": {"query": "Old Town 7"}}'}).json()
        assert answer["q0"]["result"][0]["id"] == "Old Town 7"
