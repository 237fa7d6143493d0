"""The place of each candidate among all candidates of a question, by one piece of evidence; compiled by numba."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from faan.base import Ints
from faan.evidence.sources import Values

_FEW = 8  # a part of the candidates so small is looked up as it comes


def are_few(some: Ints | Values, everyone: Values) -> bool:
    """Whether it is faster to look some up among everyone than to compare everyone with everyone."""
    return len(some) * _FEW < len(everyone)


def count_higher(ordered: Values, values: Values) -> Ints:
    """How many of some sorted numbers are higher than each value: (N,) and (C,) to (C,)."""
    if are_few(values, ordered):
        return len(ordered) - np.searchsorted(ordered, values, side="right")
    order, found = np.argsort(values), np.empty(len(values), np.int64)
    found[order] = len(ordered) - np.searchsorted(ordered, values[order], side="right")  # twice as fast in order
    return found


def count_each(values: Values, competes: NDArray[np.bool_]) -> NDArray[np.int32]:
    """How many of those that compete are higher than each value, where each is compared with all: (N,) to (N,).

    Most evidence says nothing of most candidates. So those with the lowest value are not sorted.
    """
    above = np.flatnonzero(values > values.min()) if len(values) else np.empty(0, np.int64)
    found = np.full(len(values), np.count_nonzero(competes[above]), np.int32)
    _count(np.sort(_keys(values, above)), competes, found)
    return found


@njit(nogil=True, cache=True)
def _keys(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Numbers that sort rows by their values, the highest first: 32 bits for the value, 32 for the row."""
    bits = (np.ascontiguousarray(values) + np.float32(0)).view(np.uint32)  # +0: zero has no sign
    found = np.empty(len(rows), np.uint64)
    for i in range(len(rows)):
        own = np.uint64(bits[rows[i]])
        falling = own if own >> np.uint64(31) else ~own & np.uint64(0x7FFFFFFF)
        found[i] = (falling << np.uint64(32)) | np.uint64(rows[i])
    return found


@njit(nogil=True, cache=True)
def _count(keys: np.ndarray, competes: np.ndarray, found: np.ndarray) -> None:
    higher, equal, last = 0, 0, np.uint64(0)
    for key in keys:
        value, row = key >> np.uint64(32), np.int64(key & np.uint64(0xFFFFFFFF))
        if value != last:
            higher, equal, last = higher + equal, 0, value
        found[row] = higher
        equal += competes[row]
