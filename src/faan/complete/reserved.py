"""Facts that vectors are not trained with, so that each relation can be tested on some that they have not seen.

A fact that vectors were trained with looks truer than one that is missing: a test on such facts says too much. So a
share of each relation's facts is kept from the vectors. The model's graph has them, as edges and as examples.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from faan.base import Ints, Purpose, Stream
from faan.graph import Graph

_SHARE = 0.1  # of a relation's facts
_MOST = 60  # of one relation
_LEAST = 2  # fewer would say nothing


def reserved_rows(graph: Graph, seed: int) -> Ints:
    """The triples to keep from the vectors, sorted; an entity keeps a fact that is not among them."""
    left, found = graph.neighbours.degrees.astype(np.int64), list[int]()
    by_relation = np.argsort(graph.relations, kind="stable")
    ends = np.cumsum(graph.relation_counts)
    for relation in np.flatnonzero(graph.relation_counts * _SHARE >= _LEAST).tolist():
        rows = by_relation[ends[relation] - graph.relation_counts[relation] : ends[relation]]
        last = len(found) + min(int(len(rows) * _SHARE), _MOST)
        for row in rows[Stream(seed, Purpose.RESERVED, relation).permutation(len(rows))].tolist():
            if len(found) == last:
                break
            pair = [int(graph.heads[row]), int(graph.tails[row])]
            if (left[pair] > 1).all():
                left[pair] -= 1
                found.append(row)
    return np.sort(np.array(found, dtype=np.int64))


def without_rows(graph: Graph, rows: Ints) -> Graph:
    """The graph without some triples; all names stay, so that ids mean the same in both."""
    keep = np.ones(graph.num_triples, dtype=bool)
    keep[rows] = False
    return replace(graph, heads=graph.heads[keep], relations=graph.relations[keep], tails=graph.tails[keep])
