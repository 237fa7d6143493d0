"""Stand-ins: relations with a similar name lend example pairs to a relation that has no examples.

Relations of the graph whose names are nearest to the new one's lend some of their pairs. Names are compared by the
letters that they share, rare ones more. Stand-ins are used only while there is no real example.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
import polars as pl

from faan.base import InputError, Ints, Purpose, Stream, UnknownNameError
from faan.graph import Graph, plain_words, relation_words

RELATIONS, PAIRS = 3, 15  # relations that lend pairs, and how many each of them lends
_NEAR = 0.15  # how alike names must be at least
_SAME = 0.9  # a name this similar, or one that differs in one letter, is a misspelling
_GRAMS = (3, 4)  # letters in a row
_FACTS = 10  # a relation with fewer lends none


@dataclass(frozen=True)
class NearRelation:
    """A relation of the graph, and how near its name is to a new name."""

    relation: int
    likeness: float


def stand_ins(graph: Graph, name: str, not_like: Sequence[str] = ()) -> tuple[Ints, tuple[str, ...]]:
    """Pairs (n, 2) of the relations whose names are nearest to a new relation's, and the names of these relations."""
    refused = {graph.relation(other) for other in not_like}
    near = [one for one in near_relations(graph, name) if one.relation not in refused]
    chosen = [one for one in near[:RELATIONS] if one.likeness >= _NEAR]
    if not chosen:
        listed = ", ".join(graph.relation_names[one.relation] for one in near[:5])
        nearest = f" (the nearest: {listed})" if listed else ""
        raise InputError(
            f"no relation is called {name!r}, and none has a name like it{nearest}: give examples of it as pairs"
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
    """All relations that have enough facts to lend some, the nearest first."""
    own = [_grams(text) for text in _joined_relations(graph)]
    having = Counter(gram for grams in own for gram in grams)
    asked = _grams(_joined([name])[0])

    def length(grams: Iterable[str]) -> float:
        return sum(math.log1p(len(own) / (1 + having[gram])) ** 2 for gram in grams)

    found = []
    for relation in np.flatnonzero(graph.relation_counts >= _FACTS).tolist():
        product = length(asked) * length(own[relation])
        alike = length(asked & own[relation]) / math.sqrt(product) if product else 0.0
        found.append(NearRelation(relation, alike))
    return sorted(found, key=lambda one: (-one.likeness, one.relation))


def _joined(names: Sequence[str]) -> list[str]:
    """Names as plain letters: *is father of* and *isFatherOf* are the same."""
    return [text.replace(" ", "") for text in plain_words(pl.Series(names, dtype=pl.String))]


def _joined_relations(graph: Graph) -> list[str]:
    return [text.replace(" ", "") for text in relation_words(graph)]


def _grams(text: str) -> set[str]:
    marked = f"^{text}$"
    return {marked[i : i + size] for size in _GRAMS for i in range(len(marked) - size + 1)}


def _some_pairs(graph: Graph, relation: int) -> Ints:
    pairs = graph.pairs_of(relation)
    return pairs[np.sort(Stream(0, Purpose.EXAMPLES, relation).permutation(len(pairs))[:PAIRS])]
