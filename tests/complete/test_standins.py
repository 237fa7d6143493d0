"""A relation that is known by its name alone: relations with a similar name stand in."""

from __future__ import annotations

import pytest

from faan.base import InputError, UnknownNameError
from faan.complete import Completer, Described, Extended, as_examples, ask
from faan.complete.standins import PAIRS, near_relations, stand_ins
from faan.graph import read_graph

from .conftest import CAPITALS, COUNTRIES


def names_near(completer: Completer, name: str) -> list[str]:
    return [completer.graph.relation_names[one.relation] for one in near_relations(completer.graph, name)]


def test_the_nearest_names_come_first(completer: Completer) -> None:
    assert names_near(completer, "is minted in")[0] == "minted_in"
    assert names_near(completer, "where it lies in")[0] == "lies_in"
    assert names_near(completer, "judgesLand")[0] == "judges"


def test_a_relation_with_few_facts_lends_none() -> None:
    rows = [(f"a{i}", "sits_at", f"b{i}") for i in range(9)] + [(f"a{i}", "sits_in", f"b{i}") for i in range(10)]
    graph = read_graph(rows)
    assert [graph.relation_names[one.relation] for one in near_relations(graph, "sits at a")] == ["sits_in"]


def test_without_a_relation_that_could_lend_the_error_lists_none() -> None:
    with pytest.raises(InputError, match="none has a name like it: give examples of it as pairs"):
        stand_ins(read_graph([("a", "sits_at", "b")]), "sits at a")


def test_a_new_relation_is_asked_for_by_its_name_alone(completer: Completer) -> None:
    found = completer.suggest("sits in or lies", heads=["court3", "court9"], top=1)
    assert found.as_if_like[0] == "sits_in"
    assert "(as if like sits_in" in repr(found)
    assert all(one.low_evidence for one in found)
    assert [one.head for one in found] == ["court3", "court9"]
    assert completer.heads_lacking("sits in or lies")


def test_a_relation_that_it_is_not_like_is_left_out(completer: Completer) -> None:
    found = completer.suggest("sits in or lies", heads=["court3"], not_like="sits_in")
    assert found.as_if_like
    assert "sits_in" not in found.as_if_like
    with pytest.raises(UnknownNameError, match="'sitz_in'"):
        completer.suggest("sits in or lies", not_like=["sitz_in"])
    with pytest.raises(InputError, match="not_like is for one that it lacks"):
        completer.suggest("sits_in", not_like=["lies_in"])
    with pytest.raises(InputError, match="given by its name"):
        completer.suggest(CAPITALS[:5], not_like=["lies_in"])


def test_stand_ins_give_way_to_real_examples(completer: Completer) -> None:
    graph = completer.graph
    for count in range(6):
        question = ask(graph, Described("sits in or lies", tuple(CAPITALS[:count])))
        assert question.num_examples == count
        assert len(question.known) == count
        assert question.low_evidence == (count <= 2)
        assert (question.lent > 0) == (len(question.as_if_like) > 0) == (count == 0)
        assert question.lent <= 3 * PAIRS
        assert question.inverse().inverse().references.tolist() == question.references.tolist()
        assert question.inverse().as_if_like == question.as_if_like
    assert completer.suggest(Extended("seat", tuple(CAPITALS[:5])), heads=["land9"], top=1)[0].tail == "town9a"


def test_lent_pairs_are_not_facts_of_the_relation(completer: Completer) -> None:
    found = completer.suggest("sits in or lies", heads=["court3"], top=100)
    assert "town3a" in [one.tail for one in found]  # of sits_in, and still suggested
    assert not any("known already" in warning for one in found for warning in one.warnings)
    assert len(completer.heads_lacking("sits in or lies")) >= COUNTRIES


def test_a_misspelt_relation_is_refused_and_so_is_a_name_like_no_other(completer: Completer) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'lies_in'"):
        completer.suggest("lies_inn")
    with pytest.raises(InputError, match=r"no relation is called 'xyzzy', .* \(the nearest: .*give examples"):
        completer.suggest("xyzzy")


def test_a_relation_of_the_graph_may_be_spelt_otherwise(completer: Completer) -> None:
    found = completer.suggest("Lies-In", heads=["town9a"], known="show", top=1)
    assert list(found) == list(completer.suggest("lies_in", heads=["town9a"], known="show", top=1))
    assert (found.as_if_like, found[0].tail) == ((), "land9")
    assert as_examples(Extended("lies in", ()), completer.graph) == Extended("lies_in", ())


def test_examples_are_not_added_to_a_relation_that_is_spelt_otherwise(completer: Completer) -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'lies_in'"):
        completer.suggest(Extended("Lies In", tuple(CAPITALS[:5])))


def test_one_question_has_one_probability_by_name(completer: Completer) -> None:
    one = completer.suggest("sits in or lies", heads=["court3"], top=1)[0]
    assert completer.explain("court3", one.tail, "sits in or lies").suggestion == one
    assert completer.score([("court3", one.tail)], "sits in or lies")[0] == one
