"""What the schema says counts: against suggestions that break its rules, for those that follow from known facts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tools.attack.small_graph import facts

from faan.base import InputError
from faan.complete import Completer, Described, Suggestion, fit
from faan.complete.constraints import Constraints
from faan.complete.question import ask
from faan.graph import Graph, read_graph

from .conftest import COUNTRIES

SCHEMA = """\
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
:City a owl:Class ; owl:disjointWith :Currency .
:nextTo a owl:SymmetricProperty ; rdfs:domain :Country ; rdfs:range :Country .
:liesIn a owl:FunctionalProperty ; rdfs:domain :City ; rdfs:range :Country .
:sitsIn a owl:FunctionalProperty, owl:InverseFunctionalProperty ; rdfs:range :City .
:judges owl:inverseOf :judgedBy .
:mayorOf a owl:FunctionalProperty ; rdfs:range :City .
:Shape sh:targetClass :Country ; sh:property [ sh:path :speaks ; sh:in ( :tongue0 :tongue1 :tongue2 :tongue3 ) ;
    sh:maxCount 1 ] .
"""
RULES = ("next_to", "lies_in", "sits_in", "judges", "judged_by", "speaks")


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    path = tmp_path_factory.mktemp("schema") / "land.ttl"
    path.write_text(SCHEMA)
    rows = [*facts(), *((f"land{i}", "judged_by", f"court{i}") for i in range(10, 30))]
    rows = [row for row in rows if row[:2] != ("court12", "judges") and row[:2] != ("land4", "speaks")]
    return read_graph(rows, type_relations=["is"], schema=path)


@pytest.fixture(scope="module")
def ruled(graph: Graph) -> Completer:
    return fit(graph, method="rules")


def of(completer: Completer, relation: str, head: str, tail: str) -> Suggestion:
    [found] = completer.score([(head, tail)], relation)
    return found


def test_a_tail_outside_the_range_gets_a_warning_and_counts_less(ruled: Completer, graph: Graph) -> None:
    plain = fit(replace(graph, schema=None), method="rules")
    broken = of(ruled, "next_to", "land2", "coin1")
    assert broken.warnings == ("coin1 is of type currency, and the schema allows country as tail",)
    assert broken.because[0] == f"against: {broken.warnings[0]}"
    assert broken.score < of(plain, "next_to", "land2", "coin1").score
    assert not of(ruled, "next_to", "land2", "land9").warnings


def test_a_head_outside_the_domain_gets_a_warning(ruled: Completer) -> None:
    warnings = of(ruled, "next_to", "court1", "land2").warnings
    assert warnings[0] == "court1 is of type court, and the schema allows country as head"


def test_a_second_value_of_a_functional_relation_gets_a_warning(ruled: Completer) -> None:
    second = of(ruled, "sits_in", "court0", "town1a")
    assert second.warnings == (
        "court0 already has town0a, and the schema allows one",
        "town1a already has court1, and the schema allows one",
    )
    assert of(ruled, "sits_in", "court0", "town0a").warnings == ("this fact is known already",)


def test_values_that_a_shape_does_not_list_get_a_warning(ruled: Completer) -> None:
    warnings = of(ruled, "speaks", "land4", "town1a").warnings
    assert warnings[0] == (
        "town1a is not among the values that the schema allows: tongue0 or tongue1 or tongue2 or tongue3"
    )


def test_a_disjoint_type_counts_more_than_one_that_is_only_outside(ruled: Completer) -> None:
    assert of(ruled, "sits_in", "court0", "coin1").score < of(ruled, "sits_in", "court0", "land1").score


def test_the_more_facts_break_a_rule_the_less_it_counts(tmp_path: Path) -> None:
    (tmp_path / "schema.ttl").write_text(SCHEMA.replace(":sitsIn a", ":sitsIn rdfs:domain :Court ; a"))

    def against(wrong: int) -> float:
        rows = [row for row in facts() if row[1] != "is" or row[2] != "court"]
        rows += [(f"court{i}", "is", "currency" if i < wrong else "court") for i in range(COUNTRIES)]
        graph = read_graph(rows, type_relations=["is"], schema=tmp_path / "schema.ttl")
        constraints = Constraints.of(ask(graph, "sits_in"))
        assert constraints is not None
        return float(constraints.against(graph.entity("coin1"), np.array([graph.entity("town1b")]))[0])

    assert against(0) > against(3) > against(20) > 0


def test_a_fact_that_follows_from_a_known_one_comes_first(ruled: Completer) -> None:
    found = ruled.suggest("next_to", heads="land2", top=2)
    assert found[0].tail == "land1"
    assert found[0].because[0] == ("the schema says that next_to is symmetric, and land1 — next_to → land2 is known")
    assert found[0].probability > 0.9 > 5 * found[1].probability
    assert not found[0].warnings  # a country has one neighbour in each direction, and so two
    assert ruled.explain("land2", "land1", "next_to").reasons[0].facts[0].head == "land1"
    assert ruled.suggest("judges", heads="court12", top=1)[0].tail == "land12"
    [head] = ruled.suggest("judged_by", tails="court3", top=1)
    assert head.head == "land3"
    assert head.because[0].startswith("the schema says that judged_by is the inverse of judges")


def test_rejected_facts_lower_what_follows_in_the_same_way(ruled: Completer) -> None:
    wrong = [(f"land{i}", f"land{i - 1}") for i in range(3, 28)]
    [sure] = ruled.suggest("next_to", heads="land2", top=1)
    [doubted] = ruled.suggest("next_to", heads="land2", top=1, rejected=wrong)
    assert doubted.probability < sure.probability


def test_what_is_known_to_follow_shares_one_unit_with_the_rest(ruled: Completer) -> None:
    found = list(ruled.suggest("judges", heads="court12", top=1000))
    assert ruled.trust("judges").one_value
    assert found[0].probability > 0.9
    assert sum(one.probability for one in found) <= 1 + 1e-9


def test_strict_suggests_nothing_that_breaks_a_rule(ruled: Completer) -> None:
    for relation in RULES:
        for heads in (["land2", "land4", "court12", "town3b"], None):
            found = list(ruled.suggest(relation, heads=heads, top=1000, strict=True))
            assert not [one for one in found if "schema" in " ".join(one.warnings)], relation
    assert not ruled.suggest("lies_in", heads="town3a", strict=True)  # has its one value
    assert [one.tail for one in ruled.suggest("lies_in", heads="town3a", known="show", strict=True)] == ["land3"]
    named = ruled.suggest("next_to", tails="land5", top=1000, strict=True)
    assert named
    assert all(one.head.startswith("land") for one in named)


def test_strict_asks_about_no_head_outside_the_domain(tmp_path: Path) -> None:
    rows = [*facts(), *((f"coin{i}", "next_to", f"land{i}") for i in range(3))]
    (tmp_path / "land.ttl").write_text(SCHEMA)
    mixed = fit(read_graph(rows, type_relations=["is"], schema=tmp_path / "land.ttl"), method="rules")
    assert any(name.startswith("coin") for name in mixed.heads_lacking("next_to"))
    assert not any(name.startswith("coin") for name in mixed.heads_lacking("next_to", strict=True))


def test_strict_without_a_schema_is_an_error(completer: Completer) -> None:
    for method in (completer.suggest, completer.heads_lacking):
        with pytest.raises(InputError, match="the model has no schema to check suggestions against: fit it"):
            method("next_to", strict=True)


def test_the_schema_decides_whether_heads_have_one_value_where_facts_are_few(tmp_path: Path) -> None:
    path = tmp_path / "schema.ttl"
    path.write_text("<http://example.org/r> a <http://www.w3.org/2002/07/owl#FunctionalProperty> .")
    two = [("a", "r", "x"), ("b", "r", "y"), ("c", "q", "x")]
    assert not ask(read_graph(two), "r").one_value
    assert ask(read_graph(two, schema=path), "r").one_value
    assert not ask(read_graph(two, schema=path), "r").inverse().one_value
    many = [*two, *((head, "r", tail) for head in "abcdef" for tail in "xyz")]
    assert not ask(read_graph(many, schema=path), "r").one_value  # the facts know better


def test_a_relation_that_only_the_schema_has_keeps_its_rules(ruled: Completer) -> None:
    question = ask(ruled.graph, (("court1", "town1a"),))
    assert question.rules is not None
    assert not question.rules.rules
    pairs = (("court1", "town1a"), ("court2", "town2a"), ("court4", "land4"))
    mayors = Described("http://example.org/mayorOf", pairs)
    assert any(one.tail.startswith("land") for one in ruled.suggest(mayors, heads=["court3"], top=100))
    found = list(ruled.suggest(mayors, heads=["court3"], top=100, strict=True))
    assert found
    assert all(one.tail.startswith("town") for one in found)


def test_the_schema_of_a_model_is_there_when_it_is_loaded(ruled: Completer, tmp_path: Path) -> None:
    ruled.save(tmp_path / "model")
    again = Completer.load(tmp_path / "model")
    for relation, head, tail in (("next_to", "land2", "coin1"), ("next_to", "land2", "land1")):
        assert of(again, relation, head, tail) == of(ruled, relation, head, tail)


def test_a_damaged_schema_of_a_model_is_refused(ruled: Completer, tmp_path: Path) -> None:
    ruled.save(tmp_path / "model")
    path = tmp_path / "model" / "graph" / "schema_objects.npy"
    np.save(path, np.load(path) + 1000)
    (tmp_path / "model" / "checksums.json").unlink()
    with pytest.raises(InputError, match=r"the model is damaged .* fit it again"):
        Completer.load(tmp_path / "model")


def test_a_contradiction_of_the_schema_is_a_note_of_the_model(tmp_path: Path) -> None:
    path = tmp_path / "schema.ttl"
    path.write_text(SCHEMA + ":City owl:disjointWith :City . :trade0 a owl:FunctionalProperty .")
    rows = [*facts(), *((f"land{i}", "trade0", f"land{i + j}") for i in range(9) for j in (1, 2))]
    about = fit(read_graph(rows, type_relations=["is"], schema=path), method="rules").about
    assert any("the class city is disjoint with itself" in note for note in about.notes)
    assert any("says of trade0 that a head has at most one tail, but 9 of 9" in note for note in about.notes)
