"""Case studies of a trained FAAN: which neighbours and which references it looks at (section 4.6 of the paper)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from faan.base import InputError
from faan.graph import Graph
from faan.models import Faan, NeighbourWeights
from faan.paper.case_tables import Attention, NeighbourCase, ReferenceCase
from faan.rank import label_of
from faan.tasks import Task
from faan.train import TrainedRun

ENTITIES = 3  # whose neighbours are looked at
RELATIONS = 5  # of neighbours, that are listed
TASKS = 4  # whose references are looked at
QUERIES = 30  # of each task, that the two shown are picked from


def case_studies(run: TrainedRun, command: str) -> Attention:
    """What a run looks at; `command` is what gives this again."""
    model = run.model
    if not isinstance(model, Faan):
        raise InputError(f"{run.config.model.display_name} has no attention to look at", source=str(run.folder))
    return Attention(
        method=label_of(run.config.model.display_name, run.config.variant),
        dataset=run.benchmark.name,
        seed=run.config.seed,
        command=command,
        neighbours=_neighbour_cases(run, model),
        references=_reference_cases(run, model),
    )


def _neighbour_cases(run: TrainedRun, model: Faan) -> list[NeighbourCase]:
    """Entities that are heads of two task relations, first those with the most relations to choose from."""
    graph, splits = run.benchmark.graph, run.benchmark.splits
    chosen = _in_two_tasks(graph, [*splits["dev"], *splits["test"]]) or _in_two_tasks(graph, run.benchmark.tasks)
    cases = []
    for entity, tasks in chosen:
        for task in tasks:
            tail = int(task.pairs[task.pairs[:, 0] == entity][0, 1])
            seen = model.attentions(task.references(run.config.shots), entity, tail, task.hidden)
            weights = _by_relation(graph, seen.head)
            cases.append(NeighbourCase(entity=graph.entity_label(entity), relation=task.relation, weights=weights))
    return cases


def _in_two_tasks(graph: Graph, tasks: Sequence[Task]) -> list[tuple[int, list[Task]]]:
    of = defaultdict[int, list[Task]](list)
    for task in tasks:
        for head in np.unique(task.pairs[:, 0]):
            of[int(head)].append(task)
    several = [entity for entity, found in of.items() if len(found) > 1]
    richest = sorted(several, key=lambda entity: (-len(np.unique(graph.neighbours.of(entity)[0])), entity))
    return [(entity, of[entity][:2]) for entity in richest[:ENTITIES]]


def _by_relation(graph: Graph, seen: NeighbourWeights) -> dict[str, float]:
    """The sum of the weights of each relation, the highest first."""
    totals = defaultdict[str, float](float)
    for relation, weight in zip(seen.relations, seen.weights, strict=True):
        totals[graph.relation_label(int(relation))] += float(weight)
    highest = sorted(totals, key=lambda name: (-totals[name], name))[:RELATIONS]
    return {name: totals[name] for name in highest}


def _reference_cases(run: TrainedRun, model: Faan) -> list[ReferenceCase]:
    """For the relations with the strongest contrast two queries that resemble different references."""
    graph, shots = run.benchmark.graph, run.config.shots
    found: list[tuple[float, list[ReferenceCase]]] = []
    for task in (*run.benchmark.splits["dev"], *run.benchmark.splits["test"]):
        references = task.references(shots)
        cases = [
            ReferenceCase(
                relation=task.relation,
                query=_pair(graph, query),
                references=[_pair(graph, reference) for reference in references],
                weights=model.attentions(references, int(query[0]), int(query[1]), task.hidden).references.tolist(),
            )
            for query in task.queries(shots)[:QUERIES]
        ]
        first = max(cases, key=lambda case: max(case.weights))
        top = first.weights.index(max(first.weights))
        others = [case for case in cases if case.weights.index(max(case.weights)) != top]
        pair = [first, *sorted(others, key=lambda case: -max(case.weights))[:1]]
        found.append((sum(max(case.weights) for case in pair), pair))
    found.sort(key=lambda one: -one[0])
    return [case for _, pair in found[:TASKS] for case in pair]


def _pair(graph: Graph, pair: np.ndarray) -> str:
    return f"{graph.entity_label(int(pair[0]))} - {graph.entity_label(int(pair[1]))}"
