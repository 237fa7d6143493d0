"""PyKEEN's models as rows of our table of link prediction, and our methods in PyKEEN's evaluators."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from faan.base import InputError, Ints, OnProgress, ignore_progress
from faan.graph import Graph
from faan.links.evaluating import result_of
from faan.links.hiding import LinkSplit
from faan.links.methods import Outcome
from faan.links.ranking import question_scorers, rank_scorers
from faan.models import PYKEEN, PyKeenMethod
from faan.rank import ResultFile
from faan.tasks import Method

_LOWEST = float(np.finfo(np.float32).min)  # PyKEEN does not count entities with an infinite score


def evaluate_pykeen(
    model: Any,
    factory: Any,
    split: LinkSplit,
    *,
    name: str | None = None,
    seed: int = 0,
    on_progress: OnProgress = ignore_progress,
) -> ResultFile:
    """Rank the facts of a split by a trained PyKEEN model, among all entities, as a row of our table.

    Args:
        model: A model that was trained on `split.graph.to_pykeen()`, or on any factory with the same names.
        factory: That factory.
        split: What is asked for: `hide_facts(...)` or `given_facts(...)`.
        name: What the row is called; the name of the model's class if not given.
        seed: What the result file calls the seed.
        on_progress: A function that is called with the current step and its share.
    """
    called = name or type(model).__name__
    start = time.perf_counter()
    method, names = PyKeenMethod(model, factory, split.graph), split.graph.relation_names
    ranks = rank_scorers(
        lambda relation, inverse: method.scorer(names[relation], "head" if inverse else "tail"), split, on_progress
    )
    outcome = Outcome(ranks, seconds={"evaluate": time.perf_counter() - start})
    return result_of(outcome, split, PYKEEN, called, command="faan.links.evaluate_pykeen", seed=seed)


def pykeen_model(method: Method, graph: Graph, factory: Any) -> Any:
    """A method of ours as a PyKEEN model, for its evaluators: it answers as `faan suggest --relation` ranks.

    Args:
        method: A method, such as `completer.fitted.method` or `PathRules(graph)`.
        graph: The graph that it knows.
        factory: The `TriplesFactory` whose numbers the evaluator uses. Entities are matched by name; those that are
            no candidates for a question, or not in the graph, share the last place.
    """
    try:
        from pykeen.models.baseline.models import EvaluationOnlyModel
    except ModuleNotFoundError:
        raise InputError("pykeen is not installed; install it with: pip install pykeen") from None

    asked = _Asked(method, graph, factory)

    class Ranked(EvaluationOnlyModel):  # type: ignore[misc]
        """Answers the questions of an evaluator."""

        device = torch.device("cpu")  # it has no weights to tell by

        def score_t(self, hr_batch: Any, **_: Any) -> Any:
            return asked.scores(hr_batch[:, 0], hr_batch[:, 1], inverse=False)

        def score_h(self, rt_batch: Any, **_: Any) -> Any:
            return asked.scores(rt_batch[:, 1], rt_batch[:, 0], inverse=True)

    return Ranked(factory)


class _Asked:
    """A method that is asked by the numbers of a factory."""

    def __init__(self, method: Method, graph: Graph, factory: Any) -> None:
        self._scorer_of = cache(question_scorers(method, graph))
        self._entities = _numbers(factory.entity_id_to_label, graph.entity_names.find)
        self._relations = _numbers(factory.relation_id_to_label, graph.relation_names.find)
        self._names = factory.relation_id_to_label
        self._columns = np.flatnonzero(self._entities >= 0)

    def scores(self, entities: torch.Tensor, relations: torch.Tensor, inverse: bool) -> torch.Tensor:
        """The scores of all entities of the factory, for an entity and a relation a row."""
        found = np.full((len(entities), len(self._entities)), _LOWEST)
        given, kinds = self._entities[entities.cpu().numpy()], relations.cpu().numpy()
        for kind in np.unique(kinds).tolist():
            if self._relations[kind] < 0:
                raise InputError(f"the graph has no relation {self._names[kind]!r}; which graph does the method know?")
            rows = np.flatnonzero((kinds == kind) & (given >= 0))
            if len(rows):
                found[np.ix_(rows, self._columns)] = self._of_relation(int(self._relations[kind]), inverse, given[rows])
        return torch.from_numpy(found)

    def _of_relation(self, relation: int, inverse: bool, given: Ints) -> NDArray[np.floating]:
        heads, places = np.unique(given, return_inverse=True)
        scores = self._scorer_of(relation, inverse).score(heads, self._entities[self._columns])
        found: NDArray[np.floating] = np.maximum(scores, _LOWEST)[places]
        return found


def _numbers(names: dict[int, str], find: Any) -> NDArray[np.int64]:
    """The number that each number of a factory has in the graph, -1 for none."""
    found = np.full(max(names, default=-1) + 1, -1, dtype=np.int64)
    for number, name in names.items():
        here = find(name)
        found[number] = -1 if here is None else here
    return found
