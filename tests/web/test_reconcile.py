"""The reconciliation service: what OpenRefine asks, what it gets, and what is said when something is wrong."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import hypothesis
import pytest
from fastapi.testclient import TestClient
from hypothesis import strategies as st

from faan.graph import Graph, read_graph
from faan.web.limits import MAX_BODY, MAX_QUERIES
from faan.web.matching import likeness
from faan.web.service import Service

from .conftest import MakeService, client_of
from .fake import FakeCompleter
from .reconciling import Refine

ROWS = [
    ("Peru", "capital", "Lima"),
    ("Peru", "currency", "Sol"),
    ("Chile", "currency", "Peso"),
    ("France", "currency", "Euro"),
    ("Spain", "currency", "Euro"),
    ("Italy", "near", "France"),
    ("Bolivia", "near", "Peru"),
    ("São Tomé", "near", "France"),
    ("C++", "near", "C#"),
    ("A&B=C+D", "near", "Peru"),
    *[(name, "is", "country") for name in ("Peru", "Chile", "France", "Spain", "Italy", "Bolivia", "São Tomé")],
    *[("Lima", "is", "city"), ("Sol", "is", "currency"), ("Euro", "is", "currency"), ("Peso", "is", "currency")],
]

TOWNS = """
@prefix : <http://towns.example/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix schema: <http://schema.org/> .
:c1 a :City ; rdfs:label "Córdoba" ; :in :es ; schema:description "a city in Andalusia" .
:c2 a :City ; rdfs:label "Córdoba" ; :in :ar .
:m1 a :City ; rdfs:label "Male" ; :in :mv .
:s1 a :Sex ; rdfs:label "male" ; :about :es .
:g1 a :Land ; rdfs:label "Georgia" ; :next :es .
:g2 a :State ; rdfs:label "Georgia" ; :next :ar .
:es a :Land ; rdfs:label "Spain" . :ar a :Land ; rdfs:label "Argentina" . :mv a :Land ; rdfs:label "Maldives" .
:City rdfs:label "town" .
"""
TOWN = "http://towns.example/"


@pytest.fixture
def lands(make_service: MakeService) -> Service:
    return make_service(read_graph(ROWS, type_relations=["is"]))


@pytest.fixture
def client(lands: Service) -> Iterator[TestClient]:
    with client_of(lands) as client:
        yield client


@pytest.fixture
def refine(client: TestClient) -> Refine:
    return Refine(client)


@pytest.fixture
def towns(make_service: MakeService, write: Callable[[str, str], Path]) -> Refine:
    return Refine(client_of(make_service(read_graph(write("towns.ttl", TOWNS)))))


def certain(refine: Refine, cell: str, **others: Any) -> str | None:
    (candidates,) = refine.reconcile([cell], **others)
    return next((candidate.id for candidate in candidates if candidate.match), None)


def test_openrefine_reconciles_a_column_and_fills_another(refine: Refine) -> None:
    assert refine.manifest.versions == ["0.2"]
    assert [kind.id for kind in refine.manifest.default_types] == ["country", "currency", "city"]
    cells = ["Peru", "chile", "Frnace", "Spain", "nowhere"] * 5
    found = refine.reconcile(cells, type="country", type_strict="should")
    matched = [next((one.id for one in candidates if one.match), None) for candidates in found]
    assert matched == ["Peru", "Chile", None, "Spain", None] * 5
    assert [one.id for one in found[2]] == ["France"]
    assert found[4] == []
    assert refine.propose("country")[0] == "currency"
    rows = dict(refine.extend(["Peru", "France", "Italy"], {"id": "currency"}))
    assert rows["Peru"] == {"currency": ["Sol"]}
    assert "Bolivia" in refine.suggest("entity", "boli")
    assert "Peru" in refine.preview("Bolivia")


def test_a_candidate_says_what_speaks_for_it(refine: Refine) -> None:
    (candidates,) = refine.reconcile(
        ["Peru"], type="country", properties=[{"pid": "currency", "v": "sol"}, {"pid": "capital", "v": "Cusco"}]
    )
    features = {feature.id: feature.value for feature in candidates[0].features}
    assert features == {
        "name": 1.0,
        "same_name": True,
        "type": True,
        "properties": 0.5,
        "contradicted": 1,
        "facts": 4,
    }
    assert candidates[0].score == 80.0
    assert not candidates[0].match  # its capital is another one


@pytest.mark.parametrize(
    ("cell", "meant"),
    [("Peru", "Peru"), ("  peru ", "Peru"), ("Sao Tome", "São Tomé"), ("C++", "C++"), ("c#", "C#"), ("C", None)],
)
def test_case_accents_and_blanks_do_not_count_unless_they_tell_names_apart(
    refine: Refine, cell: str, meant: str | None
) -> None:
    assert certain(refine, cell) == meant


def test_more_words_than_the_name_has_are_forgiven_but_not_certain(refine: Refine) -> None:
    (candidates,) = refine.reconcile(["Bolivia (Plurinational State of)"])
    assert [one.id for one in candidates][:1] == ["Bolivia"]
    assert not candidates[0].match


def test_namesakes_are_never_certain_unless_type_or_property_tells_them_apart(towns: Refine) -> None:
    assert certain(towns, "Georgia") is None
    assert certain(towns, "Georgia", type=f"{TOWN}Land") == f"{TOWN}g1"
    assert certain(towns, "Córdoba", type="town") is None
    assert certain(towns, "cordoba", properties=[{"pid": f"{TOWN}in", "v": "Argentina"}]) == f"{TOWN}c2"
    assert certain(towns, "Córdoba", properties=[{"pid": f"{TOWN}in", "v": {"id": f"{TOWN}es"}}]) == f"{TOWN}c1"
    assert certain(towns, "Córdoba", properties=[{"pid": f"{TOWN}in", "v": ["Peru", "Spain"]}]) == f"{TOWN}c1"
    assert certain(towns, "Male") is None
    assert certain(towns, "Male", type=f"{TOWN}Sex") == f"{TOWN}s1"


def test_an_id_is_found_by_itself(towns: Refine) -> None:
    assert certain(towns, f"{TOWN}c1") == f"{TOWN}c1"
    assert towns.suggest("entity", f"{TOWN}c1") == [f"{TOWN}c1"]


def test_types_are_preferred_or_required(refine: Refine) -> None:
    (soft,), (hard,) = (refine.reconcile(["Sol"], type=["country"], type_strict=how) for how in ("should", "any"))
    assert [(one.id, one.match, one.score) for one in soft] == [("Sol", False, 60.0)]
    assert hard == []
    both = refine.reconcile(["Sol"], type=["country", "currency"], type_strict="all")
    assert both == [[]]
    assert certain(refine, "Sol", type=["country", "currency"], type_strict="any") == "Sol"


def test_entities_are_found_by_their_properties_alone(client: TestClient) -> None:
    queries = {"q": {"properties": [{"pid": "currency", "v": "euro"}], "limit": 5}}
    found = client.post("/reconcile", data={"queries": json.dumps(queries)}).json()["q"]["result"]
    assert {one["id"] for one in found} == {"France", "Spain"}
    assert not any(one["match"] for one in found)


def test_queries_may_come_in_the_address(client: TestClient) -> None:
    found = client.get("/reconcile", params={"queries": '{"q0": {"query": "Peru", "limit": 1}}'}).json()
    assert [one["id"] for one in found["q0"]["result"]] == ["Peru"]
    extended = client.get("/reconcile", params={"extend": '{"ids": ["Peru"], "properties": [{"id": "currency"}]}'})
    assert extended.json()["rows"] == {"Peru": {"currency": [{"id": "Sol", "name": "Sol"}]}}
    assert client.post("/reconcile", data={"queries": "{}"}).json() == {}


def test_columns_hold_known_values_or_else_suggestions(refine: Refine, lands: Service) -> None:
    anything = {"min_probability": "0", "limit": "2"}  # texts, as a form of OpenRefine sends them
    rows = dict(refine.extend(["Peru", "Italy"], {"id": "currency", "settings": anything}))
    assert rows["Peru"]["currency"] == ["Sol"]
    suggested = lands.completer.suggest("currency", heads=["Italy"], top=2)
    assert rows["Italy"]["currency"] == [one.tail for one in suggested]
    known = dict(refine.extend(["Italy"], {"id": "currency", "settings": {**anything, "source": "known"}}))
    assert known["Italy"]["currency"] == []
    only = dict(refine.extend(["Peru"], {"id": "currency", "settings": {**anything, "source": "suggested"}}))
    assert len(only["Peru"]["currency"]) == 2
    assert "Sol" not in only["Peru"]["currency"]


def test_a_column_can_leave_out_what_breaks_the_schema(make_service: MakeService, tmp_path: Path) -> None:
    (tmp_path / "graph.ttl").write_text(TOWNS)
    (tmp_path / "schema.ttl").write_text(
        "@prefix : <http://towns.example/> . :in <http://www.w3.org/2000/01/rdf-schema#range> :Land ."
    )
    plain = Refine(client_of(make_service(read_graph(tmp_path / "graph.ttl"))))
    assert "strict" not in [one.name for one in plain.manifest.extend.property_settings]
    service = make_service(read_graph(tmp_path / "graph.ttl", schema=tmp_path / "schema.ttl"))
    refine = Refine(client_of(service))
    assert "strict" in [one.name for one in refine.manifest.extend.property_settings]
    for given, wanted in (({"strict": "on"}, True), ({}, False), ({"strict": True}, True)):
        list(refine.extend([f"{TOWN}g1"], {"id": f"{TOWN}in", "settings": {"source": "suggested", **given}}))
        assert cast(FakeCompleter, service.completer).strict is wanted


def test_the_space_of_ids_does_not_depend_on_where_the_graph_was(make_service: MakeService, tmp_path: Path) -> None:
    (tmp_path / "towns.ttl").write_text(TOWNS)
    named = Refine(client_of(make_service(read_graph(tmp_path / "towns.ttl")))).manifest
    assert (named.identifier_space, named.schema_space) == (TOWN, TOWN)
    spaces: list[str] = []
    for rows in (ROWS, ROWS, ROWS[1:]):
        table = tmp_path / f"{len(spaces)}.tsv"
        table.write_text("".join("\t".join(row) + "\n" for row in rows))
        spaces.append(Refine(client_of(make_service(read_graph(table)))).manifest.identifier_space)
    assert spaces[0] == spaces[1] != spaces[2]
    assert spaces[0].startswith("urn:faan:names:")


def test_suggested_values_below_the_minimum_are_left_out(refine: Refine, lands: Service) -> None:
    best = next(iter(lands.completer.suggest("currency", heads=["Italy"], top=1)))
    for least, found in ((best.probability, [best.tail]), (best.probability + 0.001, [])):
        settings = {"min_probability": least, "limit": ""}
        assert dict(refine.extend(["Italy"], {"id": "currency", "settings": settings})) == {
            "Italy": {"currency": found}
        }


def test_columns_can_say_how_likely_values_are_and_why(refine: Refine) -> None:
    settings = {"min_probability": 0, "limit": 2}
    columns = [{"id": f"currency{aspect}", "settings": settings} for aspect in ("", "#probability", "#reason")]
    rows = dict(refine.extend(["Peru", "Italy"], *columns))
    assert rows["Peru"] == {"currency": ["Sol"], "currency#probability": [1.0], "currency#reason": ["in the graph"]}
    assert len(rows["Italy"]["currency#probability"]) == len(rows["Italy"]["currency"]) == 2
    assert rows["Italy"]["currency#reason"] == ["Italy looks like the others"] * 2
    assert {"currency#probability", "currency#reason"} <= set(refine.suggest("property", "currency"))


def test_decisions_count_in_columns(refine: Refine, client: TestClient, lands: Service) -> None:
    decision = {"relation": "currency", "head": "Italy", "tail": "Sol", "verdict": "accepted", "reviewer": "Ana"}
    assert client.post("/api/decisions", json=decision).status_code == 200
    assert dict(refine.extend(["Italy"], {"id": "currency"})) == {"Italy": {"currency": ["Sol"]}}
    assert client.post("/api/decisions", json=decision | {"verdict": "rejected"}).status_code == 200
    dict(refine.extend(["Italy"], {"id": "currency", "settings": {"min_probability": 0}}))
    assert lands.completer.rejected == (("Italy", "Sol"),)  # type: ignore[attr-defined]


def test_many_entities_are_extended_at_once(client: TestClient) -> None:
    asked = {"ids": ["Italy", "Bolivia"] * 400, "properties": [{"id": "currency", "settings": {"limit": 100}}]}
    assert client.post("/reconcile", data={"extend": json.dumps(asked)}).status_code == 200


def test_entities_that_the_graph_no_longer_has_get_empty_cells(refine: Refine) -> None:
    assert dict(refine.extend(["Peru", "Atlantis"], {"id": "capital"})) == {
        "Peru": {"capital": ["Lima"]},
        "Atlantis": {"capital": []},
    }


def test_types_and_properties_are_suggested_by_what_is_typed(refine: Refine, towns: Refine) -> None:
    assert refine.suggest("type", "c") == ["country", "currency", "city"]
    assert refine.suggest("type", "city")[0] == "city"
    assert refine.suggest("property", "cap")[:1] == ["capital"]
    assert refine.suggest("property", "")[:2] == ["near", "currency"]
    assert refine.suggest("type", "", cursor="2") == ["city"]
    assert refine.suggest("entity", "") == []
    assert towns.suggest("type", "town") == [f"{TOWN}City"]
    assert towns.propose(f"{TOWN}City", limit="1") == [f"{TOWN}in"]
    assert len(towns.propose("")) == 3
    assert towns.propose("no such type") == towns.propose("")


def test_a_graph_without_types_says_so(make_service: MakeService) -> None:
    client = client_of(make_service())
    assert Refine(client).manifest.default_types == []
    answer = client.post("/reconcile", data={"queries": '{"q0": {"query": "Peru", "type": "country"}}'})
    assert (answer.status_code, answer.json()["error"]) == (400, "q0: type: the graph has no types; leave the type out")


@pytest.mark.parametrize("name", ["A&B=C+D", "C++", "São Tomé", "Peru"])
@pytest.mark.parametrize("careful", [True, False])
def test_previews_find_strange_names(refine: Refine, name: str, careful: bool) -> None:
    page = refine.preview(name, careful)
    assert f"<h1>{name.replace('&', '&amp;')}</h1>" in page


def test_previews_escape_names_and_hold_no_script(make_service: MakeService) -> None:
    evil = "<script>alert(1)</script>"
    page = Refine(client_of(make_service(read_graph([(evil, evil, f"{evil}'\"")])))).preview(evil)
    assert "&lt;script&gt;" in page
    assert "<script" not in page
    assert "style=" not in page


def test_a_description_is_shown(towns: Refine) -> None:
    assert "a city in Andalusia" in towns.preview(f"{TOWN}c1")
    (candidates,) = towns.reconcile(["Córdoba"], limit=2)
    assert {one.description for one in candidates} == {"a city in Andalusia", ""}
    assert {kind.name for one in candidates for kind in one.type} == {"town"}


CELL = "query: the cell has 100,000 letters; expected at most 1,000"


def test_one_long_cell_does_not_cost_the_others_their_answers(client: TestClient) -> None:
    batch = {"q0": {"query": "Peru"}, "q1": {"query": "x" * 100_000}}
    found = client.post("/reconcile", data={"queries": json.dumps(batch)}).json()
    assert found["q0"]["result"][0]["match"]
    assert found["q1"] == {"result": [], "error": CELL}
    alone = client.post("/reconcile", data={"queries": json.dumps({"q1": batch["q1"]})})
    assert (alone.status_code, alone.json()["error"]) == (400, f"q1: {CELL}")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"other": "1"}, "expected one field, `queries` or `extend`"),
        ({"query": "Peru"}, "expected one field, `queries` or `extend`"),
        ({"queries": "{}", "extend": "{}"}, "expected one field, `queries` or `extend`"),
        ({"queries": "{"}, "queries: is not JSON"),
        ({"queries": "[" * 100_000}, "queries: is not JSON"),
        ({"queries": '{"q": {"query": NaN}}'}, "queries: is not JSON"),
        ({"queries": "[]"}, "queries: expected an object of queries"),
        ({"queries": '{"q": 1}'}, "q: expected an object"),
        ({"queries": '{"q": {}}'}, "q: expected a text to look for in `query`, or `properties`"),
        ({"queries": '{"q": {"query": "a", "limit": 0}}'}, "q: limit: expected 1 or more"),
        ({"queries": '{"q": {"query": "a", "type": 1}}'}, "q: type: expected a list"),
        (
            {"queries": '{"q": {"query": "a", "type": "countri"}}'},
            "is called 'countri'. Did you mean 'country'",
        ),
        ({"queries": '{"q": {"query": "a", "type_strict": "no"}}'}, "q: type_strict: expected 'any'"),
        ({"queries": '{"q": {"query": "a", "propertys": []}}'}, "q: propertys: is not known here"),
        ({"queries": '{"q": {"query": "a", "properties": [{"pid": "curency", "v": 1}]}}'}, "no relation is called"),
        ({"queries": '{"q": {"query": "a", "properties": [{"pid": "near", "v": null}]}}'}, "v: expected a text"),
        ({"queries": '{"q": {"query": "a", "properties": [{"pid": "near"}]}}'}, "v: is missing"),
        ({"extend": "{}"}, "extend: ids: is missing"),
        ({"extend": '{"ids": ["Peru"], "properties": []}'}, "extend: properties: expected 1 or more"),
        ({"extend": '{"ids": ["Peru"], "properties": [{"id": "curency"}]}'}, "no relation is called 'curency'"),
        ({"extend": '{"ids": ["Atlantis"], "properties": [{"id": "near"}]}'}, "no entity is called 'Atlantis'"),
        ({"extend": '{"ids": [], "properties": [{"id": "near"}, {"id": "near"}]}'}, "'near' is asked for twice"),
        (
            {"extend": '{"ids": ["Peru"], "properties": [{"id": "near", "settings": {"min_probability": "90"}}]}'},
            "min_probability: expected 1.0 or less",
        ),
        (
            {"extend": '{"ids": ["Peru"], "properties": [{"id": "near", "settings": {"limit": "many"}}]}'},
            "limit: expected a whole number",
        ),
        ({"queries": "{}", "callback": "f"}, "JSONP is not offered"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(client: TestClient, fields: dict[str, str], said: str) -> None:
    answer = client.post("/reconcile", data=fields)
    assert answer.status_code == 400
    assert said in answer.json()["error"]
    assert len(answer.json()["error"]) < 200


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/suggest/entity", "prefix: is missing"),
        ("/suggest/type?prefix=a&cursor=x", "cursor: expected a whole number from 0 to 1000"),
        ("/suggest/property?prefix=a&cursor=-1", "cursor: expected a whole number"),
        ("/suggest/entity?prefix=" + "x" * 1001, "prefix: expected a text of at most 1000 letters"),
        ("/properties?type=&limit=0", "limit: expected a whole number from 1"),
        ("/suggest/entity?prefix=%ff", "percent-encoded UTF-8"),
        ("?callback=f", "JSONP is not offered"),
        ("?query=Peru", "expected one field"),
        ("?queries=" + "%7B" * 9, "queries: is not JSON"),
        ("?" + "&".join(f"a{i}=1" for i in range(50)), "at most 20 fields"),
    ],
)
def test_wrong_addresses_are_refused(client: TestClient, address: str, said: str) -> None:
    answer = client.get(f"/reconcile{address}")
    assert answer.status_code == 400
    assert said in answer.json()["error"]
    assert client.get("/reconcile/preview?id=Atlantis").status_code == 404


def test_batches_are_limited(client: TestClient, refine: Refine) -> None:
    many = {f"q{i}": {"query": "Peru", "limit": 1} for i in range(MAX_QUERIES + 1)}
    answer = client.post("/reconcile", data={"queries": json.dumps(many)})
    assert answer.status_code == 413
    assert answer.json()["error"] == "queries: expected at most 100 in a batch, found 101"
    del many["q0"]
    assert len(client.post("/reconcile", data={"queries": json.dumps(many)}).json()) == refine.manifest.batch_size
    assert client.post("/reconcile", data={"queries": " " * MAX_BODY}).status_code == 413


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["Peru", "country", "near"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["q0", "query", "type", "limit", "properties", "pid", "v", "id", "ids", "settings", "type_strict"]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@hypothesis.given(field=st.sampled_from(["queries", "extend"]), value=JSON | st.text() | st.binary())
@hypothesis.settings(
    max_examples=150, deadline=None, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture]
)
@pytest.mark.slow
def test_no_request_breaks_the_service(client: TestClient, field: str, value: Any) -> None:
    sent = value if isinstance(value, (str, bytes)) else json.dumps(value)
    answer = client.post("/reconcile", data={field: sent})
    assert answer.status_code in (200, 400, 413)
    if answer.status_code != 200:
        assert answer.json()["error"]


def test_likeness_is_a_share_and_the_same_both_ways() -> None:
    source = random.Random(3)
    names = ["peru", "republic of peru", "lima", "new york", "york new", "long beach", ""]
    names += ["".join(source.choices("ab ", k=8)).strip() for _ in range(30)]
    for one in names:
        for other in names:
            assert 0 <= likeness(one, other) <= 1
            assert likeness(one, other) == likeness(other, one)
    assert likeness("peru", "peru republic") > likeness("peru", "republic of peru") > likeness("peru", "lima")


def test_property_values_are_looked_for_in_large_graphs_with_bounded_work(make_service: MakeService) -> None:
    rows = [(f"town {i}", "in", "Peru") for i in range(3000)]
    graph: Graph = read_graph(rows)
    found = client_of(make_service(graph)).post(
        "/reconcile", data={"queries": '{"q": {"properties": [{"pid": "in", "v": "Peru"}], "limit": 100000}}'}
    )
    assert len(found.json()["q"]["result"]) == 50


def test_all_cells_of_a_request_together_have_a_limited_time(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(0, 10**6, 5))  # each look at it takes five seconds
    monkeypatch.setattr("faan.web.reconcile.time.monotonic", lambda: float(next(clock)))
    cells = {f"q{i}": {"properties": [{"pid": "currency", "v": ["Euro"]}]} for i in range(9)}
    answers = client.post("/reconcile", data={"queries": json.dumps(cells)}).json()
    assert answers["q0"]["result"]
    assert "error" not in answers["q0"]
    assert "took too long; ask about fewer cells" in answers["q8"]["error"]


def test_columns_of_a_request_together_have_a_limited_time(lands: Service) -> None:
    client = client_of(replace(lands, seconds=-1.0))
    asked = {"ids": ["Chile", "Spain"], "properties": [{"id": "capital"}]}
    answer = client.post("/reconcile", data={"extend": json.dumps(asked)})
    assert (answer.status_code, answer.json()["error"].split(";")[0]) == (429, "ranking took too long")


def test_columns_hold_a_limited_number_of_values(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"ids": ["France", "Spain", "Peru"], "properties": [{"id": "currency", "settings": {"source": "known"}}]}
    assert client.post("/reconcile", data={"extend": json.dumps(asked)}).status_code == 200
    monkeypatch.setattr("faan.web.extending.MAX_CELLS", 2)
    answer = client.post("/reconcile", data={"extend": json.dumps(asked)})
    assert (answer.status_code, answer.json()["error"]) == (
        413,
        "extend: more than 2 values; ask for fewer entities or properties",
    )
