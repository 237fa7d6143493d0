"""What tests of the page share."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient
from selenium import webdriver

from faan.complete import Completer, fit
from faan.graph import Graph, read_graph
from faan.web.app import create_app
from faan.web.decisions import Decisions
from faan.web.naming import Naming
from faan.web.search_index import open_search
from faan.web.service import Service

from .browser import Window, started, window_of
from .fake import FakeCompleter
from .serving import served_here

TRIPLES = [
    ("France", "currency", "Euro"),
    ("Spain", "currency", "Euro"),
    ("Japan", "currency", "Yen"),
    ("Peru", "near", "Chile"),
    ("Chile", "near", "Peru"),
    ("Korea", "near", "Japan"),
    ("Italy", "near", "France"),
]

LANDS = 20

MakeService = Callable[..., Service]


def land() -> list[tuple[str, str, str]]:
    """Lands with towns and coins; the first town of each has its court, and mints its coin."""
    rows = []
    for i in range(LANDS):
        rows += [(f"town{i}{letter}", "lies_in", f"land{i}") for letter in "abc"]
        rows += [(f"court{i}", "sits_in", f"town{i}a"), (f"court{i}", "judges", f"land{i}")]
        rows += [(f"coin{i}", "minted_in", f"town{i}a"), (f"land{i}", "speaks", f"tongue{i % 4}")]
        rows += [(f"land{i}", "next_to", f"land{(i + 1) % LANDS}")]
        rows += [(f"land{i}", f"custom{c}", f"custom{c}-{i % (c + 2)}") for c in range(6)]
        rows += [(f"land{i}", "is", "country"), (f"coin{i}", "is", "currency"), (f"court{i}", "is", "court")]
        rows += [(f"town{i}{letter}", "is", "city") for letter in "abc"]
    return rows


@pytest.fixture
def make_service(tmp_path: Path) -> Iterator[MakeService]:
    opened: list[Decisions] = []

    def make(graph: Graph | None = None, naming: Naming | None = None, **settings: Any) -> Service:
        graph = graph or read_graph(TRIPLES)
        decisions = Decisions(tmp_path / "decisions.sqlite")
        opened.append(decisions)
        completer = cast(Completer, FakeCompleter(graph))
        naming = naming or Naming(graph, open_search(graph, tmp_path / "entities.sqlite"))
        return Service(completer, naming, decisions, "test-model", **settings)

    yield make
    for decisions in opened:
        decisions.close()


@pytest.fixture(scope="session")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model folder; only to be copied."""
    folder = tmp_path_factory.mktemp("models") / "land"
    fit(read_graph(land(), type_relations=["is"]), method="rules").save(folder)
    return folder


@pytest.fixture
def model(fitted: Path, tmp_path: Path) -> Path:
    """A model folder of a test's own."""
    folder = tmp_path / "land"
    shutil.copytree(fitted, folder)
    return folder


@pytest.fixture
def evil_model(tmp_path: Path) -> Path:
    """A model whose names would be scripts on a careless page."""
    evil = "<img src=x onerror=alert(1)>"
    rows = [(f"{evil} {i}", evil, f"'\"><script>alert({i})</script>") for i in range(6)]
    rows += [(f"{evil} {i}", "like", f"{evil} {i + 1}") for i in range(9)]
    folder = tmp_path / "evil"
    fit(read_graph(rows), method="rules").save(folder)
    return folder


@pytest.fixture
def page(model: Path) -> Iterator[str]:
    """The address of a served model, without a slash."""
    with served_here(model) as address:
        yield address


@pytest.fixture(scope="session")
def chrome(chromium: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    with started(*chromium, tmp_path_factory.mktemp("browser") / "profile") as driver:
        yield driver


@pytest.fixture
def window(chrome: webdriver.Chrome, tmp_path: Path) -> Iterator[Window]:
    """A new window, in which no script may break."""
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    with window_of(chrome, downloads) as window:
        yield window
        assert window.errors() == []


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
