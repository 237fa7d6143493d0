"""A trained PyKEEN model as a method, which is a row beside ours, and as evidence of the evidence ranker.

As a method it is like embedding models here: it has learnt the relation from its references, which were training
triples like any other (`training_factory`). As evidence it knows the background graph alone, and tells of a new
relation by the relations that it knows.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from faan.base import InputError, Ints
from faan.graph import Graph, pykeen_factory
from faan.models.embedding import training_triples
from faan.models.interface import evaluating, to_tensor
from faan.tasks import Benchmark, Task

PYKEEN = "PyKEEN"  # the method in tables; its variant is the model
_WAYS = 10  # relations of the model, in either direction, that speak for a new one
_SAMPLE = 256  # of the candidates, against which scores are measured
_AT_ONCE = 1 << 24  # scores that are computed together

AsksFor = Literal["tail", "head"]


def training_factory(benchmark: Benchmark, shots: int, *, inverse_triples: bool = False) -> Any:
    """What a PyKEEN model may learn from: background, training tasks and the K references of dev and test tasks.

    Args:
        benchmark: A few-shot benchmark.
        shots: How many references each dev and test task has.
        inverse_triples: Let the model learn inverse relations too (PyKEEN's `create_inverse_triples`).

    Returns:
        A `TriplesFactory`; entities have the numbers that they have in the benchmark's graph.
    """
    triples, relations = training_triples(benchmark, shots)
    names = [*benchmark.graph.relation_names, *relations]
    return pykeen_factory(triples, benchmark.graph.entity_names, names, inverse=inverse_triples)


class PyKeenMethod:
    """Scores pairs by a PyKEEN model, which was trained on a factory; entities are matched by name.

    Args:
        model: A trained model, such as `pipeline(...).model`.
        factory: The `TriplesFactory` that it was trained on.
        graph: The graph whose entities are asked about. Those that the model does not know come last.
    """

    def __init__(self, model: Any, factory: Any, graph: Graph) -> None:
        self.model, self.relations = model, factory.relation_to_id
        numbers = factory.entity_to_id
        self.numbers = np.array([numbers.get(name, -1) for name in graph.entity_names], dtype=np.int64)
        if (self.numbers < 0).all():
            raise InputError("the PyKEEN model knows none of the graph's entities; was it trained on this graph?")

    def prepare(self, task: Task, references: Ints) -> PyKeenScorer:
        """The references have been learnt already; only the relation's number is needed."""
        return self.scorer(task.relation)

    def scorer(self, relation: str, asks_for: AsksFor = "tail") -> PyKeenScorer:
        """A scorer of a relation, for tails of given heads or for heads of given tails."""
        number = self.relations.get(relation)
        if number is None:
            raise InputError(
                f"the PyKEEN model has no relation {relation!r}; train it on what `training_factory` gives"
            )
        return PyKeenScorer(self.model, self.numbers, number, asks_for)


class PyKeenScorer:
    """Scores one relation by a PyKEEN model."""

    def __init__(self, model: Any, numbers: Ints, relation: int, asks_for: AsksFor) -> None:
        self._model, self._numbers, self._relation, self._asks_for = model, numbers, relation, asks_for

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        """As `Scorer.score`; -inf where the model does not know one of the two."""
        given, asked = self._numbers[heads], self._numbers[candidates]
        known, columns = np.flatnonzero(given >= 0), np.flatnonzero(asked >= 0)
        scores = np.full((len(given), len(asked)), -np.inf)
        if len(known) and len(columns):
            relations = np.full(len(known), self._relation)
            every = _predicted(self._model, given[known], relations, self._asks_for)  # (H, entities that it knows)
            scores[np.ix_(known, columns)] = every[:, asked[columns]]
        return scores


class PyKeenWitness:
    """A PyKEEN model as evidence about relations that it never saw: `fit_ranker(..., learnt={"DistMult": witness})`.

    The relations of the model that lead from the heads of the references to their tails, in either direction, speak
    for a new relation: the better they do, the more they count.

    Args:
        model: A trained model.
        factory: The `TriplesFactory` that it was trained on, such as `benchmark.graph.to_pykeen()`; it must not hold
            facts of the tasks.
        graph: The graph whose entities are asked about. The witness says nothing about those that the model lacks.
    """

    def __init__(self, model: Any, factory: Any, graph: Graph) -> None:
        self.method = PyKeenMethod(model, factory, graph)

    def prepare(self, task: Task, references: Ints) -> PyKeenWays:
        """Find out which relations of the model the references look like."""
        if task.relation in self.method.relations:
            raise InputError(
                f"the PyKEEN model knows the relation {task.relation!r}, which is to be learnt from; train it on the "
                "background graph alone"
            )
        return PyKeenWays(self.method, task, references)


class PyKeenWays:
    """Scores pairs of one relation by the relations of a PyKEEN model that its references look like.

    A score is in standard deviations above the mean of a fixed sample of the task's candidates.
    """

    def __init__(self, method: PyKeenMethod, task: Task, references: Ints) -> None:
        self._model, self._numbers = method.model, method.numbers
        among = self._numbers[task.candidates]
        among = among[among >= 0]
        self._among = among[:: max(1, len(among) // _SAMPLE)]
        known = np.array(sorted(method.relations.values()), dtype=np.int64)
        self._ways: dict[AsksFor, Ints] = {"tail": known, "head": known}
        self._weights: dict[AsksFor, NDArray[np.floating]] = {}
        self._last: tuple[int, NDArray[np.floating]] | None = None  # a head is asked about several times
        self._choose(self._numbers[references])

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        """As `Scorer.score`; 0, the mean, where the model does not know one of the two."""
        places = self._numbers[candidates]
        scores = np.zeros((len(heads), len(places)))
        for row, head in enumerate(self._numbers[heads].tolist()):
            if head >= 0:
                scores[row] = np.where(places >= 0, self._row(head)[places], 0.0)
        return scores

    def _choose(self, references: Ints) -> None:
        """Keep the ways that put the tails of the references highest, and weigh them by how high."""
        usable = references[(references >= 0).all(1)]
        fits: dict[AsksFor, NDArray[np.floating]] = {asked: np.zeros(len(ways)) for asked, ways in self._ways.items()}
        for head, tail in usable.tolist() if len(self._among) else ():
            for asked, ways in self._ways.items():
                fits[asked] += self._measured(head, asked, ways, np.array([tail]))[:, 0]
        best = np.sort(np.concatenate(list(fits.values())))[::-1][:_WAYS]
        least = max(best[-1], 1e-9) if len(best) else 0.0
        total = max(float(best[best >= least].sum()), 1e-9)
        for asked, fit in fits.items():
            self._ways[asked] = self._ways[asked][fit >= least]
            self._weights[asked] = fit[fit >= least] / total

    def _row(self, head: int) -> NDArray[np.floating]:
        """The scores of all entities that the model knows."""
        if self._last is None or self._last[0] != head:
            everyone = np.arange(self._model.num_entities)
            parts = (
                self._weights[asked] @ self._measured(head, asked, ways, everyone) for asked, ways in self._ways.items()
            )
            self._last = head, sum(parts, np.zeros(len(everyone)))
        return self._last[1]

    def _measured(self, head: int, asks_for: AsksFor, ways: Ints, wanted: Ints) -> NDArray[np.floating]:
        """The scores of entities by some relations, each in standard deviations above the candidates' mean."""
        size, found = max(1, _AT_ONCE // self._model.num_entities), [np.zeros((0, len(wanted)))]
        for start in range(0, len(ways), size):
            some = ways[start : start + size]
            scores = _predicted(self._model, np.full(len(some), head), some, asks_for)
            usual = scores[:, self._among].astype(np.float64)
            spread = np.maximum(usual.std(1, keepdims=True), 1e-6)
            found.append((scores[:, wanted] - usual.mean(1, keepdims=True)) / spread)
        return np.concatenate(found)


def _predicted(model: Any, given: Ints, relations: Ints, asks_for: AsksFor) -> NDArray[np.floating]:
    """The scores of all entities as tails of heads, or as heads of tails, by relations: (n,) and (n,) to (n, E)."""
    entities, kinds = (to_tensor(ids).to(model.device) for ids in (given, relations))
    with evaluating(model):
        if asks_for == "tail":
            scores = model.predict_t(torch.stack([entities, kinds], dim=1))
        else:
            scores = model.predict_h(torch.stack([kinds, entities], dim=1))
    found: NDArray[np.floating] = scores.cpu().numpy()
    return found
