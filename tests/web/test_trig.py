"""TriG: accepted facts in a named graph of their own, and what is known about it."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import pyoxigraph as ox
import pytest

from faan.base import InputError
from faan.graph import Terms, read_graph
from faan.web.decision import Decision, NewDecision, Verdict
from faan.web.decisions import Decisions
from faan.web.export import export
from faan.web.provenance import trig, trig_with_reifiers

PROV = "http://www.w3.org/ns/prov#"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
BASE = "https://example.org/"
PAGE = Path(__file__).parents[2] / "docs" / "provenance.md"


def decision(number: int, head: str, tail: str, verdict: Verdict, reviewer: str = "Ana") -> Decision:
    time = f"2026-01-0{number}T00:00:00.000+00:00"
    examples = '{"examples": [["Chile", "Peso"]]}'
    return Decision(number, time, reviewer, "currency", head, tail, verdict, 0.9, 2.5, 1, (), examples, "a model")


DECISIONS = [
    decision(1, "Peru", "Sol", "accepted"),
    decision(2, "Japan", "Yen", "accepted", "Ben"),
    decision(3, "Peru", "Yen", "rejected"),
]
ACCEPTED = {(f"{BASE}Peru", f"{BASE}Sol"), (f"{BASE}Japan", f"{BASE}Yen")}


def store(name: str) -> ox.Store:
    text = (trig if name == "trig" else trig_with_reifiers)(DECISIONS, Terms(BASE), "id1")
    loaded = ox.Store()
    loaded.load(text.encode(), format=ox.RdfFormat.TRIG)
    return loaded


@pytest.mark.parametrize("name", ["trig", "trig12"])
def test_the_named_graph_holds_the_accepted_facts_and_nothing_else(name: str) -> None:
    graph = ox.NamedNode(f"{BASE}accepted/id1")
    held = {(str(quad.subject), str(quad.object)) for quad in store(name).quads_for_pattern(None, None, None, graph)}
    assert held == {(f"<{head}>", f"<{tail}>") for head, tail in ACCEPTED}
    assert [one.value for one in store(name).named_graphs()] == [graph.value]


@pytest.mark.parametrize("name", ["trig", "trig12"])
def test_the_default_graph_says_who_made_the_named_one_and_when(name: str) -> None:
    about: dict[str, set[str]] = {}
    for quad in store(name).quads_for_pattern(ox.NamedNode(f"{BASE}accepted/id1"), None, None, ox.DefaultGraph()):
        about.setdefault(quad.predicate.value.removeprefix(PROV), set()).add(str(quad.object).strip("<>"))
    assert about[f"{RDF}type"] == {f"{PROV}Entity", f"{PROV}Collection"}
    assert [time[1:11] for time in about["generatedAtTime"]] == ["2026-01-02"]  # the last decision
    assert about["wasAttributedTo"] == {f"{BASE}reviewer/Ana", f"{BASE}reviewer/Ben"}
    assert about["hadMember"] == {f"{BASE}decision/id1-1", f"{BASE}decision/id1-2"}
    assert about["wasGeneratedBy"] == {f"{BASE}review/id1-1", f"{BASE}review/id1-2"}


def test_reifiers_name_every_decided_fact_as_a_triple_term() -> None:
    loaded = store("trig12")
    terms = {quad.object for quad in loaded.quads_for_pattern(None, ox.NamedNode(f"{RDF}reifies"), None)}
    facts = {(head, tail) for head, tail in (("Peru", "Sol"), ("Japan", "Yen"), ("Peru", "Yen"), ("Chile", "Peso"))}
    assert terms == {Terms(BASE).triple(head, "currency", tail) for head, tail in facts}
    assert not list(loaded.quads_for_pattern(None, ox.NamedNode(f"{RDF}subject"), None))


def test_faan_reads_what_it_wrote(tmp_path: Path) -> None:
    for name, write in (("plain", trig), ("reifiers", trig_with_reifiers)):
        path = tmp_path / f"{name}.trig"
        path.write_text("".join(write(DECISIONS, Terms(BASE), "id1")), encoding="utf-8")
        facts = {(h, t) for h, r, t in read_graph(path).triples() if r == f"{BASE}currency"}
        assert facts == ACCEPTED


def test_the_query_of_the_page_finds_what_ana_accepted() -> None:
    query = re.search(r"^    PREFIX prov.*?^    \}$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert query is not None
    rows = store("trig").query(query[0])
    assert isinstance(rows, ox.QuerySolutions)
    found = [(row["s"].value, row["o"].value, float(row["probability"].value)) for row in rows]
    assert found == [(f"{BASE}Peru", f"{BASE}Sol", 0.9)]


def test_facts_with_wikidatas_numbers_get_wikidatas_iris() -> None:
    assert str(Terms().triple("Q419", "P36", "Q2868")) == (
        "<http://www.wikidata.org/entity/Q419> <http://www.wikidata.org/prop/direct/P36> "
        "<http://www.wikidata.org/entity/Q2868>"
    )
    assert str(Terms(BASE).triple("Q419", "P36", "Q2868")).startswith(f"<{BASE}Q419>")
    assert str(Terms().triple("Q1", "precedes", "Q2")).startswith("<urn:faan:Q1>")  # quarters of a year, perhaps


def test_quickstatements_have_references(tmp_path: Path) -> None:
    with contextlib.closing(Decisions(tmp_path / "decisions.sqlite")) as stored:
        made = stored.decide(NewDecision("Ana", "P36", "Q419", "Q2868", "accepted"))

        def lines(references: dict[str, str]) -> list[str]:
            return list(export(stored, "quickstatements", "accepted", references=references).pieces)

        cells = 'S248\tQ5188229\tS854\t"https://example.org/review"'
        assert lines({"P248": "Q5188229", "P854": "https://example.org/review"}) == [
            f"Q419\tP36\tQ2868\t{cells}\tS813\t+{made.time[:10]}T00:00:00Z/11\n"
        ]
        for bad in ({"P248": 'a"b'}, {"P248": ""}, {"Q5": "Q6"}, {"P248": "a\tb"}):
            with pytest.raises(InputError, match="expected a property and its value"):
                lines(bad)
