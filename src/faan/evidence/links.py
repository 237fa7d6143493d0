"""Links between a head and many candidates over one entity in between, compiled by numba."""

from __future__ import annotations

import numpy as np
from numba import njit

MAX_STEPS = 300_000  # edges that are looked at for one head
MAX_DEGREE = 3_000  # an entity with more edges connects nothing: it would speak for thousands of entities alike


@njit(nogil=True, cache=True, error_model="numpy")  # no error where a stranger's graph has odd degrees
def link_counts(
    offsets: np.ndarray,
    relations: np.ndarray,
    entities: np.ndarray,
    degrees: np.ndarray,
    num_relations: int,
    head: int,
    place: np.ndarray,
    hidden: int,
    own: int,
    direct: np.ndarray,
    between: np.ndarray,
    rare: np.ndarray,
) -> None:
    """Count a head's edges to each place (C,), its links over one entity, and these weighed by that entity's rarity.

    `place` of an entity is -1 where it does not matter. Edges of the relation `hidden` (below `num_relations`, -1 for
    none) are not seen in either direction, and `degrees` (entities,) do not count them. An edge of the relation `own`
    (with its direction, -1 for none) does not speak for itself: it is no direct link. A link over an entity with many
    edges counts less (Adamic and Adar, 2003): 1 / log2(1 + edges). Entities with more than `MAX_DEGREE` edges link
    nothing, and where the others have more than `MAX_STEPS` together, nothing is linked over any.
    """
    steps = 0
    for one in range(offsets[head], offsets[head + 1]):
        if relations[one] % num_relations == hidden:
            continue
        if place[entities[one]] >= 0 and relations[one] != own:
            direct[place[entities[one]]] += 1
        degree = degrees[entities[one]]
        steps += degree if degree <= MAX_DEGREE else 0
    if steps > MAX_STEPS:
        return
    for one in range(offsets[head], offsets[head + 1]):
        middle = entities[one]
        if relations[one] % num_relations == hidden or degrees[middle] > MAX_DEGREE:
            continue
        weight = 1 / np.log2(1 + degrees[middle])
        for two in range(offsets[middle], offsets[middle + 1]):
            column = place[entities[two]]
            if column >= 0 and entities[two] != head and relations[two] % num_relations != hidden:
                between[column] += 1
                rare[column] += weight
