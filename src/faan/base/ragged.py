"""Ragged rows: many lists of different length in one flat array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.integer]


def offsets_of(counts: Ints) -> NDArray[np.int64]:
    """Where each row begins, and at last where the rows end: (rows + 1,)."""
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def grouped(owners: Ints, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places of each owner, ragged: owner `i` has `places[offsets[i]:offsets[i + 1]]`, in their order.

    >>> grouped(np.array([1, 0, 1]), 2)
    (array([0, 1, 3]), array([1, 0, 2]))
    """
    kind = np.uint16 if count <= 1 << 16 else np.int64  # few different numbers are sorted faster
    places = np.argsort(np.asarray(owners).astype(kind, copy=False), kind="stable")
    return offsets_of(np.bincount(owners, minlength=count)), places


def distinct(*several: Ints) -> Ints:
    """The different numbers of some arrays, rising, found by sorting.

    `np.unique` of newer versions of numpy hashes them, which took a hundred times as long on a million numbers.

    >>> distinct(np.array([3, 1, 3]), np.array([2]))
    array([1, 2, 3])
    """
    ordered = np.sort(np.concatenate([numbers.ravel() for numbers in several]))
    is_first = np.ones(len(ordered), dtype=bool)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]


def distinct_without(numbers: Ints, others: Ints) -> Ints:
    """The different numbers that are not among others, rising."""
    own = distinct(numbers)
    return own[~np.isin(own, others)]


def is_ragged(offsets: Ints, length: int) -> bool:
    """Whether offsets from elsewhere are those of rows in a flat array of a length: from 0 to its end, they rise."""
    whole = len(offsets) > 0 and offsets[0] == 0 and offsets[-1] == length
    return bool(whole and (offsets[:-1] <= offsets[1:]).all())


def are_below(numbers: Ints, count: int) -> bool:
    """Whether numbers from elsewhere are places in an array of a length. Compiled loops do not look where they read."""
    return not len(numbers) or bool(numbers.min() >= 0 and numbers.max() < count)


def places_of(starts: Ints, counts: Ints) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The flat places of some rows' elements, one row after the other, and the offsets of the rows so gathered."""
    offsets = offsets_of(counts)
    return np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], counts), offsets
