"""From columns of strings, chunk by chunk, to a graph.

Strings are dictionary-encoded by polars as they come (a shared `Categories` object), so memory holds each name once and
four bytes for each mention. Ids are given at the end, in the order in which names first occur, head before tail: they
do not depend on how the input was cut into chunks. A dictionary of millions of names is the largest thing in memory:
`finish` makes all that needs it first, then forgets it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from faan.base import InputError, Ints, UnknownNameError, counted, shorten
from faan.graph.entity_types import Types, ragged_types, types_from_pattern
from faan.graph.graph import Graph, ReadReport
from faan.graph.limits import NAME_BYTES, too_long
from faan.graph.names import Names
from faan.graph.numbering import best_of_each, codes, is_first, number_by_first_use, renumber
from faan.graph.schema import Schema, Split, is_schema_relation, split_schema
from faan.graph.selection import WIKIDATA_DIRECT, WIKIDATA_ENTITY, both_names

Column = pl.Series | Sequence[str]

TYPE_RELATIONS = (
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#type",
    "http://www.wikidata.org/prop/direct/P31",
    "rdf:type",
    "wdt:P31",
    "P31",
)
DESCRIPTION = 1 << 20  # texts of this rank and above are descriptions, not labels


@dataclass
class _Part:
    """One of several files of a graph, and where its frames begin."""

    name: str
    triples: int
    types: int
    labels: int
    inside: bool = False  # the folder or archive that contains it
    format: str = ""  # of its facts


@dataclass
class GraphBuilder:
    """Collects triples, labels and types; `finish` makes the graph."""

    type_relations: Sequence[str] = TYPE_RELATIONS
    type_pattern: str | None = None  # a regular expression whose first group is the type in an entity's name
    skip_bad_lines: bool = False
    predicates: Sequence[str] = ()  # the only relations to keep, all of them if empty
    classes: Sequence[str] = ()  # the only types of heads to keep
    report: ReadReport = field(default_factory=ReadReport)

    def __post_init__(self) -> None:
        self._entity = pl.Categorical(pl.Categories.random())
        self._relation = pl.Categorical(pl.Categories.random())
        self._type = pl.Categorical(pl.Categories.random())
        self._triples: list[pl.DataFrame] = []  # head, relation, tail
        self._types: list[pl.DataFrame] = []  # entity, type
        self._labels: list[pl.DataFrame] = []  # name, label, rank
        self._found_type_relations: set[str] = set()
        self._both_ways: set[str] = set()  # relations whose facts may be listed in both directions
        self._parts: list[_Part] = []  # the files of the graph
        self._chosen = both_names(self.predicates)
        self._seen: set[str] = set()  # relations, where only some are kept
        self._split = Split()

    @property
    def part(self) -> int:
        """The number of the file that is being read, from 0."""
        return max(len(self._parts) - 1, 0)

    def begin(self, name: str, format: str | None = None, *, inside: bool = False) -> None:
        """Start another file or object; the first one gives the graph its name and format.

        A file may be `inside` the folder or archive that was named before it.
        """
        if not self._parts:
            self.report = replace(self.report, source=name, format=format or self.report.format)
        self._parts.append(_Part(name, len(self._triples), len(self._types), len(self._labels), inside))

    def of_format(self, format: str) -> None:
        """Set the format of this file's facts."""
        formats = () if not any(part.format for part in self._parts) else self.report.format.split(" and ")
        self._parts[-1].format = format
        self.report = replace(self.report, format=" and ".join(dict.fromkeys([*formats, format])))

    def add(self, heads: Column, relations: Column, tails: Column, *, both_ways: bool = False) -> None:
        """Add triples by name; names must not be empty.

        If facts are listed `both_ways`, from head and from tail, the first mention is kept.
        """
        triples = self._frame(head=heads, relation=relations, tail=tails)
        if both_ways:
            self._both_ways.update(triples["relation"].unique())
        is_type = triples["relation"].is_in(list(self.type_relations))
        if is_type.any():
            types = triples.filter(is_type)
            self._found_type_relations.update(types["relation"].unique())
            self.add_types(types["head"], types["tail"])
            triples = triples.filter(~is_type)
        if self._chosen:
            found = set(triples["relation"].unique())
            self._seen.update(found)
            kept = self._chosen | {name for name in found if is_schema_relation(name)}
            triples = triples.filter(triples["relation"].is_in(list(kept)))
        self._triples.append(triples.cast({"head": self._entity, "relation": self._relation, "tail": self._entity}))

    def add_types(self, entities: Column, types: Column) -> None:
        """Add pairs of an entity and its type."""
        self._types.append(self._frame(entity=entities, type=types).cast({"entity": self._entity, "type": self._type}))

    def add_labels(self, names: Column, labels: Column, ranks: Sequence[int] | pl.Series | None = None) -> None:
        """Add labels; of several labels of a name, the lowest rank wins, then the first.

        Texts whose rank is `DESCRIPTION` or more describe an entity instead.
        """
        frame = self._frame(name=names, label=labels).cast({"name": self._entity})
        rank = pl.lit(0) if ranks is None else pl.Series(ranks, dtype=pl.Int64)
        self._labels.append(frame.with_columns(rank.alias("rank").cast(pl.Int32)).shrink_to_fit())

    def add_graph(self, graph: Graph) -> None:
        """Add everything of another graph."""
        entities, relations = graph.entity_names.to_series(), graph.relation_names.to_series()
        self.add(*graph.to_polars())
        if graph.types is not None:
            kinds = graph.types.names.to_series()
            self.add_types(entities.gather(graph.types.owners), kinds.gather(graph.types.ids))
            self._add_labels_of(kinds, graph.types.labels)
        if graph.schema is not None:
            self.add(*graph.schema.rows())
        self._add_labels_of(entities, graph.entity_labels)
        self._add_labels_of(entities, graph.entity_descriptions, DESCRIPTION)
        self._add_labels_of(relations, graph.relation_labels)

    def _add_labels_of(self, names: pl.Series, labels: Names | None, rank: int = 0) -> None:
        if labels is not None:
            texts = labels.to_series()
            given = texts.filter(texts != "")
            self.add_labels(names.filter(texts != ""), given, [rank] * len(given))

    def count(self, **more: int) -> None:
        """Add to counters of the report."""
        self.report = replace(self.report, **{name: getattr(self.report, name) + n for name, n in more.items()})

    def note(self, text: str) -> None:
        """Add a note for the user."""
        self.report = replace(self.report, notes=(*self.report.notes, text))

    def bad_line(self, error: InputError) -> None:
        """Raise the error; if bad lines are skipped, count it and keep the first few."""
        if not self.skip_bad_lines:
            raise error
        self.count(skipped=1)
        if len(self.report.bad_lines) < 5:
            self.report = replace(self.report, bad_lines=(*self.report.bad_lines, str(error)))

    def names_in_triples(self) -> list[str]:
        """The entities and relations of the triples so far."""
        if not self._triples:
            return []
        named = pl.concat(self._triples)
        entities = pl.concat([named["head"], named["tail"].alias("head")]).unique(maintain_order=True)
        return [*entities.cast(pl.String), *named["relation"].unique(maintain_order=True).cast(pl.String)]

    def finish(self) -> Graph:
        """Number the names, drop duplicate triples, give entities their labels and types; the builder is empty then."""
        self._check_predicates()
        schema = self.take_schema()
        if not any(len(chunk) for chunk in self._triples):
            raise InputError(self._why_empty(), source=self.report.source)
        named = self._of_chosen_classes(pl.concat(self._triples))
        number, places = number_by_first_use(np.stack([codes(named["head"]), codes(named["tail"])], axis=1).ravel())
        relation_number, relation_places = number_by_first_use(codes(named["relation"]))
        relations = named["relation"].gather(relation_places).cast(pl.String)
        triples = self._numbered(named, number, relation_number)
        self.count(duplicates=len(named) - len(triples))
        triples = self._one_way(triples, relations)

        both = pl.concat([named["head"], named["tail"].alias("head")])
        entities = both.gather(places // 2 + places % 2 * len(named))
        entity_names, relation_names = Names.from_strings(entities.cast(pl.String)), Names.from_strings(relations)
        self._check_type_relations(relation_names)
        types = self._finish_types(number, entity_names)
        relation_labels = self._labels_of(relations)
        report = self._finish_report(number, relations, types, schema)
        labelled = renumber(self._codes_of_labelled(), number)
        del named, both, entities
        self._forget_names()
        return Graph(
            entity_names,
            relation_names,
            triples["head"].to_numpy(),
            triples["relation"].to_numpy(),
            triples["tail"].to_numpy(),
            entity_labels=self._labels_by(labelled, len(entity_names)),
            relation_labels=relation_labels,
            types=types,
            entity_descriptions=self._labels_by(labelled, len(entity_names), descriptions=True),
            report=report,
            schema=schema,
        )

    @staticmethod
    def _numbered(named: pl.DataFrame, number: Ints, relation_number: Ints) -> pl.DataFrame:
        """The different triples by number."""
        triples = pl.DataFrame(
            {
                "head": number[codes(named["head"])],
                "relation": relation_number[codes(named["relation"])],
                "tail": number[codes(named["tail"])],
            }
        )
        return triples.filter(is_first(triples, int(number.max()) + 1, int(relation_number.max()) + 1))

    def _forget_names(self) -> None:
        """Free the dictionary of names, which goes with the last column that refers to it."""
        self._triples.clear()
        self._types.clear()
        self._labels = [frame.drop("name") for frame in self._labels]

    def _one_way(self, triples: pl.DataFrame, relations: pl.Series) -> pl.DataFrame:
        """Drop facts whose reverse came before, of the relations that are listed both ways."""
        if not self._both_ways:
            return triples
        listed = relations.is_in(list(self._both_ways)).arg_true().cast(triples["relation"].dtype)
        ends = pl.min_horizontal("head", "tail").alias("low"), pl.max_horizontal("head", "tail").alias("high")
        is_new = pl.struct(*ends, "relation").is_first_distinct()
        kept = triples.filter(is_new | ~pl.col("relation").is_in(listed.implode()))
        if len(kept) < len(triples):
            dropped = counted(len(triples) - len(kept), "fact dropped: it repeats", "facts dropped: they repeat")
            self.note(f"{dropped} a fact from its tail to its head")
        return kept

    def take_schema(self, only_schema: bool = False) -> Schema | None:
        """Separate the statements of a schema from triples and types; a file may hold nothing else."""
        self._split = split = split_schema(self._triples, self._types, only_schema)
        self._triples, self._types = split.facts, split.types
        for text in split.notes():
            self.note(text)
        return split.whole()

    def _check_predicates(self) -> None:
        """Refuse a chosen relation that does not occur."""
        for name in self.predicates:
            if self._seen and not both_names([name]) & self._seen:
                raise UnknownNameError("relation", name, Names.from_strings(sorted(self._seen)).nearest(name))

    def _of_chosen_classes(self, named: pl.DataFrame) -> pl.DataFrame:
        if not self.classes:
            return named
        pairs = pl.concat(self._types) if self._types else None
        chosen = None if pairs is None else pairs.filter(pl.col("type").is_in(list(both_names(self.classes))))
        if chosen is None or chosen.is_empty():
            there = [] if pairs is None else pairs["type"].unique().cast(pl.String).sort().to_list()
            near = Names.from_strings(there).nearest(self.classes[0])
            hint = f"; did you mean {', '.join(map(repr, near))}?" if near else ""
            wanted = ", ".join(self.classes)
            raise InputError(f"no entity is of the class {shorten(wanted)}{hint}", source=self.report.source)
        kept = named.join(chosen.select(head="entity").unique(), on="head", how="semi", maintain_order="left")
        if kept.is_empty():
            raise InputError(f"no triple has a head of the class {', '.join(self.classes)}", source=self.report.source)
        return kept

    def _check_type_relations(self, relations: Names) -> None:
        """Refuse a given type relation that does not occur; the default ones need not occur."""
        for name in self.type_relations:
            if name not in TYPE_RELATIONS and name not in self._found_type_relations:
                raise UnknownNameError("relation", name, relations.nearest(name))

    def _frame(self, **columns: Column) -> pl.DataFrame:
        try:
            frame = pl.DataFrame({name: pl.Series(name, values, dtype=pl.String) for name, values in columns.items()})
        except UnicodeEncodeError as error:
            raise InputError(f"a name is not valid Unicode ({error})", source=self.report.source) from None
        for column in frame:
            if (column.str.len_bytes().max() or 0) > NAME_BYTES:  # type: ignore[operator]
                longest = column.filter(column.str.len_bytes() > NAME_BYTES)[0]
                raise InputError(too_long(longest), source=self.report.source)
        return frame

    def _why_empty(self) -> str:
        others = (
            (self.report.literals, "statement about a literal value", "statements about literal values"),
            (sum(map(len, self._types)), "type"),
            (sum(map(len, self._labels)), "label"),
            (sum(map(len, (*self._split.schema, *self._split.declared))), "schema statement"),
            (self.report.skipped, "bad line"),
        )
        left_out = ", ".join(counted(*what) for what in others if what[0])
        found = f" (only {left_out})" if left_out else ""
        notes = "".join(f". {note}" for note in self.report.notes)
        if self.predicates:
            return f"there is no triple of {shorten(', '.join(self.predicates))} in it{found}{notes}"
        return f"there is no triple in it{found}; expected at least one (head, relation, tail){notes}"

    def _finish_types(self, number: Ints, entity_names: Names) -> Types | None:
        if self.type_pattern:
            return types_from_pattern(entity_names, self.type_pattern)
        if not self._types:
            return None
        pairs = pl.concat(self._types)
        owner = renumber(codes(pairs["entity"]), number)
        known = owner >= 0
        if not known.any():
            return None
        types = ragged_types(owner[known], pairs["type"].filter(known), len(entity_names))
        return replace(types, labels=self._labels_of(types.names.to_series()))

    def _codes_of_labelled(self) -> NDArray[np.uint32]:
        """The codes of the names that have labels, one for each label."""
        return np.concatenate([np.empty(0, np.uint32), *(codes(frame["name"]) for frame in self._labels)])

    def _labels_of(self, names: pl.Series) -> Names | None:
        """The best label of each relation or type."""
        if not self._labels:
            return None
        called = pl.concat([names, _as_entities(names)]).cast(self._entity)
        is_meant = pl.concat([frame["name"] for frame in self._labels]).is_in(called.implode())
        labelled = pl.concat([frame["name"] for frame in self._labels]).filter(is_meant).cast(pl.String)
        found = _relation_of(labelled, names).replace_strict(names, np.arange(len(names)), default=-1)
        ids = np.full(len(is_meant), -1, dtype=np.int32)
        ids[is_meant.to_numpy()] = found.to_numpy()
        return self._labels_by(ids, len(names))

    def _labels_by(self, ids: NDArray[np.int32], count: int, descriptions: bool = False) -> Names | None:
        """The best label of each of `count` things, where `ids` says which of them each label is for (-1: none)."""
        if not self._labels:
            return None
        ranks = np.concatenate([frame["rank"].to_numpy() for frame in self._labels])
        best = best_of_each(np.where((ranks >= DESCRIPTION) == descriptions, ids, -1), ranks, count)
        if not (best >= 0).any():
            return None
        given = pl.concat([frame["label"] for frame in self._labels])
        return Names.from_strings(given.gather(pl.Series(best).replace(-1, None)).fill_null(""))

    def _finish_report(
        self, number: Ints, relations: pl.Series, types: Types | None, schema: Schema | None
    ) -> ReadReport:
        """Count labels and types of names that are in no triple, and note what each file contributed."""
        known = relations if types is None else pl.concat([relations, types.names.to_series()])
        known = known if schema is None else pl.concat([known, schema.terms.to_series()])
        end = _Part("", len(self._triples), len(self._types), len(self._labels))
        _, unused = self._unused(number, known, _Part("", 0, 0, 0), end)
        if len(self._parts) < 2:
            return replace(self.report, unused_nodes=unused)
        for part, after in pairwise([*self._parts, end]):
            if after.inside and not part.inside:
                continue  # a folder: its files follow
            frames = {
                "triple": self._triples[part.triples : after.triples],
                "type": self._types[part.types : after.types],
                "label": self._labels[part.labels : after.labels],
                "schema statement": self._split.schema[part.triples : after.triples],
            }
            gave = {what: sum(map(len, some)) for what, some in frames.items()}
            told = ", ".join(counted(count, what) for what, count in gave.items() if count) or "nothing"
            described, useless = self._unused(number, known, part, after)
            if useless:
                told += f"; {useless:,} of the {described:,} names that it describes are in no triple"
            self.note(f"{part.name}: {told}")
        first, *more = [part.name for part in self._parts if not part.inside]
        source = f"{first} and {counted(len(more), 'more file')}" if more else first
        return replace(self.report, source=source, unused_nodes=unused)

    def _unused(self, number: Ints, known: pl.Series, part: _Part, after: _Part) -> tuple[int, int]:
        """How many names a file labels or types, and how many of them are in no triple and are no type."""
        columns = [frame["name"] for frame in self._labels[part.labels : after.labels]]
        columns += [frame["entity"].alias("name") for frame in self._types[part.types : after.types]]
        if not columns:
            return 0, 0
        described = pl.concat(columns)
        count = int(np.count_nonzero(np.bincount(codes(described))))
        rest = described.filter(renumber(codes(described), number) < 0).unique().cast(pl.String)
        return count, int((~_relation_of(rest, known).is_in(known.implode())).sum())


def _as_entities(relations: pl.Series) -> pl.Series:
    """The properties `wd:P36` of Wikidata's relations `wdt:P36`."""
    direct = relations.filter(relations.str.starts_with(WIKIDATA_DIRECT))
    return direct.str.replace(WIKIDATA_DIRECT, WIKIDATA_ENTITY, literal=True)


def _relation_of(labelled: pl.Series, known: pl.Series) -> pl.Series:
    """Wikidata labels the property `wd:P36`, whose facts have the relation `wdt:P36`."""
    if not known.str.starts_with(WIKIDATA_DIRECT).any():
        return labelled
    is_property = labelled.str.starts_with(f"{WIKIDATA_ENTITY}P") & ~labelled.is_in(known.implode())
    direct = labelled.str.replace(WIKIDATA_ENTITY, WIKIDATA_DIRECT, literal=True)
    return pl.select(pl.when(is_property).then(direct).otherwise(labelled)).to_series()
