"""What a piece of evidence is: one named, inspectable fact about a head and a candidate, given the references."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from numpy.typing import NDArray

from faan.evidence.head_query import Candidates, HeadQuery
from faan.evidence.relation_query import RelationQuery
from faan.evidence.sources import Sources, Values

Kind = Literal["paths", "links", "counts", "profiles", "embeddings", "names", "learnt", "context"]
Direction = Literal[-1, 0, 1]
Numbers: TypeAlias = NDArray[Any]
Needs: TypeAlias = Callable[[Sources], bool]


@dataclass(frozen=True)
class Evidence:
    """A piece of evidence: its name, a sentence that explains it, and whether higher values support a pair."""

    name: str
    meaning: str
    kind: Kind = field(default="context", kw_only=True)
    """What it is taken from; `group` sets it."""
    direction: Direction = field(default=1, kw_only=True)
    """Whether higher values speak for a pair (1), against it (-1), or either (0)."""
    is_compared: bool = field(default=True, kw_only=True)
    """Whether its rank among the task's candidates is a column too."""
    needs: Needs = field(default=lambda sources: True, kw_only=True)
    """Whether the sources have the data that it needs."""
    in_graph: bool = field(default=False, kw_only=True)
    """Whether only relations of the graph have it (`Task.in_graph`)."""


@dataclass(frozen=True)
class PairEvidence(Evidence):
    """About a head and a candidate."""

    of: Callable[[HeadQuery], Numbers]  # its value for one head with each candidate, (C,)


@dataclass(frozen=True)
class TailEvidence(Evidence):
    """About a candidate; the same for all heads."""

    of: Callable[[Candidates], Numbers]  # its value for each candidate, (C,)


@dataclass(frozen=True)
class Context(Evidence):
    """About the head or the references, the same for all candidates: how far to trust other evidence."""

    of: Callable[[RelationQuery, int], float]  # its value for one head
    direction: Direction = field(default=0, kw_only=True)
    is_compared: bool = field(default=False, kw_only=True)


def group(kind: Kind, *pieces: Evidence, needs: Needs | None = None) -> tuple[Evidence, ...]:
    """Pieces of evidence of the same kind; those of a group with `needs` need the same source."""
    return tuple(replace(one, kind=kind, needs=needs or one.needs) for one in pieces)


def mean_of(values: Values) -> Values:
    """The mean over the references: (C, K) to (C,)."""
    found: Values = values.mean(1)
    return found


def highest_of(values: Values) -> Values:
    """The highest over the references: (C, K) to (C,)."""
    found: Values = values.max(1)
    return found
