"""How much all paths together support each candidate of a head."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.evidence.paths import RelationPaths
from faan.evidence.walks import gather_evidence

LONG = 3  # hops of a long path


@dataclass(frozen=True, eq=False)
class PathSums:
    """The support of the paths for each candidate, (C,)."""

    short: NDArray[np.float64]  # sum of -log(1 - confidence) over paths of one and two hops
    long: NDArray[np.float64]  # over paths of three hops
    best: NDArray[np.float64]  # the highest confidence
    fired: Ints  # how many paths


def path_sums(paths: RelationPaths, head: int, ids: Ints, own: int | None, wanted: NDArray[np.bool_]) -> PathSums:
    """The support of paths from a head for distinct entities (C,); undefined for those that are not wanted."""
    short, long, best, fired = np.zeros(len(ids)), np.zeros(len(ids)), np.zeros(len(ids)), np.zeros(len(ids), np.int32)
    found = next(paths.fire(np.array([head]), ids))
    if own is not None:
        found = paths.fire_without(found, head, own, ids, wanted)
    is_long = (paths.paths[found.paths] >= 0).sum(1) == LONG
    for weight, some in ((short, ~is_long), (long, is_long)):
        gather_evidence(found.paths[some], found.candidates[some], paths.confidence, weight, best, fired)
    return PathSums(short, long, best, fired)
