"""Wikidata's dumps, streamed: truthy N-Triples, and JSON with an entity a line.

Both give the same graph: items are `http://www.wikidata.org/entity/Q...`, facts are the best statements of a property
(`http://www.wikidata.org/prop/direct/P...`) between items. Properties and classes are chosen while reading. Facts about
values, descriptions, other names and links to Wikipedia are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl
from pydantic_core import from_json

from faan.base import InputError, shorten
from faan.graph.builder import GraphBuilder
from faan.graph.collected import CHUNK, Collected
from faan.graph.labels import LABEL_RELATIONS, label_rank, language_rank
from faan.graph.ntriples import blocks_of
from faan.graph.selection import WIKIDATA_DIRECT, WIKIDATA_ENTITY, both_names
from faan.graph.sources import Source


def read_truthy(source: Source, builder: GraphBuilder, languages: Sequence[str]) -> None:
    """Read a truthy dump: N-Triples in which all statements of an item come together."""
    relations, classes = list(both_names(builder.predicates)), list(both_names(builder.classes))
    is_between_items = (
        pl.col("relation").str.starts_with(WIKIDATA_DIRECT)
        & pl.col("head").str.starts_with(WIKIDATA_ENTITY)
        & pl.col("tail").str.starts_with(WIKIDATA_ENTITY)
    )
    if relations:
        is_between_items &= pl.col("relation").is_in(relations + list(builder.type_relations))
    other = label_rank(LABEL_RELATIONS[0], "x-other", languages)  # the lowest rank of other languages
    is_wanted = pl.col("name").str.starts_with(WIKIDATA_ENTITY) & (pl.col("rank") < other)
    last = pl.DataFrame(schema=dict.fromkeys(("head", "relation", "tail"), pl.String))  # of the last item so far
    for block, named in blocks_of(source, builder, "n-triples", languages):
        facts, labels = block.select(last.columns).filter(is_between_items), named.filter(is_wanted)
        if classes:  # the types of the last item may go on in the next block
            facts = pl.concat([last, facts])
            is_last = pl.col("head") == pl.col("head").last()
            facts, last = _of_classes(facts.filter(~is_last), classes, builder), facts.filter(is_last)
        builder.add(*facts)
        builder.add_labels(labels["name"], labels["label"], labels["rank"])
    builder.add(*_of_classes(last, classes, builder))


def _of_classes(facts: pl.DataFrame, classes: Sequence[str], builder: GraphBuilder) -> pl.DataFrame:
    """The facts of items of some classes, and the types of all items, which may be tails."""
    is_type = pl.col("relation").is_in(list(builder.type_relations))
    members = facts.filter(is_type & pl.col("tail").is_in(classes))["head"].unique()
    return facts.filter(is_type | pl.col("head").is_in(members.implode()))


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
