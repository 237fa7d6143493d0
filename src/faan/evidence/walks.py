"""The inner loops of relation paths, compiled by numba: finding paths between two entities, following them from one.

Edges are those of `Neighbours`: sorted by entity, then by relation, inverse relations included. A relation path of up
to three hops is a row of three relations, -1 behind its end, or the same as one number (`decode`).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from faan.base import Ints

MAX_HOPS = 3

_compiled = njit(nogil=True, cache=True)


def decode(codes: Ints, num_relations: int) -> Ints:
    """Paths (P, 3) from their numbers; sorted numbers give sorted paths, each behind the paths it extends."""
    base = 2 * num_relations + 1
    return np.stack([codes // base**2, codes // base % base, codes % base], axis=1).astype(np.int32) - 1


@_compiled
def _grown(array: np.ndarray) -> np.ndarray:
    larger = np.empty(2 * len(array), array.dtype)
    larger[: len(array)] = array
    return larger


@_compiled
def _append(array: np.ndarray, count: int, value: np.int64) -> tuple[np.ndarray, int]:
    if count == len(array):
        array = _grown(array)
    array[count] = value
    return array, count + 1


@_compiled
def _inverse(relation: int, num_relations: int) -> int:
    return relation + num_relations if relation < num_relations else relation - num_relations


@_compiled
def connecting_paths(
    offsets: np.ndarray,
    relations: np.ndarray,
    entities: np.ndarray,
    num_relations: int,
    head: int,
    tail: int,
    own: int,
    last: np.ndarray,
    limit: int,
) -> np.ndarray:
    """The numbers of relation paths that lead from a head to a tail; the same path may come several times.

    The edge from the head to the tail of the relation `own` (-1 for none) is not walked along, in either direction: a
    fact does not explain itself.

    The search meets in the middle: each second hop from the head is looked up among the tail's edges. So it looks at
    the edges of the head's neighbours and no further; where those edges and the walks of three hops that they give are
    more than `limit`, no path of three hops is given. `last` (entities,) must be -1 everywhere, and is so again after.
    """
    base = np.int64(2 * num_relations + 1)
    start = offsets[tail]
    into = np.empty(offsets[tail + 1] - start, np.int64)  # the tail's edges, seen from their other end, plus one
    previous = np.empty(len(into), np.int64)  # lists of the edges from the same entity, `last` their newest
    for i in range(len(into)):
        into[i] = 1 + _inverse(relations[start + i], num_relations)
        if own >= 0 and into[i] == 1 + own and entities[start + i] == head:
            continue
        previous[i] = last[entities[start + i]]
        last[entities[start + i]] = i
    codes, count = np.empty(256, np.int64), 0
    for one in range(offsets[head], offsets[head + 1]):  # paths of one and two hops
        first = (np.int64(relations[one]) + 1) * base * base
        i = last[entities[one]]
        if entities[one] == tail:
            if relations[one] == own:
                continue
            codes, count = _append(codes, count, first)
        while i >= 0:
            codes, count = _append(codes, count, first + into[i] * base)
            i = previous[i]
    short, work = count, 0
    for one in range(offsets[head], offsets[head + 1]):
        first = (np.int64(relations[one]) + 1) * base * base
        middle = entities[one]
        if middle == tail and relations[one] == own:
            continue
        work += offsets[middle + 1] - offsets[middle]
        if work > limit:
            break
        for two in range(offsets[middle], offsets[middle + 1]):
            if middle == tail and own >= 0 and relations[two] == _inverse(own, num_relations) and entities[two] == head:
                continue
            i = last[entities[two]]
            while i >= 0 and work <= limit:
                codes, count = _append(codes, count, first + (np.int64(relations[two]) + 1) * base + into[i])
                work += 1
                i = previous[i]
    last[entities[start : offsets[tail + 1]]] = -1
    return codes[: count if work <= limit else short]


@_compiled
def _span(offsets: np.ndarray, relations: np.ndarray, entity: int, relation: int) -> tuple[int, int]:
    """Where the edges of one relation begin and end among those of an entity."""
    first, end = offsets[entity], offsets[entity + 1]
    low, high = first, end
    while low < high:
        middle = (low + high) // 2
        if relations[middle] < relation:
            low = middle + 1
        else:
            high = middle
    first, high = low, end
    while low < high:
        middle = (low + high) // 2
        if relations[middle] <= relation:
            low = middle + 1
        else:
            high = middle
    return first, low


@_compiled
def follow(
    offsets: np.ndarray,
    relations: np.ndarray,
    entities: np.ndarray,
    num_relations: int,
    paths: np.ndarray,
    head: int,
    own: int,
    tail: int,
    place: np.ndarray,
    reached: np.ndarray,
    walks: np.ndarray,
    seen: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Follow sorted relation paths (P, 3) from a head: which paths end where, and by how many walks.

    Given back are three arrays, one element for each path and endpoint: the path, the place of the endpoint (`place` of
    an entity, -1 for those that do not matter) and the number of walks; and an array of the paths that were skipped.
    The head itself is no endpoint. The edge of the relation `own` (-1 for none) from the head to `tail` is not walked
    along, in either direction.

    `reached` and `walks` (4, limit) hold the entities after each hop, once each, and the number of ways there; what
    paths share at their beginning is walked once. Where the entities after a hop have more than `limit` edges of the
    next relation, the path is skipped. `seen` (3, entities) may hold anything: it holds the index of an entity
    in `reached`, and is used only if the entity is there.
    """
    limit, back = reached.shape[1], _inverse(own, num_relations)
    size = np.zeros(4, np.int64)  # -1: stopped, too many
    reached[0, 0], walks[0, 0], size[0] = head, 1, 1
    out_path, out_place, out_walks = np.empty(256, np.int32), np.empty(256, np.int32), np.empty(256, np.int64)
    count, skipped = 0, np.zeros(len(paths), np.bool_)
    for p in range(len(paths)):
        hop = 0
        while p > 0 and paths[p, hop] == paths[p - 1, hop]:
            hop += 1
        while hop < 3 and paths[p, hop] >= 0:
            edges, new = 0, 0
            for i in range(size[hop]):
                first, end = _span(offsets, relations, reached[hop, i], paths[p, hop])
                edges += end - first
                if edges > limit:
                    break
                origin, relation = reached[hop, i], paths[p, hop]
                for edge in range(first, end):
                    entity = entities[edge]
                    if own >= 0 and (
                        (relation == own and origin == head and entity == tail)
                        or (relation == back and origin == tail and entity == head)
                    ):
                        continue
                    known = seen[hop, entity]
                    if 0 <= known < new and reached[hop + 1, known] == entity:
                        walks[hop + 1, known] += walks[hop, i]
                    else:
                        seen[hop, entity] = new
                        reached[hop + 1, new], walks[hop + 1, new] = entity, walks[hop, i]
                        new += 1
            size[hop + 1] = -1 if size[hop] < 0 or edges > limit else new
            hop += 1
        skipped[p] = size[hop] < 0
        for i in range(size[hop]):
            entity = reached[hop, i]
            if place[entity] >= 0 and entity != head:
                if count == len(out_path):
                    out_path, out_place, out_walks = _grown(out_path), _grown(out_place), _grown(out_walks)
                out_path[count], out_place[count], out_walks[count] = p, place[entity], walks[hop, i]
                count += 1
    return out_path[:count], out_place[:count], out_walks[:count], np.flatnonzero(skipped).astype(np.int32)


@_compiled
def gather_evidence(
    path: np.ndarray,
    place: np.ndarray,
    confidence: np.ndarray,
    weight: np.ndarray,
    best: np.ndarray,
    fired: np.ndarray,
) -> None:
    """Sum up, for each place (C,), the paths that end there: -log(1 - noisy-or), best confidence, number of paths."""
    weights = -np.log1p(-confidence)  # (P,)
    for i in range(len(path)):
        weight[place[i]] += weights[path[i]]
        best[place[i]] = max(best[place[i]], confidence[path[i]])
        fired[place[i]] += 1
