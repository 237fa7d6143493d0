"""The statements of a schema: which statements of an RDF graph are about classes and relations, and how they are held.

A schema is kept as its statements, by name, because rules depend on the graph that they are for (`rules.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from faan.base import Ints, are_below, distinct
from faan.graph.names import Names, damaged
from faan.graph.numbering import codes

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
OWL = "http://www.w3.org/2002/07/owl#"
SHACL = "http://www.w3.org/ns/shacl#"

TYPE, FIRST, REST, NIL = f"{RDF}type", f"{RDF}first", f"{RDF}rest", f"{RDF}nil"
SUBCLASS = f"{RDFS}subClassOf"
INCLUDES = {  # schema.org's domains and ranges, of which one is enough
    f"{base}schema.org/{end}Includes": side
    for base in ("http://", "https://")
    for side, end in enumerate(("domain", "range"))
}
SCHEMA_VALUES = (f"{SHACL}maxCount", f"{SHACL}deactivated")  # whose objects are numbers or truth values
NO_CLASSES = (f"{OWL}Thing", f"{OWL}NamedIndividual", f"{RDFS}Resource")  # what everything is

_FACTS = (f"{OWL}sameAs", f"{OWL}differentFrom")
_RDFS = tuple(f"{RDFS}{name}" for name in ("domain", "range", "subPropertyOf", "isDefinedBy"))
_READ = {
    *_RDFS[:-1],
    *INCLUDES,
    *SCHEMA_VALUES,
    *(TYPE, FIRST, REST, SUBCLASS),
    *(f"{OWL}{name}" for name in ("inverseOf", "disjointWith", "members", "disjointUnionOf", "unionOf")),
    *(f"{OWL}{name}" for name in ("equivalentClass", "equivalentProperty")),
    *(f"{SHACL}{name}" for name in ("property", "path", "inversePath", "targetClass", "class", "in")),
}
_NO_ROWS = pl.DataFrame(schema=dict.fromkeys(("head", "relation", "tail"), pl.String))
_SAY_NOTHING = {  # statements that are no loss
    *(f"{SHACL}{name}" for name in ("name", "description", "message", "severity", "order", "group", "nodeKind")),
    *(f"{OWL}{name}" for name in ("imports", "versionIRI", "priorVersion", "versionInfo")),
    f"{RDFS}isDefinedBy",
}


def is_schema_relation(name: str) -> bool:
    """Whether all statements with a relation are about classes, relations or shapes."""
    if name.startswith((OWL, SHACL)):
        return name not in _FACTS
    return name in _RDFS or name in INCLUDES


def is_declaration(kind: str) -> bool:
    """Whether a type is one of classes, relations and shapes: `owl:Class`, `owl:FunctionalProperty` ..."""
    if kind.startswith((OWL, SHACL)):
        return kind not in NO_CLASSES
    return kind in (f"{RDFS}Class", f"{RDFS}Datatype", f"{RDF}Property", f"{RDF}List")


@dataclass(frozen=True, eq=False)
class Schema:
    """The statements of a schema; their terms are names, `_:` begins those of blank nodes."""

    terms: Names
    subjects: Ints  # (statements,) places in terms
    predicates: Ints
    objects: Ints

    @classmethod
    def of(cls, rows: pl.DataFrame) -> Schema:
        """From statements with the columns head, relation and tail."""
        columns = [rows[name].cast(pl.String).alias("term") for name in ("head", "relation", "tail")]
        terms = pl.concat(columns).unique(maintain_order=True)
        numbers = pl.DataFrame({"term": terms, "number": np.arange(len(terms), dtype=np.int32)})
        places = [
            column.to_frame().join(numbers, on="term", how="left", maintain_order="left")["number"].to_numpy()
            for column in columns
        ]
        return cls(Names.from_strings(terms), *places)

    def __len__(self) -> int:
        return len(self.subjects)

    def check(self) -> None:
        """Refuse numbers out of range, in a schema that was found on disk."""
        self.terms.check()
        if not all(are_below(places, len(self.terms)) for places in (self.subjects, self.predicates, self.objects)):
            raise damaged("its schema is out of range")

    def rows(self) -> pl.DataFrame:
        """The statements by name: head, relation, tail."""
        terms = self.terms.to_series()
        columns = {"head": self.subjects, "relation": self.predicates, "tail": self.objects}
        return pl.DataFrame({name: terms.gather(places) for name, places in columns.items()})

    def with_more(self, other: Schema) -> Schema:
        """Both together; blank nodes of the other one are different nodes, whatever their names."""
        own = f"_:s{len(self)}."
        renamed = pl.all().str.replace(r"^_:", own)
        return Schema.of(pl.concat([self.rows(), other.rows().with_columns(renamed)]).unique(maintain_order=True))


@dataclass
class Split:
    """Frames of triples, taken apart into facts and statements of the schema; frame by frame, in their order."""

    facts: list[pl.DataFrame] = field(default_factory=list)
    schema: list[pl.DataFrame] = field(default_factory=list)  # as strings; only what rules are made of
    types: list[pl.DataFrame] = field(default_factory=list)
    declared: list[pl.DataFrame] = field(default_factory=list)  # types that make statements of the schema
    others: Counter[str] = field(default_factory=Counter)  # statements that no rule is made of, by relation

    def whole(self) -> Schema | None:
        """The schema, if there is one."""
        rows = pl.concat([*self.schema, *self.declared, _NO_ROWS]).unique(maintain_order=True)
        return Schema.of(rows) if len(rows) else None

    def notes(self) -> Iterator[str]:
        """What a user should know."""
        lost = {name: count for name, count in self.others.items() if name not in _SAY_NOTHING}
        if lost:
            most = sorted(lost.items(), key=lambda item: (-item[1], item[0]))
            named = ", ".join(f"{short(name)} ({count:,})" for name, count in most[:5])
            more = f" and {len(most) - 5} more" if len(most) > 5 else ""
            yield f"the schema has statements that faan does not apply: {named}{more}"


def split_schema(triples: Sequence[pl.DataFrame], types: Sequence[pl.DataFrame], only_schema: bool) -> Split:
    """Take the statements of the schema out of triples (head, relation, tail) and types (entity, type).

    Links between classes are facts as well where a class is an entity of other facts, or where there is no other fact:
    there the classes are what the graph is about. Of a file that holds `only_schema`, all of them are the schema's.
    Lists are the schema's where one of its statements begins them.
    """
    split = Split()
    _split_triples(_Triples(triples), split, only_schema)
    for frame in types:
        declares = frame["type"].is_in(_declarations(frame["type"]))
        declared = frame.filter(declares).cast(pl.String)
        split.declared.append(declared.select(head="entity", relation=pl.lit(TYPE), tail="type"))
        split.types.append(frame.filter(~(declares | frame["type"].is_in(NO_CLASSES))))
    return split


class _Triples:
    """Several frames of triples as if they were one; relations and entities are codes."""

    def __init__(self, frames: Sequence[pl.DataFrame]) -> None:
        self.frames = frames
        self.codes: dict[str, int] = {}  # of relations
        for frame in frames:
            used = frame["relation"].unique()
            self.codes |= dict(zip(used.cast(pl.String), codes(used).tolist(), strict=True))

    def having(self, relations: Sequence[str]) -> NDArray[np.bool_]:
        """Which triples have one of the relations."""
        wanted = [self.codes[name] for name in relations if name in self.codes]
        return np.concatenate([np.isin(codes(frame["relation"]), wanted) for frame in self.frames])

    def ends(self, side: str, rows: NDArray[np.bool_]) -> Ints:
        """The heads or tails of some triples."""
        return np.concatenate([codes(frame[side])[part] for frame, part in self.parts(rows)])

    def names(self, side: str, rows: NDArray[np.bool_]) -> pl.Series:
        """The names of the heads or tails of some triples."""
        return pl.concat([frame[side].filter(part).cast(pl.String) for frame, part in self.parts(rows)])

    def parts(self, rows: NDArray[np.bool_]) -> Iterator[tuple[pl.DataFrame, NDArray[np.bool_]]]:
        """Each frame with its part of some rows."""
        ends = np.cumsum([len(frame) for frame in self.frames])
        yield from zip(self.frames, np.split(rows, ends[:-1]), strict=True)


def _split_triples(triples: _Triples, split: Split, only_schema: bool) -> None:
    own = [name for name in triples.codes if is_schema_relation(name)]
    if not own and not triples.codes.keys() & {TYPE, SUBCLASS}:
        split.facts, split.schema = list(triples.frames), [_NO_ROWS] * len(triples.frames)
        return
    schema = triples.having(own)
    if TYPE in triples.codes:  # a relation like others, where types come from elsewhere
        rows = triples.having([TYPE])
        kinds = triples.names("tail", rows)
        schema[rows] |= kinds.is_in(_declarations(kinds)).to_numpy()
    schema |= _lists(triples, triples.ends("tail", schema))
    links = triples.having([SUBCLASS])
    facts = ~schema & ~links
    as_facts = np.zeros_like(links)
    if not only_schema:
        as_facts = _classes_in_facts(triples, links, facts) if facts.any() else links
    for frame, part in triples.parts(facts | as_facts):
        split.facts.append(frame.filter(part))
    for frame, part in triples.parts(schema | links):
        split.schema.append(_of_rules(frame.filter(part).cast(pl.String), split.others))


def _declarations(kinds: pl.Series) -> list[str]:
    return [kind for kind in kinds.unique() if is_declaration(kind)]


def _of_rules(rows: pl.DataFrame, others: Counter[str]) -> pl.DataFrame:
    """The statements that rules are made of; the others are counted."""
    read = rows["relation"].is_in(list(_READ))
    for name, count in rows.filter(~read)["relation"].value_counts().iter_rows():
        others[name] += count
    return rows.filter(read)


def _lists(triples: _Triples, begun: Ints) -> NDArray[np.bool_]:
    """Which triples make up lists that begin with given nodes."""
    rows, is_rest = triples.having([FIRST, REST]), triples.having([REST])
    if not rows.any():
        return rows
    nodes, following = triples.ends("head", rows), triples.ends("tail", rows)
    goes_on = is_rest[rows]
    goes_on[goes_on] &= (triples.names("tail", is_rest) != NIL).to_numpy()  # the end of all lists links none
    rows[rows] = _linked(nodes, np.where(goes_on, following, nodes), begun)
    return rows


def _classes_in_facts(triples: _Triples, links: NDArray[np.bool_], facts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which links between classes belong to a hierarchy of which a class is an entity of facts."""
    entities = distinct(np.concatenate([triples.ends("head", facts), triples.ends("tail", facts)]))
    found = links.copy()
    found[links] = _linked(triples.ends("head", links), triples.ends("tail", links), entities)
    return found


def _linked(heads: Ints, tails: Ints, seeds: Ints) -> NDArray[np.bool_]:
    """Which edges are linked with a seed, over other edges in any direction."""
    names, places = np.unique(np.concatenate([heads, tails]), return_inverse=True)
    ends = places[: len(heads)], places[len(heads) :]
    edges = coo_matrix((np.ones(len(heads), dtype=bool), ends), (len(names), len(names)))
    component = connected_components(edges, directed=False)[1]
    reached = np.zeros(len(names) + 1, dtype=bool)
    reached[component[np.isin(names, seeds)]] = True
    linked: NDArray[np.bool_] = reached[component[ends[0]]]
    return linked


def short(name: str) -> str:
    """A name of a vocabulary with its prefix: `sh:or`."""
    for prefix, base in (("sh", SHACL), ("owl", OWL), ("rdfs", RDFS), ("rdf", RDF)):
        if name.startswith(base):
            return f"{prefix}:{name.removeprefix(base)}"
    return name
