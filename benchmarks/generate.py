"""A made-up graph of Wiki-One's size: 4.8 million entities, 822 relations, 5.9 million triples, power laws for both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

ENTITIES, RELATIONS, TRIPLES, TYPES = 4_800_000, 822, 5_900_000, 400


def generate(seed: int = 1, entities: int = ENTITIES, triples: int = TRIPLES) -> pl.DataFrame:
    """Numbers of head, relation and tail.

    Entities have types of very different sizes, a relation leads from one type to another, every entity is a head, and
    some entities are tails very often.
    """
    random = np.random.default_rng(seed)
    bounds = type_bounds(entities)
    head_type = np.concatenate([np.arange(TYPES), random.integers(0, TYPES, RELATIONS - TYPES)])
    tail_type = random.integers(0, TYPES, RELATIONS)
    share = np.exp(random.normal(-4, 2, RELATIONS))
    share[:TYPES] = 1  # one main relation for each type

    extra = random.integers(0, entities, triples - entities)
    heads = np.concatenate([random.permutation(entities), extra])
    types = np.searchsorted(bounds, heads, side="right") - 1
    relations = np.empty(triples, dtype=np.int64)
    for kind in range(TYPES):
        own = np.flatnonzero(head_type == kind)
        rows = np.flatnonzero(types == kind)
        relations[rows] = random.choice(own, len(rows), p=share[own] / share[own].sum())
    for relation in np.flatnonzero(np.bincount(relations, minlength=RELATIONS) == 0):
        relations[np.flatnonzero(types == head_type[relation])[0]] = relation  # every relation occurs
    first, size = bounds[tail_type[relations]], np.diff(bounds)[tail_type[relations]]
    tails = first + (size * random.random(triples) ** 3).astype(np.int64)
    return pl.DataFrame({"head": heads, "relation": relations, "tail": tails})


def type_bounds(entities: int) -> NDArray[np.int64]:
    """Entities of type i have the numbers from the i-th to the next of these; sizes follow a power law."""
    weights = np.arange(1, TYPES + 1) ** -1.1
    return np.concatenate([[0], np.round(entities * np.cumsum(weights) / weights.sum()).astype(np.int64)])


def with_structure(triples: pl.DataFrame, hub_relations: int = 3, hubs: int = 30) -> pl.DataFrame:
    """The same with hubs and with something to learn.

    The largest relations lead to a few entities, the first of which gets a quarter of all their facts. The tail of
    every second small relation is the tail of the head's first fact.
    """
    random = np.random.default_rng(2)
    heads, relations, tails = (triples[name].to_numpy().copy() for name in ("head", "relation", "tail"))
    largest = np.argsort(-np.bincount(relations), kind="stable")
    shares = 1 / np.arange(1, hubs + 1)
    for number, relation in enumerate(largest[:hub_relations]):
        rows = np.flatnonzero(relations == relation)
        tails[rows] = tails.max() - number * hubs - random.choice(hubs, len(rows), p=shares / shares.sum())
    first = np.empty(heads.max() + 1, dtype=np.int64)
    first[heads[::-1]] = tails[::-1]
    rows = np.flatnonzero(np.isin(relations, largest[len(largest) // 4 :: 2]))
    tails[rows] = first[heads[rows]]
    return pl.DataFrame({"head": heads, "relation": relations, "tail": tails})


def made_up_names(count: int) -> pl.Series:
    """A readable name of two words for each number; a few have the same."""
    random = np.random.default_rng(3)
    syllables = np.array([a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "or", "il")])
    words = [syllables[random.integers(0, len(syllables), count)] for _ in range(6)]
    parts = pl.DataFrame({str(number): word for number, word in enumerate(words)})
    return parts.select(pl.format("{}{}{} {}{}{}", *parts.columns)).to_series().str.to_titlecase()


def write_described(path: Path, triples: pl.DataFrame, entities: int) -> None:
    """Write a graph as N-Triples with a type and a label for every entity."""
    entity, relation = "<http://example.org/Q{}>", "<http://example.org/P{}>"
    edges = triples.select(pl.format(f"{entity} {relation} {entity} .", "head", "relation", "tail"))
    bounds = type_bounds(entities)
    of = pl.DataFrame({"id": np.arange(entities), "name": made_up_names(entities)})
    of = of.with_columns(kind=pl.Series(np.searchsorted(bounds, np.arange(entities), side="right") - 1))
    kind = f"{entity} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://example.org/T{{}}> ."
    label = f'{entity} <http://www.w3.org/2000/01/rdf-schema#label> "{{}}"@en .'
    with path.open("wb") as file:
        for lines in (edges, of.select(pl.format(kind, "id", "kind")), of.select(pl.format(label, "id", "name"))):
            lines.write_csv(file, include_header=False, quote_style="never")


def write_tsv(path: Path) -> None:
    """Write it as TSV."""
    names = [pl.format("Q{}", "head"), pl.format("R{}", "relation"), pl.format("Q{}", "tail")]
    generate().select(names).write_csv(path, include_header=False, separator="\t")


def write_ntriples(path: Path, triples: int) -> None:
    """Write the first triples as N-Triples, with a label for every fourth head."""
    entity, relation = "<http://www.wikidata.org/entity/Q{}>", "<http://www.wikidata.org/prop/direct/P{}>"
    label = '<http://www.wikidata.org/entity/Q{}> <http://www.w3.org/2000/01/rdf-schema#label> "entity {}"@en .'
    frame = generate().head(triples)
    edges = frame.select(pl.format(f"{entity} {relation} {entity} .", "head", "relation", "tail"))
    labels = frame.gather_every(4).select(pl.format(label, "head", "head"))
    lines = pl.concat([edges.to_series(), labels.to_series().alias(edges.columns[0])])
    path.write_text("\n".join(lines) + "\n")
