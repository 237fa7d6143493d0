"""Errors about what a user gave us."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError


class InputError(ValueError):
    """Input is wrong; the message names the place, what was expected, and what to do about it.

    Args:
        message: What is wrong, and what to do.
        source: The file that is wrong.
        line: The line that is wrong.

    Attributes:
        source: The file that is wrong, or None.
        line: The line that is wrong, or None.

    >>> import faan
    >>> faan.read_graph([("Peru", "Lima")])
    Traceback (most recent call last):
    faan.base.errors.InputError: triple 1: expected (head, relation, tail), found ('Peru', 'Lima')
    """

    def __init__(self, message: str, *, source: str | None = None, line: int | None = None) -> None:
        place = source or ""
        if line is not None:
            place = f"{place}, line {line:,}" if place else f"line {line:,}"
        super().__init__(f"{place}: {message}" if place else message)
        self.source = source
        self.line = line


class UnknownNameError(InputError):
    """A name is not in the graph; the message lists the nearest ones."""

    def __init__(self, kind: str, name: str, nearest: list[str]) -> None:
        hint = f" Did you mean {', '.join(repr(n) for n in nearest)}?" if nearest else ""
        super().__init__(f"no {kind} is called {shorten(name)!r}.{hint}")
        self.nearest = nearest


def first_problem(error: ValidationError) -> str:
    """The first thing that is wrong with some settings: which one, and what was expected."""
    problem = error.errors()[0]
    name = ".".join(str(part) for part in problem["loc"])
    inner = problem.get("ctx", {}).get("error")
    if isinstance(inner, ValidationError):  # of settings inside these
        return f"{name}.{first_problem(inner)}"
    message = in_words(problem)
    return f"{name}: {message}" if name else message


def in_words(problem: Mapping[str, Any]) -> str:
    """What pydantic found wrong with a value, in words that say what to give instead."""
    words = _IN_WORDS.get(problem["type"])
    if words is None:
        return str(problem["msg"]).removeprefix("Value error, ").replace("Input should be", "expected")
    return words.format_map(problem.get("ctx", {}))


_IN_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is not known here; leave it out",
    "json_invalid": "is not JSON ({error})",
    "literal_error": "expected {expected}",
    "greater_than": "expected more than {gt}",
    "greater_than_equal": "expected {ge} or more",
    "less_than": "expected less than {lt}",
    "less_than_equal": "expected {le} or less",
    "string_pattern_mismatch": "expected text without line breaks and control characters",
    "string_too_short": "expected {min_length} or more characters",
    "string_too_long": "expected at most {max_length} characters",
    "too_short": "expected {min_length} or more of them",
    "too_long": "expected at most {max_length} of them",
    "string_type": "expected a text",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "expected a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "expected a number"),
    **dict.fromkeys(("list_type", "tuple_type"), "expected a list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "expected an object of names and values"),
}


def counted(count: int, one: str, many: str | None = None) -> str:
    """A count in words: `1 fact`, `2 facts`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def shorten(text: str, width: int = 80) -> str:
    """The text itself, or its beginning where it is too long to print in a message."""
    return text if len(text) <= width else f"{text[: width - 1]}…"
