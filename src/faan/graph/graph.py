"""The knowledge graph in memory: integer arrays, names beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from faan.base import InputError, Ints, UnknownNameError, check_kind, counted, html_table, shorten, wrong
from faan.graph.entity_types import Types
from faan.graph.libraries import igraph_graph, networkx_graph, pandas_frame, pykeen_factory
from faan.graph.names import Names
from faan.graph.neighbours import Neighbours
from faan.graph.rules import Rules
from faan.graph.schema import Schema
from faan.graph.spelling import spelt_alike

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 10  # relations in a notebook


@dataclass(frozen=True)
class ReadReport:
    """What was skipped, dropped and noted while a graph was read."""

    source: str = "memory"
    format: str = "triples"
    duplicates: int = 0  # triples that occurred before
    literals: int = 0  # statements whose object is a value, not an entity
    skipped: int = 0  # bad lines that were skipped, on request
    bad_lines: tuple[str, ...] = ()  # the first few of them, as error messages
    unused_nodes: int = 0  # labels or types of things that occur in no triple
    notes: tuple[str, ...] = ()  # what else a user should know


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
    saved_neighbours: Neighbours | None = field(default=None, init=False)  # as loaded from disk, not yet checked

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
        """The edges of each entity, inverse edges included; those of a saved graph are checked at first use."""
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
        """The ids of the relations that have triples; a relation that was removed keeps its name and has none."""
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
        object.__setattr__(graph, "saved_neighbours", self.saved_neighbours)  # frozen: set only here, before any use
        return graph

    def triples(self) -> Iterator[tuple[str, str, str]]:
        """All triples by name, in order.

        >>> next(graph.triples())
        ('Peru', 'capital', 'Lima')
        """
        entities, relations = list(self.entity_names), list(self.relation_names)
        for head, relation, tail in zip(self.heads, self.relations, self.tails, strict=True):
            yield entities[head], relations[relation], entities[tail]

    def to_polars(self) -> pl.DataFrame:
        """All triples by name as a polars frame with the columns head, relation and tail, in order.

        >>> graph.to_polars().row(0)
        ('Peru', 'capital', 'Lima')
        """
        entities, relations = self.entity_names.to_series(), self.relation_names.to_series()
        heads, tails = entities.gather(self.heads), entities.gather(self.tails)
        return pl.DataFrame({"head": heads, "relation": relations.gather(self.relations), "tail": tails})

    def to_pandas(self) -> pd.DataFrame:
        """All triples by name as a pandas frame; needs pandas.

        >>> list(graph.to_pandas()["tail"])
        ['Lima', 'Peru', 'Peru']
        """
        frame: pd.DataFrame = pandas_frame(self.to_polars().to_dict(as_series=False))
        return frame

    def to_networkx(self) -> Any:
        """The graph as a `networkx.MultiDiGraph`: an edge's key and attribute `relation` is its relation.

        Nodes have the attributes `label`, `types` and `description` if the graph has them.

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
        """The name of each entity, with its label, types and description."""
        kinds = [] if self.types is None else list(self.types.names)
        for entity, name in enumerate(self.entity_names):
            types = [] if self.types is None else [kinds[kind] for kind in self.types.of(entity)]
            label = "" if self.entity_labels is None else self.entity_labels[entity]
            known = {"label": label, "types": types, "description": self.entity_description(entity)}
            yield name, {attribute: value for attribute, value in known.items() if value}

    def pairs_of(self, relation: int) -> Ints:
        """The head and the tail of each fact of a relation, (n, 2), in the order of the graph.

        Args:
            relation: The id of the relation.

        >>> graph.pairs_of(graph.relation("in")).tolist()
        [[1, 0], [2, 0]]
        """
        rows = np.flatnonzero(self.relations == relation)
        return np.stack([self.heads[rows], self.tails[rows]], axis=1)

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
        check_kind("name", name, str, "the name of an entity")
        number = _look_up(name, self.entity_names, self.entity_labels, self._what_it_is)
        if number is None:
            raise _unknown("entity", name, self.entity_names, self.entity_labels)
        return number

    def relation(self, name: str, *, exact: bool = False) -> int:
        """The id of a relation.

        Args:
            name: Its name, or its label if only one relation has this label. If no relation has it, another spelling
                (`_`, blanks, hyphens, upper and lower case) of a name, of the last part of an IRI or of a label is
                found, if only one relation has it.
            exact: Refuse other spellings.

        >>> graph.relation("in"), graph.relation("In")
        (1, 1)
        """
        check_kind("name", name, str, "the name of a relation")
        names, labels = self.relation_names, self.relation_labels
        number = _look_up(name, names, labels, self._how_many)
        if number is not None:
            return number
        found = [] if exact else spelt_alike(name, names, labels)
        if not found:
            raise _unknown("relation", name, names, labels)
        if len(found) > 1:
            listed = _listed(found, names, self._how_many)
            raise InputError(f"{len(found)} relations are spelt like {shorten(name)!r}: {listed}. Use the name.")
        return found[0]

    def _how_many(self, relation: int) -> str:
        """How to distinguish a relation from others: its number of facts."""
        return _facts(self.relation_counts[relation])

    def _what_it_is(self, entity: int) -> str:
        """How to distinguish an entity from others with the same label: its types and number of facts."""
        facts = np.count_nonzero(self.heads == entity) + np.count_nonzero(self.tails == entity)
        return ", ".join([*self.type_labels(entity)[:2], _facts(facts)])

    def entity_label(self, entity: int) -> str:
        """What to show a person: the entity's label, or its name if it has none.

        Args:
            entity: The id of the entity.

        >>> graph.entity_label(0)
        'Peru'
        """
        _check_id("entity", entity)
        return (self.entity_labels[entity] if self.entity_labels else "") or self.entity_names[entity]

    def entity_description(self, entity: int) -> str:
        """The description of an entity, in a sentence; "" if the source has none.

        Args:
            entity: The id of the entity.

        >>> graph.entity_description(0)
        ''
        """
        _check_id("entity", entity)
        return "" if self.entity_descriptions is None else self.entity_descriptions[entity]

    def type_labels(self, entity: int) -> list[str]:
        """What to show a person for the types of an entity: their labels, or their names if they have none.

        Args:
            entity: The id of the entity.

        >>> graph.type_labels(0)
        []
        """
        return [] if self.types is None else [self.types.label(kind) for kind in self.types.of(entity).tolist()]

    def relation_label(self, relation: int) -> str:
        """What to show a person for a relation: its label, or its name if it has none.

        Args:
            relation: The id of the relation; `id + num_relations` is the inverse relation, which ends in `_inv`.

        >>> graph.relation_label(0), graph.relation_label(2)
        ('capital', 'capital_inv')
        """
        _check_id("relation", relation)
        base = relation - self.num_relations if relation >= self.num_relations else relation
        label = (self.relation_labels[base] if self.relation_labels else "") or self.relation_names[base]
        return label if relation == base else f"{label}_inv"


