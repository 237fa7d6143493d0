"""The answers of the HTTP interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from fastapi.responses import JSONResponse
from pydantic import TypeAdapter

from faan.complete import EvidenceGraph, Explanation, Suggestion
from faan.web.decision import Decided, FactState, Tally
from faan.web.search import Entity


@dataclass(frozen=True)
class Problem:
    """What is wrong and what to do about it."""

    error: str
    nearest: Sequence[str] = ()  # names that may have been meant
    standing: Decided | None = None  # the current decision, if another reviewer decided first


@dataclass(frozen=True, kw_only=True)
class Suggested(Suggestion):
    """A suggestion with the labels to show and the current decision."""

    head_label: str
    tail_label: str
    decision: Decided | None


@dataclass(frozen=True)
class SuggestAnswer:
    """Missing facts; `complete` is false if the time or the requested number ended the search."""

    relation: str
    suggestions: list[Suggested]
    complete: bool
    notes: list[str]  # which examples look wrong


@dataclass(frozen=True)
class ScoreAnswer:
    """Given pairs, in their order."""

    relation: str
    suggestions: list[Suggested]


@dataclass(frozen=True)
class AboutEntity:
    """What the page shows about an entity."""

    name: str
    label: str
    types: list[str]
    description: str  # "" where the graph has none
    link: str  # the address of its description, "" without --link

    @property
    def says(self) -> bool:
        """Whether there is more to show than the label."""
        return bool(self.types or self.description or self.link or self.label != self.name)


@dataclass(frozen=True)
class Explained(Explanation):
    """An explanation with its drawing, and what the two entities are."""

    suggestion: Suggested
    drawing: EvidenceGraph
    about_head: AboutEntity
    about_tail: AboutEntity


@dataclass(frozen=True)
class Entities:
    """Entities, best match first; `complete` is false while the index of names is being built.

    Until then entities with few edges are found by their whole names only.
    """

    entities: list[Entity]
    complete: bool


@dataclass(frozen=True)
class Relation:
    """A relation of the graph."""

    name: str
    label: str
    facts: int


@dataclass(frozen=True)
class LookedUp:
    """A name as given, and its entity, or what is wrong with the name."""

    asked: str
    entity: Entity | None
    problem: str
    nearest: list[str]


@dataclass(frozen=True)
class NamesAnswer:
    """Names that were looked up: the relation (None if the graph lacks it), and the entities in order."""

    relation: Relation | None
    nearest: list[str]  # relations that may have been meant
    entities: list[LookedUp]


@dataclass(frozen=True)
class Relations:
    """Relations of the graph, those with few facts first."""

    relations: list[Relation]
    total: int


@dataclass(frozen=True)
class Changes:
    """Facts that were decided or undone, and the event from which to ask next time."""

    facts: list[FactState]
    last: int
    tally: Tally


@dataclass(frozen=True)
class PastDecision(Decided):
    """A current decision, with the labels to show."""

    head_label: str
    relation_label: str
    tail_label: str


@dataclass(frozen=True)
class PastDecisions:
    """Current decisions, the latest first."""

    decisions: list[PastDecision]


@dataclass(frozen=True)
class Health:
    """Whether the service is up."""

    version: str
    status: Literal["ok"] = "ok"


_problem = TypeAdapter(Problem)


def refusal(
    status: int,
    error: str,
    headers: dict[str, str] | None = None,
    *,
    nearest: Sequence[str] = (),
    standing: Decided | None = None,
) -> JSONResponse:
    """A problem as an HTTP answer."""
    content = _problem.dump_python(Problem(error, nearest, standing))
    return JSONResponse(content, status_code=status, headers=headers)


PROBLEMS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem, "description": text}
    for code, text in (
        (400, "The body is not JSON, or the host name is not served."),
        (401, "The token is missing or wrong."),
        (403, "The request comes from another site."),
        (409, "Another reviewer decided first."),
        (413, "The request is too large."),
        (415, "The body is not declared as JSON."),
        (422, "Something in the request is wrong; the error says what."),
        (429, "Too many requests wait; try again in a moment."),
        (503, "Too many connections, or the file of decisions is locked by another program or damaged."),
        (507, "The disk is full; nothing was decided."),
    )
}
