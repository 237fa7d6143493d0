"""Facts that are held out of a graph, to learn from or to measure with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from faan.base import Ints, Purpose, Stream, grouped
from faan.graph import Graph

_LOOKED_AT = 4  # rows for each that is wanted, since some must stay


def held_out_rows(graph: Graph, share: float, most: int, seed: int, purpose: Purpose, *, at_least: int = 0) -> Ints:
    """The rows of triples to hold out, sorted: a share of each relation's, at least and at most so many.

    Each relation and each entity keeps at least one fact: nothing can be learnt about an entity without facts.
    """
    left, found = graph.neighbours.degrees.astype(np.int64), list[int]()
    offsets, rows_by_relation = grouped(graph.relations, graph.num_relations)
    for relation in graph.used_relations.tolist():
        rows = rows_by_relation[offsets[relation] : offsets[relation + 1]]
        last = len(found) + min(max(int(len(rows) * share), at_least), most, len(rows) - 1)
        for row in _shuffled(rows, last - len(found), seed, purpose, relation):
            if len(found) == last:
                break
            head, tail = int(graph.heads[row]), int(graph.tails[row])
            if min(left[head], left[tail]) > (1 if head != tail else 2):
                left[head] -= 1
                left[tail] -= 1
                found.append(row)
    return np.sort(np.array(found, dtype=np.int64))


def _shuffled(rows: Ints, wanted: int, seed: int, purpose: Purpose, relation: int) -> Iterator[int]:
    """Rows in random order; few of them are looked at as a rule, so the first come without shuffling all."""
    first = rows[Stream(seed, purpose, relation).permutation(len(rows), _LOOKED_AT * (wanted + 1))]
    yield from first.tolist()
    if len(first) < len(rows):
        yield from rows[Stream(seed, purpose, relation).permutation(len(rows))[len(first) :]].tolist()


def without_relations(graph: Graph, relations: Sequence[int]) -> Graph:
    """The graph without the triples of some relations; all names stay, so that ids mean the same in both."""
    return without_rows(graph, np.flatnonzero(np.isin(graph.relations, list(relations))))


def without_rows(graph: Graph, rows: Ints) -> Graph:
    """The graph without some triples; all names stay, so that ids mean the same in both."""
    keep = np.ones(graph.num_triples, dtype=bool)
    keep[rows] = False
    return replace(graph, heads=graph.heads[keep], relations=graph.relations[keep], tails=graph.tails[keep])
