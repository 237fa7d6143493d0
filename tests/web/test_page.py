"""What the page says, before any script runs."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from faan.graph import read_graph
from faan.graph.iris import DEFAULT_BASE
from faan.web.export import FORMATS
from faan.web.rendering import percent

from .conftest import MakeService, client_of


def test_the_page_offers_every_format_with_its_ending_and_the_usual_base(client: TestClient) -> None:
    page = client.get("/").text
    for name, form in FORMATS.items():
        assert f'<option value="{name}" data-ending="{form.ending}">{form.name}</option>' in page
    assert f'name="base" value="{DEFAULT_BASE}"' in page


def test_a_path_is_called_trusted_not_right(client: TestClient) -> None:
    asked = {"relation": "currency", "head": "Peru", "tail": "Euro"}
    evidence = client.post("/evidence", json=asked).text
    assert "1 of 3 examples have such a path; trusted 80 %" in evidence
    assert "right for 4 of 9 that it reaches; 2 more ways here" in evidence
    assert "and 1 more path<" in evidence


def test_placeholders_come_from_the_graph(client: TestClient) -> None:
    page = client.get("/").text
    assert 'id="example-head" placeholder="France"' in page  # a fact of the graph of these tests
    assert 'id="example-tail" placeholder="Euro"' in page
    assert 'placeholder="currency, or a new name"' in page


def test_placeholders_of_another_graph_are_its_own(make_service: MakeService) -> None:
    page = client_of(make_service(read_graph([('"><script>', "knows", "b")]))).get("/").text
    assert 'placeholder="&#34;&gt;&lt;script&gt;"' in page
    assert "France" not in page


def test_the_page_says_what_percentages_are_worth(client: TestClient) -> None:
    worth = client.post("/trust", json={"relation": "currency"}).text
    assert "measured on 60 questions about this relation" in worth
    assert "<td>90 %</td><td>20 %</td><td>88 %</td>" in worth
    assert worth.count('<circle class="bin"') == 2
    assert "Heads have one value" in worth
    wrong = client.post("/trust", json={"relation": "curency"})
    assert (wrong.status_code, wrong.json()["nearest"]) == (422, ["currency"])


@pytest.mark.parametrize(
    ("share", "said"),
    [(0, "0 %"), (1e-9, "< 1 %"), (0.005, "1 %"), (0.125, "13 %"), (0.994, "99 %"), (0.995, "> 99 %"), (1, "100 %")],
)
def test_only_what_is_certain_is_said_to_be(share: float, said: str) -> None:
    assert percent(share) == said


def test_a_relation_that_looks_like_a_script_is_only_a_name(client: TestClient) -> None:
    asked = {"relation": "<script>", "examples": [["Peru", "Euro"]]}
    worth = client.post("/trust", json=asked).text
    assert "<h3>&lt;script&gt;</h3>" in worth
