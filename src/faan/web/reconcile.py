"""The reconciliation service over HTTP (Reconciliation API 0.2): OpenRefine finds entities and fills columns with it.

The specification is at https://reconciliation-api.github.io/specs/0.2/. JSONP, which it allows, is left out: any page
could read the answers.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Annotated, Any
from urllib.parse import parse_qs, unquote

import numpy as np
from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi.responses import HTMLResponse

from faan import __version__
from faan.base import InputError, UnknownNameError, shorten
from faan.graph import Graph, Names, local_name
from faan.web import extending
from faan.web.extending import Extender, aspects
from faan.web.guard import RECONCILE
from faan.web.limits import MATCH_SECONDS, MAX_CURSOR, MAX_NAME, MAX_QUERIES, MAX_TOP
from faan.web.matching import Matcher
from faan.web.reconcile_requests import CellQuery, TooManyError, read_extension, read_queries
from faan.web.rendering import render
from faan.web.service import Service
from faan.web.vocabulary import Term, Vocabulary, matching

_SHOWN = 10  # entities, types or properties that are suggested at once
_PROPOSED = 50  # properties, unless more or fewer are asked for
_TYPES = 20  # that the manifest names
_FACTS, _VALUES = 8, 3  # relations in a preview, and values of each
_FIELDS = 20  # of one request
_SAMPLE = 1000  # names that are looked at to see what stands before them
_WIDTH, _HEIGHT = 420, 260  # of a preview

Parameters = dict[str, str]


def _is_about_request(error: InputError) -> bool:
    """Whether an error says what is wrong with the request, not with a file of the server."""
    return type(error) in (InputError, UnknownNameError)


def _refusing() -> Iterator[None]:
    """Answer what is wrong with a request by 400, as clients of this interface expect."""
    try:
        yield
    except TooManyError as error:
        raise HTTPException(413, str(error)) from None
    except InputError as error:
        if _is_about_request(error):
            raise HTTPException(400, str(error)) from None
        raise


router = APIRouter(include_in_schema=False, dependencies=[Depends(_refusing)])  # it has a specification of its own


class Reconciler:
    """What the reconciliation service needs for its answers."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.vocabulary = Vocabulary(service.graph)
        self.matcher = Matcher(service.naming, self.vocabulary)
        self.extender = Extender(service, self.vocabulary)

    def reconcile(self, text: str) -> dict[str, Any]:
        """The answers to a batch of queries; a wrong query or batch gets an error as its answer."""
        until = time.monotonic() + MATCH_SECONDS
        answers = {key: self._answer(query, until) for key, query in read_queries(text).items()}
        problems = [f"{shorten(key)}: {answer['error']}" for key, answer in answers.items() if "error" in answer]
        if problems and len(problems) == len(answers):
            raise InputError(problems[0])
        return answers

    def _answer(self, query: CellQuery | str, until: float) -> dict[str, Any]:
        if isinstance(query, str):
            return {"result": [], "error": query}
        try:
            return {"result": [asdict(candidate) for candidate in self.matcher.match(query, until)]}
        except InputError as error:
            if not _is_about_request(error):
                raise
            return {"result": [], "error": str(error)}

    @cached_property
    def spaces(self) -> dict[str, str]:
        """The identifier space of this graph."""
        graph = self.service.graph
        return {"identifierSpace": _space(graph.entity_names), "schemaSpace": _space(graph.relation_names)}

    def manifest(self, address: str) -> dict[str, Any]:
        """The manifest: what this service offers."""
        kinds = ("entity", "type", "property")
        view = f"{address}/preview?id={{{{id}}}}"
        return {
            "versions": ["0.2"],
            "name": f"{self.service.name} (faan)",
            **self.spaces,
            "serviceVersion": __version__,
            "defaultTypes": [{"id": kind.id, "name": kind.name} for kind in self.vocabulary.types[:_TYPES]],
            "view": {"url": view},
            "preview": {"url": view, "width": _WIDTH, "height": _HEIGHT},
            "suggest": {kind: {"service_url": address, "service_path": f"/suggest/{kind}"} for kind in kinds},
            "extend": {
                "propose_properties": {"service_url": address, "service_path": "/properties"},
                "property_settings": _SETTINGS if self.service.graph.schema is None else [*_SETTINGS, _STRICT],
            },
            "batchSize": MAX_QUERIES,
        }


