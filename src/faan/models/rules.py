"""Path rules: a tail is likely if paths lead to it that led from the references' heads to their tails.

Relation paths as evidence for a missing edge come from path ranking (Lao & Cohen, Machine Learning 2010), their reading
as rules, trusted by hits over predictions plus a pseudo-count, from AnyBURL (Meilicke et al., IJCAI 2019). What differs
here: rules are made from K references instead of a whole relation, predictions are counted from the references' heads
and among the candidates, nothing is learnt or sampled, and all rules that fire are joined by noisy-or.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.evidence import PSEUDO_COUNT, RelationPaths, find_paths
from faan.graph import Graph
from faan.models.interface import UntrainedConfig
from faan.models.parts import ScorePart, ScoreParts
from faan.models.register import Row
from faan.tasks import Benchmark, Task, with_task_edges

_TIE_BREAK = 1e-6  # less than what the weakest of rules adds


class RulesConfig(UntrainedConfig):
    """The settings of path rules."""

    order: ClassVar[int] = 80
    rows: ClassVar[tuple[Row, ...]] = (
        Row("Rules", tables=("main", "shots", "relations")),
        Row("Rules plus", changes={"task_edges": True}, tables=("main", "shots", "relations")),
    )
    fit_config: ClassVar[str | None] = ""

    method: Literal["rules"] = "rules"
    """Which method."""
    task_edges: bool = False
    """Whether paths lead over the edges of the training tasks too."""

    def build(self, benchmark: Benchmark) -> PathRules:
        """Rules over the background graph, or over that and the training tasks."""
        if self.task_edges:
            return PathRules(with_task_edges(benchmark.graph, benchmark.splits["train"])[0])
        return PathRules(benchmark.graph)


class PathRules:
    """Scores a pair by the noisy-or of its paths' confidences, as -log(1 - noisy-or), which does not round to 1.

    One more rule stands beside the paths, "the tail is t", whose confidence is how often t is a tail in the references:
    count / (K + 2). Among candidates of which rules say the same, those with more edges come first.

    Of a relation of the graph all known facts are counted, and paths lead along them too; no fact speaks for itself.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        degrees = graph.neighbours.degrees
        self._tie_break = _TIE_BREAK * degrees / (degrees.max(initial=0) + 1)  # (entities,)

    def prepare(self, task: Task, references: Ints) -> RuleScorer:
        """Find the paths of the references."""
        paths = find_paths(self.graph, references, task.candidates, task.hidden, task.in_graph)
        known = task.facts if task.in_graph and task.facts is not None else references
        counts = np.bincount(known[:, 1], minlength=self.graph.num_entities)
        prior = -np.log1p(-counts / (len(known) + PSEUDO_COUNT)) + self._tie_break
        return RuleScorer(paths, prior, task.hidden if task.in_graph else None)


class RuleScorer:
    """Scores pairs by rules, and says which part paths have in a score and which part the tail."""

    def __init__(self, paths: RelationPaths, prior: NDArray[np.float64], own: int | None) -> None:
        self.paths, self._prior = paths, prior  # (entities,)
        self._own = own  # the relation, if its facts are edges of the graph

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        """Score each head with each candidate: (H,) and (C,) to (H, C)."""
        return self.paths.evidence(heads, candidates, self._own).weight + self._prior[candidates]

    def explain(self, head: int, tails: Ints) -> list[ScoreParts]:
        """What paths and the tail itself add to the score."""
        tails = np.asarray(tails, dtype=np.int64)
        weights = self.paths.evidence(np.array([head]), tails, self._own).weight[0].tolist()
        found = []
        for tail, weight, prior in zip(tails.tolist(), weights, self._prior[tails].tolist(), strict=True):
            parts = (
                ScorePart("all paths", "paths that link references lead from head to tail", "paths", weight, weight),
                ScorePart("tail in references", "the tail is a tail in the references", "counts", prior, prior),
            )
            ordered = sorted(parts, key=lambda part: -abs(part.contribution))
            found.append(ScoreParts(head, tail, weight + prior, tuple(ordered)))
        return found
