"""Probabilities: monotone within a head, right on average."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from faan.complete import fit
from faan.complete.calibration import (
    UNMEASURED,
    Calibration,
    calibration_error,
    features,
    fit_calibration,
    reliability,
)
from faan.graph import read_graph


def sample(heads: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Heads with 50 candidates, of which each is true with the chance that its score says."""
    random = np.random.default_rng(seed)
    rows, right = [], []
    for _ in range(heads):
        scores = random.normal(size=50)
        rows.append(features(scores, 5))
        right.append(random.random(50) < 1 / (1 + np.exp(4 - 2 * scores)))
    return np.concatenate(rows), np.concatenate(right)


def fitted(heads: int = 300) -> Calibration:
    rows, right = sample(heads, 0)
    return fit_calibration(rows, right, np.ones(len(rows)))


def test_probabilities_are_right_on_average() -> None:
    rows, right = sample(300, 1)
    said = fitted().of_features(rows)
    assert abs(said.mean() - right.mean()) < 0.01
    assert calibration_error(reliability(said, right, np.ones(len(said)))) < 0.02


CALIBRATION = fitted(100)


@given(
    arrays.arrays(np.float64, st.integers(1, 40), elements=st.floats(-50, 50)),
    st.integers(1, 30),
)
def test_within_a_head_a_higher_score_never_has_a_lower_probability(scores: np.ndarray, shots: int) -> None:
    said = CALIBRATION.probability(scores, shots)
    assert ((said >= 0) & (said <= 1)).all()
    order = np.argsort(scores, kind="stable")
    assert (np.diff(said[order]) >= -1e-9).all()
    for one in range(1, len(scores)):
        if scores[order[one]] == scores[order[one - 1]]:
            assert said[order[one]] == said[order[one - 1]]


def test_a_probability_does_not_depend_on_which_others_are_asked_for() -> None:
    scores = np.random.default_rng(0).normal(size=30)
    places = np.array([7, 3])
    assert np.allclose(CALIBRATION.probability(scores, 5, places), CALIBRATION.probability(scores, 5)[places])


def test_coefficients_never_have_the_wrong_sign() -> None:
    rows, right = sample(100, 2)
    backwards = fit_calibration(rows, ~right, np.ones(len(rows)))
    assert all(value >= 0 for value in backwards.coefficients[:3])


def test_nothing_to_learn_from_gives_the_mean() -> None:
    rows = features(np.zeros(10), 5)
    right = np.arange(10) < 3
    assert np.allclose(fit_calibration(rows, right, np.ones(10)).of_features(rows), 0.3, atol=1e-3)


def test_reliability_compares_what_was_said_with_what_was_true() -> None:
    bins = reliability(np.array([0.05, 0.05, 0.95, 1.0]), np.array([False, True, True, True]), np.ones(4))
    assert [(one.count, one.true) for one in bins] == [(2, 0.5), (2, 1.0)]
    assert np.isclose(calibration_error(bins), (2 * 0.45 + 2 * 0.025) / 4)


@pytest.mark.slow
def test_where_nothing_is_measured_probabilities_are_those_of_path_rules_on_world() -> None:
    measured = fit(read_graph("world"), method="rules").calibration
    for name, numbers in UNMEASURED.model_dump().items():
        assert np.allclose(numbers, getattr(measured, name), atol=0.01), name
