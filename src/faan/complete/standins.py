"""Stand-ins: a relation of which no example is known is judged as if it were like relations with a similar name.

Relations of the graph whose names are nearest to the new one's lend some of their pairs. Names are compared by the
letters that they share, rare ones more. Types count too: *bankincountry* names banks and countries, so a relation that
has banks as heads or countries as tails is nearer than its name alone says. Real examples are better than
stand-ins: these give way to a few of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
import polars as pl
from numpy.typing import NDArray

from faan.base import InputError, Ints, Purpose, Stream, UnknownNameError
from faan.graph import Graph, plain_words, relation_words

RELATIONS, PAIRS = 3, 15  # so many relations lend so many pairs each
_NEAR = 0.15  # how alike names must be at least
_SAME = 0.9  # a name so alike is a misspelt one, and so is one that differs in one letter
_GRAMS = (3, 4)  # letters in a row
_TYPES = 0.3  # what it adds to the likeness if all entities of a relation have types that the name mentions
_SHORTEST = 3  # letters of a type's name that are looked for


@dataclass(frozen=True)
class NearRelation:
    """A relation of the graph, and how near its name and its types are to a new name."""

    relation: int
    likeness: float


def stand_ins(graph: Graph, name: str, not_like: Sequence[str] = ()) -> tuple[Ints, tuple[str, ...]]:
    """Pairs (n, 2) of the relations whose names are nearest to a new relation's, and the names of these relations."""
    refused = {graph.relation(other) for other in not_like}
    near = [one for one in near_relations(graph, name) if one.relation not in refused]
    chosen = [one for one in near[:RELATIONS] if one.likeness >= _NEAR]
    if not chosen:
        listed = ", ".join(graph.relation_names[one.relation] for one in near[:5])
        raise InputError(
            f"no relation is called {name!r}, and none has a name like it (the nearest: {listed}): "
            "give examples of it as pairs"
        )
    pairs = [_some_pairs(graph, one.relation) for one in chosen]
    return np.concatenate(pairs), tuple(graph.relation_names[one.relation] for one in chosen)


def check_new(graph: Graph, name: str) -> None:
    """Refuse a name that is one of the graph's relations, misspelt."""
    wanted = _joined([name])[0]
    for number, known in enumerate(_joined_relations(graph)):
        one_letter = 1 - 1 / max(len(wanted), len(known), 1)
        if SequenceMatcher(None, wanted, known).ratio() >= min(_SAME, one_letter - 1e-9):
            raise UnknownNameError("relation", name, [graph.relation_names[number]])


def near_relations(graph: Graph, name: str) -> list[NearRelation]:
    """All relations that have facts, the nearest first."""
    own = [_grams(text) for text in _joined_relations(graph)]
    having = Counter(gram for grams in own for gram in grams)
    asked, typed = _grams(wanted := _joined([name])[0]), _typed(graph, _mentioned(graph, wanted))

    def length(grams: Iterable[str]) -> float:
        return sum(math.log1p(len(own) / (1 + having[gram])) ** 2 for gram in grams)

    found = []
    for relation in graph.used_relations.tolist():
        product = length(asked) * length(own[relation])
        alike = length(asked & own[relation]) / math.sqrt(product) if product else 0.0
        found.append(NearRelation(relation, alike + _TYPES * float(typed[relation]) if alike else 0.0))
    return sorted(found, key=lambda one: (-one.likeness, one.relation))


def _joined(names: Sequence[str]) -> list[str]:
    """Names as plain letters: *is father of* and *isFatherOf* are the same."""
    return [text.replace(" ", "") for text in plain_words(pl.Series(names, dtype=pl.String))]


def _joined_relations(graph: Graph) -> list[str]:
    return [text.replace(" ", "") for text in relation_words(graph)]


def _grams(text: str) -> set[str]:
    marked = f"^{text}$"
    return {marked[i : i + size] for size in _GRAMS for i in range(len(marked) - size + 1)}


def _mentioned(graph: Graph, wanted: str) -> Ints:
    """The types whose names are part of a relation's name."""
    if graph.types is None:
        return np.empty(0, np.int64)
    names = _joined([graph.types.label(number) for number in range(len(graph.types.names))])
    return np.array([i for i, name in enumerate(names) if len(name) >= _SHORTEST and name in wanted], np.int64)


def _typed(graph: Graph, mentioned: Ints) -> NDArray[np.float64]:
    """For each relation the share of its heads and tails that are of one of the types."""
    if graph.types is None or not len(mentioned):
        return np.zeros(graph.num_relations)
    is_typed = np.zeros(graph.num_entities, dtype=bool)
    is_typed[graph.types.owners[np.isin(graph.types.ids, mentioned)]] = True
    both = is_typed[graph.heads].astype(np.float64) + is_typed[graph.tails]
    sums = np.bincount(graph.relations, weights=both, minlength=graph.num_relations)
    return np.asarray(sums / (2 * np.maximum(graph.relation_counts, 1)))


def _some_pairs(graph: Graph, relation: int) -> Ints:
    rows = np.flatnonzero(graph.relations == relation)
    rows = rows[np.sort(Stream(0, Purpose.EXAMPLES, relation).permutation(len(rows))[:PAIRS])]
    return np.stack([graph.heads[rows], graph.tails[rows]], axis=1)
