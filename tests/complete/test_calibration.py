"""Probabilities: monotone within a head, right on average, in sum at most 1 where heads have one value."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from faan.complete import fit
from faan.complete.calibration import (
    UNMEASURED,
    Answered,
    Calibration,
    Tuning,
    features,
    fit_calibration,
    probabilities,
)
from faan.complete.probabilities import Judge
from faan.complete.trust import First, calibration_error, first_of, reliability, reliability_of, trade_off
from faan.complete.tuning import fit_tuning
from faan.graph import read_graph

SCORES = arrays.arrays(np.float64, st.integers(1, 40), elements=st.floats(-50, 50))


def sample(heads: int, seed: int, one_value: bool, easier: float = 0.0) -> list[Answered]:
    """Heads with 50 candidates, each true with the chance that its score says; or one of them, or none."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(heads):
        scores = random.normal(size=50)
        odds = np.exp(2 * scores - 4 + easier)
        if one_value:
            right = np.arange(50) == random.choice(51, p=np.append(odds, 1) / (1 + odds.sum()))
        else:
            right = random.random(50) < odds / (1 + odds)
        found.append(Answered.of(scores, right, 5, one_value))
    return found


def fitted(one_value: bool, heads: int = 600) -> Calibration:
    questions = sample(heads, 0, one_value)
    return fit_calibration(questions, np.ones(len(questions)))


@pytest.mark.parametrize("one_value", [True, False])
def test_probabilities_are_right_on_average(one_value: bool) -> None:
    calibration = fitted(one_value, 2000)
    firsts = [first_of(question, calibration, Tuning()) for question in sample(4000, 1, one_value)]
    assert abs(np.mean([one.said for one in firsts]) - np.mean([one.right for one in firsts])) < 0.03
    assert calibration_error(reliability_of(firsts)) < 0.06


@pytest.mark.parametrize("one_value", [True, False])
def test_facts_of_a_relation_move_its_probabilities_the_more_the_more_there_are(one_value: bool) -> None:
    calibration = fitted(one_value)
    few = fit_tuning(sample(3, 2, one_value, easier=3), calibration)
    many = fit_tuning(sample(200, 2, one_value, easier=3), calibration)
    assert 0 < few.offset < many.offset
    asked = sample(500, 3, one_value, easier=3)

    def off(tuning: Tuning) -> float:
        firsts = [first_of(one, calibration, tuning) for one in asked]
        return abs(float(np.mean([one.said for one in firsts]) - np.mean([one.right for one in firsts])))

    assert off(many) < off(Tuning())
    assert off(many) < 0.04
    assert fit_tuning([], calibration) == Tuning()


