"""Decisions teach: what resembles rejected facts falls, what resembles right ones does not."""

from __future__ import annotations

import numpy as np

from faan.complete import Completer, Extended
from faan.complete.calibration import Tuning
from faan.complete.lessons import Case, Lessons
from faan.complete.probabilities import Judge
from faan.complete.question import ask
from faan.evidence import find_paths

from .conftest import CAPITALS

TEN = CAPITALS[:10]


def lessons(completer: Completer, wrong: list[tuple[str, str]], right: list[tuple[str, str]]) -> Lessons:
    graph = completer.graph
    ids = [[(graph.entity(head), graph.entity(tail)) for head, tail in pairs] for pairs in (wrong, right)]
    cases = [
        Case(head, tail, 1.0, bool(is_right), decided=True)
        for is_right, pairs in enumerate(ids)
        for head, tail in pairs
    ]
    paths = find_paths(graph, np.array(ids[1]), np.array([graph.entity(f"town{i}a") for i in range(30)]))
    return Lessons.fit(graph, paths, cases)


def added(completer: Completer, learnt: Lessons, head: str, tail: str) -> float:
    return float(learnt.of(completer.graph.entity(head), np.array([completer.graph.entity(tail)]))[0])


def test_the_same_tail_falls_and_others_hardly(completer: Completer) -> None:
    learnt = lessons(completer, [(f"land{i}", "town0a") for i in range(12, 18)], TEN)
    assert added(completer, learnt, "land20", "town0a") < added(completer, learnt, "land20", "town20a") - 0.5


def test_the_same_type_of_head_falls(completer: Completer) -> None:
    learnt = lessons(completer, [(f"court{i}", f"town{i}a") for i in range(12, 20)], TEN)
    assert added(completer, learnt, "court25", "town25a") < added(completer, learnt, "land25", "town25a") - 0.5


def test_more_decisions_that_agree_say_more(completer: Completer) -> None:
    few, many = (lessons(completer, [(f"land{i}", "town0a") for i in range(12, 12 + n)], TEN) for n in (1, 8))
    assert added(completer, many, "land25", "town0a") < added(completer, few, "land25", "town0a") < 0
    assert many.shift < few.shift


def test_parts_sum_to_what_is_added(completer: Completer) -> None:
    learnt = lessons(completer, [(f"land{i}", f"town{i}b") for i in range(12, 18)], TEN)
    head, tail = completer.graph.entity("land20"), completer.graph.entity("town20b")
    assert np.isclose(sum(learnt.parts(head, tail).values()), learnt.of(head, np.array([tail]))[0])


def test_rejected_facts_lower_what_resembles_them(completer: Completer) -> None:
    wrong = [(f"coin{i}", "town0a") for i in range(1, 9)]
    before = completer.score([("coin20", "town0a"), ("coin20", "town20a")], "minted_in")
    after = completer.score([("coin20", "town0a"), ("coin20", "town20a")], "minted_in", rejected=wrong)
    assert after[0].score - before[0].score < after[1].score - before[1].score


def test_decisions_calibrate_the_relation(completer: Completer) -> None:
    wrong = [(f"land{i}", f"town{i}b") for i in range(10, 25)]
    [before] = completer.score([("land27", "town27b")], TEN)
    [after] = completer.score([("land27", "town27b")], TEN, rejected=wrong)
    assert after.probability < before.probability
    accepted = tuple((f"court{i}", f"town{i}a") for i in range(5))
    assert completer.score([("court9", "town9a")], Extended("minted_in", accepted), rejected=wrong)


def test_no_lesson_speaks_for_a_fact(completer: Completer) -> None:
    learnt = lessons(completer, [("land20", "town20b")], TEN)
    everyone = np.arange(completer.graph.num_entities)
    assert (learnt.of(completer.graph.entity("land9"), everyone) <= 0).all()


def test_a_second_value_is_judged_by_second_values_that_were_decided(completer: Completer) -> None:
    """Accepted first values say nothing of second ones; rejected second values do."""

    def second(rejected: list[tuple[str, str]]) -> float:
        question = ask(completer.graph, tuple(TEN), rejected)
        return Judge.of(question, completer.calibrations.new, Tuning()).second

    elsewhere, there = [("land20", "town20b")], [(f"land{i}", f"town{i}b") for i in range(10)]
    assert second([]) == 1 / 12
    assert second(elsewhere) == 1 / 2
    assert second(there) == 1 / 12
