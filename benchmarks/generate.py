"""A made-up graph of Wiki-One's size: 4.8 million entities, 822 relations, 5.9 million triples, power laws for both."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

ENTITIES, RELATIONS, TRIPLES, TYPES = 4_800_000, 822, 5_900_000, 400


def generate(seed: int = 1) -> pl.DataFrame:
    """Numbers of head, relation and tail.

    Entities have types of very different sizes, a relation leads from one type to another, every entity is a head, and
    some entities are tails very often.
    """
    random = np.random.default_rng(seed)
    weights = np.arange(1, TYPES + 1) ** -1.1
    bounds = np.concatenate([[0], np.round(ENTITIES * np.cumsum(weights) / weights.sum()).astype(np.int64)])
    head_type = np.concatenate([np.arange(TYPES), random.integers(0, TYPES, RELATIONS - TYPES)])
    tail_type = random.integers(0, TYPES, RELATIONS)
    share = np.exp(random.normal(-4, 2, RELATIONS))
    share[:TYPES] = 1  # one main relation for each type

    extra = random.integers(0, ENTITIES, TRIPLES - ENTITIES)
    heads = np.concatenate([random.permutation(ENTITIES), extra])
    types = np.searchsorted(bounds, heads, side="right") - 1
    relations = np.empty(TRIPLES, dtype=np.int64)
    for kind in range(TYPES):
        own = np.flatnonzero(head_type == kind)
        rows = np.flatnonzero(types == kind)
        relations[rows] = random.choice(own, len(rows), p=share[own] / share[own].sum())
    for relation in np.flatnonzero(np.bincount(relations, minlength=RELATIONS) == 0):
        relations[np.flatnonzero(types == head_type[relation])[0]] = relation  # every relation occurs
    first, size = bounds[tail_type[relations]], np.diff(bounds)[tail_type[relations]]
    tails = first + (size * random.random(TRIPLES) ** 3).astype(np.int64)
    return pl.DataFrame({"head": heads, "relation": relations, "tail": tails})


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
