"""Facts in KGX, the exchange format of the Biolink community: rows of nodes and edges, as TSV or JSON Lines."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias

from faan.base import InputError, shorten
from faan.graph.graph import Graph
from faan.graph.tsv import tsv_line

Row: TypeAlias = Mapping[str, Any]
AgentType: TypeAlias = Literal["computational_model", "manual_validation_of_automated_agent"]

EDGE_COLUMNS = (
    *("id", "subject", "predicate", "object", "category", "knowledge_level", "agent_type"),
    *("primary_knowledge_source", "has_confidence_score", "negated", "update_date"),
)
NODE_COLUMNS = ("id", "category", "name", "description")
_ANY_NODE = "biolink:NamedThing"
_INFORES = re.compile(r"infores:[a-z0-9]+(?:[-_.][a-z0-9]+)*")


def checked_source(name: str | None) -> str | None:
    """Check the name of a primary knowledge source."""
    if name is not None and not _INFORES.fullmatch(name):
        raise InputError(f"expected a knowledge source such as infores:my-lab, found {shorten(name)!r}")
    return name


def kgx_edge(
    head: str,
    relation: str,
    tail: str,
    *,
    agent: AgentType,
    probability: float | None,
    negated: bool = False,
    date: str | None = None,
    source: str | None,
) -> Row:
    """A fact that a model predicted, and that a person has judged or not; its id depends on the fact alone."""
    return {
        "id": uuid.uuid5(uuid.NAMESPACE_URL, json.dumps([head, relation, tail])).urn,
        "subject": head,
        "predicate": relation,
        "object": tail,
        "category": ["biolink:Association"],
        "knowledge_level": "prediction",
        "agent_type": agent,
        "primary_knowledge_source": source,
        "has_confidence_score": probability,
        "negated": negated or None,
        "update_date": date,
    }


def kgx_nodes(names: Iterable[str], graph: Graph | None) -> Iterator[Row]:
    """Rows of entities: id, label, types and description."""
    for name in names:
        entity = None if graph is None else graph.entity_names.find(name)
        if graph is None or entity is None:
            yield {"id": name, "category": [_ANY_NODE], "name": None, "description": None}
            continue
        types = [] if graph.types is None else [graph.types.names[int(kind)] for kind in graph.types.of(entity)]
        label = "" if graph.entity_labels is None else graph.entity_labels[entity]
        text = graph.entity_description(entity)
        yield {"id": name, "category": types or [_ANY_NODE], "name": label or None, "description": text or None}


def kgx_line(row: Row) -> str:
    """A row as a line of TSV: lists have `|` between their parts, unknown values are empty."""
    return tsv_line(_cell(value) for value in row.values())


def kgx_json(row: Row) -> str:
    """A row as a line of JSON, without unknown values."""
    return json.dumps({key: value for key, value in row.items() if value is not None}, ensure_ascii=False) + "\n"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return "|".join(value) if isinstance(value, list) else str(value)
