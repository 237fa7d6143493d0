"""How much a graph lacks: estimated from hidden facts, and what that makes of probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.complete.calibration import MISSING, Answered, Tuning, among_several, fit_calibration
from faan.complete.completeness import estimate_missing, share_found
from faan.complete.probabilities import Judge
from faan.complete.trust import calibration_error, first_of, reliability_of

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=60).map(lambda some: np.array(some) / (sum(some) + 1))


@given(SHARES, st.floats(1, 30))
def test_no_candidate_is_less_likely_than_its_share_and_no_more_are_true_than_a_head_lacks(
    shares: np.ndarray, lacks: float
) -> None:
    found = among_several(shares, np.ones(len(shares)), lacks)
    assert (found >= shares - 1e-12).all()
    assert (found <= 1).all()
    order = np.argsort(shares, kind="stable")
    assert (np.diff(found[order]) >= -1e-12).all()
    assert found.sum() <= lacks * shares.sum() * (1 + 1e-9)


def test_as_many_are_true_as_are_missing_where_there_are_candidates_enough() -> None:
    shares = np.exp(np.random.default_rng(0).normal(0, 2, 500))
    shares /= shares.sum() + 1
    for lacks in (1.5, 4.0, 20.0):
        assert among_several(shares, np.ones(500), lacks).sum() == pytest.approx(lacks * shares.sum(), rel=1e-4)


def test_poor_candidates_stay_unlikely_where_there_are_no_others() -> None:
    found = among_several(np.array([0.99, 1e-4, 1e-4]), np.ones(3), 3.0)
    assert found[0] > 0.99
    assert (found[1:] < 0.01).all()
    assert (among_several(np.full(3, 0.33), np.ones(3), 3.0) > 0.95).all()


def test_a_head_that_lacks_one_fact_shares_one_unit() -> None:
    shares = np.array([0.7, 0.2, 0.05])
    assert np.allclose(among_several(shares, np.ones(3), 1.0), shares)


def test_candidates_that_stand_for_many_count_as_many() -> None:
    shares = np.array([0.5, 0.1, 0.1, 0.1])
    alone = among_several(shares, np.ones(4), 2.0)
    grouped = among_several(shares[:2], np.array([1.0, 3.0]), 2.0)
    assert np.allclose(grouped, alone[:2])


@given(st.integers(1, 10), st.floats(0, 20))
def test_the_share_that_is_found_is_the_mean_over_what_may_be_missing(hidden: int, missing: float) -> None:
    chance, mean = np.exp(-missing), 0.0
    for others in range(200):
        mean += chance * hidden / (hidden + others)
        chance *= missing / (others + 1)
    assert share_found(np.array(float(hidden)), np.array(missing)) == pytest.approx(mean, rel=1e-6)


def asked(random: np.random.Generator, lost: float, right: float, heads: int = 40) -> list[tuple[Answered, bool]]:
    """Questions about one relation of a graph that lost a share of its facts, and whether the first answer is true.

    True tails score high. So do some wrong ones, for each head: as many as make first suggestions right that often.
    """
    found = []
    for _ in range(heads):
        facts = int(random.integers(1, 15))
        state = random.random(facts)
        missing, hidden = state < lost, (state > 0.95)
        if not hidden.any():
            hidden[np.argmax(state)] = True
        missing &= ~hidden
        wrong = random.binomial((missing | hidden).sum(), 1 / right - 1) if right > 0.5 else 0
        strong = random.normal(6, 1, int((missing | hidden).sum()) + wrong)
        scores = np.concatenate([strong, random.normal(0, 1, 80)])
        is_true = np.arange(len(scores)) < (missing | hidden).sum()
        is_hidden = np.zeros(len(scores), dtype=bool)
        is_hidden[: hidden.sum()] = True
        values = int((~missing & ~hidden).sum())
        found.append((Answered.of(scores, is_hidden, 300, False, values), bool(is_true[np.argmax(scores)])))
    return found


@pytest.mark.parametrize("lost", [0.0, 0.05, 0.1, 0.2])
def test_probabilities_hold_however_much_is_missing(lost: float) -> None:
    random = np.random.default_rng(0)
    graph = [asked(random, lost, 1.0) for _ in range(12)]
    relations = [[question for question, _ in own] for own in graph]
    missing = estimate_missing(relations)
    assert missing == pytest.approx(lost / (1 - lost), rel=0.6, abs=0.01)
    questions = [one for own in relations for one in own]
    calibration = fit_calibration(questions, np.full(len(questions), 0.1)).model_copy(update={"missing": missing})
    firsts = [first_of(one, calibration, Tuning()) for one in questions]
    true = np.mean([is_true for own in graph for _, is_true in own])
    assert abs(np.mean([one.said for one in firsts]) - true) < 0.1
    assert calibration_error(reliability_of(firsts)) < 0.1


def test_wrong_suggestions_are_not_taken_for_missing_facts() -> None:
    """Relations differ in how often suggestions are right; where one is always right, little can be missing."""
    random = np.random.default_rng(0)
    relations = [[one for one, _ in asked(random, 0.0, right)] for right in (1.0, 0.9, 0.8, 0.7, 0.6, 0.55)]
    assert estimate_missing(relations) < 0.05


def test_a_method_that_also_misses_single_values_is_poor_and_the_graph_not_lacking() -> None:
    """Misses of heads that lack one fact only cannot be explained by other missing facts."""
    random = np.random.default_rng(0)
    several = [[one for one, _ in asked(random, 0.0, 0.55)] for _ in range(4)]
    found = [
        Answered.of(np.array([1.0, 0.0]), np.array([number % 2 == 0, number % 2 == 1]), 300, True, 0)
        for number in range(80)
    ]
    assert estimate_missing([*several, found, found, found]) < estimate_missing(several)


def test_without_relations_with_several_values_nothing_is_estimated() -> None:
    one = Answered.of(np.arange(5.0), np.arange(5) == 4, 10, True, 0)
    assert estimate_missing([]) == estimate_missing([[one], []]) == MISSING


def test_a_head_with_more_values_lacks_more() -> None:
    random = np.random.default_rng(0)
    questions = [one for one, _ in asked(random, 0.2, 1.0, 200)]
    calibration = fit_calibration(questions, np.full(len(questions), 0.1)).model_copy(update={"missing": 0.25})
    judge = Judge(calibration, Tuning(), 0.0, 300, one_value=False, likely_one=1.0, is_known=True, second=0.0)
    scores = np.concatenate([[6.0, 5.9, 5.8], np.zeros(50)])
    few, many = (judge.probabilities(scores, np.arange(3), np.full(3, values)) for values in (0, 12))
    assert (few < many).all()
    assert few.sum() < 1.5 < 2 < many.sum()
