"""How a relation differs from others, from facts of its own that were hidden: see `Tuning`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import optimize

from faan.complete.calibration import (
    Answered,
    Calibration,
    Floats,
    Likelihood,
    Tuning,
    among_several,
    probabilities,
)
from faan.complete.completeness import share_found

_OFFSET_SD, _SLOPE_SD, _FIRST_SD = 2.0, 0.6, 0.6  # how far relations differ from each other
_SLOPES, _FIRSTS = (0.1, 5.0), (-4.0, 4.0)
_EXACT = 0.05  # to which `first` is found: its standard deviation is larger


def fit_tuning(questions: Sequence[Answered], calibration: Calibration) -> Tuning:
    """Fit how one relation differs from others; a few questions move it little.

    Offset and slope are those that fit all candidates best, `first` that of the first suggestions.
    """
    asked = [one for one in questions if len(one.count)]
    if not asked:
        return Tuning()
    z, likelihood = (
        calibration.logits(np.concatenate([one.rows for one in asked])),
        Likelihood(asked, np.ones(len(asked))),
    )

    def loss(beta: Floats) -> tuple[float, Floats]:
        value, slope = likelihood(beta[0] + beta[1] * z)
        off = np.array([beta[0] / _OFFSET_SD**2, (beta[1] - 1) / _SLOPE_SD**2]) / len(asked)
        value += (beta[0] * off[0] + (beta[1] - 1) * off[1]) / 2
        return float(value), np.array([slope.sum(), slope @ z]) + off

    bounds = [(None, None), _SLOPES]
    offset, slope = optimize.minimize(loss, np.array([0.0, 1.0]), jac=True, method="L-BFGS-B", bounds=bounds).x
    tuning, shared = Tuning(offset=float(offset), slope=float(slope)), [one for one in asked if one.is_shared]
    return _with_first(tuning, shared, calibration) if shared else tuning


def _with_first(tuning: Tuning, questions: Sequence[Answered], calibration: Calibration) -> Tuning:
    """The same with `first`, from how often first suggestions were right.

    What users are told of a first suggestion is compared with what was found. A true one is one of the h hidden facts
    with probability E[h / (h + u)], as the graph may lack u others.
    """
    hidden = np.array([one.hidden for one in questions], dtype=np.float64)
    lacking = [0.0 if one.one_value else calibration.missing * (one.hidden + (one.values or 0)) for one in questions]
    seen = np.where([one.one_value for one in questions], 1.0, share_found(hidden, np.array(lacking)))
    right = np.array([one.right[0] > 0 for one in questions])

    def loss(first: float) -> float:
        moved = tuning.model_copy(update={"first": first})
        said = np.array([_said(one, moved, calibration) for one in questions])
        found = np.clip(said * seen, 1e-6, 1 - 1e-6)
        return float(first**2 / _FIRST_SD**2 / 2 - np.where(right, np.log(found), np.log1p(-found)).sum())

    found = optimize.minimize_scalar(loss, bounds=_FIRSTS, method="bounded", options={"xatol": _EXACT})
    return tuning.model_copy(update={"first": float(found.x)})


def _said(question: Answered, tuning: Tuning, calibration: Calibration) -> float:
    """What users are told of the first candidate, as in `Judge.probabilities`."""
    count = question.count
    shares = probabilities(tuning.shared_logits(calibration, question.rows) + np.log(count), True) / count
    if question.one_value:
        return float(shares[0])
    return float(among_several(shares, count, 1 + calibration.missing * (1 + (question.values or 0)))[0])
