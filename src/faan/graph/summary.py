"""What is in a graph, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from faan.base import counted, distinct
from faan.graph.breaking import SchemaSummary, summarise_schema
from faan.graph.graph import Graph, ReadReport

RARE = (50, 500)  # triples of a relation that few-shot completion is for, as in NELL-One
_BOUNDS = (1, 2, 5, 10, 50, 501, 5_001, 50_001, 500_001, 5_000_001)
_SAME_SHARE = 0.9  # share of the smaller relation's pairs from which two relations are reported
_SAME_LEAST = 10  # pairs
_AT_ONCE = 1 << 20  # edges that are looked up together
_FEW_TRIPLES = 10  # fewer do not tell whether relations repeat
_NO_VALUE = ("null", "none", "nan", "NaN", "na", "n/a", "nil", "undefined", "unknown", "missing", "?", "-")
_USED_OFTEN = 10  # edges from which an entity of such a name is reported


@dataclass(frozen=True)
class RelationSummary:
    """One relation in numbers."""

    name: str
    triples: int
    heads: int  # different ones
    tails: int


@dataclass(frozen=True)
class SameRelations:
    """Two relations that share pairs: one may leak the other."""

    smaller: str
    larger: str  # with `_inv` if it links them in the other direction
    shared: int  # pairs
    share: float  # of the pairs of the smaller one


@dataclass(frozen=True)
class Summary:
    """A graph in numbers."""

    entities: int
    triples: int
    mean_degree: float
    median_degree: float
    max_degree: int
    hub: str  # the entity with that degree
    empty_values: tuple[tuple[str, int], ...]  # entities whose names may stand for a missing value, and their edges
    labelled: int
    typed: int
    types: int
    self_loops: int
    relations: tuple[RelationSummary, ...]  # most triples first
    frequencies: tuple[tuple[int, int | None, int], ...]  # (fewest triples, most triples, how many relations)
    same_relations: tuple[SameRelations, ...]
    read: ReadReport
    schema: SchemaSummary | None = None

    @property
    def rare(self) -> tuple[RelationSummary, ...]:
        """The relations that few-shot completion is for."""
        return tuple(r for r in self.relations if RARE[0] <= r.triples <= RARE[1])

    @property
    def problems(self) -> list[str]:
        """What a user should look at, one sentence each."""
        read, found = self.read, []
        if read.skipped:
            skipped = counted(read.skipped, "bad line was skipped", "bad lines were skipped")
            found.append(f"{skipped}, such as: {read.bad_lines[0]}")
        for count, one, many in (
            (read.duplicates, "duplicate triple was dropped", "duplicate triples were dropped"),
            (
                read.literals,
                "statement about a literal value was left out",
                "statements about literal values were left out",
            ),
            (
                read.unused_nodes,
                "node has a label or type but is in no triple",
                "nodes have a label or type but are in no triple",
            ),
            (self.self_loops, "triple links an entity with itself", "triples link an entity with itself"),
        ):
            if count:
                found.append(counted(count, one, many))
        found += [
            f"{name!r} is an entity with {edges:,} edges; if it stands for a missing value, remove its triples"
            for name, edges in self.empty_values
        ]
        if self.triples >= _FEW_TRIPLES and len(self.relations) > self.triples / 2:
            found.append(
                f"{self.triples:,} triples have {len(self.relations):,} different relations: the relation is probably "
                "in another column; name the columns with --columns HEAD,RELATION,TAIL"
            )
        found += [
            f"{same.share:.0%} of the pairs of {same.smaller} ({same.shared:,}) are also linked by {same.larger}"
            for same in self.same_relations
        ]
        if self.schema is not None:
            found += self.schema.problems
        if not self.rare:
            found.append(
                f"no relation has {RARE[0]} to {RARE[1]} triples: few-shot training needs such relations as examples"
            )
        return found


def summarise(graph: Graph) -> Summary:
    """Count what is in a graph."""
    degrees = graph.neighbours.degrees
    hub = int(degrees.argmax())
    counts = graph.relation_counts
    heads, tails = graph.neighbours.count_roles(graph.num_relations).reshape(2, -1)
    relations = tuple(
        RelationSummary(graph.relation_label(r), int(counts[r]), int(heads[r]), int(tails[r]))
        for r in np.argsort(-counts, kind="stable").tolist()
    )
    bins, _ = np.histogram(counts, bins=[*_BOUNDS, np.inf])
    return Summary(
        entities=graph.num_entities,
        triples=graph.num_triples,
        mean_degree=float(degrees.mean()),
        median_degree=float(np.median(degrees)),
        max_degree=int(degrees[hub]),
        hub=graph.entity_label(hub),
        empty_values=_empty_values(graph),
        labelled=int(np.count_nonzero(np.diff(graph.entity_labels.offsets))) if graph.entity_labels else 0,
        typed=graph.types.num_typed if graph.types else 0,
        types=len(graph.types.names) if graph.types else 0,
        self_loops=int(np.count_nonzero(graph.heads == graph.tails)),
        relations=relations,
        frequencies=tuple(
            (low, high - 1 if high else None, int(count))
            for low, high, count in zip(_BOUNDS, [*_BOUNDS[1:], None], bins, strict=True)
        ),
        same_relations=find_same_relations(graph),
        read=graph.report,
        schema=summarise_schema(graph),
    )


def _empty_values(graph: Graph) -> tuple[tuple[str, int], ...]:
    """Entities with many edges whose names tables use for missing values, such as NULL."""
    spellings = dict.fromkeys(form for name in _NO_VALUE for form in (name, name.upper(), name.capitalize()))
    found = [entity for entity in map(graph.entity_names.find, spellings) if entity is not None]
    edges = graph.neighbours.degrees_of(np.array(found, dtype=np.int64)).tolist()
    return tuple((graph.entity_names[one], many) for one, many in zip(found, edges, strict=True) if many >= _USED_OFTEN)


def find_same_relations(graph: Graph) -> tuple[SameRelations, ...]:
    """Relations that link (nearly) the same pairs, in the same direction or the other."""
    edges = _linked_twice(graph).lazy()
    turned = edges.select(head="tail", tail="head", relation="relation")
    found = []
    for other, suffix in ((edges, ""), (turned, "_inv")):
        shared = (
            edges.join(other, on=["head", "tail"], suffix="_other")
            .filter(pl.col("relation") < pl.col("relation_other"))
            .group_by("relation", "relation_other")
            .agg(pl.len().alias("shared"))
            .sort("shared", "relation", "relation_other", descending=[True, False, False])
            .collect()
        )
        for first, second, pairs in shared.iter_rows():
            smaller, larger = sorted((first, second), key=lambda r: graph.relation_counts[r])
            share = float(pairs / graph.relation_counts[smaller])
            if pairs >= _SAME_LEAST and share >= _SAME_SHARE:
                other_name = graph.relation_label(larger) + suffix
                found.append(SameRelations(graph.relation_label(smaller), other_name, pairs, share))
    return tuple(found)


def _linked_twice(graph: Graph) -> pl.DataFrame:
    """The edges between two entities that more than one edge links, in whichever direction.

    Most edges are no such ones, and to sort numbers takes less time and memory than to join all edges with each other.
    """
    keys = np.minimum(graph.heads, graph.tails).astype(np.int64) * graph.num_entities
    keys += np.maximum(graph.heads, graph.tails)
    ordered = np.sort(keys)
    several = distinct(ordered[1:][ordered[1:] == ordered[:-1]])
    del ordered
    rows = [np.empty(0, np.int64)]
    for start in range(0, len(keys) if len(several) else 0, _AT_ONCE):
        some = keys[start : start + _AT_ONCE]
        places = np.searchsorted(several, some).clip(max=len(several) - 1)
        rows.append(start + np.flatnonzero(several[places] == some))
    chosen = np.concatenate(rows)
    columns = {"head": graph.heads, "tail": graph.tails, "relation": graph.relations}
    return pl.DataFrame({name: column[chosen] for name, column in columns.items()})
