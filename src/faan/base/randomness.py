"""Random numbers as a function of seed, purpose and step: the same on every machine, without generator state.

numpy promises the raw stream of its bit generators for ever, but not its distributions. So only raw
64-bit numbers are taken from it, and turned into integers here.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from faan.base import InputError


class Purpose(IntEnum):
    """What random numbers are for: streams of different purposes are independent, though they share a seed.

    Numbers never change, because published results depend on them.
    """

    EPISODES = 1
    TASK_PAIRS = 2  # their order
    TASK_SPLIT = 3
    NEIGHBOURS = 4
    TORCH = 5
    REFERENCES = 6  # random draws in evaluations
    DEV_HEADS = 7
    RANKER_ROWS = 8
    METAR_NEGATIVES = 8  # an alias: its streams have seeds of their own, so the two never meet
    MEASURED_HEADS = 9
    EXAMPLES = 10  # of a relation with many facts
    TASK_CHOICE = 11
    HIDDEN_FACTS = 12  # in link prediction
    HELD_OUT_FACTS = 13  # that trees for relations of the graph learn from
    KNOWN_ROWS = 14
    RESERVED = 21  # facts that vectors are not trained with
    SELF_TEST = 22  # facts of a relation that it is tested on


class Stream:
    """A stream of random numbers, fixed by a seed and by a purpose and a step within it."""

    def __init__(self, seed: int, purpose: Purpose, step: int = 0) -> None:
        if not 0 <= seed < 1 << 64:
            raise InputError(f"expected a seed from 0 to 2**64 - 1, found {seed}")
        assert step >= 0
        self._bits = np.random.Philox(key=seed, counter=[0, 0, purpose, step])

    def raw(self, count: int) -> NDArray[np.uint64]:
        """Uniform 64-bit numbers."""
        return self._bits.random_raw(count)

    def integers(self, below: ArrayLike, count: int) -> NDArray[np.int64]:
        """Uniform integers from 0 up to, not including, `below` (at most 2**32; a number or one for each)."""
        return ((self.raw(count) >> np.uint64(32)) * np.asarray(below, dtype=np.uint64) >> np.uint64(32)).astype(
            np.int64
        )

    def permutation(self, count: int, first: int | None = None) -> NDArray[np.int64]:
        """The numbers 0 to count - 1 in random order, or the first of these, which are found without sorting all."""
        raw = self.raw(count)
        if first is None or first >= count:
            return np.argsort(raw, kind="stable")
        chosen = np.sort(np.argpartition(raw, first)[:first])
        return chosen[np.argsort(raw[chosen], kind="stable")]
