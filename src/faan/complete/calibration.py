"""From scores to probabilities: logistic regression on how a candidate stands among the others of its head.

Fitted on relations that were held out, where the right answers are known. What it says is: of candidates that stood
like this one, so many were right. All features of a candidate rise with its score and no coefficient of theirs is
negative, so that within one head a higher score never has a lower probability.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field
from scipy import optimize

from faan.complete.about import Bin

Floats = NDArray[np.float64]

CANDIDATE_FEATURES = ("score", "margin to the best other", "rank")  # these rise with the score
_RIDGE = 1e-2  # pulls coefficients to 0, for when there is little to learn from

_Six = tuple[float, float, float, float, float, float]  # one number for each feature
_Above0 = Annotated[float, Field(gt=0)]


def features(scores: Floats, shots: int, places: NDArray[np.integer] | None = None) -> Floats:
    """How candidates stand among all scores (C,) of their head: all of them or those at some places, to (n, 6)."""
    if not len(scores):  # nothing was left to choose from
        return np.empty((0, 6))
    chosen = np.asarray(scores if places is None else scores[places], dtype=np.float64)
    ordered = np.sort(np.asarray(scores, dtype=np.float64))[::-1]
    best, second = ordered[0], ordered[min(1, len(ordered) - 1)]
    margin = np.where(chosen < best, chosen - best, chosen - second)
    not_better = np.searchsorted(-ordered, -chosen, side="left")  # how many are strictly better
    equal = np.searchsorted(-ordered, -chosen, side="right") - not_better
    rank = 1 + not_better + (equal - 1) / 2
    lead = best - ordered[min(9, len(ordered) - 1)]
    of_head = np.broadcast_to([lead, np.log(len(scores)), np.log(shots)], (len(chosen), 3))
    return np.column_stack([chosen, margin, -np.log(rank), of_head])


class Calibration(BaseModel):
    """A monotone logistic regression on standardised features."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    coefficients: _Six
    intercept: float
    mean: _Six
    scale: tuple[_Above0, _Above0, _Above0, _Above0, _Above0, _Above0]

    def probability(self, scores: Floats, shots: int, places: NDArray[np.integer] | None = None) -> Floats:
        """The probability of each candidate of one head, given the scores of all of them; or of those at places."""
        return self.of_features(features(scores, shots, places))

    def of_features(self, rows: Floats) -> Floats:
        """The probability of each row of features, (n, 6) to (n,)."""
        weighed = (rows - self.mean) / self.scale * self.coefficients
        return _sigmoid(weighed.sum(1) + self.intercept)


def fit_calibration(rows: Floats, right: NDArray[np.bool_], weights: Floats) -> Calibration:
    """Fit a logistic regression with a ridge penalty; features that rise with the score never count against it."""
    mean = np.average(rows, axis=0, weights=weights)
    scale = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=weights))
    scale[scale < 1e-9] = 1.0  # a feature that never varies says nothing
    x, y, share = (rows - mean) / scale, right.astype(np.float64), weights / weights.sum()

    def loss(beta: Floats) -> tuple[float, Floats]:
        """The mean loss of coefficients and, last, the intercept; and its gradient."""
        z = x @ beta[:-1] + beta[-1]
        off = share * (_sigmoid(z) - y)
        value = share @ (np.logaddexp(0, z) - y * z) + _RIDGE / 2 * beta[:-1] @ beta[:-1]
        return float(value), np.append(x.T @ off + _RIDGE * beta[:-1], off.sum())

    rising = len(CANDIDATE_FEATURES)
    bounds = [(0, None)] * rising + [(None, None)] * (x.shape[1] + 1 - rising)
    start, options = np.zeros(x.shape[1] + 1), {"ftol": 1e-14, "gtol": 1e-9, "maxiter": 1000}
    beta = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    return Calibration(
        coefficients=tuple(beta[:-1].tolist()),
        intercept=float(beta[-1]),
        mean=tuple(mean.tolist()),
        scale=tuple(scale.tolist()),
    )


def _sigmoid(z: Floats) -> Floats:
    return 0.5 * (1 + np.tanh(0.5 * z))


def reliability(said: Floats, right: NDArray[np.bool_], weights: Floats, bins: int = 10) -> list[Bin]:
    """Compare probabilities with what was true, in equal steps of probability."""
    place = np.minimum((said * bins).astype(np.int64), bins - 1)
    found = []
    for number in range(bins):
        rows = place == number
        if total := weights[rows].sum():
            found.append(
                Bin(
                    count=float(total),
                    said=float(np.average(said[rows], weights=weights[rows])),
                    true=float(np.average(right[rows], weights=weights[rows])),
                )
            )
    return found


def calibration_error(bins: Sequence[Bin]) -> float:
    """By how much probabilities are off, on average over candidates (expected calibration error)."""
    return sum(b.count * abs(b.said - b.true) for b in bins) / sum(b.count for b in bins)


UNMEASURED = Calibration(
    coefficients=(0.217, 0.823, 0.874, -0.157, -0.267, -0.008),
    intercept=-3.574,
    mean=(0.177, -0.606, -2.251, 0.724, 5.187, 0.903),
    scale=(0.522, 1.02, 0.999, 1.013, 2.471, 0.671),
)
"""For graphs with nothing to measure on: what path rules are worth on 29 relations of World.

These are the numbers that `faan fit world --method rules` writes into `config.json`.
"""
