"""Which entities a cell of a spreadsheet may mean, how well each fits, and whether one of them is certain."""

from __future__ import annotations

import difflib
import math
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from faan.base import InputError, shorten
from faan.graph import plain_words
from faan.web.naming import Naming
from faan.web.reconcile_requests import CellQuery, Strictness, Value
from faan.web.search import local_part
from faan.web.vocabulary import Kind, Vocabulary

_COMPARED = 25  # entities whose names are compared with a cell, beside those of the very same label
_LETTERS = 200  # of names that are compared
_HAVING = 1000  # entities or values of a relation that are looked at
_LEAST = 40.0  # entities that score less are not given
_OTHER_TYPE = 0.6  # factor of the score of an entity of another type
_PROPERTIES = 0.4  # the part of a score that properties decide
_REORDERED = 0.95  # factor of the similarity of names whose words are in another order
_DESCRIPTION = 200  # letters

Properties = Sequence[tuple[int, tuple[Value, ...]]]  # relations, with values for each


@dataclass(frozen=True)
class Feature:
    """One feature of a match."""

    id: str
    value: bool | float


@dataclass(frozen=True)
class Candidate:
    """An entity that a cell may mean."""

    id: str
    name: str
    description: str
    type: list[Kind]
    score: float
    match: bool
    features: list[Feature]


@dataclass(frozen=True)
class _Judged:
    """How an entity compares with a query."""

    entity: int
    likeness: float  # of the names, 0 to 1
    sameness: int  # of the names: 2 for the same letters, 1 for the same words, 0
    has_type: bool  # whether it has the requested type
    agreeing: int  # properties that a fact of the graph confirms
    contradicted: int  # properties for which the graph has other values only
    asked: int  # properties that are asked for

    @property
    def score(self) -> float:
        """How well it fits, 0 to 100."""
        share = self.agreeing / self.asked if self.asked else 1.0
        fits = self.likeness * (1.0 if self.has_type else _OTHER_TYPE) * (1 - _PROPERTIES + _PROPERTIES * share)
        return round(100 * fits, 1)


