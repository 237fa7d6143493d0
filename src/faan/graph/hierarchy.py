"""The classes of a schema: which are below which, and which are disjoint."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, grouped, places_of

_WORK = 20_000_000  # classes to visit; larger hierarchies are cut off


class Hierarchy:
    """Classes by number, in links from a class to one above it, and groups of classes that share no entity."""

    def __init__(self, count: int, below: Ints, above: Ints, groups: Sequence[Sequence[int]]) -> None:
        self._down, self._up = _rows(count, above, below), _rows(count, below, above)
        self.groups = groups
        self._groups_of: dict[int, list[int]] = {}
        for number, group in enumerate(groups):
            for kind in set(group):
                self._groups_of.setdefault(kind, []).append(number)
        self._work = 0
        self._found: dict[tuple[bool, tuple[int, ...]], Ints] = {}

    @property
    def is_too_large(self) -> bool:
        """Whether the hierarchy was cut off because there are too many classes."""
        return self._work > _WORK

    def below(self, kinds: Iterable[int]) -> Ints:
        """Some classes and all their subclasses, sorted; empty if there are too many."""
        return self._reach(tuple(kinds), down=True)

    def above(self, kind: int) -> Ints:
        """A class and all its superclasses, sorted."""
        return self._reach((kind,), down=False)

    def apart(self, kinds: Sequence[int]) -> Ints:
        """The classes that are disjoint with each of some, sorted."""
        found: Ints | None = None
        for kind in kinds:
            own = self.below(self._partners(kind))
            found = own if found is None else np.intersect1d(found, own)
        return np.empty(0, dtype=np.int64) if found is None else np.setdiff1d(found, self.below(kinds))

    def are_apart(self, one: int, other: int) -> bool:
        """Whether two classes or their superclasses are stated to be disjoint."""
        return bool(np.isin(list(self._partners(one)), self.above(other)).any())

    def contradictions(self) -> Iterator[tuple[int, tuple[int, int]]]:
        """Classes that can have no entity, each with the two disjoint superclasses of it; one for each group."""
        for group in self.groups:
            owner: dict[int, int] = {}
            for kind in group:
                own = self.below([kind]).tolist()
                self._work += len(own)
                shared = next((one for one in (kind, *own) if one in owner), None)
                if shared is not None and not self.is_too_large:
                    yield shared, (owner[shared], kind)
                    break
                owner |= dict.fromkeys(own, kind)
            if self.is_too_large:
                return

    def _partners(self, kind: int) -> set[int]:
        """The classes that are stated to be disjoint with a class or one of its superclasses."""
        found: set[int] = set()
        for one in self.above(kind).tolist():
            for number in self._groups_of.get(one, ()):
                found.update(other for other in self.groups[number] if other != one)
        self._work += len(found)
        return found

    def _reach(self, kinds: tuple[int, ...], *, down: bool) -> Ints:
        key = (down, kinds)
        if key not in self._found:
            offsets, others = self._down if down else self._up
            reached, new = np.empty(0, dtype=np.int64), np.unique(np.array(kinds, dtype=np.int64))
            while len(new) and not self.is_too_large:
                self._work += len(new) + len(reached)
                reached = np.union1d(reached, new)
                places = places_of(offsets[new], offsets[new + 1] - offsets[new])[0]
                new = np.setdiff1d(others[places], reached)
            self._found[key] = np.empty(0, dtype=np.int64) if self.is_too_large else reached
        return self._found[key]


def _rows(count: int, owners: Ints, others: Ints) -> tuple[NDArray[np.int64], Ints]:
    """Links grouped by their owner: offsets and the other ends."""
    offsets, places = grouped(owners, count)
    return offsets, others[places]
