"""Wikidata's dumps, streamed: truthy N-Triples, and JSON with an entity a line.

Both give the same graph: items are `http://www.wikidata.org/entity/Q...`, facts are the best statements of a property
(`http://www.wikidata.org/prop/direct/P...`) between items. Properties and classes are chosen while reading. Facts about
values, descriptions, other names and links to Wikipedia are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import polars as pl
from pydantic_core import from_json

from faan.base import InputError, shorten
from faan.graph.builder import Column, GraphBuilder
from faan.graph.collected import CHUNK, Collected
from faan.graph.labels import LABEL_RELATIONS, label_rank, language_rank
from faan.graph.ntriples import read_ntriples
from faan.graph.selection import WIKIDATA_DIRECT, WIKIDATA_ENTITY, both_names
from faan.graph.sources import Source


def read_truthy(source: Source, builder: GraphBuilder, languages: Sequence[str]) -> None:
    """Read a truthy dump: N-Triples in which all statements of an item come together."""
    items = _Items(builder, languages)
    read_ntriples(source, cast(GraphBuilder, items), "n-triples", languages)
    items.flush()


def read_entities(source: Source, builder: GraphBuilder, languages: Sequence[str]) -> None:
    """Read a JSON dump: an entity a line, with or without the brackets and commas of a list."""
    entities = _Entities(builder, languages)
    for number, line in source.lines():
        text = line.strip().removesuffix(b",")
        if text in (b"", b"[", b"]"):
            continue
        try:
            entities.add(from_json(text, cache_strings="none"))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            shown = text[:80].decode(errors="replace")
            problem = f"not an entity of Wikidata in JSON ({shorten(str(error))}): {shown!r}"
            builder.bad_line(InputError(problem, source=source.name, line=number))
        entities.collected.flush(at_least=CHUNK)
    entities.collected.flush()


class _Items:
    """Adds the facts, types and labels of a dump to a builder.

    If classes are chosen, the rows of an item are kept until the next item begins, when its types are known.
    """

    def __init__(self, builder: GraphBuilder, languages: Sequence[str]) -> None:
        self._builder = builder
        self._relations = list(both_names(builder.predicates))
        self._types = list(builder.type_relations)
        self._classes = list(both_names(builder.classes))
        self._other = label_rank(LABEL_RELATIONS[0], "x-other", languages)  # the lowest rank of other languages
        self._waiting = pl.DataFrame(schema=dict.fromkeys(("head", "relation", "tail"), pl.String))
        self.part, self.skip_bad_lines = builder.part, builder.skip_bad_lines
        self.count, self.bad_line = builder.count, builder.bad_line

    def add(self, heads: Column, relations: Column, tails: Column) -> None:
        rows = pl.DataFrame({"head": heads, "relation": relations, "tail": tails}, schema=self._waiting.schema)
        between_items = (
            pl.col("relation").str.starts_with(WIKIDATA_DIRECT)
            & pl.col("head").str.starts_with(WIKIDATA_ENTITY)
            & pl.col("tail").str.starts_with(WIKIDATA_ENTITY)
        )
        rows = rows.filter(between_items)
        if self._relations:
            rows = rows.filter(pl.col("relation").is_in(self._relations + self._types))
        if not self._classes:
            self._pass_on(rows)
            return
        rows = pl.concat([self._waiting, rows])
        if rows.is_empty():
            return
        is_last = pl.col("head") == rows["head"][-1]
        self._waiting = rows.filter(is_last)
        self._choose(rows.filter(~is_last))

    def _choose(self, rows: pl.DataFrame) -> None:
        """Add the facts of items of the chosen classes, and the types of all items, which may be tails."""
        is_type = pl.col("relation").is_in(self._types)
        members = rows.filter(is_type & pl.col("tail").is_in(self._classes))["head"].unique()
        self._pass_on(rows.filter(is_type | pl.col("head").is_in(members.implode())))

    def _pass_on(self, rows: pl.DataFrame) -> None:
        self._builder.add(rows["head"], rows["relation"], rows["tail"])

    def add_labels(self, names: Column, labels: Column, ranks: Sequence[int] | pl.Series) -> None:
        """Add labels in the chosen languages, and those without a language."""
        schema = {"name": pl.String, "label": pl.String, "rank": pl.Int64}
        rows = pl.DataFrame({"name": names, "label": labels, "rank": ranks}, schema=schema)
        is_wanted = pl.col("name").str.starts_with(WIKIDATA_ENTITY) & (pl.col("rank") < self._other)
        rows = rows.filter(is_wanted)
        self._builder.add_labels(rows["name"], rows["label"], rows["rank"])

    def flush(self) -> None:
        """Add or drop the rows of the last item."""
        if self._classes:
            self._choose(self._waiting)


class _Entities:
    """Takes facts, types and labels out of entities in JSON."""

    def __init__(self, builder: GraphBuilder, languages: Sequence[str]) -> None:
        self.collected, self._languages = Collected(builder), languages
        self._relations, self._classes = both_names(builder.predicates), both_names(builder.classes)
        self._types = frozenset(builder.type_relations)

    def add(self, entity: dict[str, Any]) -> None:
        """Add one entity."""
        name = WIKIDATA_ENTITY + str(entity["id"])
        self._label(name, entity.get("labels"))
        claims = entity.get("claims")
        facts: list[tuple[str, str, str]] = []
        types: list[tuple[str, str, str]] = []
        for number, statements in claims.items() if isinstance(claims, dict) else ():
            relation = WIKIDATA_DIRECT + number
            is_type = relation in self._types
            if not is_type and self._relations and relation not in self._relations:
                continue
            for tail in self._tails(statements):
                (types if is_type else facts).append((name, relation, tail))
        if not self._classes or any(kind in self._classes for _, _, kind in types):
            self.collected.facts += facts
        self.collected.facts += types  # the builder knows them by their relation

    def _tails(self, statements: list[dict[str, Any]]) -> Iterator[str]:
        """The items that the best statements of a property name: preferred ones if there are any, else normal ones."""
        ranks = {statement.get("rank", "normal") for statement in statements}
        best = "preferred" if "preferred" in ranks else "normal"
        for statement in statements:
            if statement.get("rank", "normal") != best:
                continue
            snak = statement["mainsnak"]
            value = snak.get("datavalue", {}).get("value") if snak.get("snaktype") == "value" else None
            if isinstance(value, dict) and str(value.get("id", "")).startswith(("Q", "P", "L")):
                yield f"{WIKIDATA_ENTITY}{value['id']}"
            elif isinstance(value, dict) and value.get("entity-type") == "item":  # of old dumps
                yield f"{WIKIDATA_ENTITY}Q{int(value['numeric-id'])}"
            elif value is not None:
                self.collected.literals += 1

    def _label(self, name: str, labels: Any) -> None:
        found = []
        for label in labels.values() if isinstance(labels, dict) else ():
            rank = language_rank(label["language"], self._languages)
            if rank <= len(self._languages) and label["value"]:
                found.append((rank, str(label["value"])))
        if found:
            rank, text = min(found)
            self.collected.labels.append((name, text, rank))
