"""What the facts of a relation say of its shape: whether heads have one value, and which types go together."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, distinct
from faan.graph import Types
from faan.tasks import PairSet

ONE_EACH = 0.9  # a relation is functional if this share of its heads has one tail
_HEADS = 3  # fewer known heads do not tell
_TAILS = 20  # fewer known tails do not tell whether tails have one head each
_LOOPS = 0.05  # from this share of known facts on, an entity may be its own answer
_DOUBT = 2.0  # a pseudo-count: facts with an unseen pair of types that are assumed
_KEPT = 16  # sets of head types whose tails are cached
_SEEN = 3  # with so many known facts of a head type, a tail type that never occurs with it gets a warning


def has_one_value(pairs: Ints, by_schema: bool = False) -> bool:
    """Whether nearly all heads of known pairs (n, 2) have one tail; if there are few heads, the schema decides."""
    return _is_one_each(pairs[:, 0], _HEADS, by_schema)


def has_one_head(pairs: Ints) -> bool:
    """Whether nearly all tails of known pairs (n, 2) have one head."""
    return _is_one_each(pairs[:, 1], _TAILS, False)


def has_loops(pairs: Ints) -> bool:
    """Whether an entity may be its own answer: some of the known pairs (n, 2) link one with itself."""
    return bool(len(pairs)) and float((pairs[:, 0] == pairs[:, 1]).mean()) >= _LOOPS


def _is_one_each(entities: Ints, least: int, otherwise: bool) -> bool:
    counts = np.unique(entities, return_counts=True)[1]
    return bool((counts == 1).mean() >= ONE_EACH) if len(counts) >= least else otherwise


class TypePairs:
    """Which types of tails occur with which types of heads, in the known facts of a relation."""

    def __init__(self, types: Types, known: PairSet) -> None:
        self._types, self._known = types, known.pairs
        self._found: dict[bytes, tuple[int, NDArray[np.bool_]]] = {}

    def against(self, head: int, tails: Ints) -> NDArray[np.float64]:
        """By how much the odds of each tail fall, as a logarithm (C,): 0 unless its types never occur with the head's.

        After n facts of such heads, none of them with such a tail, the next one has it with odds 2 to n + 2 of what
        they are for heads of any type.
        """
        facts, fits = self._with(head)
        if not facts:
            return np.zeros(len(tails))
        return np.where(fits[tails], 0.0, np.log1p(facts / _DOUBT))

    def is_odd(self, head: int, tail: int) -> bool:
        """Whether the tail's types never occur with the head's, and there are enough facts to say so."""
        facts, fits = self._with(head)
        return facts >= _SEEN and not bool(fits[tail])

    def _with(self, head: int) -> tuple[int, NDArray[np.bool_]]:
        """How many known facts have a head of the head's types, and which entities have a type of their tails.

        Entities without a type fit anywhere, and so do types that no head of the relation has.
        """
        key = np.sort(self._types.of(head)).tobytes()
        if key not in self._found:
            if len(self._found) == _KEPT:
                self._found.clear()
            self._found[key] = self._look_up(self._types.of(head))
        return self._found[key]

    def _look_up(self, own: Ints) -> tuple[int, NDArray[np.bool_]]:
        heads, tails = self._known_types
        is_such = np.isin(tails[0], heads[0][np.isin(heads[1], own)])
        fits = ~self._types.is_typed | self._types.having(tails[1][is_such])
        return len(distinct(tails[0][is_such])), fits

    @cached_property
    def _known_types(self) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
        """Each known fact with each type of its head, and with each type of its tail: numbers of facts, and types."""
        heads, tails = self._known.T
        return self._types.gather(heads), self._types.gather(tails)
