"""What a schema says: its statements are no facts, and its rules hold for relations and types of the graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faan.base import InputError
from faan.graph import (
    Graph,
    Names,
    RelationRules,
    Rules,
    open_graph,
    read_graph,
    save_graph,
    summarise,
    summarise_schema,
)
from faan.graph import drafts as drafts_file
from faan.graph import hierarchy as hierarchy_file
from faan.graph.schema import FIRST, NIL, OWL, RDFS, REST, SHACL, SUBCLASS, TYPE

PREFIXES = """\
@prefix : <http://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
"""
ONTOLOGY = """
<http://example.org/> a owl:Ontology ; owl:versionInfo "1.2" .
:Place a owl:Class ; rdfs:label "place"@en .
:City a owl:Class ; rdfs:subClassOf :Place . :Country rdfs:subClassOf :Place .
:Person a owl:Class ; owl:disjointWith :Place .
:located a owl:ObjectProperty ; rdfs:range :Place .
:capital a owl:ObjectProperty, owl:FunctionalProperty ; rdfs:label "has capital" ; rdfs:domain :Country ;
    rdfs:subPropertyOf :located ; rdfs:isDefinedBy <http://example.org/> .
:borders a owl:SymmetricProperty ; rdfs:domain [ a owl:Class ; owl:unionOf ( :Country :City ) ] .
:lies_in owl:inverseOf :contains .
:born_in a owl:FunctionalProperty .
"""
FACTS = """
:Peru a :Country, owl:NamedIndividual ; :capital :Lima ; :borders :Chile ; :contains :Lima .
:Chile a :Country ; :capital :Santiago . :Lima a :City, owl:Thing . :Santiago a :City ; :lies_in :Chile .
:Chopin a :Person ; :born_in :Santiago .
"""
SHAPES = """
:CountryShape a sh:NodeShape ; sh:targetClass :Country ;
    sh:property [ sh:path :capital ; sh:class :City ; sh:maxCount 1 ; sh:in ( :Lima :Santiago ) ] ;
    sh:property [ sh:path [ sh:inversePath :lies_in ] ; sh:class :City ] ;
    sh:property [ sh:path :borders ; sh:maxCount 2 ; sh:deactivated true ] .
