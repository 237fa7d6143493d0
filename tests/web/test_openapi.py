"""The interface keeps to its own description, whatever is sent to it: no request breaks the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias, cast

import hypothesis
import pytest
import schemathesis
from fastapi.routing import APIRoute
from schemathesis import GenerationMode
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
from faan.web.naming import Naming
from faan.web.search_index import open_search
from faan.web.service import Service

from .conftest import TRIPLES
from .fake import FakeCompleter

Case: TypeAlias = schemathesis.Case[Any]
Operation: TypeAlias = schemathesis.APIOperation[Any, Any, Any, Any]
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
PATIENCE = 300  # seconds for an answer: a busy machine is no fault of the server


@pytest.fixture(scope="module")
def description(tmp_path_factory: pytest.TempPathFactory) -> Iterator[schemathesis.BaseSchema]:
    folder, graph = tmp_path_factory.mktemp("api"), read_graph(TRIPLES)
    decisions = Decisions(folder / "decisions.sqlite")
    completer = cast(Completer, FakeCompleter(graph))
    naming = Naming(graph, open_search(graph, folder / "entities.sqlite"))
    service = Service(completer, naming, decisions, "test-model")
    yield schemathesis.openapi.from_asgi("/openapi.json", create_app(service), headers={"host": "127.0.0.1"})
    decisions.close()


@pytest.mark.slow
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["fitting", "wrong"])
def test_no_request_breaks_the_server_or_its_promises(
    description: schemathesis.BaseSchema, mode: GenerationMode
) -> None:
    operations = [cast(Any, result).ok() for result in description.get_all_operations()]
    assert len(operations) == 12
    for operation in operations:

        @hypothesis.settings(max_examples=40, suppress_health_check=list(hypothesis.HealthCheck))
        @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: Case) -> None:
            use_real_names(case)
            case.call_and_validate(headers={"host": "127.0.0.1"}, checks=CHECKS, timeout=PATIENCE)

        if mode == GenerationMode.POSITIVE or can_be_wrong(operation):
            ask()


def use_real_names(case: Case) -> None:
    """Half of the bodies get names of the graph: no random text would ever be one."""
    if isinstance(case.body, dict) and len(str(case.body)) % 2:
        real: dict[str, Any] = {
            "relation": "currency",
            "head": "Peru",
            "tail": "Euro",
            "pairs": [["Peru", "Yen"]],
            "heads": ["Chile"],
        }
        case.body |= {name: value for name, value in real.items() if name in case.body}
        case.body.pop("examples", None)
        case.body.pop("tails", None)


def can_be_wrong(operation: Operation) -> bool:
    """Whether there is anything in a request that could be wrong."""
    return operation.path != "/healthz"


def test_the_description_names_every_address() -> None:
    from faan.web.api import router

    documented = (Path(__file__).parents[2] / "docs" / "review.md").read_text(encoding="utf-8")
    for route in router.routes:
        assert isinstance(route, APIRoute)
        assert route.path.split("{")[0] in documented
