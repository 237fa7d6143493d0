"""Accepted facts are checked against SHACL shapes by pySHACL before they are written."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from faan.base import InputError
from faan.graph import Graph, Terms, read_graph, save_graph
from faan.web import Decisions, validate
from faan.web.decision import NewDecision

from .test_export import decision

Run = Callable[..., tuple[int, str, str]]
EX = "http://example.org/"
PREFIXES = f"""\
@prefix : <{EX}> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
"""
SHAPES = f"""{PREFIXES}
:CountryShape a sh:NodeShape ; sh:targetClass :Country ;
    sh:property [ sh:path :capital ; sh:class :Place ; sh:maxCount 1 ; sh:message "a capital is one place" ] .
"""
GRAPH = f"""{PREFIXES}
:City rdfs:subClassOf :Place .
:Peru a :Country ; :capital :Lima . :Chile a :Country ; :capital :Santiago, :Valparaiso . :Japan a :Country .
:Lima a :City . :Santiago a :City . :Valparaiso a :City . :Tokyo a :City . :Chopin a :Person .
:Tokyo :twin :Lima . :Japan :fan_of :Chopin .
"""


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    (tmp_path / "graph.ttl").write_text(GRAPH)
    return read_graph(tmp_path / "graph.ttl")


@pytest.fixture
def shapes(tmp_path: Path) -> Path:
    path = tmp_path / "shapes.ttl"
    path.write_text(SHAPES)
    return path


def told(facts: list[tuple[str, str]], shapes: Path, graph: Graph | None) -> tuple[list[tuple[str, str]], int]:
    decided = [decision(EX + head, f"{EX}capital", EX + tail) for head, tail in facts]
    found = validate(decided, shapes, Terms(), graph)
    return [(one.node.removeprefix(EX), one.value.removeprefix(EX)) for one in found.new], found.old


def test_facts_that_keep_the_shapes_break_nothing(graph: Graph, shapes: Path) -> None:
    assert told([("Japan", "Tokyo")], shapes, graph) == ([], 0)  # that a city is a place, the graph says
    assert told([], shapes, graph) == ([], 0)


def test_what_the_graph_says_counts(graph: Graph, shapes: Path) -> None:
    assert told([("Peru", "Tokyo")], shapes, graph) == ([("Peru", "")], 0)  # Lima is known
    assert told([("Japan", "Chopin")], shapes, graph) == ([("Japan", "Chopin")], 0)
    assert told([("Peru", "Tokyo")], shapes, None) == ([], 0)


def test_what_was_broken_before_is_counted_apart(graph: Graph, shapes: Path) -> None:
    assert told([("Chile", "Lima")], shapes, graph) == ([], 1)
    assert told([("Chile", "Chopin")], shapes, graph) == ([("Chile", "Chopin")], 1)


def test_names_that_are_no_iris_are_checked_by_the_iris_that_are_written(shapes: Path) -> None:
    graph = read_graph(
        [("Peru", "capital", "Lima"), ("Peru", "is", "Country"), ("Lima", "is", "Place")], type_relations=["is"]
    )
    found = validate([decision("Peru", "capital", "Cusco")], shapes, Terms(EX), graph)
    assert {one.path for one in found.new} == {f"{EX}capital"}
    assert found.notes == ()
    elsewhere = validate([decision("Peru", "capital", "Cusco")], shapes, Terms(), graph)
    assert not elsewhere.new
    assert elsewhere.notes[0].startswith("the shapes name no relation, type or entity of these facts: nothing was ch")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (':S sh:targetClass :C ; sh:sparql [ sh:select "SELECT $this WHERE {}" ] .', "constraints in SPARQL"),
        (":S a sh:NodeShape ; sh:targetClass :Country ; sh:property [ sh:maxCount 1 ] .", "cannot use the shapes"),
        (':S sh:targetClass :Country ; sh:property [ sh:path :capital ; sh:pattern "(" ] .', "use the shapes: missing"),
        (":S sh:targetClass :Country ; sh:property [ sh:path :capital ; sh:pattern 4 ] .", "cannot use the shapes"),
        (
            ":S sh:targetClass :Country ; sh:property [ sh:path :capital ; sh:in _:l ] . "
            "_:l <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> :Lima ; "
            "<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> _:l .",
            "cannot use the shapes: List contains a recursive",
        ),
        ("a\tb\tc\n", "expected shapes in RDF"),
        ("", "the file is empty; expected shapes in RDF"),
    ],
)
def test_shapes_that_cannot_be_used_are_an_error(graph: Graph, tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / ("shapes.tsv" if text.startswith("a\t") else "wrong.ttl")
    path.write_text(text if path.suffix == ".tsv" or not text else PREFIXES + text)
    with pytest.raises(InputError, match=problem):
        told([("Japan", "Tokyo")], path, graph)


def test_what_pyshacl_says_of_the_shapes_is_told_and_not_printed(
    graph: Graph, tmp_path: Path, faan: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "round.ttl"  # a country's capital is a country, whose capital is one
    path.write_text(
        f"{PREFIXES} :S a sh:NodeShape ; sh:targetClass :Country ; sh:property :P . "
        ":P sh:path :capital ; sh:node :S ; sh:in ( 1 'x'^^<http://www.w3.org/2001/XMLSchema#date> ) ."
    )
    found = validate([decision(f"{EX}Japan", f"{EX}capital", f"{EX}Japan")], path, Terms(), graph)
    assert any("Recursive Shape" in note for note in found.notes)
    assert any("Failed to convert Literal" in note for note in found.notes)
    assert capsys.readouterr() == ("", "")
    save_graph(graph, tmp_path / "graph")
    stored = Decisions(tmp_path / "decisions.sqlite")
    stored.decide(NewDecision("Ana", f"{EX}capital", f"{EX}Japan", f"{EX}Japan", "accepted"))
    stored.close()
    _, _, err = faan("export", tmp_path, "--validate", path)
    assert "pySHACL says: Warning, A Recursive Shape was detected" in err


def test_nothing_is_written_where_facts_break_the_shapes(graph: Graph, shapes: Path, tmp_path: Path, faan: Run) -> None:
    save_graph(graph, tmp_path / "graph")
    stored = Decisions(tmp_path / "decisions.sqlite")
    stored.decide(NewDecision("Ana", f"{EX}capital", f"{EX}Japan", f"{EX}Chopin", "accepted"))
    stored.close()
    output = tmp_path / "facts.nt"
    code, _, err = faan("export", tmp_path, "--validate", shapes, "-o", output)
    assert code == 1
    assert f"- {EX}Japan: {EX}capital: a capital is one place (found: {EX}Chopin)" in err
    assert "checked 1 accepted fact against" in err
    assert "nothing was written, because accepted facts break the shapes" in err
    assert not output.exists()
    code, _, err = faan("export", tmp_path, "--validate", shapes, "-o", output, "--write-invalid")
    assert code == 0, err
    assert output.read_text().startswith(f"<{EX}Japan> <{EX}capital> <{EX}Chopin> . # accepted by Ana on ")
    assert faan("export", tmp_path, "--write-invalid")[0] == 2
    assert faan("export", tmp_path, "--validate", shapes, "--decision", "rejected")[0] == 2
