"""A trained PyKEEN model as a method: any of its models becomes a row beside ours.

Like embedding models here, it has learnt the relation from its references, which were training triples like any other
(`training_factory`).
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

    def scorer(self, relation: str, asks_for: Literal["tail", "head"] = "tail") -> PyKeenScorer:
        """A scorer of a relation, for tails of given heads or for heads of given tails."""
        number = self.relations.get(relation)
        if number is None:
            raise InputError(
                f"the PyKEEN model has no relation {relation!r}; train it on what `training_factory` gives"
            )
        return PyKeenScorer(self.model, self.numbers, number, asks_for)


class PyKeenScorer:
    """Scores one relation by a PyKEEN model."""

    def __init__(self, model: Any, numbers: Ints, relation: int, asks_for: Literal["tail", "head"]) -> None:
        self._model, self._numbers, self._relation, self._asks_for = model, numbers, relation, asks_for

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        """As `Scorer.score`; -inf where the model does not know one of the two."""
        given, asked = self._numbers[heads], self._numbers[candidates]
        known, columns = np.flatnonzero(given >= 0), np.flatnonzero(asked >= 0)
        scores = np.full((len(given), len(asked)), -np.inf)
        if len(known) and len(columns):
            scores[np.ix_(known, columns)] = self._all(given[known])[:, asked[columns]]
        return scores

    def _all(self, given: Ints) -> NDArray[np.floating]:
        """The scores of all entities that the model knows, (H, entities)."""
        entities = to_tensor(given).to(self._model.device)
        relations = torch.full_like(entities, self._relation)
        with evaluating(self._model):
            if self._asks_for == "tail":
                scores = self._model.predict_t(torch.stack([entities, relations], dim=1))
            else:
                scores = self._model.predict_h(torch.stack([relations, entities], dim=1))
        found: NDArray[np.floating] = scores.cpu().numpy()
        return found
