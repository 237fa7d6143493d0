"""Links to where else entities are described."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st

from faan.base import InputError
from faan.graph import read_graph
from faan.web.link import LinkTemplate
from faan.web.naming import Naming

from .conftest import MakeService, client_of

WIKIDATA = "https://www.wikidata.org/wiki/{id}"


def test_an_iri_gives_its_last_part_and_any_other_name_itself() -> None:
    link = LinkTemplate(WIKIDATA)
    assert link.to("http://www.wikidata.org/entity/Q419") == "https://www.wikidata.org/wiki/Q419"
    assert link.to("MONDO:0005148") == "https://www.wikidata.org/wiki/MONDO:0005148"
    assert link.to("Côte d'Ivoire / x?y#z") == "https://www.wikidata.org/wiki/C%C3%B4te%20d%27Ivoire%20%2F%20x%3Fy%23z"
    assert LinkTemplate("https://example.org/?q={id}&exact=1#top").to("a&b") == (
        "https://example.org/?q=a%26b&exact=1#top"
    )


@pytest.mark.parametrize(
    "wrong",
    [
        "javascript:alert({id})",
        "data:text/html,{id}",
        "ftp://example.org/{id}",
        "//example.org/{id}",
        "/wiki/{id}",
        "https://",
        "https:///{id}",
        "https://example.org/",
        "https://{id}.example.org/",
        "https://example.org:port/{id}",
        "https://[::1/{id}",
        "https://example.org/ {id}",
        "https://example.org/\n{id}",
        "",
    ],
)
def test_what_is_no_link_for_entities_is_refused(wrong: str) -> None:
    with pytest.raises(InputError, match="the link"):
        LinkTemplate(wrong)


@given(st.text())
def test_no_name_leads_to_another_host_or_out_of_the_address(name: str) -> None:
    parts = urlsplit(LinkTemplate(WIKIDATA).to(name))
    assert (parts.scheme, parts.netloc, parts.query, parts.fragment) == ("https", "www.wikidata.org", "", "")
    assert parts.path.startswith("/wiki/")
    assert not set(parts.path) & set("<>\"' \n")


def test_the_evidence_says_what_the_two_entities_are(
    make_service: MakeService, write: Callable[[str, str], Path]
) -> None:
    rows = [("Q1", "P1", "Q2"), ("Q3", "P1", "Q4"), ("Q1", "is", "T1"), ("Q2", "is", "http://a.org/Town")]
    nodes = write("nodes.tsv", "id\tname\tdescription\nQ2\t<b>Lima</b>\tcapital <of> Peru\n")
    graph = read_graph(rows, type_relations=["is"], nodes=nodes)
    service = make_service(graph)
    naming = Naming(graph, service.naming.search, LinkTemplate(WIKIDATA))
    client = client_of(make_service(graph, naming=naming))
    asked = {"relation": "P1", "head": "Q1", "tail": "Q2"}
    explained = client.post("/api/explain", json=asked).json()
    assert explained["about_head"] == {
        "name": "Q1",
        "label": "Q1",
        "types": ["T1"],
        "description": "",
        "link": "https://www.wikidata.org/wiki/Q1",
    }
    page = client.post("/evidence", json=asked).text
    assert 'href="https://www.wikidata.org/wiki/Q2" target="_blank" rel="noopener noreferrer"' in page
    assert "<dd>Town</dd>" in page
    assert '<dd class="name">Q2</dd>' in page
    assert "<dd>capital &lt;of&gt; Peru</dd>" in page
    assert "<b>Lima" not in page


def test_without_types_and_links_the_evidence_says_nothing_about_the_entities(client: TestClient) -> None:
    page = client.post("/evidence", json={"relation": "currency", "head": "Peru", "tail": "Euro"}).text
    assert "look up" not in page
    assert '<dl class="ends">' not in page
