"""From the codes of names to numbers: 0, 1, 2 ... in the order of first use, whatever blocks the input came in."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from faan.base import Ints


def codes(column: pl.Series) -> NDArray[np.uint32]:
    """The codes of a dictionary-encoded column."""
    return column.to_physical().to_numpy()


def is_first(triples: pl.DataFrame, num_entities: int, num_relations: int) -> pl.Series:
    """Which triples occur for the first time; compared as one 64-bit number where they fit into one."""
    if num_entities**2 * num_relations < 2**63:
        head, relation, tail = (pl.col(c).cast(pl.Int64) for c in ("head", "relation", "tail"))
        return triples.select(((head * num_relations + relation) * num_entities + tail).is_first_distinct()).to_series()
    return triples.select(pl.struct(pl.all()).is_first_distinct()).to_series()


def number_by_first_use(codes: Ints) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Numbers 0, 1, 2 ... in the order of first use: (code -> number or -1, number -> place of its first use)."""
    unused = len(codes)
    first = np.full(int(codes.max()) + 1, unused, dtype=np.int64)
    first[codes[::-1]] = np.arange(unused - 1, -1, -1)  # the last write wins: the first use
    used = np.flatnonzero(first < unused)
    used = used[np.argsort(first[used])]
    number = np.full(len(first), -1, dtype=np.int32)
    number[used] = np.arange(len(used), dtype=np.int32)
    return number, first[used]


def renumber(codes: Ints, number: Ints) -> NDArray[np.int32]:
    """The number of each code, -1 for those that have none."""
    known = codes < len(number)
    return np.where(known, number[np.where(known, codes, 0)], -1)


def best_of_each(ids: Ints, ranks: Ints, count: int) -> NDArray[np.int64]:
    """The place of the lowest rank of each of `count` ids, the first of equal ones; -1 for an id that has none."""
    places = np.flatnonzero(ids >= 0)[::-1]
    places = places[np.argsort(-ranks[places], kind="stable")]
    best = np.full(count, -1)
    best[ids[places]] = places  # the last write wins: the lowest rank, the first place
    return best
