"""The knowledge graph in memory: integer arrays, names beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from faan.base import (
    InputError,
    Ints,
    UnknownNameError,
    are_below,
    counted,
    html_table,
    is_ragged,
    offsets_of,
    places_of,
)
from faan.graph.libraries import igraph_graph, networkx_graph, pykeen_factory
from faan.graph.names import Names
from faan.graph.rules import Rules
from faan.graph.schema import Schema

_SHOWN = 10  # relations in a notebook
_PIECE = 1 << 16  # edges multiplied at once


@dataclass(frozen=True)
class ReadReport:
    """What happened on the way from a source to a graph."""

    source: str = "memory"
    format: str = "triples"
    duplicates: int = 0  # triples that occurred before
    literals: int = 0  # statements whose object is a value, not an entity
    skipped: int = 0  # bad lines that were passed over because the caller asked for it
    bad_lines: tuple[str, ...] = ()  # the first few of them, as error messages
    unused_nodes: int = 0  # labels or types of things that occur in no triple
    notes: tuple[str, ...] = ()  # what else a user should know


@dataclass(frozen=True, eq=False)
class Types:
    """The types of each entity, ragged: those of entity `i` are `ids[offsets[i]:offsets[i + 1]]`."""

    names: Names
    offsets: Ints  # (entities + 1,)
    ids: Ints
    labels: Names | None = None  # "" where a type has none

    def check(self) -> None:
        """Refuse numbers out of range, in types that were found on disk."""
        if not (is_ragged(self.offsets, len(self.ids)) and are_below(self.ids, len(self.names))):
            raise _damaged("its types are out of range")
        self.names.check()
        if self.labels is not None:
            self.labels.check()

    def label(self, kind: int) -> str:
        """What to show a person for a type: its label, or its name if it has none."""
        return (self.labels[kind] if self.labels else "") or self.names[kind]

    def of(self, entity: int) -> Ints:
        """The type ids of one entity."""
        return self.ids[self.offsets[entity] : self.offsets[entity + 1]]

    def having(self, kinds: Ints) -> NDArray[np.bool_]:
        """Which entities have one of some types, (entities,)."""
        wanted = np.zeros(len(self.names), dtype=bool)
        wanted[kinds] = True
        found = np.zeros(len(self.offsets) - 1, dtype=bool)
        found[self.owners[wanted[self.ids]]] = True
        return found

    @cached_property
    def is_typed(self) -> NDArray[np.bool_]:
        """Which entities have a type, (entities,)."""
        found: NDArray[np.bool_] = np.diff(self.offsets) > 0
        return found

    def gather(self, entities: Ints) -> tuple[Ints, Ints]:
        """The types of many entities at once: the place of each type's entity among these, and the type."""
        starts = self.offsets[entities]
        places, offsets = places_of(starts, self.offsets[np.asarray(entities) + 1] - starts)
        return np.repeat(np.arange(len(entities)), np.diff(offsets)), self.ids[places]

    @cached_property
    def owners(self) -> Ints:
        """The entity that each element of `ids` belongs to."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    @property
    def num_typed(self) -> int:
        """How many entities have a type."""
        return int(np.count_nonzero(np.diff(self.offsets)))


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The edges of each entity, both directions, ragged (compressed sparse rows).

    Relation `r` seen from its tail is `r + num_relations`.
    """

    offsets: Ints  # (entities + 1,)
    relations: Ints  # (2 * triples,)
    entities: Ints  # (2 * triples,)

    @classmethod
    def build(cls, heads: Ints, relations: Ints, tails: Ints, num_entities: int, num_relations: int) -> Neighbours:
        """Group the edges and their inverses by the entity they leave, then by relation."""
        _check_ids(heads, relations, tails, num_entities, num_relations)
        source = np.concatenate([heads, tails])
        relation = np.concatenate([relations, relations + num_relations]).astype(np.int32)
        order = np.argsort(source.astype(np.int64) * (2 * num_relations) + relation, kind="stable")
        offsets = offsets_of(np.bincount(source, minlength=num_entities))
        return cls(offsets, relation[order], np.concatenate([tails, heads])[order].astype(np.int32))

    def check(self, heads: Ints, relations: Ints, tails: Ints, num_relations: int) -> None:
        """Refuse numbers out of range, in neighbours that were found on disk and in the triples beside them."""
        num_entities = len(self.offsets) - 1
        _check_ids(heads, relations, tails, num_entities, num_relations)
        fitting = (
            is_ragged(self.offsets, len(self.entities))
            and are_below(self.entities, num_entities)
            and are_below(self.relations, 2 * num_relations)
        )
        if not fitting:
            raise _damaged("its neighbours are out of range")

    def check_edges(self, heads: Ints, relations: Ints, tails: Ints, num_relations: int) -> None:
        """Refuse neighbours, found on disk and in range, that are not the edges of the triples, grouped by relation.

        Both sides are compared as sums of products of random numbers, which nobody can know in advance: that is three
        times as fast as to sort them.
        """
        random = np.random.default_rng()
        num_entities = len(self.offsets) - 1
        near, far, kind = (
            random.integers(1 << 63, size=count, dtype=np.uint64) | np.uint64(1)
            for count in (num_entities, num_entities, 2 * num_relations)
        )
        owners = np.repeat(np.arange(num_entities, dtype=np.int32), np.diff(self.offsets))
        grouped = (self.relations[1:] >= self.relations[:-1]) | (owners[1:] != owners[:-1])
        found = _sum_of_products(near, owners, kind, self.relations, far, self.entities)
        wanted = _sum_of_products(near, heads, kind, relations, far, tails)
        wanted += _sum_of_products(near, tails, kind[num_relations:], relations, far, heads)
        if not grouped.all() or (found - wanted) % 2**64:
            raise _damaged("its neighbours are not those of its triples")

    @property
    def degrees(self) -> Ints:
        """The number of edges of each entity, both directions."""
        return np.diff(self.offsets)

    def of(self, entity: int) -> tuple[Ints, Ints]:
        """Relations and entities next to one entity."""
        if not 0 <= entity < len(self.offsets) - 1:
            raise IndexError(f"entity {entity} is outside 0 to {len(self.offsets) - 2}")
        span = slice(self.offsets[entity], self.offsets[entity + 1])
        return self.relations[span], self.entities[span]

    def gather(self, entities: Ints) -> tuple[NDArray[np.int64], Ints, Ints]:
        """The edges of many entities at once: offsets (len(entities) + 1,), relations, neighbours."""
        starts = self.offsets[entities]
        places, offsets = places_of(starts, self.offsets[np.asarray(entities) + 1] - starts)
        return offsets, self.relations[places], self.entities[places]

    def gather_hiding(self, entities: Ints, relation: int, others: Ints) -> tuple[NDArray[np.int64], Ints, Ints]:
        """As `gather`, but without the edge of a relation (or its inverse) between each entity and its other."""
        offsets, relations, neighbours = self.gather(entities)
        owner = np.repeat(np.arange(len(entities)), np.diff(offsets))
        keep = (relations != relation) | (neighbours != np.asarray(others)[owner])
        return offsets_of(np.bincount(owner[keep], minlength=len(entities))), relations[keep], neighbours[keep]


