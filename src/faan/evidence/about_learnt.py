"""Evidence from methods that have learnt from tasks."""

from __future__ import annotations

import numpy as np

from faan.evidence.evidence import PairEvidence
from faan.evidence.question import Asked, Sources, Values

_SAMPLE = 256  # of the candidates, against which a score is measured


class LearntScore(PairEvidence):
    """The score of a method, in standard deviations above the mean of the task's candidates.

    These are known from every n-th candidate: a learnt score is too costly to be computed for all candidates of a
    training query, which its place among them would need.
    """

    kind = "learnt"
    is_compared = False

    def __init__(self, method: str) -> None:
        self.method = method
        self.name = f"{method}'s score"
        self.meaning = f"{method} finds that the pair fits the references"

    def is_there(self, sources: Sources) -> bool:
        return self.method in sources.learnt

    def of(self, asked: Asked) -> Values:
        testimony, field, head = asked.question.testimonies[self.method], asked.question.field, np.array([asked.head])
        usual = testimony.score(head, field[:: max(1, len(field) // _SAMPLE)])[0].astype(np.float64)
        own = testimony.score(head, asked.columns.candidates)[0]
        return np.asarray((own - usual.mean()) / max(float(usual.std()), 1e-6), dtype=np.float32)
