"""How much of a task the background graph gives away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, distinct, places_of
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
    having: dict[bytes, list[tuple[str, str]]] = {}  # the same pairs -> name and suffix of tasks that have them
    for name, rival in {task.relation: task for task in (*tasks, *others)}.items():
        for suffix, pairs in (("", rival.pairs), ("_inv", rival.pairs[:, ::-1])):
            having.setdefault(_key_of(pairs, graph), []).append((name, suffix))

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
        same += [name + suffix for name, suffix in having[_key_of(task.pairs, graph)] if name != task.relation]
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


def _key_of(pairs: Ints, graph: Graph) -> bytes:
    """Different pairs (n, 2) as a key: the same for the same pairs, in whatever order."""
    return distinct(_keys(pairs[:, 0], pairs[:, 1], graph)).tobytes()


def _linked(pairs: NDArray[np.int64], keys: NDArray[np.int64], relations: Ints) -> tuple[NDArray[np.bool_], Ints]:
    """Which pairs occur among the keys, and the relations of all their occurrences."""
    first, last = np.searchsorted(keys, pairs, "left"), np.searchsorted(keys, pairs, "right")
    places, _ = places_of(first, last - first)
    return last > first, relations[places]
