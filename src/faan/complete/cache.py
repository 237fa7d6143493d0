"""A cache of what was prepared for the last questions, in bounded memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from types import ModuleType
from typing import Generic, TypeVar

import numpy as np
import torch

Value = TypeVar("Value")

_AT_LEAST = 2  # values that stay however large they are: a question and its inverse are asked together


class Cache(Generic[Value]):
    """The values that were used last, as many as fit into some bytes.

    Values grow while they are used, so they are measured whenever a new one comes.

    >>> cache = Cache(1000)
    >>> for name in "abc":
    ...     value = cache.get(name, lambda: np.zeros(100))
    >>> list(cache)
    ['b', 'c']
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: dict[Hashable, Value] = {}

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._values)

    def get(self, key: Hashable, make: Callable[[], Value], shared: Iterable[object] = ()) -> Value:
        """The value of a key, made if it is not cached; memory that is `shared` with other objects does not count."""
        if key in self._values:
            self._values[key] = self._values.pop(key)  # the last used is the last to go
            return self._values[key]
        self._values[key] = value = make()
        seen: set[int] = set()
        for one in shared:
            bytes_of(one, seen)
        sizes = {name: bytes_of(one, seen) for name, one in reversed(self._values.items())}
        while len(self._values) > _AT_LEAST and sum(sizes[name] for name in self._values) > self._most:
            del self._values[next(iter(self._values))]
        return value


def bytes_of(value: object, seen: set[int]) -> int:
    """The bytes of a value and of all that it refers to, except what was `seen`; arrays on disk take none."""
    total, todo = 0, [value]
    while todo:
        one = todo.pop()
        if id(one) in seen or isinstance(one, (type, ModuleType, np.memmap)):
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            todo += [one.base] if one.base is not None else []
            total += one.nbytes if one.base is None else 0
        elif isinstance(one, torch.Tensor):
            total += one.untyped_storage().nbytes() if one.untyped_storage().data_ptr() not in seen else 0
            seen.add(one.untyped_storage().data_ptr())
        else:
            total += sys.getsizeof(one)
            todo += _parts(one)
    return total


def _parts(value: object) -> list[object]:
    """What an object refers to."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, (list, tuple, set, frozenset)):
        return list(value)
    return list(getattr(value, "__dict__", {}).values())
