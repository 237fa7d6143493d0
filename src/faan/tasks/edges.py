"""Adds the pairs of tasks to the graph as edges, and hides each task's own edges from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from faan.base import InputError
from faan.graph import Graph, Names
from faan.tasks.benchmark import Task


def with_task_edges(graph: Graph, tasks: Sequence[Task]) -> tuple[Graph, list[Task]]:
    """The graph with the pairs of tasks among its edges, and the tasks, each with its own relation hidden.

    Code that respects `Task.hidden` sees, for each task, the edges of all other tasks.
    """
    known = [task.relation for task in tasks if task.hidden is not None or _has_edges(graph, task.relation)]
    if known:
        raise InputError(
            f"these relations are edges of the graph already: {', '.join(known)}; leave them out of the tasks"
        )
    new = [task.relation for task in tasks if task.relation not in graph.relation_names]
    names = Names.from_strings([*graph.relation_names, *new]) if new else graph.relation_names
    numbers = names.find_each(Names.from_strings([task.relation for task in tasks]))
    pairs = np.concatenate([np.empty((0, 2), np.int32), *(task.pairs for task in tasks)])
    relations = np.repeat(numbers, [len(task.pairs) for task in tasks])
    labels = graph.relation_labels
    larger = replace(
        graph,
        relation_names=names,
        relation_labels=Names.from_strings([*labels, *("" for _ in new)]) if labels and new else labels,
        heads=np.concatenate([graph.heads, pairs[:, 0]]).astype(np.int32),
        relations=np.concatenate([graph.relations, relations]).astype(np.int32),
        tails=np.concatenate([graph.tails, pairs[:, 1]]).astype(np.int32),
    )
    return larger, [replace(task, hidden=int(number)) for task, number in zip(tasks, numbers, strict=True)]


def _has_edges(graph: Graph, relation: str) -> bool:
    """Whether a graph has edges of a relation; a removed relation keeps its number."""
    return relation in graph.relation_names and bool(graph.relation_counts[graph.relation(relation)])
