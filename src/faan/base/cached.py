"""Values that an object computes when they are first asked for, and caches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class unlocked_property(Generic[Value]):  # noqa: N801, named and used like functools.cached_property
    """A `functools.cached_property` without its lock.

    Before Python 3.12 all objects of a class share this lock, so threads wait for each other even if each works on an
    object of its own. Threads that share an object may compute a value twice.
    """

    def __init__(self, compute: Callable[[Any], Value]) -> None:
        self._compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> unlocked_property[Value]: ...

    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object | None, owner: type) -> unlocked_property[Value] | Value:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
