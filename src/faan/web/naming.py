"""Resolves names and labels, and gives the labels to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from faan.base import InputError, UnknownNameError
from faan.graph import Graph
from faan.web.answers import AboutEntity, LookedUp, NamesAnswer, Relation
from faan.web.link import LinkTemplate
from faan.web.requests import NamesRequest
from faan.web.search import Entity, Search, local_part
from faan.web.shortening import ShortNames

_NEAREST = 5  # unknown names of one request for which similar names are searched
_TYPES = 5  # of an entity that are shown


@dataclass(frozen=True)
class Naming:
    """The names of a graph, the search for its entities, and links to their descriptions."""

    graph: Graph
    search: Search
    link: LinkTemplate | None = None

    @cached_property
    def short(self) -> ShortNames:
        """Short forms of IRIs, for things without labels."""
        return ShortNames(self.graph)

    @cached_property
    def relations(self) -> list[Relation]:
        """The relations of the graph, those with few facts first, because examples help them most."""
        graph, counts = self.graph, self.graph.relation_counts.tolist()
        listed = [
            Relation(name=name, label=self.relation_label(name), facts=counts[number])
            for number, name in enumerate(graph.relation_names)
            if counts[number]  # a relation removed by --without has none
        ]
        return sorted(listed, key=lambda relation: (relation.facts, relation.label))

    def find_relations(self, text: str) -> list[Relation]:
        """The relations whose name or label contains all words of a text."""
        words = text.casefold().split()
        return [
            relation
            for relation in self.relations
            if all(word in f"{relation.name} {relation.label}".casefold() for word in words)
        ]

    def entity(self, name: str, *, nearest: bool = True) -> str:
        """The name of an entity that was given by name, label or short form; an error can list the nearest ones."""
        graph = self.graph
        number = graph.entity_names.find(name)
        if number is None and graph.entity_labels is not None and graph.entity_labels.find(name) is not None:
            number = graph.entity(name)
        if number is None:
            number = self.short.entity(name)
        if number is None:
            near = self.search.find(name, 3) if nearest else []
            raise UnknownNameError("entity", name, [entity.name for entity in near])
        return graph.entity_names[number]

    def called(self, relation: str) -> str:
        """The name of a relation that was given by name or label; a new one keeps its name."""
        names, labels = self.graph.relation_names, self.graph.relation_labels
        found = labels.find_all(relation) if labels is not None else []
        return names[found[0]] if len(found) == 1 and names.find(relation) is None else relation

    def find_entities(self, text: str, limit: int, like: Sequence[str]) -> list[Entity]:
        """The entities that match a text best, as `Search.find` gives them, with short forms of IRIs."""
        return [self._shown(entity) for entity in self.search.find(text, limit, like)]

    def _shown(self, entity: Entity) -> Entity:
        return replace(entity, label=self.label(entity.name))

    def look_up(self, request: NamesRequest) -> NamesAnswer:
        """Resolve names or labels; only the first few unknown ones get similar names, because that search is slow."""
        relation, near = None, []
        if request.relation is not None:
            try:
                number = self.graph.relation(request.relation)
                name, facts = self.graph.relation_names[number], int(self.graph.relation_counts[number])
                relation = Relation(name, self.relation_label(name), facts)
            except UnknownNameError as error:
                near = error.nearest
        found, patience = [], _NEAREST
        for asked in request.entities:
            try:
                entity = self.search.describe(self.entity(asked, nearest=patience > 0))
                found.append(LookedUp(asked, self._shown(entity), "", []))
            except UnknownNameError as error:
                found.append(LookedUp(asked, None, str(error), error.nearest))
                patience -= 1
            except InputError as error:  # several have this label
                found.append(LookedUp(asked, None, str(error), []))
        return NamesAnswer(relation, near, found)

    @cached_property
    def example(self) -> tuple[str, str, str]:
        """A fact of the graph by its labels, of a relation that is listed first: what a person may type."""
        graph = self.graph
        relation = graph.relation(first_relations(self.relations)[0].name)
        (head, tail), names = graph.pairs_of(relation)[0].tolist(), graph.entity_names
        return self.label(names[head]), self.relation_label(graph.relation_names[relation]), self.label(names[tail])

    def label(self, name: str) -> str:
        """The label of an entity, or a short form of its name; one that the graph no longer has keeps its name."""
        number = self.graph.entity_names.find(name)
        label = name if number is None else self.graph.entity_label(number)
        return self.short.of(name) if label == name else label

    def relation_label(self, name: str) -> str:
        """The label of a relation, or a short form of its name; one that the graph does not have keeps its name."""
        number = self.graph.relation_names.find(name)
        label = name if number is None else self.graph.relation_label(number)
        return self.short.of(name) if label == name else label

    def about(self, name: str) -> AboutEntity:
        """An entity with its label, types and description."""
        graph, number = self.graph, self.graph.entity(name)
        return AboutEntity(
            graph.entity_names[number],
            self.label(graph.entity_names[number]),
            [local_part(kind) for kind in graph.type_labels(number)[:_TYPES]],
            graph.entity_description(number),
            "" if self.link is None else self.link.to(name),
        )


def first_relations(relations: Sequence[Relation]) -> Sequence[Relation]:
    """Relations to begin with: those with a few facts at least, the rarest of them first."""
    return [relation for relation in relations if relation.facts >= 3] or relations
