"""What a piece of evidence is: one named, inspectable fact about a head and a candidate, given the references."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

from faan.evidence.question import Asked, Columns, Question, Sources, Values

Kind = Literal["paths", "links", "counts", "profiles", "embeddings", "learnt", "context"]
Direction = Literal[-1, 0, 1]


class Evidence(ABC):
    """A fact with a name, a sentence that a person understands, and the direction in which it speaks for a pair."""

    name: str
    meaning: str
    kind: ClassVar[Kind]
    direction: ClassVar[Direction] = 1  # higher values speak for a pair, against it (-1), or it depends (0)
    is_compared: ClassVar[bool] = True  # whether its place among the task's candidates is told too

    def is_there(self, sources: Sources) -> bool:
        """Whether the sources have what it is taken from."""
        return True


class PairEvidence(Evidence):
    """About a head and a candidate."""

    @abstractmethod
    def of(self, asked: Asked) -> Values:
        """Its value for one head with each candidate, (C,)."""


class TailEvidence(Evidence):
    """About a candidate, whatever the head."""

    @abstractmethod
    def of(self, columns: Columns) -> Values:
        """Its value for each candidate, (C,)."""


class Context(Evidence):
    """About the head or the references, the same for all candidates: it says how far to trust other evidence."""

    kind = "context"
    direction: ClassVar[Direction] = 0
    is_compared = False

    @abstractmethod
    def of(self, question: Question, head: int) -> float:
        """Its value for one head."""
