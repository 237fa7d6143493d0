"""Why a pair may be a fact, and what speaks against it, in short sentences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.complete.likeness import Group, Likeness
from faan.complete.question import Question
from faan.evidence import PathInstance, Profiles, RelationPaths, find_paths, path_instances
from faan.tasks import PairSet

_PATHS_IN_WORDS = 2
_SINGLE = 0.25  # a path that one example alone has may be chance: shown behind others
_FUNCTIONAL = 3  # heads with one tail each, from which on a second tail is worth a warning
_FUNCTIONAL_BACK = 20  # and the other way round, where a handful of different tails says nothing
_ONE_EACH = 0.95  # the share of heads with one tail that makes a relation look functional


@dataclass(frozen=True)
class FoundPath:
    """A relation path that leads from what was asked to an answer, with one walk along it."""

    walk: PathInstance
    confidence: float
    support: int


class Reasons:
    """What can be said about answers to one question."""

    def __init__(self, question: Question, profiles: Profiles) -> None:
        self.question, self.graph = question, question.graph
        self.likeness = Likeness(question.graph, profiles, question.hidden)
        self._last_asked: tuple[int, NDArray[np.float64]] = (-1, np.empty(0))  # one is asked about again and again

    @cached_property
    def _groups(self) -> tuple[Group, Group]:
        """What is asked about and what is answered in the examples."""
        first, second = (self.likeness.group(column) for column in self.question.references.T)
        return first, second

    @cached_property
    def _paths(self) -> RelationPaths:
        question = self.question
        return find_paths(self.graph, question.references, question.candidates, question.hidden)

    def paths(self, asked: int, answers: Ints, limit: int) -> dict[int, list[FoundPath]]:
        """For each answer the most trusted paths that lead to it."""
        firings = next(iter(self._paths.fire(np.array([asked]), answers)))
        found: dict[int, list[FoundPath]] = {int(answer): [] for answer in answers}
        trust = self._paths.confidence * np.where(self._paths.support > 1, 1, _SINGLE)
        order = np.lexsort((firings.paths, -trust[firings.paths]))
        for path, place in zip(firings.paths[order].tolist(), firings.candidates[order].tolist(), strict=True):
            answer = int(answers[place])
            if len(found[answer]) < limit:
                walk = path_instances(self.graph, asked, self._paths.path(path), answer, 1)[0]
                confidence, support = float(self._paths.confidence[path]), int(self._paths.support[path])
                if len(set(walk.entities)) == len(walk.entities):  # one that comes back says what a shorter one says
                    found[answer].append(FoundPath(walk, confidence, support))
        return found

    def resemblance(self, asked: int, answer: int) -> NDArray[np.float64]:
        """How much a pair resembles each example, (K,), in sum 1: the product of how alike both sides are, squared."""
        if self._last_asked[0] != asked:
            self._last_asked = asked, self.likeness.alike(asked, self._groups[0])
        weights = (self._last_asked[1] * self.likeness.alike(answer, self._groups[1])) ** 2
        weights[(self.question.references == (asked, answer)).all(1)] = 0  # a known pair does not speak for itself
        return np.asarray(weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights)))

    def because(self, asked: int, answers: Ints) -> list[tuple[str, ...]]:
        """Sentences for each answer, most important first."""
        paths = self.paths(asked, answers, _PATHS_IN_WORDS)
        return [
            (
                *self._path_sentences(paths[answer]),
                *self._count_sentence(asked, answer),
                *self._like_sentence(asked, answer),
            )
            for answer in answers.tolist()
        ]

    def _path_sentences(self, paths: Iterable[FoundPath]) -> Iterable[str]:
        total = len(self.question.references)
        for path in paths:
            have = "has" if path.support == 1 else "have"
            yield f"{self.in_words(path.walk)}: a path that {path.support} of {total} examples {have}"

    def _count_sentence(self, asked: int, answer: int) -> Iterable[str]:
        others = self.question.references[(self.question.references[:, 0] != asked)]
        times, of = int((others[:, 1] == answer).sum()), len(others)
        if times:
            yield f"{self._label(answer)} is the tail of {times} of {of} examples"

    def _like_sentence(self, asked: int, answer: int) -> Iterable[str]:
        weights = self.resemblance(asked, answer)
        best = int(np.argmax(weights))
        head, tail = self.question.references[best].tolist()
        shared = self._shared(asked, head)
        common = f" (both {shared})" if shared else ""
        yield f"most like the example {self._label(head)} → {self._label(tail)}{common}"

    def _shared(self, one: int, other: int) -> str:
        """The two rarest facts that two entities share, in words."""
        a, b = self.likeness.facts(one), self.likeness.facts(other)
        same = np.flatnonzero(np.isin(a.keys, b.keys))
        if one == other or not len(same):
            return ""
        best = same[np.argsort(-a.idf[same], kind="stable")[:2]].tolist()
        return ", both ".join(self._hop(int(a.relations[i]), int(a.entities[i])) for i in best)

    def warnings(self, asked: int, answer: int) -> tuple[str, ...]:
        """What speaks against a pair: known values where others have one, kinds of entities never seen there."""
        return (*self._known(asked, answer), *self._second_value(asked, answer), *self._types(asked, answer))

    def _known(self, asked: int, answer: int) -> Iterable[str]:
        if self.question.known.contains(np.array([asked]), np.array([answer]))[0]:
            yield "this fact is known already"
        elif self.question.rejected.contains(np.array([asked]), np.array([answer]))[0]:
            yield "this fact was rejected"

    def _second_value(self, asked: int, answer: int) -> Iterable[str]:
        if self.one_tail_each:
            yield from self._taken(asked, answer, self.question.known.tails_of(asked))
        if self._one_head_each:
            yield from self._taken(answer, asked, self._turned.tails_of(answer))

    def _taken(self, entity: int, other: int, known: Ints) -> Iterable[str]:
        rest = known[known != other]
        if len(rest):
            yield f"{self._label(entity)} already goes with {self._label(int(rest[0]))}; others go with one only"

    @cached_property
    def one_tail_each(self) -> bool:
        """Whether the relation looks functional: nearly every known head has one tail."""
        return _is_one_each(self.question.known.pairs[:, 0], _FUNCTIONAL)

    @cached_property
    def _one_head_each(self) -> bool:
        return _is_one_each(self.question.known.pairs[:, 1], _FUNCTIONAL_BACK)

    @cached_property
    def _turned(self) -> PairSet:
        """What is known, from answers to what was asked."""
        asked, answers = self.question.known.pairs.T
        return PairSet(answers, asked, self.graph.num_entities)

    def _types(self, asked: int, answer: int) -> Iterable[str]:
        types = self.graph.types
        if types is None:
            return
        for entity, seen, side in zip((asked, answer), self._seen_types, ("head", "tail"), strict=True):
            own = types.of(entity)
            if len(own) and len(seen) and not np.isin(own, seen).any():
                yield f"{self._label(entity)} is of type {types.label(int(own[0]))}, as no {side} of the examples is"

    @cached_property
    def _seen_types(self) -> tuple[Ints, Ints]:
        types = self.graph.types
        assert types is not None
        first, second = (np.unique(types.ids[np.isin(types.owners, column)]) for column in self.question.known.pairs.T)
        return first, second

    def in_words(self, walk: PathInstance) -> str:
        """A walk as a line: `Peru – borders → Chile ← city_in_country – Santiago`."""
        hops = [self._hop(r, e) for r, e in zip(walk.relations, walk.entities[1:], strict=True)]
        return " ".join([self._label(walk.entities[0]), *hops])

    def _hop(self, relation: int, entity: int) -> str:
        forward = relation < self.graph.num_relations
        name = self.graph.relation_label(relation % self.graph.num_relations)
        return f"{'—' if forward else '←'} {name} {'→' if forward else '—'} {self._label(entity)}"

    def _label(self, entity: int) -> str:
        return self.graph.entity_label(entity)


def _is_one_each(entities: Ints, least: int) -> bool:
    """Whether nearly all entities occur once, and there are enough of them to say so."""
    counts = np.unique(entities, return_counts=True)[1]
    return len(counts) >= least and bool((counts == 1).mean() >= _ONE_EACH)
