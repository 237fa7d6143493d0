"""Episodes: what one training step sees of a task.

An episode draws K reference pairs of a task, further pairs as queries, and for each query tails that are wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from faan.base import InputError, Ints, Purpose, Stream, distinct_without, grouped
from faan.graph import RARE, Graph
from faan.tasks.benchmark import PairSet, Task
from faan.tasks.candidates import find_candidates

_TRIES = 16  # rounds of drawing negatives before they are enumerated


@dataclass(frozen=True, eq=False)
class Episode:
    """References, queries and, for each query, wrong tails."""

    task: Task
    references: Ints  # (K, 2)
    queries: Ints  # (Q, 2)
    negatives: Ints  # (Q, N)


class EpisodeSampler:
    """Draws episodes of tasks. Episode number `n` depends on the seed and on `n` alone."""

    def __init__(
        self,
        tasks: Sequence[Task],
        *,
        shots: int | tuple[int, int] = 5,  # K, or its lowest and highest value, drawn for each episode
        queries: int = 128,  # at most; a task may have fewer
        negatives: int = 1,  # for each query
        repeat_queries: bool = False,  # of a task with fewer, some are asked several times
        min_candidates: int = 21,  # tasks with fewer are left out: their few negatives teach nothing
        seed: int = 0,
    ) -> None:
        self.shots = (shots, shots) if isinstance(shots, int) else shots
        if not 1 <= self.shots[0] <= self.shots[1]:
            raise InputError(f"K must be at least 1 and its range must rise, found {self.shots[0]} to {self.shots[1]}")
        if queries < 1 or negatives < 1:
            raise InputError(f"an episode needs a query and a negative at least, found {queries} and {negatives}")
        self.tasks = [
            task for task in tasks if len(task.pairs) > self.shots[1] and len(task.candidates) >= min_candidates
        ]
        if not self.tasks:
            raise InputError(
                f"none of the {len(tasks)} tasks has more than {self.shots[1]} pairs and {min_candidates} candidates; "
                "lower K or add tasks"
            )
        for task in self.tasks:
            if not has_negatives(task):
                raise InputError(
                    f"relation {task.relation!r}: every candidate is a true tail of a head; there is no negative"
                )
        self.max_queries, self.negatives, self.seed = queries, negatives, seed
        self.repeat_queries = repeat_queries

    def draw(self, step: int) -> Episode:
        """The episode of a step."""
        stream = Stream(self.seed, Purpose.EPISODES, step)
        which, extra = stream.integers([len(self.tasks), self.shots[1] - self.shots[0] + 1], 2)
        task, shots = self.tasks[which], self.shots[0] + int(extra)
        order = stream.permutation(len(task.pairs))
        asked = order[shots : shots + self.max_queries]
        if self.repeat_queries and len(asked) < self.max_queries:
            asked = asked[stream.integers(len(asked), self.max_queries)]
        queries = task.pairs[asked]
        negatives = draw_negatives(task, queries[:, 0], self.negatives, stream)
        return Episode(task, task.pairs[order[:shots]], queries, negatives)


def draw_negatives(task: Task, heads: Ints, count: int, stream: Stream) -> Ints:
    """For each head, candidates that are not among its true tails, (len(heads), count)."""
    candidates = task.candidates
    column = np.repeat(heads, count)
    drawn = candidates[stream.integers(len(candidates), len(column))]
    wrong = np.flatnonzero(task.truths.contains(column, drawn))
    for _ in range(_TRIES):
        if not len(wrong):
            break
        drawn[wrong] = candidates[stream.integers(len(candidates), len(wrong))]
        wrong = wrong[task.truths.contains(column[wrong], drawn[wrong])]
    for place in wrong.tolist():  # a head for which nearly every candidate is true
        allowed = distinct_without(candidates, task.truths.tails_of(int(column[place])))
        drawn[place] = allowed[stream.integers(len(allowed), 1)[0]]
    return drawn.reshape(len(heads), count)


def background_tasks(graph: Graph) -> list[Task]:
    """Rare relations of the background graph as further training tasks (the open protocol).

    Their edges are in the graph: a model must hide them from an entity's neighbours (`Task.hidden`,
    `Neighbours.gather_hiding`).
    """
    tasks = []
    counts = graph.relation_counts
    offsets, rows_by_relation = grouped(graph.relations, graph.num_relations)
    for relation in np.flatnonzero((counts >= RARE[0]) & (counts <= RARE[1])).tolist():
        rows = rows_by_relation[offsets[relation] : offsets[relation + 1]]
        pairs = np.stack([graph.heads[rows], graph.tails[rows]], axis=1)
        candidates = find_candidates(graph, pairs[:, 1]).entities
        truths = PairSet.of(pairs, graph.num_entities)
        tasks.append(Task(graph.relation_names[relation], pairs, candidates, truths, hidden=relation))
    return tasks


def inverse_tasks(graph: Graph, tasks: Iterable[Task]) -> list[Task]:
    """Tasks with head and tail swapped, which ask for heads; one that would offer a query no negative is left out."""
    swapped = []
    for task in tasks:
        truths = task.truths.pairs
        hidden = None if task.hidden is None else (task.hidden + graph.num_relations) % (2 * graph.num_relations)
        inverse = Task(
            inverse_name(task.relation),
            np.ascontiguousarray(task.pairs[:, ::-1]),  # torch takes no negative strides
            find_candidates(graph, task.pairs[:, 0]).entities,
            PairSet(truths[:, 1], truths[:, 0], graph.num_entities),
            hidden,
        )
        if has_negatives(inverse):
            swapped.append(inverse)
    return swapped


def inverse_name(relation: str) -> str:
    """The name of the inverse of a task's relation."""
    return f"{relation}_inv"


def has_negatives(task: Task) -> bool:
    """Whether every head has a candidate that is not among its true tails."""
    heads, counts = np.unique(task.truths.pairs[:, 0], return_counts=True)
    full = heads[counts >= len(task.candidates)].tolist()
    return all(len(distinct_without(task.candidates, task.truths.tails_of(head))) for head in full)