class Matcher:
    """Finds the entities of a graph that cells mean."""

    def __init__(self, naming: Naming, vocabulary: Vocabulary) -> None:
        self._search, self._vocabulary, self._graph = naming.search, vocabulary, naming.graph
        self._edges = naming.search.edges

    def match(self, query: CellQuery, until: float = math.inf) -> list[Candidate]:
        """The entities that a cell may mean, best first; raises an error after a point in time (`time.monotonic`)."""
        kinds = self._vocabulary.kinds(query.type)
        wanted = [(self._graph.relation(one.pid), one.v) for one in query.properties]
        text = query.query.strip()
        entities = self._search.candidates(text, _COMPARED, kinds) if text else self._having(wanted, until)
        judged = []
        for entity, alike in zip(entities, self._alike(text, entities), strict=True):
            _check_time(until)
            fits = self._has_type(entity, kinds, query.type_strict)
            judged.append(_Judged(entity, *alike, fits, *self._agreement(entity, wanted)))
        if query.type_strict != "should":
            judged = [one for one in judged if one.has_type]
        certain = _certain(judged)
        good = sorted(
            (one for one in judged if one.score >= _LEAST),
            key=lambda one: (-one.score, -one.sameness, -self._edges(one.entity)),
        )
        return [self._candidate(one, one is certain, bool(kinds)) for one in good[: query.most]]

    def _candidate(self, judged: _Judged, is_certain: bool, is_typed: bool) -> Candidate:
        graph, entity = self._graph, judged.entity
        features = [Feature("name", round(judged.likeness, 3)), Feature("same_name", judged.sameness > 0)]
        if is_typed:
            features.append(Feature("type", judged.has_type))
        if judged.asked:
            features.append(Feature("properties", round(judged.agreeing / judged.asked, 3)))
            features.append(Feature("contradicted", judged.contradicted))
        features.append(Feature("facts", self._edges(entity)))
        return Candidate(
            graph.entity_names[entity],
            local_part(graph.entity_label(entity)),
            shorten(graph.entity_description(entity), _DESCRIPTION),
            self._vocabulary.kinds_of(entity),
            judged.score,
            is_certain,
            features,
        )

    def _has_type(self, entity: int, kinds: set[int], strictness: Strictness) -> bool:
        types = self._graph.types
        if not kinds or types is None:
            return True
        own = kinds.intersection(types.of(entity).tolist())
        return own == kinds if strictness == "all" else bool(own)

    def _alike(self, text: str, entities: Sequence[int]) -> Iterator[tuple[float, int]]:
        """How alike the names of entities are to a text, and whether they are the same; without a text, all fit."""
        if not text:
            yield from [(1.0, 0)] * len(entities)
            return
        labels = [self._graph.entity_label(entity) for entity in entities]
        typed, *plain = plain_words(pl.Series([text, *labels], dtype=pl.String))
        folded = text.casefold()
        for entity, words in zip(entities, plain, strict=True):
            is_same = folded in self._folded(entity)
            sameness = 2 if is_same else int(words == typed and words != "")
            yield 1.0 if is_same else 0.99 if sameness else min(0.98, likeness(typed, words)), sameness

    def _agreement(self, entity: int, wanted: Properties) -> tuple[int, int, int]:
        """How many properties the facts of an entity confirm, how many they contradict, how many there are."""
        agreeing = contradicted = 0
        for relation, values in wanted:
            tails = self._tails(entity, relation)
            names = {text for tail in tails for text in self._folded(tail)}
            ids = {self._graph.entity_names[tail] for tail in tails}
            agrees = any(value.text in ids if value.is_id else value.text.casefold() in names for value in values)
            agreeing += agrees
            contradicted += bool(tails) and not agrees
        return agreeing, contradicted, len(wanted)

    def _folded(self, entity: int) -> set[str]:
        """The names of an entity without case."""
        label = self._graph.entity_label(entity)
        return {name.casefold() for name in (label, local_part(label), self._graph.entity_names[entity])}

    def _tails(self, entity: int, relation: int) -> list[int]:
        tails: list[int] = self._graph.neighbours.along(entity, relation)[:_HAVING].tolist()
        return tails

    def _having(self, wanted: Properties, until: float) -> list[int]:
        """Entities that have at least one of the values, those with most of them first."""
        found = Counter[int]()
        for relation, values in wanted:
            heads: set[int] = set()
            for value in dict.fromkeys(values):
                _check_time(until)
                for tail in self._meant(value):
                    heads.update(self._tails(tail, relation + self._graph.num_relations))
            found.update(heads)
        return sorted(found, key=lambda entity: (-found[entity], -self._edges(entity), entity))[:_HAVING]

    def _meant(self, value: Value) -> list[int]:
        """The entities that a value of a property may mean: by its id, or by its exact name."""
        number = self._graph.entity_names.find(value.text)
        if value.is_id:
            return [] if number is None else [number]
        folded = value.text.strip().casefold()
        near = self._search.candidates(value.text, _COMPARED, set())
        return [entity for entity in near if folded in self._folded(entity)]


def _check_time(until: float) -> None:
    if time.monotonic() > until:
        raise InputError("took too long; ask about fewer cells at once, or give fewer values of properties")


def likeness(one: str, other: str) -> float:
    """How alike two names in plain words are, 0 to 1: by letters, in any order of words, as parts of each other."""
    one, other = one[:_LETTERS], other[:_LETTERS]
    if not one or not other:
        return 0.0
    own, others = one.split(), other.split()
    shared = sum(len(word) for word in set(own).intersection(others))
    longer = max(sum(map(len, own)), sum(map(len, others)))
    is_part = set(own) <= set(others) or set(others) <= set(own)
    begins = f"{other} ".startswith(f"{one} ") or f"{one} ".startswith(f"{other} ")
    part = 0.6 + 0.05 * begins + 0.3 * min(1.0, shared / longer) if is_part else 0.0
    best = max(part, _ratio(one, other, part))
    if not shared:
        return best
    return max(best, _REORDERED * _ratio(" ".join(sorted(own)), " ".join(sorted(others)), best / _REORDERED))


def _ratio(one: str, other: str, least: float) -> float:
    """The share of letters that two texts have in common in the same order; 0 if it cannot be above `least`."""
    first, second = sorted((one, other))  # which of the two comes first would count otherwise
    compared = difflib.SequenceMatcher(None, first, second, autojunk=False)
    return compared.ratio() if compared.real_quick_ratio() > least and compared.quick_ratio() > least else 0.0


def _certain(judged: Sequence[_Judged]) -> _Judged | None:
    """The only entity of exactly this name and the right type, unless a fact contradicts it.

    Among several such entities, it is the only one that has all requested properties.
    """
    same = [one for one in judged if one.sameness and one.has_type]
    best = max((one.sameness for one in same), default=0)
    same = [one for one in same if one.sameness == best]
    if len(same) > 1:
        same = [one for one in same if one.asked and one.agreeing == one.asked]
    if len(same) != 1 or same[0].contradicted or same[0].score < max(one.score for one in judged):
        return None
    return same[0]
