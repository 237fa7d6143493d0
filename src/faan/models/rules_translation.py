"""Path rules, and mean translation where rules have nothing to say: needs no training tasks at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from faan.embed import Embeddings
from faan.graph import Graph
from faan.graph.ragged import Ints
from faan.models.interface import Scorer
from faan.models.rules import PathRules
from faan.models.translation import MeanTranslation
from faan.tasks import Task

_SHARE = 0.5  # what the best possible translation adds, in the unit of rules: as much as a rule of 39 % confidence
_SAMPLE = 1000  # candidates that say what distance is usual


class RulesAndTranslation:
    """Scores a pair by its path rules plus how near the references' mean translation leads to the tail.

    The distance d is measured against d0, the usual distance of a candidate: what is added is 2 d0 / (d + d0) - 1 where
    that is positive, so 1 for a perfect hit and nothing for a candidate that is no nearer than most.
    """

    def __init__(self, graph: Graph, embeddings: Embeddings) -> None:
        self.rules, self.translation = PathRules(graph), MeanTranslation(embeddings)

    def prepare(self, task: Task, references: Ints) -> _BothScorer:
        """Prepare both, and see how far candidates usually are from where translation leads."""
        translation = self.translation.prepare(task, references)
        choices = np.union1d(task.candidates, references[:, 1])
        some = choices[:: max(1, len(choices) // _SAMPLE)]
        usual = float(np.median(-translation.score(np.unique(references[:, 0]), some)))
        return _BothScorer(self.rules.prepare(task, references), translation, max(usual, 1e-6))


class _BothScorer:
    def __init__(self, rules: Scorer, translation: Scorer, usual: float) -> None:
        self._rules, self._translation, self._usual = rules, translation, usual

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        distance = -self._translation.score(heads, candidates)  # (H, C)
        near = np.maximum(2 * self._usual / (distance + self._usual) - 1, 0)
        return np.asarray(self._rules.score(heads, candidates) + _SHARE * near)