"""


def read(text: str, tmp_path: Path, schema: str = "") -> Graph:
    (tmp_path / "graph.ttl").write_text(PREFIXES + text)
    (tmp_path / "schema.ttl").write_text(PREFIXES + schema)
    return read_graph(tmp_path / "graph.ttl", schema=[tmp_path / "schema.ttl"] if schema else ())


def said(graph: Graph, relation: str) -> list[str]:
    return [rule.in_words for rule in rules_of(graph, relation).rules]


def rules_of(graph: Graph, relation: str) -> RelationRules:
    return rules(graph).of(f"http://example.org/{relation}")


def rules(graph: Graph) -> Rules:
    assert graph.rules is not None
    return graph.rules


def names(graph: Graph) -> set[tuple[str, ...]]:
    return {tuple(name.removeprefix("http://example.org/") for name in row) for row in graph.triples()}


def test_statements_of_the_schema_are_rules_and_no_facts(tmp_path: Path) -> None:
    graph = read(ONTOLOGY + FACTS, tmp_path)
    assert names(graph) == {
        ("Peru", "capital", "Lima"),
        ("Peru", "borders", "Chile"),
        ("Peru", "contains", "Lima"),
        ("Chile", "capital", "Santiago"),
        ("Santiago", "lies_in", "Chile"),
        ("Chopin", "born_in", "Santiago"),
    }
    assert said(graph, "capital") == [
        "a head is of type Country",
        "a head has at most one tail",
        "a tail is of type Place",  # of the relation above
    ]
    assert said(graph, "borders") == ["a head is of type Country or City"]
    assert graph.relation_label(graph.relation("http://example.org/capital")) == "has capital"
    assert graph.report.unused_nodes == 0
    assert graph.types is not None
    assert {name.rpartition("/")[2] for name in graph.types.names} == {"Country", "City", "Person"}


def test_a_file_beside_the_facts_says_the_same_as_the_graph_itself(tmp_path: Path) -> None:
    inside, beside = read(ONTOLOGY + SHAPES + FACTS, tmp_path), read(FACTS, tmp_path, ONTOLOGY + SHAPES)
    assert names(inside) == names(beside)
    for relation in ("capital", "borders", "lies_in", "contains", "born_in"):
        assert said(inside, relation) == said(beside, relation)
        assert rules_of(inside, relation).implied_by == rules_of(beside, relation).implied_by
    assert "schema statements" in beside.report.notes[0]


def test_a_saved_graph_keeps_its_schema_and_takes_more(tmp_path: Path) -> None:
    save_graph(read(ONTOLOGY + FACTS, tmp_path), tmp_path / "saved")
    (tmp_path / "shapes.ttl").write_text(PREFIXES + SHAPES)
    opened = open_graph(tmp_path / "saved")
    opened.check()
    assert said(opened, "borders") == ["a head is of type Country or City"]
    more = read_graph(tmp_path / "saved", schema=tmp_path / "shapes.ttl")
    assert said(more, "borders") == said(opened, "borders")  # its list is not mixed up with the shapes' list
    assert "a tail is Lima or Santiago, if the head is of type Country" in said(more, "capital")
    assert more.saved_neighbours is not None
    (tmp_path / "facts.tsv").write_text("A\tb\tC\n")
    assert said(read_graph([tmp_path / "saved", tmp_path / "facts.tsv"]), "capital") == said(opened, "capital")


@pytest.mark.parametrize("column", ["subjects", "predicates", "objects"])
def test_a_schema_with_numbers_out_of_range_is_refused(tmp_path: Path, column: str) -> None:
    save_graph(read(ONTOLOGY + FACTS, tmp_path), tmp_path / "saved")
    path = tmp_path / "saved" / f"schema_{column}.npy"
    np.save(path, np.load(path) + 10**6)
    with pytest.raises(InputError, match="its schema is out of range"):
        open_graph(tmp_path / "saved").check()
    np.save(path, np.load(path)[:-1])
    with pytest.raises(InputError, match="do not fit together"):
        open_graph(tmp_path / "saved")


def test_n_triples_say_the_same_as_turtle(tmp_path: Path) -> None:
    shape, part = "<http://example.org/S>", "<http://example.org/P>"
    shacl, own = "http://www.w3.org/ns/shacl#", "http://example.org/"
    lines = [
        f"{shape} <{shacl}targetClass> <{own}Country> .",
        f"{shape} <{shacl}property> {part} .",
        f"{part} <{shacl}path> <{own}capital> .",
        f'{part} <{shacl}maxCount> "3"^^<http://www.w3.org/2001/XMLSchema#integer> .',
    ]
    (tmp_path / "shapes.nt").write_text("\n".join(lines))
    (tmp_path / "graph.ttl").write_text(PREFIXES + FACTS)
    graph = read_graph([tmp_path / "graph.ttl", tmp_path / "shapes.nt"])
    assert said(graph, "capital") == ["a head has at most 3 tails, if the head is of type Country"]
    assert "4 schema statements" in " ".join(graph.report.notes)


def test_shapes_are_rules_for_their_target_class(tmp_path: Path) -> None:
    graph = read(FACTS, tmp_path, SHAPES)
    assert said(graph, "capital") == [
        "a tail is of type City, if the head is of type Country",
        "a tail is Lima or Santiago, if the head is of type Country",
        "a head has at most one tail, if the head is of type Country",
    ]
    assert said(graph, "lies_in") == ["a head is of type City, if the tail is of type Country"]
    assert said(graph, "borders") == []  # is switched off


def test_a_shape_that_is_a_class_is_for_its_entities(tmp_path: Path) -> None:
    shape = ":Country a owl:Class, sh:NodeShape ; sh:property [ sh:path :capital ; sh:maxCount 1 ] ."
    assert said(read(FACTS, tmp_path, shape), "capital") == [
        "a head has at most one tail, if the head is of type Country"
    ]


def test_lists_of_facts_stay_facts(tmp_path: Path) -> None:
    graph = read(ONTOLOGY + FACTS + ":Book :authors ( :Ann :Bo ) .", tmp_path)
    lists = [row for row in graph.triples() if "rdf-syntax-ns#" in row[1]]
    assert len(lists) == 4
    assert not any("Country" in row[2] for row in lists)


def test_links_between_classes_are_facts_where_classes_are_what_the_graph_is_about(tmp_path: Path) -> None:
    terms = ":binding a owl:Class ; rdfs:subClassOf :function . :function rdfs:subClassOf :root ."
    assert len(names(read(terms, tmp_path))) == 2  # there is nothing else
    annotated = read(terms + ":gene a :Gene ; :enables :binding . :Gene rdfs:subClassOf :Thing .", tmp_path)
    assert len(names(annotated)) == 3  # terms are entities, :Gene is a class
    assert len(names(read(ONTOLOGY + FACTS, tmp_path))) == 6


def test_names_of_a_table_are_found_by_the_last_part(tmp_path: Path) -> None:
    facts = [("Peru", "lies in", "America"), ("Peru", "is", "country"), ("America", "is", "continent")]
    facts += [("Peru", "P36", "Lima"), ("a", "next_to", "b"), ("a", "nextTo", "b")]
    path = tmp_path / "schema.ttl"
    path.write_text(
        f"{PREFIXES}:liesIn rdfs:range :Continent . "
        "<http://www.wikidata.org/prop/direct/P36> a owl:FunctionalProperty ."
        ":nextto a owl:FunctionalProperty . :shape sh:targetClass :Country ; sh:property [ sh:path :liesIn ; "
        "sh:in ( :America ) ] ."
    )
    graph = read_graph(facts, type_relations=["is"], schema=path)
    assert [rule.in_words for rule in rules(graph).of("lies in").rules] == [
        "a tail is of type continent",
        "a tail is America, if the head is of type country",
    ]
    assert rules(graph).of("P36").has_one(0)
    assert not rules(graph).of("next_to").rules  # two look alike: neither is meant
    assert rules(graph).unknown_relations == ["http://example.org/nextto"]


def test_names_of_rdf_are_found_by_the_whole_iri_alone(tmp_path: Path) -> None:
    assert said(read(FACTS, tmp_path, "<http://other.org/capital> a owl:FunctionalProperty ."), "capital") == []


def test_facts_follow_from_facts(tmp_path: Path) -> None:
    graph = read(ONTOLOGY + FACTS + ":Chile :located :South .", tmp_path)
    told = {
        relation: [(graph.relation_names[one.relation].rpartition("/")[2], one.turned, one.said) for one in found]
        for relation in ("borders", "lies_in", "contains", "located", "capital")
        for found in [rules_of(graph, relation).implied_by]
    }
    assert told == {
        "borders": [("borders", True, "borders is symmetric")],
        "lies_in": [("contains", True, "lies_in is the inverse of contains")],
        "contains": [("lies_in", True, "contains is the inverse of lies_in")],
        "located": [("capital", False, "has capital is a kind of located")],
        "capital": [],
    }


@pytest.mark.parametrize(
    "stated",
    [
        ":City owl:disjointWith :Person .",
        ":Person owl:disjointWith :Place . :City rdfs:subClassOf :Place .",
        ":Person owl:disjointWith :Place . :City owl:equivalentClass :Town . :Town rdfs:subClassOf :Place .",
        "[] a owl:AllDisjointClasses ; owl:members ( :Animal :City :Person ) .",
        ":Thing owl:disjointUnionOf ( :Person :City ) .",
    ],
)
def test_classes_are_disjoint_however_that_is_stated(tmp_path: Path, stated: str) -> None:
    graph = read(FACTS, tmp_path, f"{stated} :capital rdfs:range :City .")
    [rule] = rules_of(graph, "capital").rules
    assert graph.types is not None
    assert [graph.types.names[int(kind)].rpartition("/")[2] for kind in rule.apart] == ["Person"]


def test_schema_org_needs_one_of_several_classes(tmp_path: Path) -> None:
    stated = (
        ":capital <https://schema.org/rangeIncludes> :City, :Country ; <http://schema.org/domainIncludes> :Country ."
    )
    assert said(read(FACTS, tmp_path, stated), "capital") == [
        "a head is of type Country",
        "a tail is of type City or Country",
    ]


def test_what_says_nothing_about_entities_is_no_rule(tmp_path: Path) -> None:
    stated = """:capital rdfs:range owl:Thing, rdfs:Literal, <http://www.w3.org/2001/XMLSchema#string>, :Unheard,
        [ a owl:Restriction ; owl:onProperty :borders ; owl:someValuesFrom :City ] .
        :S sh:targetClass :Country ; sh:property [ sh:path :capital ; sh:in ( "Lima" ) ; sh:maxCount "many" ] .
        :S sh:property [ sh:path ( :borders :capital ) ; sh:class :Person ] . :S sh:or ( :A :B ) ."""
    graph = read(FACTS, tmp_path, stated)
    assert said(graph, "capital") == []
    assert rules(graph).unknown_classes == ["http://example.org/Unheard"]
    assert "does not apply: owl:onProperty (1), owl:someValuesFrom (1), sh:or (1)" in graph.report.notes[-1]


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        (":City owl:disjointWith :City .", "the class City is disjoint with itself: no entity can be of it"),
        (
            ":City rdfs:subClassOf :Place, :Person . :Place owl:disjointWith :Person .",
            "the class City is below Person and Place, which are disjoint: no entity can be of it",
        ),
        (
            ":City owl:disjointWith :Person. :borders a owl:SymmetricProperty; rdfs:domain :City; rdfs:range :Person.",
            "borders is symmetric, but its domain and range, City and Person, are disjoint: no fact can fit",
        ),
        (
            ":borders rdfs:range :City, :Person . :City owl:disjointWith :Person .",
            "borders has two ranges, and these, City and Person, are disjoint: no fact can fit",
        ),
    ],
)
def test_a_schema_that_contradicts_itself_gets_a_sentence(tmp_path: Path, stated: str, sentence: str) -> None:
    assert f"the schema says that {sentence}" in summarise(read(FACTS, tmp_path, stated)).problems


def test_a_schema_that_the_facts_contradict_gets_a_sentence(tmp_path: Path) -> None:
    facts = "".join(f":land{i} :speaks :a{i}, :b{i} . " for i in range(4))
    found = summarise_schema(read(facts, tmp_path, ":speaks a owl:FunctionalProperty ."))
    assert found is not None
    assert found.contradictions == (
        "the schema says of http://example.org/speaks that a head has at most one tail, but 4 of 4 heads in the facts "
        "have more, such as http://example.org/land0",
    )


def test_facts_that_break_rules_are_counted_with_examples(tmp_path: Path) -> None:
    more = ":Chile :capital :Chopin . :Chopin a :City ; :borders :Peru . "
    found = summarise_schema(read(ONTOLOGY + FACTS + more, tmp_path))
    assert found is not None
    told = {(one.relation.rpartition("/")[2], one.rule): (one.facts, one.of) for one in found.broken}
    assert told == {("has capital", "a head has at most one tail"): (2, 3)}
    assert found.broken[0].examples[0] == "http://example.org/Chile → http://example.org/Santiago"
    assert found.contradictions == (
        "1 entity is of classes that the schema calls disjoint, such as http://example.org/Chopin (Person and Place)",
    )
    assert found.holds["functional relation"] == 2


def test_a_chosen_relation_is_read_with_its_rules(tmp_path: Path) -> None:
    (tmp_path / "graph.ttl").write_text(PREFIXES + ONTOLOGY + FACTS)
    graph = read_graph(tmp_path / "graph.ttl", predicates=["http://example.org/capital"])
    assert {relation for _, relation, _ in names(graph)} == {"capital"}
    assert "a head is of type Country" in said(graph, "capital")


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("schema.ttl", FACTS, "there is no statement of a schema in it; expected some such as rdfs:range"),
        ("schema.tsv", "a\tb\tc\n", "expected a schema in RDF, such as Turtle, found table"),
        ("schema.ttl", ":capital rdfs:range", "not turtle"),
        ("schema.ttl", "", "the file is empty; expected a schema in RDF, such as Turtle"),
    ],
)
def test_a_file_that_is_no_schema_is_an_error(tmp_path: Path, name: str, text: str, problem: str) -> None:
    (tmp_path / name).write_text(text if name.endswith("tsv") or not text else PREFIXES + text)
    with pytest.raises(InputError, match=problem) as caught:
        read_graph([("a", "b", "c")], schema=tmp_path / name)
    assert str(caught.value).startswith(str(tmp_path / name))


NODES = st.sampled_from([f"http://e.org/{name}" for name in "abcd"] + ["_:l", "_:m", NIL, "http://e.org/r", "2"])
STATED = st.sampled_from(
    [TYPE, FIRST, REST, SUBCLASS, f"{RDFS}domain", f"{RDFS}range", f"{RDFS}subPropertyOf", f"{OWL}unionOf"]
    + [f"{OWL}{name}" for name in ("inverseOf", "disjointWith", "members", "disjointUnionOf", "equivalentClass")]
    + [f"{SHACL}{name}" for name in ("property", "path", "inversePath", "targetClass", "class", "in", "maxCount")]
)
KINDS = st.sampled_from(
    [f"{OWL}{name}" for name in ("Class", "FunctionalProperty", "SymmetricProperty", "AllDisjointClasses", "Thing")]
)


@settings(max_examples=30)
@given(st.lists(st.tuples(NODES, STATED, NODES) | st.tuples(NODES, st.just(TYPE), KINDS), max_size=30))
def test_any_statements_make_rules_that_can_be_checked(stated: list[tuple[str, str, str]]) -> None:
    facts = [("http://e.org/a", "http://e.org/r", "http://e.org/b"), ("http://e.org/c", "http://e.org/r", "2")]
    graph = read_graph([*facts, *stated])
    assert set(facts) <= set(graph.triples())
    found = summarise_schema(graph)
    assert (found is None) == (graph.schema is None)
    if graph.schema is not None:
        again = graph.schema.with_more(graph.schema)
        assert {row[1] for row in again.rows().iter_rows()} == {row[1] for row in graph.schema.rows().iter_rows()}
        for name in graph.relation_names:
            rules(graph).of(name)


def test_terms_that_a_stranger_repeats_do_no_harm(tmp_path: Path) -> None:
    graph = read(FACTS, tmp_path, ONTOLOGY)
    assert graph.schema is not None
    terms = [*graph.schema.terms]
    twice = replace(graph.schema, terms=Names.from_strings([*terms, *terms]))
    summarise_schema(replace(graph, schema=twice))


def test_lists_and_classes_in_circles_end(tmp_path: Path) -> None:
    stated = """:capital rdfs:range [ owl:unionOf _:l ] . _:l rdf:first :City ; rdf:rest _:m . _:m rdf:first :Country ;
        rdf:rest _:l . :City rdfs:subClassOf :Town . :Town rdfs:subClassOf :City . :capital rdfs:subPropertyOf :seat .
        :seat rdfs:subPropertyOf :capital ; rdfs:domain :Country ."""
    assert said(read(FACTS, tmp_path, stated), "capital") == [
        "a tail is of type City or Country",
        "a head is of type Country",
    ]


def test_a_schema_that_is_too_large_says_so(tmp_path: Path) -> None:
    graph = read(FACTS, tmp_path, ONTOLOGY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drafts_file, "_STATEMENTS", 3)
        assert said(graph, "capital") == []
        assert "too large to be applied" in list(rules(graph).contradictions())[-1]
    graph = read(FACTS, tmp_path, ONTOLOGY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hierarchy_file, "_WORK", 3)
        assert "a tail is of type Place" not in said(graph, "capital")
        assert "too large to be applied" in list(rules(graph).contradictions())[-1]
