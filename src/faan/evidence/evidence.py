"""What a piece of evidence is: one named, inspectable fact about a head and a candidate, given the references."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from numpy.typing import NDArray

from faan.evidence.question import Candidates, HeadQuery, RelationQuery, Sources

Kind = Literal["paths", "links", "counts", "profiles", "embeddings", "names", "learnt", "context"]
Direction = Literal[-1, 0, 1]
Numbers: TypeAlias = NDArray[Any]
Needs: TypeAlias = Callable[[Sources], bool]


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """A fact with a name, a sentence that a person understands, and the direction in which it speaks for a pair."""

    name: str
    kind: Kind
    meaning: str
    direction: Direction = 1  # higher values speak for a pair, against it (-1), or it depends (0)
    is_compared: bool = True  # whether its place among the task's candidates is a column too
    needs: Needs = lambda sources: True  # whether the sources have what it is taken from
    in_graph: bool = False  # whether there is such a thing for relations of the graph only (`Task.in_graph`)


@dataclass(frozen=True, kw_only=True)
class PairEvidence(Evidence):
    """About a head and a candidate."""

    of: Callable[[HeadQuery], Numbers]  # its value for one head with each candidate, (C,)


@dataclass(frozen=True, kw_only=True)
class TailEvidence(Evidence):
    """About a candidate, whatever the head."""

    of: Callable[[Candidates], Numbers]  # its value for each candidate, (C,)


@dataclass(frozen=True, kw_only=True)
class Context(Evidence):
    """About the head or the references, the same for all candidates: it says how far to trust other evidence."""

    of: Callable[[RelationQuery, int], float]  # its value for one head


def pair(
    name: str,
    kind: Kind,
    meaning: str,
    of: Callable[[HeadQuery], Numbers],
    direction: Direction = 1,
    needs: Needs = lambda sources: True,
    in_graph: bool = False,
) -> PairEvidence:
    """Evidence about a head and a candidate."""
    return PairEvidence(
        name=name, kind=kind, meaning=meaning, direction=direction, needs=needs, in_graph=in_graph, of=of
    )


def tail(
    name: str,
    kind: Kind,
    meaning: str,
    of: Callable[[Candidates], Numbers],
    direction: Direction = 1,
    needs: Needs = lambda sources: True,
) -> TailEvidence:
    """Evidence about a candidate alone."""
    return TailEvidence(name=name, kind=kind, meaning=meaning, direction=direction, needs=needs, of=of)


def context(
    name: str,
    meaning: str,
    of: Callable[[RelationQuery, int], float],
    kind: Kind = "context",
    needs: Needs = lambda sources: True,
) -> Context:
    """A circumstance, which says nothing for or against a pair by itself."""
    return Context(name=name, kind=kind, meaning=meaning, direction=0, is_compared=False, needs=needs, of=of)
