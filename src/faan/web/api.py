"""The HTTP interface for programs; the page uses it too."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import TypeAdapter

from faan import __version__
from faan.base import InputError
from faan.graph import DEFAULT_BASE, Terms
from faan.web.answers import (
    PROBLEMS,
    Changes,
    Entities,
    Explained,
    Health,
    NamesAnswer,
    PastDecisions,
    Problem,
    Relations,
    ScoreAnswer,
    SuggestAnswer,
    Suggested,
)
from faan.web.decision import Decided, FactState
from faan.web.export import FORMATS, Chosen, FormatName, decided_relation, export
from faan.web.gate import BusyError
from faan.web.limits import MAX_EVENT, MAX_LIKE, MAX_NAME, MAX_QUERY, MAX_ROWS
from faan.web.requests import DecideRequest, ExplainRequest, NamesRequest, Reviewer, ScoreRequest, SuggestRequest
from faan.web.service import Found, Service

NDJSON = "application/x-ndjson"
_log = logging.getLogger("faan.web")
_suggested = TypeAdapter(Suggested)

router = APIRouter(responses=PROBLEMS)


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Served = Annotated[Service, Depends(_service)]
RelationName = Annotated[str | None, Query(min_length=1, max_length=MAX_NAME, description="Only this relation.")]


@router.get("/healthz")
def healthz() -> Health:
    """Whether the service is up."""
    return Health(version=__version__)


@router.post(
    "/api/suggest",
    response_model=SuggestAnswer,
    responses={200: {"content": {NDJSON: {"schema": {"type": "string"}}}}},
)
def suggest(
    request: SuggestRequest, service: Served, accept: Annotated[str, Header()] = ""
) -> SuggestAnswer | StreamingResponse:
    """Missing facts of a relation.

    With `Accept: application/x-ndjson` they come as they are found, each in a line `{"suggestion": ...}`. If examples
    look wrong, the first line is `{"notes": [...]}`. The last line is `{"end": {"complete": ...}}`, or `{"error": ...}`
    if an error ended the search.
    """
    found = service.suggest(request)
    if NDJSON in accept:
        return StreamingResponse(_lines(found, request.limit), media_type=NDJSON)
    rows = list(found.suggestions)
    suggestions = [row for row in rows if row is not None]
    complete = None not in rows and len(suggestions) < request.limit
    relation = service.relation_name(request)
    return SuggestAnswer(relation=relation, suggestions=suggestions, complete=complete, notes=list(found.notes))


def _lines(found: Found, limit: int) -> Iterator[str]:
    count, in_time = 0, True
    if found.notes:
        yield json.dumps({"notes": found.notes}) + "\n"
    try:
        for suggestion in found.suggestions:
            if suggestion is None:
                in_time = False
            else:
                count += 1
                yield f'{{"suggestion":{_suggested.dump_json(suggestion).decode()}}}\n'
    except (InputError, BusyError) as error:
        yield json.dumps({"error": str(error)}) + "\n"
    except Exception:  # the answer has begun, so only its last line can report the error
        _log.exception("suggestions broke off")
        yield json.dumps({"error": "the suggestions broke off; the server's log says why"}) + "\n"
    else:
        yield json.dumps({"end": {"complete": in_time and count < limit, "in_time": in_time}}) + "\n"


@router.post("/api/score")
def score(request: ScoreRequest, service: Served) -> ScoreAnswer:
    """A judgement of given pairs, in their order."""
    return ScoreAnswer(relation=service.relation_name(request), suggestions=service.score(request))


@router.post("/api/explain")
def explain(request: ExplainRequest, service: Served) -> Explained:
    """The evidence for and against one fact, and a drawing of it."""
    return service.explain(request)


@router.get("/api/entities")
def entities(
    service: Served,
    q: Annotated[str, Query(max_length=MAX_QUERY, description="Beginnings of words, in any order.")],
    limit: Annotated[int, Query(ge=1, le=50)] = 10,
    like: Annotated[
        list[str], Query(max_length=MAX_LIKE, description="Entities of the kind that is looked for come first.")
    ] = [],  # noqa: B006, FastAPI copies it
) -> Entities:
    """Entities by the beginning of their names."""
    search = service.naming.search
    complete = search.is_complete
    return Entities(service.naming.find_entities(q, limit, like), complete)


@router.post("/api/names")
def names(request: NamesRequest, service: Served) -> NamesAnswer:
    """What names or labels of a relation and of entities stand for."""
    return service.naming.look_up(request)


@router.get("/api/relations")
def relations(
    service: Served,
    q: Annotated[str, Query(max_length=MAX_QUERY, description="Parts of the name.")] = "",
    limit: Annotated[int, Query(ge=1, le=MAX_ROWS)] = 100,
    offset: Annotated[int, Query(ge=0, le=MAX_EVENT)] = 0,
) -> Relations:
    """Relations of the graph, those with few facts first."""
    found = service.naming.find_relations(q)
    return Relations(relations=found[offset : offset + limit], total=len(found))


@router.get("/api/decisions")
def decisions(
    service: Served,
    relation: RelationName = None,
    after: Annotated[int, Query(ge=0, le=MAX_EVENT, description="Only changes after this event.")] = 0,
    limit: Annotated[int, Query(ge=1, le=MAX_ROWS)] = 1000,
) -> Changes:
    """Facts that were decided, with their current decision; pass `last` as `after` next time."""
    called = None if relation is None else service.naming.called(relation)
    changed = service.decisions.changes(called, after, limit)
    return Changes(changed, changed[-1].changed if changed else after, service.decisions.tally(called))


@router.get("/api/decisions/past")
def past_decisions(
    service: Served,
    relation: RelationName = None,
    before: Annotated[int | None, Query(ge=1, le=MAX_EVENT, description="Only decisions before this event.")] = None,
    limit: Annotated[int, Query(ge=1, le=MAX_ROWS)] = 100,
) -> PastDecisions:
    """Decisions that hold, the latest first."""
    return service.past(relation, before, limit)


@router.post("/api/decisions")
def decide(request: DecideRequest, service: Served) -> Decided:
    """Decide about one fact. The answer comes when the decision is on the disk."""
    return service.decide(request)


@router.delete("/api/decisions/{number}", responses={404: {"model": Problem, "description": "No such decision."}})
def undo(
    number: Annotated[int, Path(ge=1, le=MAX_EVENT)],
    reviewer: Annotated[Reviewer, Query()],
    service: Served,
) -> FactState:
    """Undo a decision; the one before it is current again."""
    return service.decisions.undo(number, reviewer)


@router.get("/api/export", response_class=StreamingResponse)
def export_facts(
    service: Served,
    format: FormatName = "nt",
    decision: Chosen = "accepted",
    relation: RelationName = None,
    base: Annotated[str, Query(max_length=MAX_NAME, description="Put before names that are not IRIs.")] = DEFAULT_BASE,
    relation_base: Annotated[
        str, Query(max_length=MAX_NAME, description="The same for names of relations; by default that of entities.")
    ] = "",
) -> StreamingResponse:
    """Decided facts as a file."""
    form = FORMATS[format]
    called = None if relation is None else decided_relation(service.decisions, service.graph, relation)
    terms = Terms(base, relation_base or None)
    pieces = export(service.decisions, format, decision, terms, called, service.graph).pieces
    name = f'attachment; filename="{decision}{form.ending}"'
    return StreamingResponse(pieces, media_type=form.media_type, headers={"content-disposition": name})
