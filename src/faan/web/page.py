"""The review page: rendered here, so that names are escaped in one place and the page needs little script."""

from __future__ import annotations

import json
import math
from dataclasses import asdict

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from faan import __version__
from faan.graph import DEFAULT_BASE
from faan.web.api import Served
from faan.web.export import FORMATS
from faan.web.naming import first_relations
from faan.web.rendering import render
from faan.web.requests import ExplainRequest, QuestionRequest

_FIRST_RELATIONS = 40  # on the start page; typing finds the others

router = APIRouter(include_in_schema=False)


@router.get("/", response_class=HTMLResponse)
def start(request: Request, service: Served) -> str:
    """The page; the script reads from the address what to show."""
    about = service.completer.about
    return render(
        "page.html",
        version=__version__,
        model=service.name,
        about=about,
        graph=service.graph,
        relations=first_relations(service.naming.relations)[:_FIRST_RELATIONS],
        example=service.naming.example,
        total=len(service.naming.relations),
        formats=FORMATS,
        base=DEFAULT_BASE,
        reconcile=str(request.base_url).rstrip("/") + request.app.state.reconcile_path,
    )


@router.post("/trust", response_class=HTMLResponse)
def trust(request: QuestionRequest, service: Served) -> str:
    """How reliable the probabilities of a relation are, as a part of the page."""
    found, relation = service.trust(request), service.naming.relation_label(service.relation_name(request))
    most = max((bin.count for bin in found.reliability), default=1)
    return render(
        "trust.html",
        trust=found,
        relation=relation,
        about=service.completer.about,
        radius=lambda count: 2 + 6 * math.sqrt(min(count / most, 1)),
    )


@router.post("/evidence", response_class=HTMLResponse)
def evidence(request: ExplainRequest, service: Served) -> str:
    """The evidence for and against one fact, as a part of the page."""
    explained = service.explain(request)
    labels, short = explained.labels, service.naming.short
    drawing = asdict(explained.drawing)
    for part in (*drawing["nodes"], *drawing["edges"]):
        part["label"] = short.of(part["label"])
    return render(
        "evidence.html",
        fact=explained,
        drawing=json.dumps(drawing, ensure_ascii=False),
        label=lambda name: labels.get(name) or short.of(name),
        short=short,
    )
