"""The HTTP interface."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient

from faan.complete import Suggestion, Suggestions
from faan.graph import read_graph
from faan.web.decision import DamagedError, LockedError, StorageError
from faan.web.gate import Gate
from faan.web.search import Entity
from faan.web.server import service_of
from faan.web.service import Service

from .conftest import MakeService, client_of
from .fake import FakeCompleter

DECISION = {"relation": "currency", "head": "Peru", "tail": "Euro", "verdict": "accepted", "reviewer": "Ana"}


def lines(client: TestClient, request: dict[str, Any]) -> list[dict[str, Any]]:
    answer = client.post("/api/suggest", json=request, headers={"accept": "application/x-ndjson"})
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    return [json.loads(line) for line in answer.text.splitlines()]


def test_suggestions_come_whole_or_line_by_line(client: TestClient) -> None:
    request = {"relation": "currency", "heads": ["Peru", "Chile"], "top": 2}
    answer = client.post("/api/suggest", json=request).json()
    assert answer["complete"]
    assert {row["head"] for row in answer["suggestions"]} == {"Peru", "Chile"}
    streamed = lines(client, request)
    assert [line["suggestion"] for line in streamed[:-1]] == answer["suggestions"]
    assert streamed[-1] == {"end": {"complete": True, "in_time": True}}


def test_a_limit_ends_the_suggestions(client: TestClient) -> None:
    request = {"relation": "currency", "limit": 1}
    answer = client.post("/api/suggest", json=request).json()
    assert (len(answer["suggestions"]), answer["complete"]) == (1, False)
    assert lines(client, request)[-1] == {"end": {"complete": False, "in_time": True}}


def test_time_ends_the_suggestions(make_service: MakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faan.web.service.SLICE", -1)  # one suggestion at a time
    client = client_of(make_service(seconds=0.0))
    streamed = lines(client, {"relation": "currency"})
    assert len(streamed) == 2
    assert streamed[-1] == {"end": {"complete": False, "in_time": False}}


def test_a_new_relation_is_asked_by_examples(client: TestClient) -> None:
    request = {"relation": "money", "examples": [["Japan", "Yen"]], "heads": ["Peru"]}
    (row,) = client.post("/api/suggest", json=request).json()["suggestions"]
    assert (row["tail"], row["low_evidence"]) == ("Yen", True)
    question = {"relation": "money", "examples": [["Japan", "Yen"]], "pairs": [["Peru", "Yen"]]}
    (judged,) = client.post("/api/score", json=question).json()["suggestions"]
    assert judged == row


def test_a_relation_is_found_in_another_spelling_unless_it_is_new(client: TestClient) -> None:
    answer = client.post("/api/suggest", json={"relation": "Currency", "heads": ["Peru"]}).json()
    assert answer["relation"] == "currency"
    assert client.post("/api/names", json={"relation": "CURRENCY"}).json()["relation"]["name"] == "currency"
    new = {"relation": "Currency", "examples": [["Japan", "Yen"]], "heads": ["Peru"]}
    assert client.post("/api/suggest", json=new).json()["relation"] == "Currency"


def test_examples_that_look_wrong_are_named(model: Path) -> None:
    pairs = [[f"town{i}a", f"land{i}"] if i == 0 else [f"land{i}", f"town{i}a"] for i in range(5)]
    request = {"relation": "seat", "examples": pairs, "heads": ["land9"], "top": 1}
    with service_of(model) as service:
        client = client_of(service)
        told = ["the example town0a → land0 looks reversed: is land0 the head, and town0a the tail?"]
        assert client.post("/api/suggest", json=request).json()["notes"] == told
        first, second, _ = lines(client, request)
        assert (first, second["suggestion"]["head"]) == ({"notes": told}, "land9")
        right = lines(client, request | {"examples": pairs[1:]})
        assert [list(line) for line in right] == [["suggestion"], ["end"]]


def test_examples_of_a_relation_of_the_graph_are_added_to_its_own_facts(client: TestClient) -> None:
    request = {"relation": "currency", "examples": [["Chile", "Euro"]], "heads": ["France"]}
    rows = client.post("/api/suggest", json=request).json()["suggestions"]
    assert [row["tail"] for row in rows] == ["Yen"]  # the graph has the Euro, and knows of the Yen
    asked = DECISION | {"examples": [["Chile", "Euro"]]}
    made = client.post("/api/decisions", json=asked).json()
    row = client.get("/api/export", params={"format": "ttl"}).text
    assert made["verdict"] == "accepted"
    assert "known facts and examples of currency" in row


def test_an_explanation_comes_with_its_drawing(client: TestClient) -> None:
    answer = client.post("/api/explain", json={"relation": "currency", "head": "Peru", "tail": "Euro"}).json()
    assert answer["suggestion"]["head"] == "Peru"
    assert {node["id"] for node in answer["drawing"]["nodes"]} >= {"Peru", "Euro"}
    assert answer["paths"][0]["hops"][1] == {"relation": "has", "forward": False}


def test_entities_and_relations_are_found(client: TestClient) -> None:
    (entity,) = client.get("/api/entities", params={"q": "per"}).json()["entities"]
    assert entity == {"name": "Peru", "label": "Peru", "kind": "", "edges": 2}
    answer = client.get("/api/relations").json()
    assert answer["relations"][0] == {"name": "currency", "label": "currency", "facts": 3}
    assert answer["total"] == 2
    assert client.get("/api/relations", params={"q": "NEA"}).json()["total"] == 1
    assert client.get("/healthz").json()["status"] == "ok"


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"relation": "currency", "heads": ["Perru"]}, "no entity is called 'Perru'. Did you mean 'Peru'?"),
        ({"relation": "curency"}, "no relation is called 'curency'. Did you mean 'currency'?"),
        ({"relation": "currency", "heads": ["x"] * 1001}, "heads: expected at most 1000 of them"),
        ({"relation": "currency", "examples": []}, "examples: expected 1 or more of them"),
        ({"relation": "new", "examples": [["Peru"]]}, "examples.0.1: is missing"),
        ({"relation": "currency", "top": 0}, "top: expected 1 or more"),
        ({"relation": "currency", "nonsense": 1}, "nonsense: is not known here; leave it out"),
        ({"relation": "currency", "known": "maybe"}, "known: expected 'skip' or 'show'"),
        ({"relation": "currency", "strict": "perhaps"}, "strict: "),
        ({"relation": 7}, "relation: expected a text"),
        ([], "the body: expected an object of names and values"),
        ({"relation": ""}, "relation: expected 1 or more characters"),
        ({}, "relation: is missing"),
    ],
)
def test_what_is_wrong_with_a_request_is_said(client: TestClient, request_: dict[str, Any], message: str) -> None:
    for accept in ("*/*", "application/x-ndjson"):
        answer = client.post("/api/suggest", json=request_, headers={"accept": accept})
        assert answer.status_code == 422
        assert message in answer.json()["error"]


def test_wrong_parameters_and_bodies_are_told_in_plain_words(client: TestClient) -> None:
    told = client.get("/api/export", params={"format": "pdf"}).json()["error"]
    assert told.startswith("format: expected 'nt', 'tsv',")
    assert told.endswith(" or 'cypher'")
    assert (
        client.get("/api/entities", params={"q": "x", "limit": "ten"}).json()["error"]
        == "limit: expected a whole number"
    )
    told = client.post("/api/decisions", json=DECISION | {"reviewer": "a\nb"}).json()["error"]
    assert told == "reviewer: expected text without line breaks and control characters"
    body = client.post("/api/suggest", content=b'{"relation"', headers={"content-type": "application/json"})
    assert body.json()["error"] == "the body is not JSON (Expecting ':' delimiter), from letter 11 on"


def test_an_unknown_relation_is_not_exported_as_nothing(client: TestClient) -> None:
    answer = client.get("/api/export", params={"relation": "curency"})
    assert (answer.status_code, answer.json()["nearest"]) == (422, ["currency"])


def test_an_unknown_name_comes_with_the_nearest_ones(client: TestClient) -> None:
    answer = client.post("/api/decisions", json=DECISION | {"head": "Jappan"})
    assert answer.json()["nearest"] == ["Japan"]


def test_a_decision_is_shown_with_the_suggestion_and_can_be_undone(client: TestClient) -> None:
    made = client.post("/api/decisions", json=DECISION | {"probability": 0.9, "seen": 0}).json()
    rows = client.post("/api/suggest", json={"relation": "currency", "heads": ["Peru"]}).json()["suggestions"]
    assert {row["tail"]: row["decision"] for row in rows}["Euro"] == made
    changes = client.get("/api/decisions", params={"relation": "currency"}).json()
    assert changes["facts"][0]["decision"] == made
    assert changes["tally"] == {"accepted": 1, "rejected": 0, "skipped": 0, "precision": 1.0, "expected": 0.9}
    fact = client.delete(f"/api/decisions/{made['id']}", params={"reviewer": "Ana"}).json()
    assert fact["decision"] is None
    after = client.get("/api/decisions", params={"after": changes["last"]}).json()
    assert [fact["decision"] for fact in after["facts"]] == [None]
    assert client.delete("/api/decisions/77", params={"reviewer": "Ana"}).status_code == 404


def test_two_windows_see_each_other(service: Service) -> None:
    first, second = client_of(service), client_of(service)
    made = first.post("/api/decisions", json=DECISION | {"seen": 0}).json()
    answer = second.post("/api/decisions", json=DECISION | {"seen": 0, "verdict": "rejected", "reviewer": "Bo"})
    assert answer.status_code == 409
    assert answer.json()["standing"] == made
    assert "Ana accepted this meanwhile" in answer.json()["error"]
    agreed = second.post(
        "/api/decisions", json=DECISION | {"seen": made["id"], "verdict": "rejected", "reviewer": "Bo"}
    )
    assert agreed.json()["verdict"] == "rejected"


def test_accepted_facts_become_examples(client: TestClient) -> None:
    question = {"relation": "money", "examples": [["Japan", "Yen"]]}
    made = client.post("/api/decisions", json=DECISION | question).json()
    ask = question | {"heads": ["Chile"], "accepted_until": made["id"]}
    assert {row["tail"] for row in client.post("/api/suggest", json=ask).json()["suggestions"]} == {"Yen", "Euro"}
    ask["accepted_until"] = made["id"] - 1
    assert {row["tail"] for row in client.post("/api/suggest", json=ask).json()["suggestions"]} == {"Yen"}


def test_accepted_facts_become_examples_beside_those_of_the_graph(client: TestClient) -> None:
    made = client.post("/api/decisions", json=DECISION | {"tail": "Chile"}).json()
    ask = {"relation": "currency", "heads": ["Chile"], "accepted_until": made["id"]}
    found = {row["tail"] for row in client.post("/api/suggest", json=ask).json()["suggestions"]}
    assert found == {"Euro", "Yen", "Chile"}


def test_decided_facts_are_exported(client: TestClient) -> None:
    client.post("/api/decisions", json=DECISION)
    client.post("/api/decisions", json=DECISION | {"tail": "Yen", "verdict": "rejected"})
    answer = client.get("/api/export", params={"base": "http://a.org/"})
    today = datetime.now(timezone.utc).date()
    fact = "<http://a.org/Peru> <http://a.org/currency> <http://a.org/Euro> ."
    assert answer.text == f"{fact} # accepted by Ana on {today}\n"
    assert answer.headers["content-disposition"] == 'attachment; filename="accepted.nt"'
    turtle = client.get("/api/export", params={"format": "ttl", "decision": "all"}).text
    assert "test-model (fake on test, 2026-01-01)" in turtle
    for wrong in ({"format": "pdf"}, {"decision": "maybe"}, {"base": "x"}, {"decision": "all"}):
        assert client.get("/api/export", params=wrong).status_code == 422


def test_labels_are_shown_and_accepted_in_the_place_of_names(make_service: MakeService, tmp_path: Any) -> None:
    path = tmp_path / "g.nt"
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    path.write_text(
        "<http://x/1> <http://x/p> <http://x/2> .\n"
        f'<http://x/1> {label} "Peru" .\n<http://x/2> {label} "Sol" .\n<http://x/p> {label} "pays in" .\n'
    )
    client = client_of(make_service(read_graph(path)))
    ask = {"relation": "pays in", "heads": ["Peru"], "known": "show"}
    (row,) = client.post("/api/suggest", json=ask).json()["suggestions"]
    assert (row["head"], row["head_label"], row["tail_label"]) == ("http://x/1", "Peru", "Sol")
    made = client.post("/api/decisions", json=DECISION | {"relation": "pays in", "tail": "Sol"}).json()
    assert made["relation"] == "http://x/p"
    assert len(client.get("/api/decisions", params={"relation": "pays in"}).json()["facts"]) == 1
    exported = client.get("/api/export", params={"relation": "pays in"}).text
    assert exported.startswith("<http://x/1> <http://x/p> <http://x/2> . # ")


def test_too_many_at_once_are_turned_away(make_service: MakeService) -> None:
    service = make_service(gate=Gate(waiting=1, patience=0.01))
    client = client_of(service)
    entered, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with service.gate.turn():
            entered.set()
            leave.wait()

    thread = threading.Thread(target=stay)
    thread.start()
    entered.wait()
    answer = client.post("/api/suggest", json={"relation": "currency"})
    leave.set()
    thread.join()
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "5"
    assert client.post("/api/suggest", json={"relation": "currency"}).status_code == 200


def test_turns_are_taken_in_order() -> None:
    gate, order = Gate(), []
    threads = []

    def take(number: int) -> None:
        with gate.turn():
            order.append(number)

    with gate.turn():
        for number in range(5):
            threads.append(threading.Thread(target=take, args=(number,)))
            threads[-1].start()
            while len(gate._queue) < number + 2:
                time.sleep(0.001)
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4]


def test_a_full_disk_is_told(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StorageError("nothing was decided: disk is full")

    monkeypatch.setattr(type(service.decisions), "decide", full)
    answer = client_of(service).post("/api/decisions", json=DECISION)
    assert answer.status_code == 507
    assert "nothing was decided" in answer.json()["error"]


def test_a_model_that_breaks_on_the_way_ends_the_stream_with_an_error(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("faan.web.service.SLICE", -1)  # one suggestion at a time
    whole = Suggestions.stream

    def broken(suggestions: Suggestions) -> Iterator[Suggestion]:
        yield next(whole(suggestions))
        raise RuntimeError("secret")

    monkeypatch.setattr(Suggestions, "stream", broken)
    streamed = lines(client_of(service), {"relation": "currency"})
    assert "broke off" in streamed[-1]["error"]
    assert "secret" in caplog.text


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"nul", b'{"relation": "\\ud800"}', b'{"relation": NaN}', b"\xff", b"[" * 100_000, b"1" * 9999],
)
def test_no_body_breaks_the_server(client: TestClient, body: bytes) -> None:
    answer = client.post("/api/suggest", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.json()["error"]


def test_a_body_that_is_no_json_is_400_as_documented(client: TestClient) -> None:
    for body in (b"{", b"nul", b"\xff"):
        answer = client.post("/api/suggest", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 400, body


@pytest.mark.parametrize("sign", ["\0", "\x1b", "\n", "\x85", "\u2028"])
def test_a_new_relation_has_no_control_characters_in_its_name(client: TestClient, sign: str) -> None:
    for path, more in (("suggest", {}), ("decisions", DECISION), ("explain", {"head": "Peru", "tail": "Euro"})):
        asked = {**more, "relation": f"pays{sign}with", "examples": [["Japan", "Yen"]]}
        answer = client.post(f"/api/{path}", json=asked)
        assert (answer.status_code, answer.json()["error"][:9]) == (422, "relation:")


@pytest.mark.parametrize(("error", "status"), [(LockedError, 503), (DamagedError, 503), (StorageError, 507)])
def test_what_is_wrong_with_the_file_of_decisions_is_told(
    service: Service, monkeypatch: pytest.MonkeyPatch, error: type[StorageError], status: int
) -> None:
    def broken(*_: object) -> None:
        raise error("what to do")

    monkeypatch.setattr(type(service.decisions), "_read", broken)
    for path in ("/api/decisions", "/api/export"):
        answer = client_of(service).get(path)
        assert (answer.status_code, answer.json()["error"]) == (status, "what to do")


def test_names_are_looked_up_with_what_is_wrong_with_them(client: TestClient) -> None:
    asked = {"relation": "currency", "entities": ["Peru", "Perru", "nobody at all"]}
    answer = client.post("/api/names", json=asked).json()
    assert answer["relation"] == {"name": "currency", "label": "currency", "facts": 3}
    known, near, unknown = answer["entities"]
    assert (known["asked"], known["entity"]["label"], known["problem"]) == ("Peru", "Peru", "")
    assert (near["entity"], near["nearest"]) == (None, ["Peru"])
    assert near["problem"] == "no entity is called 'Perru'. Did you mean 'Peru'?"
    assert (unknown["entity"], unknown["nearest"]) == (None, [])
    new = client.post("/api/names", json={"relation": "curency"}).json()
    assert (new["relation"], new["nearest"], new["entities"]) == (None, ["currency"], [])


def test_similar_names_are_searched_for_a_few_unknown_names_only(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    find = service.naming.search.find

    def watched(text: str, limit: int) -> list[Entity]:
        searched.append(text)
        return find(text, limit)

    monkeypatch.setattr(service.naming.search, "find", watched)
    names = [f"Perru {i}" for i in range(9)]
    answer = client_of(service).post("/api/names", json={"entities": names}).json()
    assert [one["asked"] for one in answer["entities"]] == names
    assert searched == names[:5]  # each of these searches takes long in a large graph


def test_labels_stand_for_names(make_service: MakeService, write: Callable[[str, str], Path]) -> None:
    labels = write("nodes.tsv", "id\tname\nQ1\tPeru\nP1\tcurrency\nQ2\tSol\nQ3\tSol\n")
    client = client_of(make_service(read_graph([("Q1", "P1", "Q2"), ("Q3", "P1", "Q1")], nodes=labels)))
    answer = client.post("/api/names", json={"relation": "currency", "entities": ["Peru", "Sol"]}).json()
    assert answer["relation"]["name"] == "P1"
    assert answer["entities"][0]["entity"]["name"] == "Q1"
    assert "Q2" in answer["entities"][1]["problem"]  # two have this label
    client.post("/api/decisions", json=DECISION | {"relation": "currency", "head": "Peru", "tail": "Q2"})
    (made,) = client.get("/api/decisions/past").json()["decisions"]
    assert [made[f"{end}_label"] for end in ("head", "relation", "tail")] == ["Peru", "currency", "Sol"]
    assert made["relation"] == "P1"


def test_a_decision_comes_with_the_reasons_that_were_sent(client: TestClient) -> None:
    made = client.post("/api/decisions", json=DECISION | {"reasons": ["a path", "against: far"]}).json()
    assert made["reasons"] == ["a path", "against: far"]
    assert client.get("/api/decisions/past").json()["decisions"][0]["reasons"] == made["reasons"]
    for reasons in (["a" * 2001], ["a"] * 11, [""], "a path", [1]):
        assert client.post("/api/decisions", json=DECISION | {"reasons": reasons}).status_code == 422


def test_the_documentation_names_parameters_that_there_are(client: TestClient) -> None:
    described = client.get("/openapi.json").json()["paths"]["/api/decisions"]["get"]
    assert "pass `last` as `after`" in described["description"]
    assert "after" in [parameter["name"] for parameter in described["parameters"]]


def test_past_decisions_come_latest_first(client: TestClient) -> None:
    facts = [("Peru", "Euro"), ("Chile", "Yen"), ("Korea", "Yen")]
    for head, tail in facts:
        client.post("/api/decisions", json=DECISION | {"head": head, "tail": tail})
    client.post("/api/decisions", json=DECISION | {"relation": "near", "head": "Peru", "tail": "Korea"})
    client.delete("/api/decisions/2", params={"reviewer": "Bo"})
    listed = client.get("/api/decisions/past", params={"relation": "currency"}).json()["decisions"]
    assert [(row["head"], row["tail"]) for row in listed] == [("Korea", "Yen"), ("Peru", "Euro")]
    older = client.get("/api/decisions/past", params={"before": listed[0]["id"], "limit": 1}).json()["decisions"]
    assert [row["id"] for row in older] == [1]
    assert len(client.get("/api/decisions/past").json()["decisions"]) == 3


def test_rejected_facts_are_passed_on(client: TestClient, service: Service) -> None:
    completer = cast(FakeCompleter, service.completer)
    client.post("/api/decisions", json=DECISION | {"verdict": "rejected"})
    client.post("/api/decisions", json=DECISION | {"head": "Korea", "verdict": "rejected"})
    asked = {"relation": "currency", "accepted_until": 1, "rejected": [["Chile", "Yen"]]}
    client.post("/api/suggest", json=asked)
    assert completer.rejected == (("Chile", "Yen"), ("Peru", "Euro"))  # what came later does not count
    client.post("/api/explain", json=asked | {"head": "Peru", "tail": "Yen"})
    assert completer.rejected == (("Chile", "Yen"), ("Peru", "Euro"))
    client.post("/api/score", json={"relation": "currency", "pairs": [["Peru", "Yen"]]})
    assert not completer.rejected
    wrong = client.post("/api/suggest", json=asked | {"rejected": [["Chil", "Yen"]]})
    assert wrong.json()["error"] == "no entity is called 'Chil'. Did you mean 'Chile'?"


def test_entities_of_the_kind_that_is_looked_for_come_first(client: TestClient) -> None:
    found = client.get("/api/entities", params={"q": "e", "like": ["Yen", "nobody"]}).json()["entities"]
    assert found[0]["name"] == "Euro"
    assert client.get("/api/entities", params={"q": "e", "like": ["Yen"] * 21}).status_code == 422
