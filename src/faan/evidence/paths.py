"""Relation paths: ways through the graph that lead from the heads of a relation to its tails.

For example, *in, currency* leads from Lima via Peru to the Sol: the currency that is used in a city. A relation path is
a tuple of up to three relations of the graph, `r + num_relations` being `r` against its direction. Paths are found
between heads and tails of the references, and are trusted by what they do from the heads of the references:

    confidence = hits / (endpoints among the candidates + 2), halved for paths of three hops

with hits the references that the path connects, and endpoints the pairs of a reference's head and a candidate that it
connects, true or not. There are so many paths of three hops that some connect a reference by chance.

- **Walks may go there and back**: *in, in_inv, twin* leads from Lima to its own twins too, not only to those of other
  cities of Peru. Rules without such walks ranked worse (docs/experiments.md). But no walk ends where it began.
- **Hubs are bounded.** Where the entities after a hop have more than `MAX_EDGES` edges of the next relation together,
  the path is given up for that head and connects it with nothing: it would speak for thousands of entities alike. A
  reference for which more than `MAX_SEARCH` edges and walks would have to be looked at gives no paths of three hops. Of
  the paths that references have, the `MAX_PATHS` that most of them share are kept, shorter ones first.
- **A hidden relation** (`Task.hidden`, the open protocol) is in no path, in neither direction, as if the graph had none
  of its edges. That hides more than the edge of the asked pair, and is how the graph looks for a relation that is new.
- **A relation of the graph** (`Task.in_graph`) may be in its own paths: who borders me borders my neighbours. But no
  fact explains itself: for each reference, and for each known fact that is asked about, its own edge is not walked.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, distinct, unlocked_property
from faan.evidence.walks import MAX_HOPS, connecting_paths, decode, follow, gather_evidence
from faan.graph import Graph, Neighbours

MAX_EDGES = 3_000  # 100,000 rank the same on NELL-One, see docs/experiments.md
MAX_SEARCH = 1_000_000
MAX_PATHS = 1_000
PSEUDO_COUNT = 2  # pseudocount: endpoints added to those seen
LONG_PATH = 0.5  # factor of the confidence of a path of three hops


@dataclass(frozen=True)
class PathInstance:
    """One walk through the graph: `entities[i]` -`relations[i]`-> `entities[i + 1]`."""

    relations: tuple[int, ...]
    entities: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Firings:
    """Which paths lead from a head to which candidates; one element for each path and candidate."""

    paths: Ints  # number of the path
    candidates: Ints  # index of the candidate
    walks: Ints  # the number of walks along the path
    skipped: Ints  # paths that fan out too far from the head


@dataclass(frozen=True, eq=False)
class PathEvidence:
    """The support of all paths together for each head and candidate, each (H, C)."""

    weight: NDArray[np.float64]  # sum of -log(1 - confidence): noisy-or without its rounding near 1
    best: NDArray[np.float64]  # the highest confidence
    fired: Ints  # the number of paths


@dataclass(frozen=True, eq=False)
class RelationPaths:
    """The paths of a relation, sorted, with their confidences."""

    neighbours: Neighbours = field(repr=False)
    num_relations: int
    paths: Ints  # (P, 3) relations, -1 behind the end of a path
    support: Ints  # (P,) references that the path connects
    endpoints: Ints  # (P,) candidates that it leads to from the references' heads

    def __len__(self) -> int:
        return len(self.paths)

    @unlocked_property
    def confidence(self) -> NDArray[np.float64]:
        """The confidence that an endpoint is right, (P,)."""
        return self.support / (self.endpoints + PSEUDO_COUNT) * np.where(self.paths[:, -1] >= 0, LONG_PATH, 1.0)

    def path(self, number: int) -> tuple[int, ...]:
        """The relations of a path."""
        return tuple(relation for relation in self.paths[number].tolist() if relation >= 0)

    def fire(self, heads: Ints, candidates: Ints) -> Iterator[Firings]:
        """For each head, which paths lead to which candidates; candidates must be distinct."""
        _check_ids(heads, len(self.neighbours.offsets) - 1)
        with _walking(self.neighbours, self.num_relations, self.paths, candidates) as walk:
            for head in heads.tolist():
                yield walk(head)

    def fire_without(
        self, found: Firings, head: int, own: int, candidates: Ints, wanted: NDArray[np.bool_] | None = None
    ) -> Firings:
        """The same firings without paths over the edge of relation `own` from the head to the candidate itself.

        No fact is evidence for itself. Candidates that are not `wanted` may keep such paths.

        Without an edge no more paths lead to a candidate, but for those along this relation that fanned out too far
        with it. Only these are followed again.
        """
        is_known = np.isin(candidates, _others(self.neighbours, head, own))
        places = np.flatnonzero(is_known if wanted is None else is_known & wanted)
        if not len(places):
            return found
        along = (self.paths >= 0) & (self.paths % self.num_relations == own % self.num_relations)  # (P, 3)
        fanned_out = found.skipped[along.any(1)[found.skipped]]
        others = ~np.isin(found.candidates, places)
        parts = [(found.paths[others], found.candidates[others], found.walks[others])]
        order = np.argsort(found.candidates, kind="stable")
        starts, stops = (np.searchsorted(found.candidates[order], places, side) for side in ("left", "right"))
        for place, start, stop in zip(places.tolist(), starts, stops, strict=True):
            tail, paths = candidates[place : place + 1], distinct(found.paths[order[start:stop]], fanned_out)
            with _walking(self.neighbours, self.num_relations, self.paths[paths], tail) as walk:
                one = walk(head, own, int(tail[0]))
            parts.append((paths[one.paths], np.full(len(one.paths), place, np.int32), one.walks))
        numbers, ends, walks = (np.concatenate(column) for column in zip(*parts, strict=True))
        return Firings(numbers, ends, walks, found.skipped)

    def evidence(self, heads: Ints, candidates: Ints, own: int | None = None) -> PathEvidence:
        """The support of the paths for each head and candidate: (H,) and (C,) to (H, C).

        No fact of the relation `own` is evidence for itself.
        """
        choices, column = np.unique(candidates, return_inverse=True)
        shape = len(heads), len(choices)
        weight, best, fired = np.zeros(shape), np.zeros(shape), np.zeros(shape, np.int32)
        for row, (head, found) in enumerate(zip(heads.tolist(), self.fire(heads, choices), strict=True)):
            firings = found if own is None else self.fire_without(found, head, own, choices)
            gather_evidence(firings.paths, firings.candidates, self.confidence, weight[row], best[row], fired[row])
        return PathEvidence(weight[:, column], best[:, column], fired[:, column])


def find_paths(
    graph: Graph,
    references: Ints,
    candidates: Ints,
    hidden: int | None = None,
    in_graph: bool = False,
    counted: Ints | None = None,
) -> RelationPaths:
    """The paths from heads to tails of the references (K, 2), and what they are worth among the candidates (C,).

    What they are worth is counted over other references too where there are more (`counted`). Paths along the hidden
    relation are left out, or only the asked edges of it where it is `in_graph`.
    """
    neighbours, pairs = graph.neighbours, np.unique(references, axis=0)
    _check_ids(pairs, graph.num_entities)
    edges = neighbours.offsets, neighbours.relations, neighbours.entities
    own = hidden if in_graph and hidden is not None else -1
    with _scratch_of(neighbours) as scratch:
        codes = [
            distinct(connecting_paths(*edges, graph.num_relations, head, tail, own, scratch.place, MAX_SEARCH))
            for head, tail in pairs.tolist()
        ]
    found, times = np.unique(np.concatenate(codes), return_counts=True)
    paths = decode(found, graph.num_relations)  # (P, 3)
    if hidden is not None and not in_graph:
        unseen = hidden % graph.num_relations  # an inverse task hides the same edges
        keep = ~np.isin(paths, [unseen, unseen + graph.num_relations]).any(1)
        paths, times = paths[keep], times[keep]
    paths = paths[np.sort(np.lexsort(((paths >= 0).sum(1), -times))[:MAX_PATHS])]

    pairs = pairs if counted is None else np.unique(counted, axis=0)
    _check_ids(pairs, graph.num_entities)
    choices = distinct(candidates, pairs[:, 1])
    support, endpoints = np.zeros(len(paths), np.int64), np.zeros(len(paths), np.int64)
    # Where own edges are walked along, each reference has its own view of the graph; else those of a head share one.
    asked = [(head, tail) for head, tail in pairs.tolist()] if own >= 0 else [(h, -1) for h in distinct(pairs[:, 0])]
    with _walking(neighbours, graph.num_relations, paths, choices) as walk:
        for head, tail in asked:
            firings = walk(head, own, tail)
            ends = choices[firings.candidates]
            true = _others(neighbours, head, own) if own >= 0 else pairs[pairs[:, 0] == head, 1]
            hit = ends == tail if own >= 0 else np.isin(ends, true)
            wrong = ~np.isin(ends, true)
            support += np.bincount(firings.paths[hit], minlength=len(paths))
            endpoints += np.bincount(firings.paths[hit | wrong], minlength=len(paths))
    keep = support > 0  # not paths whose search was stopped at a hub
    return RelationPaths(neighbours, graph.num_relations, paths[keep], support[keep], endpoints[keep])


def path_instances(graph: Graph, head: int, relations: tuple[int, ...], tail: int, limit: int) -> list[PathInstance]:
    """Walks along a relation path from a head to a tail, at most `limit`; first those that visit no entity twice."""
    walks = np.array([[head]])  # (n, hops + 1)
    for hop, relation in enumerate(relations):
        offsets, kinds, entities = graph.neighbours.gather(walks[:, -1])
        keep = kinds == relation
        if hop == len(relations) - 2:  # the next hop is the last
            _, back, ends = graph.neighbours.gather(np.array([tail]))
            keep &= np.isin(entities, ends[back == (relations[-1] + graph.num_relations) % (2 * graph.num_relations)])
        elif hop == len(relations) - 1:
            keep &= entities == tail
        owner = np.repeat(np.arange(len(walks)), np.diff(offsets))[keep]
        walks = np.column_stack([walks[owner], entities[keep]])
    ordered = np.sort(walks, axis=1)
    repeats = (ordered[:, 1:] == ordered[:, :-1]).sum(1)
    order = np.lexsort((*walks.T[::-1], repeats))[:limit]
    return [PathInstance(relations, tuple(row)) for row in walks[order].tolist()]


class _Walk(Protocol):
    def __call__(self, head: int, own: int = -1, tail: int = -1) -> Firings:
        """Where the paths of a head end, without the edge of the relation `own` to a tail."""


@contextmanager
def _walking(neighbours: Neighbours, num_relations: int, paths: Ints, candidates: Ints) -> Iterator[_Walk]:
    """Follows paths from one head at a time to some candidates."""
    edges = neighbours.offsets, neighbours.relations, neighbours.entities, num_relations, paths

    def walk(head: int, own: int = -1, tail: int = -1) -> Firings:
        return Firings(*follow(*edges, head, own, tail, lent.place, lent.reached, lent.walks, lent.seen))

    with _scratch_of(neighbours) as lent:
        lent.place[candidates] = np.arange(len(candidates))
        try:
            yield walk
        finally:
            lent.place[candidates] = -1


class _Scratch:
    """Arrays that walks need, one number and more for each entity: made once for a graph, not for each head."""

    def __init__(self, num_entities: int) -> None:
        self.place = np.full(num_entities, -1, np.int32)  # users must reset their changes
        self.reached = np.empty((MAX_HOPS + 1, MAX_EDGES), np.int32)
        self.walks = np.empty((MAX_HOPS + 1, MAX_EDGES), np.int64)
        self.seen = np.empty((MAX_HOPS, num_entities), np.int32)


_SCRATCH: weakref.WeakKeyDictionary[Neighbours, list[_Scratch]] = weakref.WeakKeyDictionary()
"""Arrays that are not in use, by the edges they belong to: threads and nested walks have one each."""


@contextmanager
def _scratch_of(neighbours: Neighbours) -> Iterator[_Scratch]:
    free = _SCRATCH.setdefault(neighbours, [])
    try:
        lent = free.pop()
    except IndexError:
        lent = _Scratch(len(neighbours.offsets) - 1)
    try:
        yield lent
    finally:
        free.append(lent)


def _others(neighbours: Neighbours, head: int, relation: int) -> Ints:
    """The entities that a relation links an entity with."""
    relations, entities = neighbours.of(head)
    found: Ints = entities[relations == relation]
    return found


def _check_ids(entities: Ints, num_entities: int) -> None:
    """Check ids, because compiled loops do not."""
    if entities.size and not 0 <= entities.min() <= entities.max() < num_entities:
        raise IndexError(f"entities are numbered 0 to {num_entities - 1}, found {entities.min()} to {entities.max()}")
