"""What a decision is, and what can go wrong with one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from faan.base import InputError

Verdict: TypeAlias = Literal["accepted", "rejected", "skipped"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True)
class Decision:
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
    examples: str
    model: str


@dataclass(frozen=True)
class NewDecision:
    """What a reviewer wants to decide; `seen` is the decision that stood when looking, 0 for none, None for any."""

    reviewer: str
    relation: str
    head: str
    tail: str
    verdict: Verdict
    probability: float | None = None
    score: float | None = None
    rank: int | None = None
    examples: str = "{}"
    model: str = ""
    key: str | None = None
    seen: int | None = None


@dataclass(frozen=True)
class FactState:
    """What holds for a fact; None where its decisions were undone."""

    relation: str
    head: str
    tail: str
    changed: int  # the event that changed it last
    decision: Decision | None


@dataclass(frozen=True)
class Tally:
    """How a review is going."""

    accepted: int
    rejected: int
    skipped: int
    expected: float | None  # the mean probability of what was accepted or rejected

    @property
    def precision(self) -> float | None:
        """The share of accepted facts among those accepted or rejected."""
        decided = self.accepted + self.rejected
        return self.accepted / decided if decided else None


class ConflictError(InputError):
    """Somebody else decided meanwhile; `standing` is what holds now."""

    def __init__(self, message: str, standing: Decision | None) -> None:
        super().__init__(message)
        self.standing = standing


class UnknownDecisionError(InputError):
    """There is no such decision."""


class StorageError(InputError):
    """The decisions cannot be written; nothing was decided."""