def misleading(heads: int, seed: int) -> list[Answered]:
    """Heads whose best candidate is never right: it resembles a known answer; one of the next six is."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(heads):
        scores = np.sort(random.normal(size=50))[::-1]
        found.append(Answered.of(scores, np.arange(50) == random.integers(1, 7), 5, one_value=True))
    return found


def test_how_often_first_suggestions_of_a_relation_are_right_is_measured_by_itself() -> None:
    calibration, asked = fitted(True), misleading(300, 1)
    tuning = fit_tuning(misleading(50, 0), calibration)
    said = np.mean([first_of(one, calibration, tuning).said for one in asked])
    without = tuning.model_copy(update={"first": 0.0})
    assert tuning.first < -0.5
    assert said < 0.7 * np.mean([first_of(one, calibration, without).said for one in asked])
    assert fit_tuning(misleading(5, 0), calibration).first > tuning.first / 2


def test_what_is_said_of_first_suggestions_is_what_is_true_of_them_however_much_is_missing() -> None:
    """The first suggestion is a hidden fact for half of the heads; with much missing, it is another true one too."""
    calibration, scores = fitted(True), np.linspace(2, -2, 50)
    found = [Answered.of(scores, np.arange(50) == i % 2 * 3, 5, False, values=9) for i in range(100)]
    for missing in (0.0, 0.1):
        lacking = calibration.model_copy(update={"missing": missing})
        tuning = fit_tuning(found, lacking)
        firsts = [first_of(one, lacking, tuning) for one in found]
        right = np.mean([one.right for one in firsts])
        assert right > 0.5 or not missing
        assert abs(np.mean([one.said for one in firsts]) - right) < 0.05, missing


def test_where_no_candidate_is_the_best_none_is_moved() -> None:
    rows = features(np.array([1.0, 1.0, 0.5]), 5, one_value=True)
    assert (Tuning(first=2.0).shared_logits(ONE, rows) == Tuning().shared_logits(ONE, rows)).all()


ONE, SEVERAL = fitted(True, 100), fitted(False, 100)


@given(SCORES, st.integers(1, 1000), st.booleans())
def test_within_a_head_a_higher_score_never_has_a_lower_probability(
    scores: np.ndarray, shots: int, one_value: bool
) -> None:
    calibration = ONE if one_value else SEVERAL
    said = probabilities(calibration.logits(features(scores, shots, one_value)), one_value)
    assert ((said >= 0) & (said <= 1)).all()
    order = np.argsort(scores, kind="stable")
    assert (np.diff(said[order]) >= -1e-9).all()
    for one in range(1, len(scores)):
        if scores[order[one]] == scores[order[one - 1]]:
            assert said[order[one]] == said[order[one - 1]]


@given(SCORES, st.integers(1, 1000), st.floats(-8, 8), st.floats(0.1, 5), st.floats(-5, 5))
def test_where_heads_have_one_value_all_answers_sum_to_one_at_most(
    scores: np.ndarray, shots: int, offset: float, slope: float, first: float
) -> None:
    tuning = Tuning(offset=offset, slope=slope, first=first)
    said = probabilities(tuning.shared_logits(ONE, features(scores, shots, one_value=True)), one_value=True)
    assert said.sum() <= 1 + 1e-9
    assert (np.diff(said[np.argsort(scores, kind="stable")]) >= -1e-9).all()


def test_candidates_far_behind_are_grouped_and_count_all_the_same() -> None:
    random = np.random.default_rng(0)
    scores, right = random.normal(size=5000), random.random(5000) < 0.01
    answered = Answered.of(scores, right, 5, one_value=False)
    assert len(answered.rows) < 60
    assert (answered.count.sum(), answered.right.sum()) == (5000, right.sum())
    assert answered.rows[0, 0] == scores.max()
    assert answered.right[0] == right[np.argmax(scores)]


def test_coefficients_never_have_the_wrong_sign() -> None:
    questions = [
        Answered(one.rows, one.count, one.count - one.right, one.shots, one.one_value)
        for one in sample(100, 2, one_value=False)
    ]
    assert all(value >= 0 for value in fit_calibration(questions, np.ones(100)).coefficients[:3])


def test_nothing_to_learn_from_gives_the_mean() -> None:
    question = Answered.of(np.zeros(10), np.arange(10) < 3, 5, one_value=False)
    logits = fit_calibration([question], np.ones(1)).logits(question.rows)
    assert np.allclose(probabilities(logits, one_value=False), 0.3, atol=1e-3)


def test_reliability_compares_what_was_said_with_what_was_true() -> None:
    bins = reliability(np.array([0.05, 0.05, 0.95, 1.0]), np.array([False, True, True, True]))
    assert [(one.count, one.true) for one in bins] == [(2, 0.5), (2, 1.0)]
    assert np.isclose(calibration_error(bins), (2 * 0.45 + 2 * 0.025) / 4)


def test_the_trade_off_says_how_many_are_answered_and_how_many_of_those_are_right() -> None:
    points = {one.threshold: one for one in trade_off([First(0.95, True), First(0.92, False), First(0.1, True)])}
    assert np.allclose((points[0.9].answered, points[0.95].answered), (2 / 3, 1 / 3))
    assert (points[0.9].right, points[0.95].right) == (0.5, 1.0)
    assert trade_off([First(0.1, True)])[-1].right is None


@pytest.mark.slow
def test_where_nothing_is_measured_probabilities_are_those_of_path_rules_on_world() -> None:
    measured = fit(read_graph("world"), method="rules").calibrations.new
    for name, numbers in UNMEASURED.model_dump().items():
        assert np.allclose(numbers, getattr(measured, name), atol=0.01), name


def lacking_heads(
    random: np.random.Generator, hidden: float, missing: float
) -> list[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
    """Heads with many values: how many are known, scores of the other candidates, which are hidden, which are true."""
    found = []
    for _ in range(600):
        values, kind = random.choice((5, 40)), random.random(300)
        true, part = kind < values / 300, random.random(300)
        is_hidden, is_missing = true & (part < hidden), true & (part > 1 - missing)
        asked = ~true | is_hidden | is_missing
        scores = random.normal(4 * true, 1)[asked]
        if is_hidden.any() or not hidden:
            found.append((int((true & ~is_hidden & ~is_missing).sum()), scores, is_hidden[asked], true[asked]))
    return found


def test_true_facts_that_the_graph_lacks_do_not_make_probabilities_small() -> None:
    """A hundredth of the facts is hidden, and a ninth is missing anyway: these count as wrong while it is measured."""
    random = np.random.default_rng(0)
    measured = lacking_heads(random, 0.01, 1 / 9)
    tested = [Answered.of(scores, hidden, 500, False, values) for values, scores, hidden, _ in measured]
    calibration = fit_calibration(tested, np.ones(len(tested)))
    judge = Judge(calibration, Tuning(), 0.0, 500, one_value=False, likely_one=1.0, is_known=True, second=0.0)
    said, right = [], []
    for values, scores, _, true in lacking_heads(random, 0.0, 1 / 9):
        if true.any():
            first = np.array([np.argmax(scores)])
            said.append(judge.probabilities(scores, first, np.array([values]))[0])
            right.append(true[first[0]])
    assert np.mean(right) > 0.8
    assert np.mean([hidden[np.argmax(scores)] for _, scores, hidden, _ in measured]) < 0.5
    assert abs(np.mean(said) - np.mean(right)) < 0.05
    told = reliability_of([first_of(one, calibration, Tuning()) for one in tested])
    assert calibration_error(told) < 0.1


def test_answers_that_follow_from_known_facts_share_one_unit_with_the_others() -> None:
    judge = Judge(fitted(one_value=True), Tuning(), 0.0, 5, one_value=True, likely_one=1.0, is_known=True, second=0.0)
    scores, everywhere = np.array([9.0, 1.0, 0.5, 0.0]), np.arange(4)
    plain = judge.probabilities(scores, everywhere, np.zeros(4, dtype=int))
    assert plain[0] > 0.6
    for sure in ([0.9, 0.9, 0, 0], [0, 0.9, 0.9, 0], [0, 0, 0, 0.9]):
        said = judge.probabilities(scores, everywhere, np.zeros(4, dtype=int), np.array(sure))
        assert (said >= 0).all(), sure
        assert said.sum() <= 1 + 1e-9, sure
