"""Fills columns of a spreadsheet from a graph: known values, or suggested ones if none is known."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from faan.base import InputError, UnknownNameError, shorten
from faan.graph import Graph
from faan.web.answers import Suggested
from faan.web.gate import BusyError
from faan.web.limits import MAX_CELLS, MAX_SUGGESTIONS
from faan.web.reconcile_requests import Column, ColumnSettings, Extension, TooManyError
from faan.web.requests import SuggestRequest
from faan.web.search import local_part
from faan.web.service import Service
from faan.web.vocabulary import Kind, Term, Vocabulary

MIN_PROBABILITY, LIMIT = 0.5, 1  # unless the settings of a column say otherwise
_LOOKED_AT = 10_000  # facts of a relation that are read to find the type of its values
_KNOWN = 1.0  # shown instead of a probability for known facts
_IN_GRAPH, _ACCEPTED = "in the graph", "accepted by a reviewer"

# A column can also show the probability of values, or the reasons: the end of its id, and what it shows.
_PROBABILITY, _REASON = "#probability", "#reason"
_ASPECTS = {_PROBABILITY: "probability", _REASON: "reason"}

Cell = dict[str, str | float]


@dataclass(frozen=True)
class _Found:
    """A value of a property, known or suggested."""

    tail: int
    probability: float
    reason: str


def aspects(terms: Sequence[Term]) -> list[Term]:
    """Properties that show the probability of other values, and the reasons."""
    return [
        Term(f"{term.id}{ending}", f"{term.name} ({what})", f"{what} of each value")
        for term in terms
        for ending, what in _ASPECTS.items()
    ]


class Extender:
    """Fills columns."""

    def __init__(self, service: Service, vocabulary: Vocabulary) -> None:
        self._service, self._vocabulary = service, vocabulary

    @property
    def _graph(self) -> Graph:
        return self._service.graph

    def extend(self, extension: Extension) -> dict[str, object]:
        """The values of some properties of some entities, as a reconciliation client expects them."""
        ids = list(dict.fromkeys(extension.ids))
        known = {name: number for name in ids if (number := self._graph.entity_names.find(name)) is not None}
        if ids and not known:
            raise UnknownNameError("entity", ids[0], [])
        meta: list[dict[str, object]] = []
        rows: dict[str, dict[str, list[Cell]]] = {name: {} for name in ids}
        ranked: dict[tuple[int, ColumnSettings], dict[str, list[_Found]]] = {}  # columns may show the same values
        until, cells = time.monotonic() + self._service.seconds, 0
        for column in extension.properties:
            if any(column.id == one["id"] for one in meta):
                raise InputError(f"extend: the property {shorten(column.id)!r} is asked for twice")
            relation, aspect = self._property(column.id)
            meta.append(self._about(column, relation, aspect))
            what = (relation, column.settings)
            found = ranked[what] if what in ranked else self._values(relation, column.settings, known, until)
            ranked[what] = found
            cells += sum(map(len, found.values()))
            if cells > MAX_CELLS:
                raise TooManyError(f"extend: more than {MAX_CELLS:,} values; ask for fewer entities or properties")
            for name in ids:
                rows[name][column.id] = [self._cell(value, aspect) for value in found[name]]
        return {"meta": meta, "rows": rows}

    def _property(self, name: str) -> tuple[int, str]:
        """The relation behind the id of a property, and what of its values is shown."""
        for ending in _ASPECTS:
            if name.endswith(ending) and self._graph.relation_names.find(name) is None:
                return self._graph.relation(name.removesuffix(ending)), ending
        return self._graph.relation(name), ""

    def _about(self, column: Column, relation: int, aspect: str) -> dict[str, object]:
        name = self._vocabulary.property(relation).name
        if aspect:
            return {"id": column.id, "name": f"{name} ({_ASPECTS[aspect]})"}
        kind = self._kind_of_values(relation)
        typed = {} if kind is None else {"type": {"id": kind.id, "name": kind.name}}
        return {"id": column.id, "name": name, **typed}

    def _kind_of_values(self, relation: int) -> Kind | None:
        """The type that most values of a relation have."""
        graph = self._graph
        if graph.types is None:
            return None
        tails = graph.pairs_of(relation)[:_LOOKED_AT, 1]
        counts = Counter(kind for tail in tails.tolist() for kind in graph.types.of(tail).tolist())
        return self._vocabulary.kind(counts.most_common(1)[0][0]) if counts else None

    def _values(
        self, relation: int, settings: ColumnSettings, entities: dict[str, int], until: float
    ) -> dict[str, list[_Found]]:
        found = defaultdict[str, list[_Found]](list)
        if settings.source != "suggested":
            found |= self._known(relation, entities)
        if settings.source != "known" and (lacking := [name for name in entities if not found[name]]):
            least = MIN_PROBABILITY if settings.min_probability is None else settings.min_probability
            name, limit = self._graph.relation_names[relation], settings.limit or LIMIT
            for row in self._suggested(name, lacking, limit, settings.strict, until):
                if row.probability >= least:
                    value = _Found(self._graph.entity(row.tail), round(row.probability, 4), "; ".join(row.because))
                    found[row.head].append(value)
        return found

    def _suggested(
        self, relation: str, heads: Sequence[str], limit: int, strict: bool, until: float
    ) -> Iterator[Suggested]:
        """Suggested values; accepted facts are examples, rejected ones are skipped."""
        decided, at_once = self._service.decisions.last, MAX_SUGGESTIONS // limit
        for start in range(0, len(heads), at_once):
            some = list(heads[start : start + at_once])
            many = limit * len(some)
            request = SuggestRequest(
                relation=relation, heads=some, top=limit, limit=many, accepted_until=decided, strict=strict
            )
            for row in self._service.suggest(request).suggestions:
                if row is None or time.monotonic() > until:
                    raise BusyError("ranking took too long; ask for fewer entities or properties at once")
                yield row

    def _known(self, relation: int, entities: dict[str, int]) -> dict[str, list[_Found]]:
        """The facts of the graph, then those that reviewers accepted."""
        found = {}
        for name, entity in entities.items():
            tails = self._graph.neighbours.along(entity, relation)[:MAX_SUGGESTIONS].tolist()
            found[name] = [_Found(tail, _KNOWN, _IN_GRAPH) for tail in tails]
        there = {(name, value.tail) for name, values in found.items() for value in values}
        for decision in self._service.decisions.current(self._graph.relation_names[relation], ("accepted",)):
            tail = self._graph.entity_names.find(decision.tail)
            if decision.head in found and tail is not None and (decision.head, tail) not in there:
                found[decision.head].append(_Found(tail, _KNOWN, _ACCEPTED))
        return found

    def _cell(self, value: _Found, aspect: str) -> Cell:
        if aspect == _PROBABILITY:
            return {"float": value.probability}
        if aspect == _REASON:
            return {"str": value.reason}
        label = local_part(self._graph.entity_label(value.tail))
        return {"id": self._graph.entity_names[value.tail], "name": label}
