"""Errors about what a user gave us."""

from __future__ import annotations

from pydantic import ValidationError


class InputError(ValueError):
    """Input is wrong; the message names the place, what was expected, and what to do about it."""

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
    message = problem["msg"].removeprefix("Value error, ")
    return f"{name}: {message}" if name else message


def shorten(text: str, width: int = 80) -> str:
    """The text itself, or its beginning where it is too long to print in a message."""
    return text if len(text) <= width else f"{text[: width - 1]}…"
