"""How much of a task the background graph gives away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, places_of
from faan.graph import Graph
from faan.tasks.benchmark import Task

_LINKS = 3  # relations named for a task


@dataclass(frozen=True)
class Leakage:
    """How the background links the pairs of one task."""

    relation: str
    pairs: int  # different ones
    forward: int  # pairs with an edge from head to tail
    either: int  # pairs with an edge in either direction
    links: tuple[tuple[str, int], ...]  # relations (`_inv` for tail to head) that link most pairs, and how many
    duplicates: tuple[str, ...]  # relations, inverses or other tasks with exactly the same pairs


def find_leakage(graph: Graph, tasks: Sequence[Task], others: Sequence[Task] = ()) -> list[Leakage]:
    """Compare each task's pairs with all edges of the background graph and, for exact duplicates, with other tasks."""
    keys = _keys(graph.heads, graph.tails, graph)
    order = np.argsort(keys, kind="stable")
    keys, relations = keys[order], graph.relations[order]
    rivals = {task.relation: task for task in (*tasks, *others)}
    own = {name: np.unique(_keys(task.pairs[:, 0], task.pairs[:, 1], graph)) for name, task in rivals.items()}
    turned = {name: np.unique(_keys(task.pairs[:, 1], task.pairs[:, 0], graph)) for name, task in rivals.items()}

    found = []
    for task in tasks:
        heads, tails = np.unique(task.pairs, axis=0).T
        forward, links = _linked(_keys(heads, tails, graph), keys, relations)
        backward, inverse_links = _linked(_keys(tails, heads, graph), keys, relations + graph.num_relations)
        counts = np.bincount(np.concatenate([links, inverse_links]), minlength=2 * graph.num_relations)
        best = np.argsort(-counts, kind="stable")[:_LINKS]
        size = len(heads)
        totals = np.tile(graph.relation_counts, 2)
        same = [graph.relation_label(int(r)) for r in np.flatnonzero((counts == size) & (totals == size))]
        for name in rivals.keys() - {task.relation}:
            same += [name] if np.array_equal(own[task.relation], own[name]) else []
            same += [f"{name}_inv"] if np.array_equal(own[task.relation], turned[name]) else []
        found.append(
            Leakage(
                task.relation,
                pairs=size,
                forward=int(forward.sum()),
                either=int((forward | backward).sum()),
                links=tuple((graph.relation_label(int(r)), int(counts[r])) for r in best if counts[r]),
                duplicates=tuple(sorted(same)),
            )
        )
    return found


def _keys(heads: Ints, tails: Ints, graph: Graph) -> NDArray[np.int64]:
    return heads.astype(np.int64) * graph.num_entities + tails


def _linked(pairs: NDArray[np.int64], keys: NDArray[np.int64], relations: Ints) -> tuple[NDArray[np.bool_], Ints]:
    """Which pairs occur among the keys, and the relations of all their occurrences."""
    first, last = np.searchsorted(keys, pairs, "left"), np.searchsorted(keys, pairs, "right")
    places, _ = places_of(first, last - first)
    return last > first, relations[places]
