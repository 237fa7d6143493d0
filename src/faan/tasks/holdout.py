"""Facts that are held out of a graph, to learn from or to measure with."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from faan.base import Ints, Purpose, Stream
from faan.graph import Graph


def held_out_rows(graph: Graph, share: float, most: int, seed: int, purpose: Purpose, *, at_least: int = 0) -> Ints:
    """The rows of triples to hold out, sorted: a share of each relation's, at least and at most so many.

    A relation keeps a fact, and so does an entity: of an entity without facts nothing can be known.
    """
    left, found = graph.neighbours.degrees.astype(np.int64), list[int]()
    by_relation = np.argsort(graph.relations, kind="stable")
    ends = np.cumsum(graph.relation_counts)
    for relation in np.flatnonzero(graph.relation_counts).tolist():
        rows = by_relation[ends[relation] - graph.relation_counts[relation] : ends[relation]]
        last = len(found) + min(max(int(len(rows) * share), at_least), most, len(rows) - 1)
        for row in rows[Stream(seed, purpose, relation).permutation(len(rows))].tolist():
            if len(found) == last:
                break
            pair = [int(graph.heads[row]), int(graph.tails[row])]
            if (left[pair] > (1 if pair[0] != pair[1] else 2)).all():
                np.subtract.at(left, pair, 1)
                found.append(row)
    return np.sort(np.array(found, dtype=np.int64))


def without_rows(graph: Graph, rows: Ints) -> Graph:
    """The graph without some triples; all names stay, so that ids mean the same in both."""
    keep = np.ones(graph.num_triples, dtype=bool)
    keep[rows] = False
    return replace(graph, heads=graph.heads[keep], relations=graph.relations[keep], tails=graph.tails[keep])
