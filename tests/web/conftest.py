"""What tests of the page share."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient

from faan.complete import Completer, fit
from faan.graph import Graph, read_graph
from faan.web.app import create_app
from faan.web.decisions import Decisions
from faan.web.search_index import open_search
from faan.web.service import Service

from tests.complete.conftest import facts
from tests.web.fake import FakeCompleter

TRIPLES = [
    ("France", "currency", "Euro"),
    ("Spain", "currency", "Euro"),
    ("Japan", "currency", "Yen"),
    ("Peru", "near", "Chile"),
    ("Chile", "near", "Peru"),
    ("Korea", "near", "Japan"),
    ("Italy", "near", "France"),
]

MakeService = Callable[..., Service]


@pytest.fixture
def make_service(tmp_path: Path) -> Iterator[MakeService]:
    opened: list[Decisions] = []

    def make(graph: Graph | None = None, **settings: Any) -> Service:
        graph = graph or read_graph(TRIPLES)
        decisions = Decisions(tmp_path / "decisions.sqlite")
        opened.append(decisions)
        completer = cast(Completer, FakeCompleter(graph))
        return Service(completer, open_search(graph, tmp_path / "entities.sqlite"), decisions, "test-model", **settings)

    yield make
    for decisions in opened:
        decisions.close()


@pytest.fixture(scope="session")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder; only to be copied."""
    folder = tmp_path_factory.mktemp("models") / "land"
    fit(read_graph(facts(), type_relations=["is"]), method="rules").save(folder)
    return folder


@pytest.fixture
def model(fitted: Path, tmp_path: Path) -> Path:
    """A model folder of a test's own."""
    folder = tmp_path / "land"
    shutil.copytree(fitted, folder)
    return folder


@pytest.fixture
def make_evil_model(tmp_path: Path) -> Path:
    """A model whose names would be scripts on a careless page."""
    evil = "<img src=x onerror=alert(1)>"
    rows = [(f"{evil} {i}", evil, f"'\"><script>alert({i})</script>") for i in range(6)]
    rows += [(f"{evil} {i}", "like", f"{evil} {i + 1}") for i in range(9)]
    folder = tmp_path / "evil"
    fit(read_graph(rows), method="rules").save(folder)
    return folder


@pytest.fixture
def service(make_service: MakeService) -> Service:
    return make_service()


@pytest.fixture
def client(service: Service) -> Iterator[TestClient]:
    with client_of(service) as client:
        yield client


def client_of(service: Service, token: str | None = None) -> TestClient:
    """A browser without a screen."""
    return TestClient(create_app(service, token), base_url="http://127.0.0.1:8000", raise_server_exceptions=False)
