"""Decisions, and errors about them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from faan.base import InputError

Verdict: TypeAlias = Literal["accepted", "rejected", "skipped"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True)
class Decided:
    """What a reviewer said about one fact."""

    id: int
    time: str
    reviewer: str
    relation: str
    head: str
    tail: str
    verdict: Verdict
    probability: float | None
    score: float | None
    rank: int | None
    reasons: tuple[str, ...]  # as the reviewer saw them


@dataclass(frozen=True)
class Decision(Decided):
    """A decision as it is stored, with its origin, which the API does not show."""

    examples: str
    model: str


@dataclass(frozen=True)
class NewDecision:
    """A new decision; `seen` is the decision that the reviewer saw, 0 for none; None skips this check."""

    reviewer: str
    relation: str
    head: str
    tail: str
    verdict: Verdict
    probability: float | None = None
    score: float | None = None
    rank: int | None = None
    reasons: Sequence[str] = ()
    examples: str = "{}"
    model: str = ""
    key: str | None = None
    seen: int | None = None


@dataclass(frozen=True)
class FactState:
    """The current decision about a fact; None if its decisions were undone."""

    relation: str
    head: str
    tail: str
    changed: int  # the event that changed it last
    decision: Decided | None


@dataclass(frozen=True)
class Tally:
    """The progress of a review."""

    accepted: int
    rejected: int
    skipped: int
    precision: float | None  # the share of accepted facts among those accepted or rejected
    expected: float | None  # the mean probability of accepted and rejected facts


class ConflictError(InputError):
    """Another reviewer decided meanwhile; `standing` is the current decision."""

    def __init__(self, message: str, standing: Decision | None) -> None:
        super().__init__(message)
        self.standing = standing


class UnknownDecisionError(InputError):
    """There is no such decision."""


class StorageError(InputError):
    """The decision cannot be written; nothing was saved."""


class LockedError(StorageError):
    """Another program has locked the file of decisions."""


class DamagedError(StorageError):
    """A file cannot be read."""
