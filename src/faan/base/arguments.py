"""Checks of the arguments of public functions; an error says what was expected and what was found."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from types import UnionType

import numpy as np

from faan.base.errors import InputError, shorten


def wrong(what: str, expected: str, found: object) -> InputError:
    """The error for an argument of the wrong kind."""
    return InputError(f"{what}: expected {expected}, found {type(found).__name__} {shorten(repr(found), 40)}")


def check_kind(what: str, value: object, kind: type | UnionType, expected: str) -> None:
    """Refuse a value that is not of a class."""
    if not isinstance(value, kind):
        raise wrong(what, expected, value)


def check_whole(what: str, value: object, least: int) -> None:
    """Refuse what is not a whole number of at least some size."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < least:
        raise wrong(what, f"a whole number, {least} or more", value)


def check_share(what: str, value: object) -> None:
    """Refuse what is not a number from 0 to 1."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= 1:  # type: ignore[operator]
        raise wrong(what, "a number from 0 to 1", value)


def check_flags(**flags: object) -> None:
    """Refuse what is neither True nor False: the text 'no' would count as yes."""
    for what, value in flags.items():
        check_kind(what, value, bool | np.bool_, "True or False")


def check_function(what: str, value: object) -> None:
    """Refuse what is neither None nor a function."""
    if value is not None and not callable(value):
        raise wrong(what, "a function", value)


def as_path(value: object, what: str) -> Path:
    """The path that a user passed as `what`."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if not isinstance(value, str):
        raise wrong(what, "a path", value)
    return Path(value)


def as_texts(value: object, what: str) -> tuple[str, ...]:
    """The texts that a user passed as `what`; a text alone is one of them."""
    if isinstance(value, str):
        return (value,)
    texts = tuple(value) if isinstance(value, Iterable) and not isinstance(value, bytes) else None
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise wrong(what, "a text, or a list of texts", value)
    return texts