def _space(names: Names) -> str:
    """The common beginning of most names if they are IRIs; else an IRI that stands for exactly these names.

    It does not depend on where the graph was read from: the same ids are the same entities.
    """
    sample = [names[number] for number in range(0, len(names), max(1, len(names) // _SAMPLE))]
    spaces = Counter(name.rstrip("#/:").removesuffix(local_name(name)) for name in sample if "://" in name)
    if sum(spaces.values()) * 2 > len(sample):
        return spaces.most_common(1)[0][0]
    digest = hashlib.sha256(names.data.tobytes())
    digest.update(names.offsets.tobytes())
    return f"urn:faan:names:{digest.hexdigest()[:16]}:"


_SETTINGS: list[dict[str, Any]] = [
    {
        "name": "min_probability",
        "label": "Minimum probability",
        "type": "number",
        "default": extending.MIN_PROBABILITY,
        "help_text": "From 0 to 1. Suggested values that are less likely are left out.",
    },
    {
        "name": "limit",
        "label": "Suggested values for each row",
        "type": "number",
        "default": extending.LIMIT,
        "help_text": f"From 1 to {MAX_TOP}.",
    },
    {
        "name": "source",
        "label": "Values",
        "type": "select",
        "default": "best",
        "choices": [
            {"value": "best", "name": "known ones, or else suggestions"},
            {"value": "known", "name": "only known ones"},
            {"value": "suggested", "name": "only suggestions"},
        ],
        "help_text": "Known values are facts of the graph or were accepted by a reviewer.",
    },
]

_STRICT: dict[str, Any] = {
    "name": "strict",
    "label": "Leave out what breaks the schema",
    "type": "checkbox",
    "default": False,
    "help_text": "Suggested values that break a rule of the graph's schema are left out, however likely they are.",
}


def _reconciler(request: Request) -> Reconciler:
    reconciler: Reconciler = request.app.state.reconciler
    return reconciler


async def _parameters(request: Request) -> Parameters:
    """The fields of the address and of a form."""
    fields = request.scope["query_string"] + b"&" + await request.body()
    try:
        given = parse_qs(fields.decode(), keep_blank_values=True, errors="strict", max_num_fields=_FIELDS)
    except ValueError:
        raise HTTPException(400, f"expected at most {_FIELDS} fields of percent-encoded UTF-8") from None
    if "callback" in given:
        raise HTTPException(400, "JSONP is not offered, because any page could read the answers; ask for JSON (CORS)")
    return {name: values[-1] for name, values in given.items()}


Known = Annotated[Reconciler, Depends(_reconciler)]
Given = Annotated[Parameters, Depends(_parameters)]


@router.get(RECONCILE)
@router.post(RECONCILE)
def reconcile(request: Request, given: Given, known: Known) -> dict[str, Any]:
    """The manifest, answers to queries, or values for columns."""
    match "queries" in given, "extend" in given:
        case True, False:
            return known.reconcile(given["queries"])
        case False, True:
            return known.extender.extend(read_extension(given["extend"]))
    if request.method == "GET" and not {"queries", "extend", "query"}.intersection(given):
        return known.manifest(_address(request))
    raise InputError('expected one field, `queries` or `extend`; such as queries={"q0": {"query": "Peru"}}')


@router.get(f"{RECONCILE}/suggest/entity")
def suggest_entities(given: Given, known: Known) -> dict[str, Any]:
    """Entities by the beginning of their names."""
    text, skipped = _text(given, "prefix"), _number(given, "cursor", 0, 0, MAX_CURSOR)
    found = known.service.naming.search.find(text, skipped + _SHOWN)[skipped:]
    return {"result": [_entity(known, one.name) for one in found]}


def _entity(known: Reconciler, name: str) -> dict[str, Any]:
    graph = known.service.graph
    number = graph.entity(name)
    kinds = [asdict(kind) for kind in known.vocabulary.kinds_of(number)]
    description = graph.entity_description(number) or ", ".join(kind["name"] for kind in kinds)
    return {"id": name, "name": graph.entity_label(number), "description": shorten(description), "notable": kinds}


@router.get(f"{RECONCILE}/suggest/type")
def suggest_types(given: Given, known: Known) -> dict[str, Any]:
    """Types by the beginning of their names."""
    return _matching(known.vocabulary.types, given)


@router.get(f"{RECONCILE}/suggest/property")
def suggest_properties(given: Given, known: Known) -> dict[str, Any]:
    """Relations by the beginning of their names, and columns for the probability of and reasons for their values."""
    properties = known.vocabulary.properties
    return _matching([*properties, *aspects(properties)], given)


def _matching(terms: Sequence[Term], given: Parameters) -> dict[str, Any]:
    text, skipped = _text(given, "prefix"), _number(given, "cursor", 0, 0, MAX_CURSOR)
    return {"result": [asdict(term) for term in matching(terms, text)[skipped : skipped + _SHOWN]]}


@router.get(f"{RECONCILE}/properties")
def propose_properties(given: Given, known: Known) -> dict[str, Any]:
    """Relations that entities of a type have."""
    kind, limit = given.get("type", ""), _number(given, "limit", _PROPOSED, 1, MAX_CURSOR)
    found = [{"id": term.id, "name": term.name} for term in known.vocabulary.proposed(kind)[:limit]]
    return {"type": kind, "limit": limit, "properties": found}


@router.get(f"{RECONCILE}/preview", response_class=HTMLResponse)
def preview(request: Request, known: Known) -> str:
    """An entity's label, types and facts, for a small frame."""
    naming, graph = known.service.naming, known.service.graph
    # OpenRefine leaves `&`, `+` and `=` of an id as they are, so that all that follows is the id.
    given = request.scope["query_string"].decode("latin-1").partition("id=")[2]
    names = [unquote(given), unquote(given.replace("+", " "))]
    name = next((name for name in names if graph.entity_names.find(name) is not None), None)
    if name is None:
        raise HTTPException(404, f"no entity is called {shorten(names[0])!r}")
    return render("preview.html", entity=naming.about(name), facts=_facts(graph, graph.entity(name)))


@dataclass(frozen=True)
class _Fact:
    """What an entity has of one relation, in one direction."""

    relation: str
    forward: bool
    values: list[str]
    more: int


def _facts(graph: Graph, entity: int) -> list[_Fact]:
    """Some facts of an entity: the first values of each of its first relations."""
    relations, others = graph.neighbours.of(entity)
    kinds, begins, counts = np.unique(relations, return_index=True, return_counts=True)
    facts = []
    for kind, begin, count in zip(kinds[:_FACTS].tolist(), begins.tolist(), counts.tolist(), strict=False):
        values = [graph.entity_label(other) for other in others[begin : begin + min(count, _VALUES)].tolist()]
        relation = graph.relation_label(kind % graph.num_relations)
        facts.append(_Fact(relation, kind < graph.num_relations, values, count - len(values)))
    return facts


def _text(given: Parameters, name: str) -> str:
    if name not in given:
        raise InputError(f"{name}: is missing")
    if len(given[name]) > MAX_NAME:
        raise InputError(f"{name}: expected a text of at most {MAX_NAME} letters")
    return given[name]


def _number(given: Parameters, name: str, default: int, least: int, most: int) -> int:
    text = given.get(name, "") or str(default)
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and least <= int(text) <= most):
        raise InputError(f"{name}: expected a whole number from {least} to {most}")
    return int(text)


def _address(request: Request) -> str:
    """The address of this service as the client sees it, behind a proxy too."""
    base = str(request.base_url).rstrip("/") + RECONCILE
    return base.replace("http:", "https:", 1) if request.headers.get("x-forwarded-proto") == "https" else base
