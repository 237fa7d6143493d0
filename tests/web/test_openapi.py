"""The interface keeps to its own description, whatever is sent to it: no request breaks the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import hypothesis
import pytest
import schemathesis
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)

from faan.complete import Completer
from faan.graph import read_graph
from faan.web.app import create_app
from faan.web.decisions import Decisions
from faan.web.search_index import open_search
from faan.web.service import Service
from tests.web.conftest import TRIPLES
from tests.web.fake import FakeCompleter

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> Iterator[schemathesis.BaseSchema]:
    folder, graph = tmp_path_factory.mktemp("api"), read_graph(TRIPLES)
    decisions = Decisions(folder / "decisions.sqlite")
    completer = cast(Completer, FakeCompleter(graph))
    service = Service(completer, open_search(graph, folder / "entities.sqlite"), decisions, "test-model")
    yield schemathesis.openapi.from_asgi("/openapi.json", create_app(service), headers={"host": "127.0.0.1"})
    decisions.close()


interface = schemathesis.pytest.from_fixture("description")


@interface.parametrize()
@hypothesis.settings(max_examples=40, suppress_health_check=list(hypothesis.HealthCheck))
def test_no_request_breaks_the_server_or_its_promises(case: schemathesis.Case) -> None:
    case.call_and_validate(headers={"host": "127.0.0.1"}, checks=CHECKS)


def test_the_description_names_every_address() -> None:
    from faan.web.api import router

    documented = (Path(__file__).parents[2] / "docs" / "review.md").read_text(encoding="utf-8")
    for route in router.routes:
        assert getattr(route, "path").split("{")[0] in documented
