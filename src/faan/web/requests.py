"""The requests of the HTTP interface."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from faan.web.decision import Verdict
from faan.web.limits import (
    MAX_ENTITIES,
    MAX_EVENT,
    MAX_EXAMPLES,
    MAX_NAME,
    MAX_NAMES,
    MAX_PAIRS,
    MAX_REASON,
    MAX_REASONS,
    MAX_SUGGESTIONS,
    MAX_TOP,
)

Name = Annotated[str, StringConstraints(min_length=1, max_length=MAX_NAME)]
Pair = tuple[Name, Name]
Event = Annotated[int, Field(ge=0, le=MAX_EVENT)]
Reviewer = Annotated[
    str, StringConstraints(min_length=1, max_length=100, strip_whitespace=True, pattern=r"^[^\x00-\x1f\x7f]*$")
]
Reason = Annotated[str, StringConstraints(min_length=1, max_length=MAX_REASON)]
Number = Annotated[float, Field(allow_inf_nan=False)]


class QuestionRequest(BaseModel):
    """A relation: of the graph by its name, or a new one by examples."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    relation: Name = Field(
        description="A relation of the graph by name or label; or, with examples, what to call a new one."
    )
    examples: list[Pair] | None = Field(
        None,
        min_length=1,
        max_length=MAX_EXAMPLES,
        description="Pairs of head and tail; those of a relation of the graph are added to its own facts.",
    )
    rejected: list[Pair] | None = Field(
        None,
        max_length=MAX_PAIRS,
        description="Pairs that are known to be wrong: they lower similar suggestions.",
    )
    accepted_until: Event = Field(
        0,
        description="Decisions of the relation by this event count too, 0 for none: accepted facts become examples, "
        "rejected ones are known to be wrong.",
    )


class SuggestRequest(QuestionRequest):
    """Asks for missing facts."""

    heads: list[Name] | None = Field(
        None,
        min_length=1,
        max_length=MAX_ENTITIES,
        description="Which heads lack the fact; without any, those that look like the examples' heads.",
    )
    tails: list[Name] | None = Field(
        None,
        min_length=1,
        max_length=MAX_ENTITIES,
        description="With heads: only these tails. Without: which heads for these tails.",
    )
    top: int = Field(3, ge=1, le=MAX_TOP, description="Suggestions for each head.")
    limit: int = Field(50, ge=1, le=MAX_SUGGESTIONS, description="Suggestions altogether.")
    known: Literal["skip", "show"] = Field("skip", description="Skip known facts, or show them too.")
    strict: bool = Field(
        False,
        description="Skip suggestions that break a rule of the graph's schema; by default they only rank lower. "
        "Needs a schema.",
    )


class NamesRequest(BaseModel):
    """Asks for the entities and relation behind names."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    relation: Name | None = None
    entities: list[Name] = Field([], max_length=MAX_NAMES)


class ScoreRequest(QuestionRequest):
    """Asks for a judgement of given pairs."""

    pairs: list[Pair] = Field(min_length=1, max_length=MAX_PAIRS)


class ExplainRequest(QuestionRequest):
    """Asks for the evidence for and against one fact."""

    head: Name
    tail: Name


class DecideRequest(ExplainRequest):
    """Decides about one fact; the question, the probability and the reasons are kept with it as its provenance."""

    verdict: Verdict
    reviewer: Reviewer
    probability: float | None = Field(None, ge=0, le=1)
    score: Number | None = None
    rank: Annotated[int, Field(ge=1, le=MAX_EVENT)] | None = None
    reasons: list[Reason] = Field([], max_length=MAX_REASONS, description="What was shown as `because`.")
    key: Annotated[str, StringConstraints(min_length=8, max_length=100)] | None = Field(
        None, description="A unique text for each decision: a repeated request with the same key changes nothing."
    )
    seen: Event | None = Field(
        None,
        description="The decision that you saw for this fact, 0 for none; if it is no longer current, the request is "
        "refused.",
    )
