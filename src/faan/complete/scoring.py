"""A method's scores, adjusted by types that never go together, by the schema and by what reviewers rejected."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.complete.calibration import Calibration
from faan.complete.constraints import Constraints
from faan.complete.lessons import Kind, Lessons
from faan.complete.question import Question
from faan.complete.shape import TypePairs
from faan.tasks import Scorer

_LEAST_SLOPE = 0.05  # of log-odds over scores: keeps adjustments bounded if the scores are uninformative


class Adjusted:
    """Scores pairs of one question; all that is added is a logarithm of odds, in units of the score."""

    def __init__(
        self,
        scorer: Scorer,
        types: TypePairs | None,
        lessons: Lessons | None,
        unit: float,
        constraints: Constraints | None = None,
    ) -> None:
        self.scorer, self.types, self.lessons, self._unit = scorer, types, lessons, unit
        self.constraints = constraints

    @classmethod
    def of(
        cls, question: Question, scorer: Scorer, calibration: Calibration, lessons: Lessons | None = None
    ) -> Adjusted:
        """For a question, from what is known of it."""
        types = question.graph.types
        paired = None if types is None else TypePairs(types, question.known)
        unit = 1 / max(calibration.per_score, _LEAST_SLOPE)
        return cls(scorer, paired, lessons, unit, Constraints.of(question))

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
            added += self.constraints.for_it(head, candidates)
        if self.lessons is not None:
            added += self.lessons.of(head, candidates)
        return added * self._unit

    def parts(self, head: int, tail: int) -> tuple[float, dict[Kind, float]]:
        """What types and, by what they are about, decisions add to the score of a pair."""
        types, _ = self._against(head, tail)
        decided = {} if self.lessons is None else self.lessons.parts(head, tail)
        return -types * self._unit, {kind: added * self._unit for kind, added in decided.items()}

    def schema_parts(self, head: int, tail: int) -> tuple[float, float]:
        """What the schema adds to the score of a pair: against it, and for it."""
        _, against = self._against(head, tail)
        for_it = 0.0 if self.constraints is None else float(self.constraints.for_it(head, np.array([tail]))[0])
        return -against * self._unit, for_it * self._unit

    def _against(self, head: int, tail: int) -> tuple[float, float]:
        """What types and the schema take from the score of a pair; only the stronger of the two counts."""
        pair = head, np.array([tail])
        types = 0.0 if self.types is None else float(self.types.against(*pair)[0])
        schema = 0.0 if self.constraints is None else float(self.constraints.against(*pair)[0])
        return (types, 0.0) if types > schema else (0.0, schema)
