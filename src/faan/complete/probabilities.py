"""Where a probability is made: from the scores of a head's candidates, calibration, self-test and decisions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from faan.base import Ints
from faan.complete.calibration import (
    Calibration,
    Floats,
    Tuning,
    among_several,
    as_if,
    features,
    logit,
    probabilities,
    shifted,
)
from faan.complete.constraints import SAYS
from faan.complete.question import Question


@dataclass(frozen=True, eq=False)
class Judge:
    """Makes probabilities of the scores of one question.

    | relation | if heads have one value | if heads have several values |
    |---|---|---|
    | of the graph | candidates and 'none of these' share one unit | so for each of several missing facts |
    | new | the mean of both, as a few examples do not tell which it is | each candidate by itself |

    How many facts a head lacks in a relation of the graph is estimated (`completeness.py`, `among_several`).
    """

    calibration: Calibration
    tuning: Tuning
    shift: float  # of logits, from decisions
    shots: int
    one_value: bool  # whether heads seem to have one value
    likely_one: float  # how likely it is that they have, if they seem to
    is_known: bool  # whether the relation is one of the graph, which is measured by hiding some of its facts
    second: float  # how likely a head that has a value has another, where heads have one

    @classmethod
    def of(cls, question: Question, calibration: Calibration, tuning: Tuning) -> Judge:
        """The judge of a question, before any decision counts."""
        shots = max(len(question.known), 1)  # none at all is judged as one
        is_known = question.hidden is not None
        likely = 1.0 if is_known or question.is_functional else calibration.one_value
        return cls(calibration, tuning, 0.0, shots, question.one_value, likely, is_known, _second(question))

    def probabilities(self, scores: Floats, places: Ints, values: Ints, sure: Floats | None = None) -> Floats:
        """The probabilities of the candidates at some places among all scores (C,) of a head.

        `values` says of each place how many other values than this the head is known to have, `sure` (C,) how likely
        candidates are that follow from known facts, 0 for others.
        """
        sure = np.zeros(len(scores)) if sure is None else sure
        if not self.one_value and not self.is_known:
            return self._each(features(scores, self.shots, False, places), sure[places])
        rows = features(scores, self.shots, self.one_value)
        logits = self.tuning.shared_logits(self.calibration, rows)
        if not self.one_value:
            several = self._several(probabilities(logits, True), places, values)
            return np.maximum(shifted(several, self.shift), sure[places])
        shared = _at_least(probabilities(logits + self.shift, True), sure)[places]
        shared = np.where(values > 0, self.second, 1.0) * shared
        if self.likely_one == 1:
            return shared
        each = self._each(as_if(rows[places], False), sure[places])
        return self.likely_one * shared + (1 - self.likely_one) * each

    def logits(self, scores: Floats, places: Ints, values: int) -> Floats:
        """The logits of these probabilities, for a head with a number of other values (ignored if heads have one)."""
        others = np.full(len(places), 0 if self.one_value else values)
        return logit(self.probabilities(scores, places, others))

    def _each(self, rows: Floats, sure: Floats) -> Floats:
        """The probabilities of rows of features, each by itself."""
        return np.maximum(probabilities(self.tuning.logits(self.calibration, rows) + self.shift, False), sure)

    def _several(self, shares: Floats, places: Ints, values: Ints) -> Floats:
        """The probabilities of some places from the shares (C,) of one missing fact."""
        found, alone = np.empty(len(places)), np.ones(len(shares))
        for count in np.unique(values).tolist():  # two at most: a known answer has one other value less
            lacks = 1 + self.calibration.missing * (1 + count)
            said = among_several(shares, alone, lacks)[places]
            found = np.where(values == count, said, found)
        return found


def _second(question: Question) -> float:
    """How likely a head that has a value has another.

    Of a new relation a reviewer accepts the first values of heads first, which says nothing of others: only heads count
    that have two values, or one and a rejected one.
    """
    heads, counts = np.unique(question.known.pairs[:, 0], return_counts=True)
    several = int((counts > 1).sum())
    if question.hidden is None and len(question.rejected):
        tried = several + int(np.isin(heads[counts == 1], question.rejected.pairs[:, 0]).sum())
    else:
        tried = len(heads)
    return (several + 1) / (tried + (SAYS if question.is_functional else 0) + 2)


def _at_least(found: Floats, sure: Floats) -> Floats:
    """Probabilities (C,) that share one unit, raised to what is sure; those that are not share what is left."""
    follows = sure > 0
    if not follows.any():
        return found
    raised = np.maximum(found, sure / follows.sum())[follows]
    raised /= max(raised.sum(), 1)  # several answers that follow share one unit too
    left = max(1 - raised.sum(), 0) / max(1 - found[follows].sum(), 1e-12)
    shared: Floats = found * min(left, 1.0)
    shared[follows] = raised
    return shared
