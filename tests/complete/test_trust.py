"""Numbers that can be acted on: measured on the relation itself, coherent within a head, and said what they rest on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools.attack.small_graph import facts

from faan.base import Ints, ignore_progress
from faan.complete import Completer, Extended, fit
from faan.complete.calibration import UNMEASURED
from faan.complete.folder import SELF_TESTS_FILE
from faan.complete.question import ask
from faan.complete.selftest import NOTHING, run_self_test
from faan.complete.shape import TypePairs, has_one_value
from faan.graph import Graph, read_graph
from faan.tasks import PairSet, Task

from .conftest import CAPITALS, COUNTRIES

FIVE = CAPITALS[:5]


def test_the_answers_of_a_head_sum_to_one_at_most_where_heads_have_one_value(completer: Completer) -> None:
    for examples, heads in ((FIVE, ["land9", "land20"]), ("minted_in", ["court3", "coin4"]), ("lies_in", ["court1"])):
        assert completer.trust(examples).one_value
        for head in heads:
            found = completer.suggest(examples, heads=head, top=10_000, known="show")
            assert len(found) > 5
            assert sum(one.probability for one in found) <= 1 + 1e-9


def test_where_heads_have_several_values_each_answer_has_its_own_probability(completer: Completer) -> None:
    examples = [(f"land{i}", f"town{i}{t}") for i in range(8) for t in "ab"]
    assert not completer.trust(examples).one_value
    found = completer.suggest(examples, heads="land9", top=2)
    assert sum(one.probability for one in found) > 1


def test_a_head_that_has_its_one_value_hardly_has_another(completer: Completer) -> None:
    [second] = completer.score([("land0", "town0b")], FIVE)
    [first] = completer.score([("land9", "town9a")], FIVE)
    assert second.probability < first.probability / 5


def test_a_relation_is_one_valued_by_its_facts() -> None:
    assert has_one_value(np.array([[0, 1], [2, 1], [3, 1]]))
    assert not has_one_value(np.array([[0, 1], [0, 2], [3, 1], [4, 1]]))
    assert not has_one_value(np.array([[0, 1], [2, 1]]))  # two heads say nothing


def test_a_self_test_hides_facts_and_says_how_often_they_were_found(completer: Completer) -> None:
    trust = completer.trust("judges")
    assert trust.in_words() == f"measured on {COUNTRIES} questions about this relation and on other relations"
    assert (trust.questions, sum(one.count for one in trust.reliability)) == (COUNTRIES, COUNTRIES)
    assert trust.trade_off[0].answered > 0.9  # a court sits in a town of its land
    assert trust.trade_off[0].right == 1


def test_what_was_found_in_the_self_test_moves_the_probability(land_completer: Completer) -> None:
    question, method = ask(land_completer.graph, "judges"), land_completer.fitted.method
    test = run_self_test(question, method, UNMEASURED, None, lambda what, share: None)
    assert test.tuning.offset > 0  # all are found, which path rules on World did not lead one to expect
    assert run_self_test(ask(land_completer.graph, tuple(FIVE)), method, UNMEASURED, None, lambda *_: None) is NOTHING


@pytest.fixture(scope="module")
def land_completer(completer: Completer) -> Completer:
    return completer


def test_the_answer_says_what_the_number_rests_on(completer: Completer, unmeasured: Completer) -> None:
    assert completer.trust(FIVE).in_words() == "from other relations: 5 examples say little"
    assert unmeasured.trust(FIVE).in_words() == "from another graph: 5 examples say little"
    rejected = [("coin1", "town1b"), ("coin2", "town2b")]
    decided = completer.trust(Extended("minted_in", (("court1", "town1a"),)), rejected=rejected)
    assert decided.in_words().endswith("and on other relations, and 3 decisions")
    assert completer.explain("land9", "town9a", FIVE).rests_on == "from other relations: 5 examples say little"


def test_self_tests_are_kept_in_the_model_folder_and_checked_when_they_are_read(
    completer: Completer, tmp_path: Path
) -> None:
    completer.save(tmp_path / "model")
    file = tmp_path / "model" / SELF_TESTS_FILE
    first = Completer.load(tmp_path / "model").trust("judges")
    kept = json.loads(file.read_text(encoding="utf-8"))
    assert list(kept["tests"]) == ["judges"]
    kept["tests"]["judges"]["questions"] = 7
    file.write_text(json.dumps(kept), encoding="utf-8")
    assert Completer.load(tmp_path / "model").trust("judges").questions == 7
    for damage in ("{", "[]", '{"model": 1, "tests": {}}', json.dumps(kept | {"model": kept["model"] + 1})):
        file.write_text(damage, encoding="utf-8")
        assert Completer.load(tmp_path / "model").trust("judges") == first
    kept["tests"]["judges"]["hits"] = [[10**9, 0, 0.0]]
    file.write_text(json.dumps(kept), encoding="utf-8")
    assert Completer.load(tmp_path / "model").trust("judges") == first
    completer.save(tmp_path / "model")  # a model with self-tests can be replaced
    assert not file.exists()


def test_types_that_never_go_together_are_warned_of_and_count_against() -> None:
    rows = facts()
    rows += [(f"duke{i}", "rules", f"land{i}") for i in range(8)] + [
        (f"mayor{i}", "rules", f"town{i}b") for i in range(8)
    ]
    rows += [(f"duke{i}", "is", "noble") for i in range(10)] + [(f"mayor{i}", "is", "citizen") for i in range(10)]
    rows += [(f"duke{i}", "born_in", f"town{i}c") for i in range(10)]
    completer = fit(read_graph(rows, type_relations=["is"]), method="rules")
    warnings = {one.tail: one.warnings for one in completer.suggest("rules", heads="duke9", top=300)}
    assert warnings["land9"] == ()
    assert warnings["town9c"] == ("town9c is of type city, and no known fact of this relation links a noble with one",)
    found = completer.explain("duke9", "town9c", "rules")
    assert any(one.sentence.startswith("against: no known fact of this relation links") for one in found.reasons)


def test_odds_fall_with_the_number_of_facts_that_say_so(completer: Completer) -> None:
    graph = completer.graph
    assert graph.types is not None
    pairs = np.array([(graph.entity(f"land{i}"), graph.entity(f"town{i}a")) for i in range(8)])
    types = TypePairs(graph.types, PairSet(pairs[:, 0], pairs[:, 1], graph.num_entities))
    tails = np.array([graph.entity("town9a"), graph.entity("coin9")])
    assert np.allclose(types.against(graph.entity("land9"), tails), [0, np.log(5)])
    assert np.allclose(types.against(graph.entity("coin9"), tails), 0)  # no known head is a coin


def test_probabilities_of_facts_differ_by_what_is_known_of_the_relation(completer: Completer) -> None:
    """The same scores with another self-test: the more is found, the likelier."""
    ranking = completer._rankings.get(tuple(FIVE))
    scores, places, has_value = np.array([2.0, 1.0, 0.0]), np.array([0, 1]), np.zeros(2, dtype=bool)
    usual = ranking.judge.probabilities(scores, places, has_value)
    better = replace(ranking.judge, tuning=ranking.judge.tuning.model_copy(update={"offset": 1.0}))
    assert (better.probabilities(scores, places, has_value)[0]) > usual[0]


def loops(some: int) -> Graph:
    """Packages that need other packages; some of them break older versions of themselves."""
    rows = [(f"p{i}", "needs", f"p{(i * 7 + k) % 60}") for i in range(60) for k in (1, 2)]
    rows += [(f"p{i}", "is_in", f"part{i % 5}") for i in range(60)]
    rows += [(f"p{i}", "breaks", f"p{(i + 30) % 60}") for i in range(40)]
    return read_graph(rows + [(f"p{i}", "breaks", f"p{i}") for i in range(some)])


@pytest.mark.parametrize(("some", "allowed"), [(1, False), (10, True)])
def test_an_entity_is_its_own_answer_only_where_known_facts_say_so_often(some: int, allowed: bool) -> None:
    """The self-test has the same candidates as a suggestion, else it says too much of them."""
    completer = fit(loops(some), method="rules", progress=False)
    suggested = completer.suggest("breaks", heads=["p45", "p50"], top=60, progress=False)
    assert any(one.head == one.tail for one in suggested) is allowed
    question = ask(completer.graph, "breaks")
    asked: list[bool] = []

    class Recording:
        def prepare(self, task: Task, references: Ints) -> Any:
            scorer = completer.fitted.method.prepare(task, references)

            class Scorer:
                def score(self, heads: Ints, candidates: Ints) -> Any:
                    asked.append(bool(np.isin(heads, candidates).all()))
                    return scorer.score(heads, candidates)

            return Scorer()

    run_self_test(question, Recording(), completer.calibrations.new, None, ignore_progress)
    assert asked
    assert any(asked) is allowed