def _check_id(what: str, number: object) -> None:
    if not isinstance(number, int | np.integer) or isinstance(number, bool):
        raise wrong(what, f"an id (graph.{what}(name) gives it)", number)


def _facts(count: int | np.integer) -> str:
    return counted(int(count), "fact")


def _look_up(name: str, names: Names, labels: Names | None, describe: Callable[[int], str]) -> int | None:
    number = names.find(name)
    if number is not None:
        return number
    found = labels.find_all(name) if labels and name else []
    if len(found) > 1:
        listed = _listed(found, names, describe)
        raise InputError(f"{len(found)} of the graph share the label {name!r}: {listed}. Use the name.")
    return found[0] if found else None


def _listed(found: Sequence[int], names: Names, describe: Callable[[int], str]) -> str:
    listed = ", ".join(f"{names[i]!r} ({describe(i)})" for i in found[:5])
    return f"{listed} and {len(found) - 5} more" if len(found) > 5 else listed


def _unknown(kind: str, name: str, names: Names, labels: Names | None) -> UnknownNameError:
    columns = [names] if labels is None else [names, labels]
    close = [part for column in columns for part in column.containing(name)]
    close += [near for column in columns for near in column.nearest(name)]
    return UnknownNameError(kind, name, list(dict.fromkeys(close))[:3])
