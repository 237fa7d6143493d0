"""From scores to probabilities: logistic regression on how a candidate compares with the head's other candidates.

Each candidate of a question has odds e^z, z linear in its features. Where a head lacks one fact, all candidates and
'none of these' share one unit: odds / (1 + sum of all odds). Of a new relation with several values, the number of
answers is not known, and each candidate has a probability of its own, odds / (1 + odds).

The regression is fitted on relations that were held out, or on hidden facts of relations of the graph, by the
likelihood of these same formulas. All features of a candidate rise with its score and no coefficient of theirs is
negative, so that within one head a higher score never has a lower probability.

Five examples with a head each do not tell one value from several. How many of the relations that look so have one value
is measured too, and a new relation gets the mean of both probabilities.

Relations of the graph with several values: a hidden fact is one of those that a head lacks, drawn at random, and so
shares one unit with the other candidates. That says how likely a candidate is *this* missing fact. A head that lacks
more of them has more that are true (`among_several`). How many is estimated (`completeness.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import ConfigDict, Field
from scipy import optimize

from faan.complete.about import Record

Floats = NDArray[np.float64]

CANDIDATE_FEATURES = ("score", "margin to the best other", "rank")  # these rise with the score
QUESTION_FEATURES = ("lead", "number of candidates", "number of examples", "few examples", "one value")
_RANK = CANDIDATE_FEATURES.index("rank")  # minus its logarithm
_FEATURES = len(CANDIDATE_FEATURES) + len(QUESTION_FEATURES)
_RIDGE = 0.15  # pulls coefficients to 0, the more the less there is to learn from
NEW_RIDGE = 2.0  # the same for new relations, which differ more from each other than relations of the graph
_APART = 20  # best candidates of a question that count one by one; the others are grouped by rank
_GROWTH = 1.5  # of the groups' sizes
_SURE = 6.0  # a logit beyond which nothing is surer
_STEPS = 60  # towards the right number of true candidates; a handful will do
_DRAWS = 4  # for each missing fact: as many equals as there are missing facts are then true with 98 %
MISSING = 1 / 8  # facts that a head lacks, for each one that it has, where that was not estimated

_Numbers = Annotated[tuple[float, ...], Field(min_length=_FEATURES, max_length=_FEATURES)]
_Scales = Annotated[tuple[Annotated[float, Field(gt=0)], ...], Field(min_length=_FEATURES, max_length=_FEATURES)]


def features(scores: Floats, shots: int, one_value: bool, places: NDArray[np.integer] | None = None) -> Floats:
    """How candidates stand among all scores (C,) of their head: all of them or those at some places, to (n, F)."""
    if not len(scores):  # nothing was left to choose from
        return np.empty((0, _FEATURES))
    chosen = np.asarray(scores if places is None else scores[places], dtype=np.float64)
    ordered = np.sort(np.asarray(scores, dtype=np.float64))[::-1]
    best, second = ordered[0], ordered[min(1, len(ordered) - 1)]
    margin = np.where(chosen < best, chosen - best, chosen - second)
    not_better = np.searchsorted(-ordered, -chosen, side="left")  # how many are strictly better
    equal = np.searchsorted(-ordered, -chosen, side="right") - not_better
    rank = 1 + not_better + (equal - 1) / 2
    lead = best - ordered[min(9, len(ordered) - 1)]
    of_question = [lead, np.log(len(scores)), np.log1p(shots), 1 / (1 + shots), float(one_value)]
    return np.column_stack([chosen, margin, -np.log(rank), np.broadcast_to(of_question, (len(chosen), 5))])


def as_if(rows: Floats, one_value: bool) -> Floats:
    """Features as they are if heads have one value, or several."""
    found = rows.copy()
    found[:, _FEATURES - 1] = one_value
    return found


@dataclass(frozen=True, eq=False)
class Answered:
    """A question whose right answers are known: features of its candidates. Those far behind are merged into one."""

    rows: Floats  # (n, F) features
    count: Floats  # (n,) how many candidates a row stands for
    right: Floats  # (n,) how many of them are right
    shots: int
    one_value: bool
    values: int | None = None  # of the head that are known, where the right answers are some that were hidden

    @classmethod
    def of(
        cls, scores: Floats, right: NDArray[np.bool_], shots: int, one_value: bool, values: int | None = None
    ) -> Answered:
        """Describe a question by the scores (C,) of all its candidates and which of them are right.

        `values` is how many others the head is known to have, where right ones were hidden from a graph that may lack
        more of them; None where all that is true is known to be right.
        """
        order = np.argsort(-scores, kind="stable")
        ends = np.unique(np.minimum(_group_ends(len(scores)), len(scores)))
        starts = np.concatenate([[0], ends[:-1]])
        rows = features(scores, shots, one_value, order[(starts + ends - 1) // 2])
        counted = np.add.reduceat(right[order].astype(np.float64), starts) if len(scores) else np.empty(0)
        return cls(rows, (ends - starts).astype(np.float64), counted, shots, one_value, values)

    @property
    def hidden(self) -> int:
        """How many facts were hidden: at least the one that was asked for."""
        return max(int(self.right.sum()), 1)

    @property
    def is_shared(self) -> bool:
        """Whether the probabilities of all candidates sum to the number of right ones at most."""
        return self.one_value or self.values is not None


def _group_ends(count: int) -> NDArray[np.int64]:
    """Where groups of ranks end: of one each at first, then larger and larger."""
    ends = list(range(1, min(_APART, count) + 1))
    while ends and ends[-1] < count:
        ends.append(int(ends[-1] * _GROWTH) + 1)
    return np.array(ends, dtype=np.int64)


class Calibration(Record):
    """A monotone logistic regression on standardised features."""

    model_config = ConfigDict(allow_inf_nan=False)

    coefficients: _Numbers
    intercept: float
    mean: _Numbers
    scale: _Scales
    one_value: float = Field(1.0, ge=0, le=1)  # if heads of a few examples have one value, how likely all have
    missing: float = Field(MISSING, ge=0, le=10)  # facts that heads lack, for each one that they have

    def logits(self, rows: Floats) -> Floats:
        """The logarithm of the odds of each row of features, (n, F) to (n,)."""
        weighed = (rows - np.array(self.mean)) / np.array(self.scale) * np.array(self.coefficients)
        return np.asarray(weighed.sum(1) + self.intercept)

    @property
    def per_score(self) -> float:
        """By how much the logit rises with the score, if the rank stays as it is."""
        return sum(self.coefficients[i] / self.scale[i] for i in (0, 1))


class Calibrations(Record):
    """The calibrations of a model: of new relations, and of those of its graph."""

    new: Calibration
    known: Calibration | None = None  # None where too few facts could be hidden to measure it: then that of new ones

    def of(self, is_known: bool) -> Calibration:
        """The calibration for a relation of the graph, or for a new one."""
        return self.known if is_known and self.known is not None else self.new


class Tuning(Record):
    """How one relation differs from others: its logits are offset + slope * logit.

    Where candidates share one unit and the answer is always among them, the offset changes nothing. So the first one
    also has a logit of its own, which says how often first suggestions for this relation are right.
    """

    model_config = ConfigDict(allow_inf_nan=False)

    offset: float = 0.0
    slope: float = Field(1.0, gt=0)
    first: float = 0.0  # added to the logit of the best candidate of a unit

    def logits(self, calibration: Calibration, rows: Floats) -> Floats:
        """The logarithm of the odds of each row of features in this relation, (n, F) to (n,)."""
        return self.offset + self.slope * calibration.logits(rows)

    def shared_logits(self, calibration: Calibration, rows: Floats) -> Floats:
        """The same for all candidates of a head, which share one unit: the best is moved, but never below the next."""
        found = self.logits(calibration, rows)
        if len(found):
            best = int(found.argmax())
            following = np.delete(found, best).max(initial=-np.inf)
            if following < found[best]:
                found[best] = max(found[best] + self.first, following)
        return found


def probabilities(logits: Floats, one_value: bool) -> Floats:
    """From the logits of all candidates of a head, (C,), to probabilities; in sum at most 1 if heads have one value."""
    if not one_value or not len(logits):
        return _sigmoid(logits)
    return np.asarray(np.exp(logits - np.logaddexp(0, np.logaddexp.reduce(logits))))


def among_several(shares: Floats, count: Floats, lacks: float) -> Floats:
    """Of candidates with these shares (n,) of a missing fact, how likely each is true if a head lacks so many facts.

    The first missing fact is a candidate with its share q. The others are drawn from what is left: 1 - (1 - q) e^-tq,
    with t such that as many candidates are true as there are missing facts. A row stands for `count` candidates. t is
    bounded, so that poor candidates stay unlikely where there are no others.
    """
    most, wanted = _DRAWS * lacks, lacks * float(count @ shares)
    drawn, found = 0.0, shares
    for _ in range(_STEPS):  # the sum is concave in t: Newton's steps come from below and never pass the root
        short = wanted - float(count @ found)
        if short <= 1e-6 * wanted or drawn == most:
            break
        drawn = min(drawn + short / max(float(count @ (shares * (1 - found))), 1e-12), most)
        found = 1 - (1 - shares) * np.exp(-drawn * shares)
    return found


def shifted(probability: Floats, shift: float) -> Floats:
    """Probabilities whose odds are e^shift times as high."""
    raised = probability * np.exp(shift)
    return np.asarray(raised / (raised + 1 - probability))


def logit(probability: Floats) -> Floats:
    """The logarithm of the odds, within bounds."""
    return np.clip(np.log(np.maximum(probability, 1e-12) / np.maximum(1 - probability, 1e-12)), -_SURE, _SURE)


def fit_calibration(questions: Sequence[Answered], weights: Floats, ridge: float = _RIDGE) -> Calibration:
    """Fit a logistic regression with a ridge penalty; features that rise with the score never count against it.

    The weights of questions say how many independent observations they are: those of one relation are alike.
    """
    rows, likelihood = np.concatenate([one.rows for one in questions]), Likelihood(questions, weights)
    share = np.concatenate([one.count**0.5 * w for one, w in zip(questions, weights, strict=True)])
    mean = np.average(rows, axis=0, weights=share)
    scale = np.sqrt(np.average((rows - mean) ** 2, axis=0, weights=share))
    scale[scale < 1e-9] = 1.0  # a feature that never varies says nothing
    x, pull = (rows - mean) / scale, ridge / weights.sum()

    def loss(beta: Floats) -> tuple[float, Floats]:
        """The mean loss of coefficients and, last, the intercept; and its gradient."""
        value, slope = likelihood(x @ beta[:-1] + beta[-1])
        penalty = float(pull / 2 * beta[:-1] @ beta[:-1])
        return value + penalty, np.append(x.T @ slope + pull * beta[:-1], slope.sum())

    rising = len(CANDIDATE_FEATURES)
    bounds = [(0, None)] * rising + [(None, None)] * (_FEATURES + 1 - rising)
    start, options = np.zeros(_FEATURES + 1), {"ftol": 1e-12, "gtol": 1e-8, "maxiter": 1000}
    beta = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    return Calibration(
        coefficients=tuple(beta[:-1].tolist()),
        intercept=float(beta[-1]),
        mean=tuple(mean.tolist()),
        scale=tuple(scale.tolist()),
    )


class Likelihood:
    """The mean loss of questions as a function of all their logits, and its gradient.

    Where each candidate has a probability of its own, it counts 1 / rank: people look at the first ones, and the many
    others would decide the regression.
    """

    def __init__(self, questions: Sequence[Answered], weights: Floats) -> None:
        kept = [(one, w) for one, w in zip(questions, weights, strict=True) if len(one.count)]
        sizes = np.array([len(one.count) for one, _ in kept])
        self._starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        self._owner = np.repeat(np.arange(len(kept)), sizes)
        self._count = np.concatenate([one.count for one, _ in kept])
        self._right = np.concatenate([one.right for one, _ in kept])
        self._shared = np.array([one.is_shared for one, _ in kept])
        self._weight = np.array([w for _, w in kept]) / sum(w for _, w in kept)
        self._asked = np.maximum(np.add.reduceat(self._right, self._starts), 1)  # one that is no candidate is 'none'
        inverse_rank = np.exp(np.concatenate([one.rows[:, _RANK] for one, _ in kept]))  # equal scores, equal ranks
        self._counts = np.where(self._shared[self._owner], 1.0, inverse_rank)

    def __call__(self, z: Floats) -> tuple[float, Floats]:
        """The loss of logits (rows,), and its gradient (rows,)."""
        odds, owner, start = np.exp(np.minimum(z, 50)), self._owner, self._starts
        total = 1 + np.add.reduceat(self._count * odds, start)
        right = np.add.reduceat(self._counts * self._right * z, start)
        each = np.add.reduceat(self._counts * self._count * np.logaddexp(0, z), start)
        loss = self._weight @ (np.where(self._shared, self._asked * np.log(total), each) - right)
        unit = self._asked[owner] * odds / total[owner]
        slope = self._count * np.where(self._shared[owner], unit, _sigmoid(z)) - self._right
        return float(loss), slope * self._counts * self._weight[owner]


def _sigmoid(z: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * z)))


UNMEASURED = Calibration(
    coefficients=(0.612, 0.263, 2.556, -0.005, -0.19, -0.087, -0.017, 0.834),
    intercept=-5.28,
    mean=(0.042, -0.691, -6.52, 0.63, 8.345, 2.459, 0.191, 0.878),
    scale=(0.283, 0.985, 2.83, 0.951, 2.335, 1.561, 0.178, 0.327),
    one_value=0.923,
)
"""For graphs with nothing to measure on: what path rules are worth on 29 relations of World.

These are the numbers that `faan fit world --method rules` writes into `config.json`.
"""