@dataclass(frozen=True, eq=False)
class Graph:
    """A knowledge graph: triples (head, relation, tail) as integers, and the names behind the integers.

    `faan.read_graph` makes one. The arrays `heads`, `relations` and `tails` hold the ids of each triple; `entity_names`
    and `relation_names` turn ids into names. Labels and types are there if the source has them.

    >>> import faan
    >>> graph = faan.read_graph([("Peru", "capital", "Lima"), ("Lima", "in", "Peru"), ("Cusco", "in", "Peru")])
    >>> graph
    Graph(3 entities, 2 relations, 3 triples, from list)
    >>> graph.num_entities, graph.num_relations, graph.num_triples
    (3, 2, 3)
    """

    entity_names: Names
    relation_names: Names
    heads: Ints  # (triples,) int32
    relations: Ints
    tails: Ints
    entity_labels: Names | None = None  # "" where an entity has none
    relation_labels: Names | None = None
    types: Types | None = None
    report: ReadReport = field(default_factory=ReadReport)
    entity_descriptions: Names | None = None  # "" where an entity has none
    schema: Schema | None = None  # what is stated about its relations and types
    saved_neighbours: Neighbours | None = field(default=None, init=False)  # as they were found on disk, not yet checked

    def __repr__(self) -> str:
        return (
            f"Graph({counted(self.num_entities, 'entity', 'entities')}, {counted(self.num_relations, 'relation')}, "
            f"{counted(self.num_triples, 'triple')}, from {self.report.source})"
        )

    def _repr_html_(self) -> str:
        order = np.argsort(-self.relation_counts, kind="stable")[:_SHOWN].tolist()
        rows = [(self.relation_label(i), int(self.relation_counts[i])) for i in order]
        more = f"and {self.num_relations - _SHOWN:,} more relations" if self.num_relations > _SHOWN else ""
        return html_table(("relation", "triples"), rows, repr(self), more)

    @property
    def num_entities(self) -> int:
        """How many entities the graph has."""
        return len(self.entity_names)

    @property
    def num_relations(self) -> int:
        """How many relations the graph has, inverses not counted."""
        return len(self.relation_names)

    @property
    def num_triples(self) -> int:
        """How many different triples the graph has."""
        return len(self.heads)

    @cached_property
    def neighbours(self) -> Neighbours:
        """The edges of each entity, inverse edges included; saved ones are checked when they are first asked for."""
        if self.saved_neighbours is not None:
            self.saved_neighbours.check(self.heads, self.relations, self.tails, self.num_relations)
            return self.saved_neighbours
        return Neighbours.build(self.heads, self.relations, self.tails, self.num_entities, self.num_relations)

    @cached_property
    def relation_counts(self) -> Ints:
        """The number of triples of each relation."""
        return np.bincount(self.relations, minlength=self.num_relations)

    @property
    def used_relations(self) -> Ints:
        """The ids of the relations that have triples; one that was left out has a name, but none."""
        return np.flatnonzero(self.relation_counts)

    @cached_property
    def rules(self) -> Rules | None:
        """What the schema says about the relations, if there is a schema."""
        if self.schema is None:
            return None
        types = self.types
        names, label = (None, str) if types is None else (types.names, types.label)
        return Rules(self.schema, self.entity_names, self.relation_names, self.relation_label, names, label)

    def check(self) -> None:
        """Refuse a graph from disk that has a number out of range or a name that is no text; reads all of it.

        >>> graph.check()
        """
        self.neighbours.check_edges(self.heads, self.relations, self.tails, self.num_relations)
        labels = (self.entity_labels, self.relation_labels, self.entity_descriptions)
        for names in (self.entity_names, self.relation_names, *labels):
            if names is not None:
                names.check()
        if self.types is not None:
            self.types.check()
        if self.schema is not None:
            self.schema.check()

    def with_schema(self, schema: Schema, report: ReadReport) -> Graph:
        """The same graph with another schema.

        Args:
            schema: The rules, by the ids of this graph.
            report: What reading it found, in place of the graph's own report.

        >>> graph.with_schema(graph.schema, graph.report).num_triples == graph.num_triples
        True
        """
        graph = replace(self, schema=schema, report=report)
        object.__setattr__(graph, "saved_neighbours", self.saved_neighbours)  # frozen: only here, before it is seen
        return graph

    def triples(self) -> Iterator[tuple[str, str, str]]:
        """All triples by name, in order.

        >>> next(graph.triples())
        ('Peru', 'capital', 'Lima')
        """
        entities, relations = list(self.entity_names), list(self.relation_names)
        for head, relation, tail in zip(self.heads, self.relations, self.tails, strict=True):
            yield entities[head], relations[relation], entities[tail]

    def to_networkx(self) -> Any:
        """The graph as a `networkx.MultiDiGraph`: an edge's key and attribute `relation` is its relation.

        Nodes have the attributes `label`, `types` and `description` where the graph knows them.

        >>> graph.to_networkx().edges["Peru", "Lima", "capital"]
        {'relation': 'capital'}
        """
        return networkx_graph(self._nodes(), self.triples())

    def to_igraph(self) -> Any:
        """The graph as a directed `igraph.Graph`: vertices have a `name`, edges a `relation`; ids stay the same.

        >>> graph.to_igraph().es[0]["relation"]
        'capital'
        """
        relations = list(self.relation_names)
        edges = np.stack([self.heads, self.tails], axis=1)
        return igraph_graph(list(self._nodes()), edges, [relations[relation] for relation in self.relations])

    def to_pykeen(self, *, inverse_triples: bool = False) -> Any:
        """The graph as a PyKEEN `TriplesFactory`; ids stay the same.

        Args:
            inverse_triples: Let PyKEEN's models learn inverse relations too (its `create_inverse_triples`).

        >>> graph.to_pykeen().entity_to_id["Peru"] == graph.entity("Peru")
        True
        """
        triples = np.stack([self.heads, self.relations, self.tails], axis=1)
        return pykeen_factory(triples, self.entity_names, self.relation_names, inverse=inverse_triples)

    def _nodes(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The name of each entity, and what the graph knows of it."""
        kinds = [] if self.types is None else list(self.types.names)
        for entity, name in enumerate(self.entity_names):
            types = [] if self.types is None else [kinds[kind] for kind in self.types.of(entity)]
            label = "" if self.entity_labels is None else self.entity_labels[entity]
            known = {"label": label, "types": types, "description": self.entity_description(entity)}
            yield name, {attribute: value for attribute, value in known.items() if value}

    def entity(self, name: str) -> int:
        """The id of an entity.

        Args:
            name: Its name, or its label if only one entity has this label.

        >>> graph.entity("Lima")
        1
        >>> graph.entity("Limo")
        Traceback (most recent call last):
        faan.base.errors.UnknownNameError: no entity is called 'Limo'. Did you mean 'Lima'?
        """
        return _look_up("entity", name, self.entity_names, self.entity_labels, self._what_it_is)

    def relation(self, name: str) -> int:
        """The id of a relation.

        Args:
            name: Its name, or its label if only one relation has this label.

        >>> graph.relation("in")
        1
        """
        labels = self.relation_labels
        return _look_up("relation", name, self.relation_names, labels, lambda i: _facts(self.relation_counts[i]))

    def _what_it_is(self, entity: int) -> str:
        """What tells an entity from another one of the same label: its types and how many facts it has."""
        facts = np.count_nonzero(self.heads == entity) + np.count_nonzero(self.tails == entity)
        types = [] if self.types is None else [self.types.label(int(number)) for number in self.types.of(entity)[:2]]
        return ", ".join([*types, _facts(facts)])

    def entity_label(self, entity: int) -> str:
        """What to show a person: the entity's label, or its name if it has none.

        Args:
            entity: The id of the entity.

        >>> graph.entity_label(0)
        'Peru'
        """
        return (self.entity_labels[entity] if self.entity_labels else "") or self.entity_names[entity]

    def entity_description(self, entity: int) -> str:
        """What the source says an entity is, in a sentence; "" if it says nothing.

        Args:
            entity: The id of the entity.

        >>> graph.entity_description(0)
        ''
        """
        return "" if self.entity_descriptions is None else self.entity_descriptions[entity]

    def relation_label(self, relation: int) -> str:
        """What to show a person for a relation: its label, or its name if it has none.

        Args:
            relation: The id of the relation; `id + num_relations` is the inverse relation, which ends in `_inv`.

        >>> graph.relation_label(0), graph.relation_label(2)
        ('capital', 'capital_inv')
        """
        base = relation - self.num_relations if relation >= self.num_relations else relation
        label = (self.relation_labels[base] if self.relation_labels else "") or self.relation_names[base]
        return label if relation == base else f"{label}_inv"


def _sum_of_products(
    near: NDArray[np.uint64],
    owners: Ints,
    kind: NDArray[np.uint64],
    relations: Ints,
    far: NDArray[np.uint64],
    entities: Ints,
) -> int:
    """The sum over all edges of the product of three numbers, modulo 2**64; in pieces that stay small."""
    total = 0
    for start in range(0, len(owners), _PIECE):
        part = slice(start, start + _PIECE)
        total += int((near[owners[part]] * kind[relations[part]] * far[entities[part]]).sum())
    return total


def _check_ids(heads: Ints, relations: Ints, tails: Ints, num_entities: int, num_relations: int) -> None:
    for name, ids, count in (("head", heads, num_entities), ("tail", tails, num_entities)):
        if not are_below(ids, count):
            raise _damaged(f"a {name} is none of its {num_entities:,} entities")
    if not are_below(relations, num_relations):
        raise _damaged(f"a triple has none of its {num_relations:,} relations")


def _damaged(problem: str) -> InputError:
    return InputError(f"the graph is damaged ({problem}); read it from its source again")


def _facts(count: int | np.integer) -> str:
    return counted(int(count), "fact")


def _look_up(kind: str, name: str, names: Names, labels: Names | None, describe: Callable[[int], str]) -> int:
    number = names.find(name)
    if number is not None:
        return number
    found = labels.find_all(name) if labels and name else []
    if len(found) == 1:
        return found[0]
    if found:
        listed = ", ".join(f"{names[i]!r} ({describe(i)})" for i in found[:5])
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        raise InputError(f"{len(found)} of the graph share the label {name!r}: {listed}{more}. Use the name.")
    columns = [names] if labels is None else [names, labels]
    close = [part for column in columns for part in column.containing(name)]
    close += [near for column in columns for near in column.nearest(name)]
    raise UnknownNameError(kind, name, list(dict.fromkeys(close))[:3])
