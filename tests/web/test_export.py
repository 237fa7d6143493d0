"""Decided facts as files that other programs read."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast, get_args

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.base import InputError
from faan.graph import Graph, read_graph, save_graph
from faan.graph.iris import Terms
from faan.web.decision import Decision, NewDecision, Verdict
from faan.web.decisions import Decisions
from faan.web.export import FORMATS, Chosen, Exported, FormatName, export, wikidata_id

BECAUSE = ("near\nby", "against: far")
Faan = Callable[..., tuple[int, str, str]]
NAMES = st.text(min_size=1, max_size=20) | st.sampled_from(
    [
        "http://a.org/x",
        "http://a.org/a b",
        "urn:x:y",
        "UTC-07:00",
        "<script>",
        "a\tb\nc",
        "x> . <y",
        'q"uote',
        "\\",
        "Q5",
    ]
)


def decision(
    head: str, relation: str, tail: str, verdict: Verdict = "accepted", examples: str = "{}", number: int = 1
) -> Decision:
    time = "2026-01-01T00:00:00.000+00:00"
    return Decision(number, time, "Ana <a>", relation, head, tail, verdict, 0.9, 2.5, 1, BECAUSE, examples, "m (x)")


def text(
    decisions: list[Decision],
    format: str,
    chosen: Chosen = "accepted",
    terms: Terms | None = None,
    graph: Graph | None = None,
) -> str:
    class Stored:
        identity = "origin"

        def current(self, relation: None, verdicts: tuple[Verdict, ...]) -> list[Decision]:
            return [decision for decision in decisions if decision.verdict in verdicts]

    return "".join(export(cast(Decisions, Stored()), format, chosen, terms, graph=graph).pieces)


def triples(content: str, format: ox.RdfFormat) -> set[ox.Triple]:
    return {quad.triple for quad in ox.parse(content.encode(), format=format)}


@given(NAMES, NAMES, NAMES)
def test_any_name_survives_every_rdf_format(head: str, relation: str, tail: str) -> None:
    terms = Terms()
    wanted = ox.Triple(terms.of(head), terms.of(relation), terms.of(tail))
    facts = [decision(head, relation, tail)]
    assert triples(text(facts, "nt"), ox.RdfFormat.N_TRIPLES) == {wanted}
    assert wanted in triples(text(facts, "ttl"), ox.RdfFormat.TURTLE)
    store = ox.Store()
    store.update(text(facts, "sparql"))
    assert {quad.triple for quad in store} == {wanted}


@given(st.sets(NAMES, min_size=2, max_size=5))
def test_different_names_have_different_iris(names: set[str]) -> None:
    assert len({Terms().of(name) for name in names}) == len(names)


def test_an_iri_stays_as_it_is_and_other_names_get_the_base() -> None:
    terms = Terms("https://example.org/id/")
    assert terms.of("http://a.org/Peru").value == "http://a.org/Peru"
    assert terms.of("São Tomé/x").value == "https://example.org/id/S%C3%A3o%20Tom%C3%A9%2Fx"
    assert terms.of("UTC-07:00").value == "https://example.org/id/UTC-07%3A00"
    assert terms.of("http://a.org/a b").value == "https://example.org/id/http%3A%2F%2Fa.org%2Fa%20b"
    for wrong in ("", "no iri", "http://a b/", "example.org/"):
        with pytest.raises(InputError, match="is not an IRI"):
            Terms(wrong)


def test_turtle_tells_where_a_fact_comes_from() -> None:
    examples = json.dumps({"examples": [["Japan", "Yen"]], "accepted_until": 4})
    facts = [decision("Peru", "currency", "Sol", examples=examples), decision("Peru", "currency", "Yen", "rejected")]
    content = text(facts, "ttl", "all")
    store = ox.Store()
    store.load(content.encode(), format=ox.RdfFormat.TURTLE)
    prefixes = "PREFIX prov: <http://www.w3.org/ns/prov#> PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> "
    found = cast(
        ox.QuerySolutions,
        store.query(
            prefixes + "PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> SELECT ?who ?model ?p ?example WHERE {"
            "?s rdf:object <urn:faan:Sol> ; prov:wasAttributedTo/rdfs:label ?who ; "
            "<urn:faan:vocabulary#probability> ?p ; prov:wasGeneratedBy/prov:used/rdfs:label ?model ; "
            "prov:wasDerivedFrom/prov:hadMember/rdf:subject ?example }"
        ),
    )
    assert [tuple(node.value for node in row) for row in found] == [("Ana <a>", "m (x)", "0.9", "urn:faan:Japan")]
    assert store.query("ASK { <urn:faan:Peru> <urn:faan:currency> <urn:faan:Sol> }")
    assert not store.query("ASK { <urn:faan:Peru> <urn:faan:currency> <urn:faan:Yen> }")  # rejected: told, not stated
    assert store.query(prefixes + "ASK { ?s rdf:object <urn:faan:Yen> ; <urn:faan:vocabulary#decision> 'rejected' }")
    assert store.query(prefixes + "ASK { ?s rdf:object <urn:faan:Sol> ; <urn:faan:vocabulary#reason> 'against: far' }")


def test_sparql_inserts_what_is_accepted_and_deletes_what_is_rejected() -> None:
    store = ox.Store()
    store.update("INSERT DATA { <urn:faan:a> <urn:faan:r> <urn:faan:c> }")
    facts = [decision("a", "r", f"b{i}") for i in range(1500)] + [decision("a", "r", "c", "rejected")]
    store.update(text(facts, "sparql", "all"))
    assert len(store) == 1500
    assert text([], "sparql").startswith("#")


def test_quickstatements_are_for_wikidata() -> None:
    facts = [
        decision("http://www.wikidata.org/entity/Q419", "P38", "wd:Q204656"),
        decision("Q1", "http://www.wikidata.org/prop/direct/P2", "Q3", "rejected"),
        decision("Q3", "http://www.wikidata.org/prop/direct/P2", "Q1", "rejected"),  # the other way round
        decision("Q1", "http://www.wikidata.org/prop/direct/P2", "Q9", "rejected"),  # not in the graph
    ]
    graph = read_graph([("Q1", "http://www.wikidata.org/prop/direct/P2", "Q3")])
    assert text(facts, "quickstatements", "all", graph=graph) == "Q419\tP38\tQ204656\n-Q1\tP2\tQ3\n"
    assert text(facts, "quickstatements", "all") == "Q419\tP38\tQ204656\n"
    assert text(facts, "quickstatements", "rejected") == ""
    assert wikidata_id("https://www.wikidata.org/wiki/Property:P38") == "P38"
    for wrong in (decision("Peru", "P1", "Q1"), decision("Q1", "Q2", "Q3"), decision("Q01", "P2", "Q3")):
        with pytest.raises(InputError, match="Choose another format"):
            text([wrong], "quickstatements")


def test_relations_may_have_a_base_of_their_own() -> None:
    terms = Terms("http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/")
    fact = (
        "<http://www.wikidata.org/entity/Q419> <http://www.wikidata.org/prop/direct/P38> "
        "<http://www.wikidata.org/entity/Q204656>"
    )
    given = json.dumps({"examples": [["Q17", "Q8146"]]})
    facts = [decision("Q419", "P38", "Q204656", examples=given)]
    assert (
        text(facts, "nt", terms=terms)
        == f"{fact} . # 0.900: accepted by Ana <a> on 2026-01-01; near\\x0aby; against: far\n"
    )
    assert fact in text(facts, "sparql", terms=terms)
    story = text(facts, "ttl", terms=terms)
    assert "entity/P38" not in story
    assert story.count("<http://www.wikidata.org/prop/direct/P38>") == 3  # stated, described, of an example
    with pytest.raises(InputError, match="the base 'x' is not an IRI"):
        Terms(relation_base="x")


def test_a_table_has_everything_and_breaks_at_no_name() -> None:
    content = text([decision("a\tb", "r\n", "c\\", "rejected"), decision("a", "r", "c")], "tsv", "all")
    header, first, second = content.splitlines()
    row = dict(zip(header.split("\t"), first.split("\t"), strict=True))
    assert (row["head"], row["relation"], row["tail"], row["decision"]) == ("a\\tb", "r\\n", "c\\\\", "rejected")
    assert (row["probability"], row["reviewer"]) == ("0.9", "Ana <a>")
    assert row["reasons"] == "near\\nby; against: far"
    assert second.split("\t")[:3] == ["a", "r", "c"]


def test_every_format_can_be_asked_for_by_name() -> None:
    assert get_args(FormatName) == tuple(FORMATS)


def test_formats_that_cannot_tell_refuse_to_mix_accepted_and_rejected() -> None:
    with pytest.raises(InputError, match="cannot mark rejected facts"):
        text([], "nt", "all")


def test_export_writes_a_file_that_faan_reads(faan: Faan, tmp_path: Path) -> None:
    decisions = Decisions(tmp_path / "decisions.sqlite")
    decisions.decide(NewDecision("Ana", "currency", "Peru", "Sol", "accepted"))
    decisions.decide(NewDecision("Ana", "capital", "Peru", "Lima", "accepted"))
    decisions.decide(NewDecision("Ana", "currency", "Peru", "Yen", "rejected"))
    decisions.decide(NewDecision("Ana", "currency", "Peru", "Won", "skipped"))
    code, out, err = faan("export", tmp_path, "--base", "http://a.org/")
    assert (code, out.count("\n"), err) == (0, 2, "2 facts as N-Triples")
    assert "<http://a.org/Peru> <http://a.org/currency> <http://a.org/Sol> . # accepted by Ana on " in out
    for format in FORMATS:
        if format == "quickstatements":
            continue
        code, out, err = faan("export", tmp_path, "--format", format, "-o", tmp_path / "out", "--force")
        assert (code, out) == (0, ""), err
        written = (tmp_path / "out").read_text()
        assert "Lima" in written
        named = tmp_path / f"named{FORMATS[format].ending}"
        assert faan("export", tmp_path, "-o", named, "--force")[0] == 0  # the ending says what it is
        assert named.read_text() == written
    faan(
        "export",
        tmp_path,
        "--format",
        "tsv",
        "--relation",
        "currency",
        "--decision",
        "rejected",
        "-o",
        tmp_path / "x.tsv",
    )
    assert list(read_graph(tmp_path / "x.tsv", columns=("head", "relation", "tail")).triples()) == [
        ("Peru", "currency", "Yen")
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--format", "pdf"), 2, "expected one of nt, tsv"),
        (("--decision", "maybe"), 2, "expected one of accepted"),
        (("--base", "x"), 1, "is not an IRI"),
        (("--relation-base", "x"), 1, "is not an IRI"),
        (("--format", "quickstatements"), 1, "is not a Wikidata item"),
        (("--decision", "all"), 1, "cannot mark rejected"),
        (("--decisions", "nowhere.sqlite"), 1, "nothing was reviewed yet; `faan serve` opens the review page"),
        (("--relation", "curency"), 1, "no relation is called 'curency'. Did you mean 'currency'?"),
        (("-o", "accepted.json"), 2, ".nt, .tsv, .ttl, .trig, .trig12, .ru, .txt"),
        (("--force",), 2, "only for a file (-o)"),
        (("-o", "mine.nt"), 1, "mine.nt: exists; overwrite it (--force) or choose another file"),
    ],
)
def test_an_export_that_cannot_be_says_why(
    faan: Faan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], code: int, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.nt").write_text("mine")
    decisions = Decisions(tmp_path / "decisions.sqlite")
    decisions.decide(NewDecision("Ana", "currency", "Peru", "Sol", "accepted"))
    found, out, err = faan("export", tmp_path, *arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert (tmp_path / "mine.nt").read_text() == "mine"


@pytest.mark.parametrize("examples", ["", "no JSON", "[1]", '{"examples": [["Japan"]]}', '{"accepted_until": []}'])
def test_damaged_examples_are_told_before_the_old_file_is_touched(faan: Faan, tmp_path: Path, examples: str) -> None:
    (tmp_path / "mine.ttl").write_text("mine")
    decisions = Decisions(tmp_path / "decisions.sqlite")
    decisions.decide(NewDecision("Ana", "currency", "Peru", "Sol", "accepted", examples=examples))
    code, out, err = faan("export", tmp_path, "-o", tmp_path / "mine.ttl", "--force")
    assert (code, out) == (1, "")
    assert "the examples of decision 1 are not as the review page wrote them" in err
    assert (tmp_path / "mine.ttl").read_text() == "mine"
    assert faan("export", tmp_path, "-o", tmp_path / "mine.tsv")[0] == 0


def test_everything_is_checked_before_the_first_piece_comes(tmp_path: Path) -> None:
    decisions = Decisions(tmp_path / "decisions.sqlite")
    decisions.decide(NewDecision("Ana", "currency", "Peru", "Sol", "accepted", examples="no JSON"))
    with pytest.raises(InputError, match="decision 1"):
        export(decisions, "ttl", "accepted")


def test_an_export_that_breaks_off_leaves_the_old_file(
    faan: Faan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.nt").write_text("mine")
    Decisions(tmp_path / "decisions.sqlite").close()

    def broken() -> Iterator[str]:
        yield "half a file"
        raise InputError("the disk is full")

    monkeypatch.setattr("faan.cli.export.export_facts", lambda *_, **__: Exported(1, 0, broken()))
    code, _, err = faan("export", tmp_path, "-o", tmp_path / "mine.nt", "--force")
    assert (code, "the disk is full" in err) == (1, True)
    assert (tmp_path / "mine.nt").read_text() == "mine"
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]


def test_an_export_follows_links_and_writes_into_pipes(faan: Faan, tmp_path: Path) -> None:
    decisions = Decisions(tmp_path / "decisions.sqlite")
    decisions.decide(NewDecision("Ana", "currency", "Peru", "Sol", "accepted"))
    (tmp_path / "real.nt").touch()
    (tmp_path / "link.nt").symlink_to("real.nt")
    assert faan("export", tmp_path, "-o", tmp_path / "link.nt", "--force")[0] == 0
    assert (tmp_path / "link.nt").is_symlink()
    fact = (tmp_path / "real.nt").read_text()
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert faan("export", tmp_path, "--format", "nt", "-o", tmp_path / "pipe")[0] == 0
    assert os.read(reader, 1000).decode() == fact
    os.close(reader)


def test_a_relation_is_exported_by_its_label(faan: Faan, tmp_path: Path) -> None:
    (tmp_path / "graph.nt").write_text(
        "<http://x/peru> <http://x/P38> <http://x/sol> .\n<http://x/P38> "
        '<http://www.w3.org/2000/01/rdf-schema#label> "currency"@en .\n'
    )
    save_graph(read_graph(tmp_path / "graph.nt"), tmp_path / "graph")
    decisions = Decisions(tmp_path / "decisions.sqlite")
    assert faan("export", tmp_path, "--relation", "currency")[:2] == (0, "")  # none yet
    decisions.decide(NewDecision("Ana", "http://x/P38", "http://x/peru", "http://x/sol", "accepted"))
    decisions.decide(NewDecision("Ana", "seat", "http://x/peru", "http://x/lima", "accepted"))
    for name in ("currency", "http://x/P38"):
        (line,) = faan("export", tmp_path, "--relation", name)[1].splitlines()
        assert line.startswith("<http://x/peru> <http://x/P38> <http://x/sol> . # accepted by Ana on ")
    assert "<urn:faan:seat>" in faan("export", tmp_path, "--relation", "seat")[1]
    code, _, err = faan("export", tmp_path, "--relation", "curency")
    assert (code, "Did you mean 'currency'" in err) == (1, True)
