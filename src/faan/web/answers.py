"""What is answered over HTTP."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from faan.web.decision import Verdict


class _Answer(BaseModel):
    model_config = ConfigDict(from_attributes=True, frozen=True)


class Problem(_Answer):
    """What was wrong and what to do about it."""

    error: str
    nearest: list[str] = []  # names that may have been meant
    standing: Decided | None = None  # what holds, where somebody else decided first


class Decided(_Answer):
    """A decision."""

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


class Suggested(_Answer):
    """A fact that may be missing."""

    head: str
    tail: str
    head_label: str
    tail_label: str
    score: float
    probability: float
    rank: int
    low_evidence: bool
    because: list[str]
    warnings: list[str]
    decision: Decided | None


class Suggestions(_Answer):
    """Missing facts; not complete where time or the asked number ended the search."""

    relation: str
    suggestions: list[Suggested]
    complete: bool


class Judged(_Answer):
    """Given pairs, in their order."""

    relation: str
    suggestions: list[Suggested]


class Example(_Answer):
    """An example, and how much the fact resembles it."""

    head: str
    tail: str
    weight: float


class Neighbour(_Answer):
    """A fact about the head or the tail, and how much it counted."""

    relation: str
    entity: str
    forward: bool
    weight: float


class Step(_Answer):
    """One relation of a path."""

    relation: str
    forward: bool


class Path(_Answer):
    """A walk from head to tail."""

    hops: list[Step]
    entities: list[str]
    confidence: float
    support: int
    of: int


class Piece(_Answer):
    """One piece of evidence."""

    name: str
    sentence: str
    value: float
    contribution: float


class DrawnNode(_Answer):
    """An entity in the drawing."""

    id: str
    label: str
    role: str


class DrawnEdge(_Answer):
    """An arrow in the drawing."""

    source: str
    target: str
    label: str
    kind: str
    weight: float


class Drawing(_Answer):
    """The evidence as a graph."""

    nodes: list[DrawnNode]
    edges: list[DrawnEdge]


class Explained(_Answer):
    """All that speaks for and against one fact."""

    suggestion: Suggested
    relation: str
    labels: dict[str, str]
    examples: list[Example]
    head_neighbours: list[Neighbour]
    tail_neighbours: list[Neighbour]
    paths: list[Path]
    evidence: list[Piece]
    drawing: Drawing


class Entity(_Answer):
    """An entity that was found."""

    name: str
    label: str
    kind: str
    edges: int


class Entities(_Answer):
    """Entities, best match first."""

    entities: list[Entity]


class Relation(_Answer):
    """A relation of the graph."""

    name: str
    label: str
    facts: int


class Relations(_Answer):
    """Relations of the graph, those with few facts first."""

    relations: list[Relation]
    total: int


class Fact(_Answer):
    """What holds for a fact; no decision where it was undone."""

    relation: str
    head: str
    tail: str
    changed: int
    decision: Decided | None


class Count(_Answer):
    """How a review is going."""

    accepted: int
    rejected: int
    skipped: int
    precision: float | None
    expected: float | None


class Changes(_Answer):
    """Facts that were decided or undone, and the event to ask from next time."""

    facts: list[Fact]
    last: int
    tally: Count


class Health(_Answer):
    """Whether the service is up."""

    status: Literal["ok"] = "ok"
    version: str


Problem.model_rebuild()
PROBLEMS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem, "description": text}
    for code, text in (
        (400, "The request cannot be read, or comes from another site."),
        (401, "The token is missing or wrong."),
        (403, "The request comes from another site."),
        (409, "Somebody else decided first."),
        (413, "The request is too large."),
        (415, "The body is not declared as JSON."),
        (422, "Something in the request is wrong; the error says what."),
        (429, "Too many requests wait; try again in a moment."),
        (507, "The disk is full; nothing was decided."),
    )
}
