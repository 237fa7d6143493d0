"""The types and relations of a graph as reconciliation clients know them: types and properties."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from faan.base import InputError, UnknownNameError, counted
from faan.graph import Graph
from faan.web.search import local_part

_COMPARED = 20_000  # types among which the nearest to an unknown one are looked for


@dataclass(frozen=True)
class Term:
    """A type or a property."""

    id: str
    name: str
    description: str


@dataclass(frozen=True)
class Kind:
    """A type of an entity."""

    id: str
    name: str


class Vocabulary:
    """The types and relations of a graph, the most frequent first."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    @cached_property
    def types(self) -> list[Term]:
        """The types that entities have."""
        kinds = self._graph.types
        if kinds is None:
            return []
        counts = np.bincount(kinds.ids, minlength=len(kinds.names))
        order = np.argsort(-counts, kind="stable")
        return [
            Term(kinds.names[kind], self.kind(kind).name, counted(int(counts[kind]), "entity", "entities"))
            for kind in order.tolist()
            if counts[kind]
        ]

    @cached_property
    def properties(self) -> list[Term]:
        """The relations that have facts."""
        counts = self._graph.relation_counts
        order = np.argsort(-counts, kind="stable")
        return [self.property(relation) for relation in order.tolist() if counts[relation]]

    def kind(self, kind: int) -> Kind:
        """A type by its number."""
        kinds = self._graph.types
        assert kinds is not None
        return Kind(kinds.names[kind], local_part(kinds.label(kind)))

    def property(self, relation: int) -> Term:
        """A relation by its number."""
        graph = self._graph
        facts = counted(int(graph.relation_counts[relation]), "fact")
        return Term(graph.relation_names[relation], local_part(graph.relation_label(relation)), facts)

    def kinds_of(self, entity: int) -> list[Kind]:
        """The types of an entity."""
        kinds = self._graph.types
        return [] if kinds is None else [self.kind(int(kind)) for kind in kinds.of(entity)]

    def kinds(self, names: Iterable[str]) -> set[int]:
        """The numbers of types that are given by name or label."""
        return {number for name in names for number in self._numbers(name)}

    def _numbers(self, name: str) -> list[int]:
        kinds = self._graph.types
        if kinds is None:
            raise InputError("type: the graph has no types; leave the type out")
        number = kinds.names.find(name)
        found = [number] if number is not None else kinds.labels.find_all(name) if kinds.labels is not None else []
        if not found:
            known = [text for term in self.types[:_COMPARED] for text in dict.fromkeys((term.name, term.id))]
            raise UnknownNameError("type", name, difflib.get_close_matches(name, known))
        return found

    def proposed(self, kind: str) -> list[Term]:
        """Relations that entities of a type have, the most frequent first; all relations if the type is not known."""
        graph, kinds = self._graph, self._graph.types
        number = None if kinds is None else kinds.names.find(kind)
        if kinds is None or number is None:
            return self.properties
        having = np.zeros(graph.num_entities, dtype=bool)
        having[kinds.owners_of(np.flatnonzero(kinds.ids == number))] = True
        counts = np.bincount(graph.relations[having[graph.heads]], minlength=graph.num_relations)
        order = np.argsort(-counts, kind="stable")
        return [self.property(relation) for relation in order.tolist() if counts[relation]]


def matching(terms: Sequence[Term], text: str) -> list[Term]:
    """The terms whose name contains all words of a text, or with that id: the exact one, then those that begin so."""
    typed, words = text.casefold().strip(), text.casefold().split()

    def place(term: Term) -> int:
        names = (term.name.casefold(), term.id.casefold())
        return 0 if typed in names else 1 if names[0].startswith(typed) else 2

    found = [
        term
        for term in terms
        if typed == term.id.casefold() or all(word in f"{term.name} {local_part(term.id)}".casefold() for word in words)
    ]
    return sorted(found, key=place)
