"""Links between a head and many candidates over one entity in between, compiled by numba."""

from __future__ import annotations

import numpy as np
from numba import njit

MAX_STEPS = 300_000  # edges that are looked at for one head
MAX_DEGREE = 3_000  # entities with more edges are ignored: they link thousands of entities and tell nothing


@njit(nogil=True, cache=True)
def count_edges(
    offsets: np.ndarray, relations: np.ndarray, num_relations: int, ids: np.ndarray, hidden: int
) -> np.ndarray:
    """How many edges entities (n,) have that are not of a hidden relation (-1 for none)."""
    found = np.empty(len(ids), np.int64)
    for row in range(len(ids)):
        found[row] = _seen(offsets, relations, num_relations, ids[row], hidden)
    return found


@njit(nogil=True, cache=True)
def _seen(offsets: np.ndarray, relations: np.ndarray, num_relations: int, entity: int, hidden: int) -> int:
    """How many edges an entity has that are not of a hidden relation; edges are sorted by relation."""
    first, last = offsets[entity], offsets[entity + 1]
    if hidden < 0:
        return int(last - first)
    own = relations[first:last]
    count = 0
    for role in (hidden, hidden + num_relations):
        count += int(np.searchsorted(own, role, side="right") - np.searchsorted(own, role))
    return int(last - first - count)


@njit(nogil=True, cache=True)
def _place(ids: np.ndarray, entity: int) -> int:
    """The index of an entity in a sorted array, -1 if it is not there."""
    if len(ids) == 0 or entity < ids[0] or entity > ids[-1]:
        return -1
    place = int(np.searchsorted(ids, entity))
    return place if ids[place] == entity else -1


@njit(nogil=True, cache=True, error_model="numpy")  # damaged graphs may divide by 0 here: no exception
def link_counts(
    offsets: np.ndarray,
    relations: np.ndarray,
    entities: np.ndarray,
    num_relations: int,
    head: int,
    ids: np.ndarray,
    hidden: int,
    own: int,
    direct: np.ndarray,
    between: np.ndarray,
    rare: np.ndarray,
) -> None:
    """Count a head's edges to sorted entities (C,), its links over one entity, and these weighed by that one's rarity.

    Edges of the relation `hidden` (below `num_relations`, -1 for none) are not seen in either direction. An edge of the
    relation `own` (with its direction, -1 for none) does not speak for itself: it is no direct link. A link over an
    entity with many edges counts less (Adamic and Adar, 2003): 1 / log2(1 + edges). Entities with more than
    `MAX_DEGREE` edges link nothing, and where the others have more than `MAX_STEPS` together, nothing is linked over
    any. The work grows with the edges of the head and its neighbours, not with the graph.
    """
    steps = 0
    for one in range(offsets[head], offsets[head + 1]):
        if relations[one] % num_relations == hidden:
            continue
        column = _place(ids, entities[one])
        if column >= 0 and relations[one] != own:
            direct[column] += 1
        degree = _seen(offsets, relations, num_relations, entities[one], hidden)
        steps += degree if degree <= MAX_DEGREE else 0
    if steps > MAX_STEPS:
        return
    for one in range(offsets[head], offsets[head + 1]):
        middle = entities[one]
        if relations[one] % num_relations == hidden:
            continue
        degree = _seen(offsets, relations, num_relations, middle, hidden)
        if degree > MAX_DEGREE:
            continue
        weight = 1 / np.log2(1 + degree)
        for two in range(offsets[middle], offsets[middle + 1]):
            column = _place(ids, entities[two])
            if column >= 0 and entities[two] != head and relations[two] % num_relations != hidden:
                between[column] += 1
                rare[column] += weight
