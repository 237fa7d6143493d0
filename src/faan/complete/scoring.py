"""A method's scores with what else counts against an answer: types that never go together, what reviewers rejected."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.complete.calibration import Calibration
from faan.complete.lessons import Kind, Lessons
from faan.complete.question import Question
from faan.complete.shape import TypePairs
from faan.tasks import Scorer

_LEAST_SLOPE = 0.05  # of logits over scores: where scores say nothing, what else is known may not say all


class Adjusted:
    """Scores pairs of one question; all that is added is a logarithm of odds, in units of the score."""

    def __init__(self, scorer: Scorer, types: TypePairs | None, lessons: Lessons | None, unit: float) -> None:
        self.scorer, self.types, self.lessons, self._unit = scorer, types, lessons, unit

    @classmethod
    def of(
        cls, question: Question, scorer: Scorer, calibration: Calibration, lessons: Lessons | None = None
    ) -> Adjusted:
        """For a question, from what is known of it."""
        types = question.graph.types
        paired = None if types is None else TypePairs(types, question.known)
        return cls(scorer, paired, lessons, 1 / max(calibration.per_score, _LEAST_SLOPE))

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.float64]:
        """Score each head with each candidate: (H,) and (C,) to (H, C)."""
        scores = np.asarray(self.scorer.score(heads, candidates), dtype=np.float64)
        if self.types is None and self.lessons is None:
            return scores
        added = [self._added(head, candidates) for head in heads.tolist()]
        return np.asarray(scores + np.array(added).reshape(scores.shape))

    def _added(self, head: int, candidates: Ints) -> NDArray[np.float64]:
        added = np.zeros(len(candidates))
        if self.types is not None:
            added -= self.types.against(head, candidates)
        if self.lessons is not None:
            added += self.lessons.of(head, candidates)
        return added * self._unit

    def parts(self, head: int, tail: int) -> tuple[float, dict[Kind, float]]:
        """What types and, by what they are about, decisions add to the score of a pair."""
        types = 0.0 if self.types is None else -float(self.types.against(head, np.array([tail]))[0])
        decided = {} if self.lessons is None else self.lessons.parts(head, tail)
        return types * self._unit, {kind: added * self._unit for kind, added in decided.items()}
