"""A method's scores, adjusted by types that never go together, by the schema and by what reviewers rejected."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.complete.calibration import Calibration
from faan.complete.constraints import Constraints
from faan.complete.lessons import Kind, Lessons
from faan.complete.question import Question
from faan.tasks import Scorer

_LEAST_SLOPE = 0.05  # of log-odds over scores: keeps adjustments bounded if the scores are uninformative


@dataclass(frozen=True)
class Adjustments:
    """What is added to the method's score of a pair, in units of that score; negative if it speaks against the pair."""

    types: float
    schema: float
    follows: float  # because the schema says that the pair follows from known facts
    decided: dict[Kind, float]  # by what decisions are about


class Adjusted:
    """Scores pairs of one question; all that is added is a logarithm of odds, in units of the score."""

    lessons: Lessons | None = None  # what decisions teach

    def __init__(self, question: Question, scorer: Scorer, calibration: Calibration) -> None:
        self.scorer, self.types, self.constraints = scorer, question.type_pairs, Constraints.of(question)
        self._unit = 1 / max(calibration.per_score, _LEAST_SLOPE)

    def after(self, lessons: Lessons) -> Adjusted:
        """The same after decisions."""
        found = copy(self)
        found.lessons = lessons
        return found

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.float64]:
        """Score each head with each candidate: (H,) and (C,) to (H, C)."""
        scores = np.asarray(self.scorer.score(heads, candidates), dtype=np.float64)
        if self.types is None and self.lessons is None and self.constraints is None:
            return scores
        added = [self._added(head, candidates) for head in heads.tolist()]
        return np.asarray(scores + np.array(added).reshape(scores.shape))

    def _added(self, head: int, candidates: Ints) -> NDArray[np.float64]:
        added = np.zeros(len(candidates))
        if self.types is not None:
            added -= self.types.against(head, candidates)
        if self.constraints is not None:  # types and the schema often overlap: only the stronger one counts
            added = np.minimum(added, -self.constraints.against(head, candidates))
            added += self.constraints.in_favour(head, candidates)
        if self.lessons is not None:
            added += self.lessons.of(head, candidates)
        return added * self._unit

    def parts(self, head: int, tail: int) -> Adjustments:
        """What is added to the score of a pair, by what it comes from."""
        tails, unit = np.array([tail]), self._unit
        types = 0.0 if self.types is None else float(self.types.against(head, tails)[0])
        schema, follows = 0.0, 0.0
        if self.constraints is not None:
            schema = float(self.constraints.against(head, tails)[0])
            follows = float(self.constraints.in_favour(head, tails)[0])
        types, schema = (types, 0.0) if types > schema else (0.0, schema)  # only the stronger one counts
        decided = {} if self.lessons is None else self.lessons.parts(head, tail)
        in_units = {kind: added * unit for kind, added in decided.items()}
        return Adjustments(-types * unit, -schema * unit, follows * unit, in_units)
