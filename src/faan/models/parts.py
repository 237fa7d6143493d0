"""The parts that a score is the sum of, for methods that can give them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.evidence import RelationPaths


@dataclass(frozen=True)
class ScorePart:
    """What one piece of evidence says of a pair, and what that added to its score."""

    name: str
    meaning: str
    kind: str
    value: float
    contribution: float


@dataclass(frozen=True)
class ScoreParts:
    """A score taken apart: contributions, the largest first, which add up to it but for a constant."""

    head: int
    tail: int
    score: float
    contributions: tuple[ScorePart, ...]


@runtime_checkable
class ExplainingScorer(Protocol):
    """A scorer that takes its scores apart."""

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        """As `Scorer.score`."""
        ...

    def explain(self, head: int, tails: Ints) -> list[ScoreParts]:
        """What each piece of evidence says of a head with each tail."""
        ...

    @property
    def paths(self) -> RelationPaths:
        """The relation paths that it follows."""
        ...
