"""What reviewers' decisions teach: what resembles rejected facts is less likely, what resembles right ones is not.

A logistic regression beside the ranker. A pair is described by its tail, the types of its tail and of its head (where
the graph has no types, the relations of its head), and the best paths that link the two. Its logit as it was judged
without decisions is given; what rejected facts have and right ones lack gets a negative weight. No weight is positive:
accepted facts are examples, from which the ranker itself learns what speaks for a fact. Weights are drawn to 0, so that
one decision says little and many that agree say much.

Rejected facts teach the difference to known facts. Only decisions say how often suggestions are right: one more weight
that all of them share shifts every probability of the relation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import FiniteFloat
from scipy import optimize, sparse

from faan.base import Ints, Purpose, Stream, distinct, distinct_without
from faan.complete.probabilities import Judge
from faan.complete.question import Question
from faan.evidence import RelationPaths
from faan.graph import Graph
from faan.tasks import PairSet, Scorer

Kind: TypeAlias = Literal["tail", "tail type", "head type", "path", "decision"]

_SPREAD: dict[Kind, float] = {"tail": 0.7, "tail type": 0.5, "head type": 0.7, "path": 0.7, "decision": 1.0}
"""How large weights of a kind are thought to be before anything was decided (standard deviations of logits)."""
_JUDGED = 50  # decisions of a kind that are judged anew to learn from them: more would take long
_PATHS = 5  # the best paths between two entities that describe them


class Hit(NamedTuple):
    """A hidden fact that was among the candidates, by ids, and its logit as judged without decisions."""

    head: int
    tail: int
    logit: FiniteFloat


@dataclass(frozen=True)
class Case:
    """A pair of which it is known whether it is right, and its logit as judged without decisions."""

    head: int
    tail: int
    logit: float
    right: bool
    decided: bool  # by a reviewer who was shown it, not known before


class Lessons:
    """What was learnt from cases of one relation."""

    def __init__(self, graph: Graph, paths: RelationPaths, weights: dict[tuple[Kind, int], float]) -> None:
        self._graph, self._paths, self._weights = graph, paths, weights
        self.shift = weights.get(("decision", 0), 0.0)  # of all logits
        self._by_path = np.array([weights.get(("path", number), 0.0) for number in range(len(paths))])
        self._by_tail = np.zeros(graph.num_entities)
        for (kind, number), weight in weights.items():
            if kind == "tail":
                self._by_tail[number] += weight
        if graph.types is not None:
            types, counts = graph.types, np.diff(graph.types.offsets)
            by_type = np.array([weights.get(("tail type", number), 0.0) for number in range(len(types.names))])
            np.add.at(self._by_tail, types.owners, by_type[types.ids] / counts[types.owners])

    @classmethod
    def fit(cls, graph: Graph, paths: RelationPaths, cases: Sequence[Case]) -> Lessons:
        """Fit the regression to cases."""
        described = [_describe(graph, paths, case.head, case.tail, decided=case.decided) for case in cases]
        columns = {key: number for number, key in enumerate(dict.fromkeys(key for one in described for key in one))}
        spread = np.array([_SPREAD[kind] for kind, _ in columns])
        rows = np.repeat(np.arange(len(cases)), [len(one) for one in described])
        places = np.array([columns[key] for one in described for key in one])
        values = np.array([value for one in described for value in one.values()])
        x = sparse.csr_array((values * spread[places], (rows, places)), shape=(len(cases), len(columns)))
        given, right = np.array([case.logit for case in cases]), np.array([case.right for case in cases], dtype=float)

        def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            z = given + x @ weights
            value = (np.logaddexp(0, z) - right * z).sum() + weights @ weights / 2
            return float(value), x.T @ (0.5 * (1 + np.tanh(0.5 * z)) - right) + weights

        bounds = [(None, None if kind == "decision" else 0) for kind, _ in columns]
        start = np.zeros(len(columns))
        found = optimize.minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds).x * spread
        return cls(graph, paths, dict(zip(columns, found.tolist(), strict=True)))

    def of(self, head: int, candidates: Ints) -> NDArray[np.float64]:
        """What decisions add to the logit of each candidate of a head, (C,), beside the shift that all share."""
        own = sum(value * self._weights.get(key, 0.0) for key, value in _head_part(self._graph, head))
        return self._by_tail[candidates] + own + self._path_part(head, candidates)

    def _path_part(self, head: int, candidates: Ints) -> NDArray[np.float64]:
        added = np.zeros(len(candidates))
        if not self._by_path.any():
            return added
        choices, column = np.unique(candidates, return_inverse=True)
        numbers, places = _best_paths(self._paths, head, choices)
        counts = np.bincount(places, minlength=len(choices))
        found = np.bincount(places, self._by_path[numbers], minlength=len(choices)) / np.sqrt(np.maximum(counts, 1))
        return np.asarray(found[column])

    def parts(self, head: int, tail: int) -> dict[Kind, float]:
        """What decisions add to the logit of one pair, by what they are about."""
        described = _describe(self._graph, self._paths, head, tail, decided=False)
        found: dict[Kind, float] = {}
        for (kind, number), value in described.items():
            found[kind] = found.get(kind, 0.0) + value * self._weights.get((kind, number), 0.0)
        return found


def learn(
    question: Question,
    paths: RelationPaths,
    scorer: Scorer,
    accepted: tuple[PairSet, Scorer] | None,
    judge: Judge,
    hits: Sequence[Hit],
) -> Lessons:
    """Learn from the decisions about a question.

    Right are the facts of the self-test, and what was accepted beside the relation's facts in the graph, with a scorer
    that does not know it. The examples of a new relation count as accepted: most of them are, after a while.
    """
    cases = [Case(hit.head, hit.tail, hit.logit, right=True, decided=accepted is None) for hit in hits]
    cases += _decided(question, question.rejected, scorer, judge, right=False)
    if accepted is not None:
        cases += _decided(question, accepted[0], accepted[1], judge, right=True)
    return Lessons.fit(question.graph, paths, cases)


def _decided(question: Question, pairs: PairSet, scorer: Scorer, judge: Judge, *, right: bool) -> list[Case]:
    """Judge decided pairs as if nothing had been decided; a fixed sample where there are many."""
    rows = pairs.pairs
    rows = rows[Stream(0, Purpose.SELF_TEST, len(rows)).permutation(len(rows))[:_JUDGED]]
    cases = []
    for head in distinct(rows[:, 0]).tolist():
        tails = rows[rows[:, 0] == head, 1]
        rivals = question.candidates[~question.known.contains(np.array([head]), question.candidates)]
        rivals = rivals if question.has_loops else rivals[rivals != head]
        choices = distinct(rivals, tails)
        scores = np.asarray(scorer.score(np.array([head]), choices), dtype=np.float64)[0]
        others = distinct_without(question.known.tails_of(head), tails)
        logits = judge.logits(scores, np.searchsorted(choices, tails), len(others))
        cases += [
            Case(head, tail, z, right, decided=True) for tail, z in zip(tails.tolist(), logits.tolist(), strict=True)
        ]
    return cases


def _describe(
    graph: Graph, paths: RelationPaths, head: int, tail: int, *, decided: bool
) -> dict[tuple[Kind, int], float]:
    """What a pair is like: the name of each feature, and its value."""
    found: dict[tuple[Kind, int], float] = {("tail", tail): 1.0, **dict(_head_part(graph, head))}
    if graph.types is not None:
        own = graph.types.of(tail).tolist()
        found |= {("tail type", number): 1 / len(own) for number in own}
    best, _ = _best_paths(paths, head, np.array([tail]))
    found |= {("path", number): 1 / len(best) ** 0.5 for number in best.tolist()}
    return found | ({("decision", 0): 1.0} if decided else {})


def _head_part(graph: Graph, head: int) -> Iterable[tuple[tuple[Kind, int], float]]:
    own = distinct(graph.neighbours.of(head)[0] if graph.types is None else graph.types.of(head)).tolist()
    return [(("head type", number), 1 / len(own) ** 0.5) for number in own]


def _best_paths(paths: RelationPaths, head: int, candidates: Ints) -> tuple[Ints, Ints]:
    """The most trusted paths from a head to each candidate: their numbers, and the places of the candidates."""
    firings = next(iter(paths.fire(np.array([head]), candidates)))
    order = np.lexsort((firings.paths, -paths.confidence[firings.paths], firings.candidates))
    places = firings.candidates[order]
    starts = np.searchsorted(places, places)  # where the paths of the same candidate begin
    best = np.arange(len(places)) - starts < _PATHS
    return firings.paths[order][best], places[best]
