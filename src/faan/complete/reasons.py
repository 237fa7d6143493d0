"""What speaks for answers to one question, in words and with the facts it rests on: paths, shared neighbours, rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, distinct
from faan.complete.likeness import Group, Likeness
from faan.complete.question import Question
from faan.complete.scoring import Adjusted
from faan.complete.types import Fact, Hop
from faan.complete.warnings import Warnings
from faan.evidence import PathInstance, RelationPaths, find_paths, path_instances
from faan.models import ExplainingScorer

_SINGLE = 0.25  # factor for a path of one example only, which may be chance: it is shown last
_HUB = 3_000  # an entity with more edges does not count as a link, as in the evidence


@dataclass(frozen=True)
class FoundPath:
    """A relation path that leads from what was asked to an answer, with one walk along it."""

    walk: PathInstance
    confidence: float
    support: int  # examples that it connects
    reached: int  # answers that it leads to from the heads of examples, right and wrong


class Reasons:
    """What speaks for answers to one question, and warnings about them."""

    def __init__(self, question: Question, scorer: Adjusted) -> None:
        self.question, self.graph = question, question.graph
        self.label = question.graph.entity_label
        self._scorer, self._constraints = scorer.scorer, scorer.constraints
        self.warnings = Warnings(question, scorer.constraints)
        self.likeness = Likeness(question.graph, question.hidden)
        self._last_asked = -1, np.empty(0)  # an entity and how alike heads are, for its next answer

    @cached_property
    def _groups(self) -> tuple[Group, Group]:
        """The entities asked about and the answers in the examples."""
        first, second = (self.likeness.group(column) for column in self.question.references.T)
        return first, second

    @cached_property
    def relation_paths(self) -> RelationPaths:
        """The paths that link the examples: those of the method, if it uses paths."""
        if isinstance(self._scorer, ExplainingScorer):
            return self._scorer.paths
        question = self.question
        return find_paths(self.graph, question.references, question.candidates, question.hidden)

    def paths(self, asked: int, answers: Ints, limit: int) -> dict[int, list[FoundPath]]:
        """For each answer the most trusted paths that lead to it."""
        paths, found = self.relation_paths, {int(answer): list[FoundPath]() for answer in answers}
        firings = next(iter(paths.fire(np.array([asked]), answers)))
        trust = paths.confidence * np.where(paths.support > 1, 1, _SINGLE)
        order = np.lexsort((firings.paths, -trust[firings.paths]))
        for path, place in zip(firings.paths[order].tolist(), firings.candidates[order].tolist(), strict=True):
            answer = int(answers[place])
            if len(found[answer]) < limit:
                walks = path_instances(self.graph, asked, paths.path(path), answer, 1)
                worth = float(paths.confidence[path]), int(paths.support[path]), int(paths.endpoints[path])
                found[answer] += [FoundPath(walk, *worth) for walk in walks if _is_simple(walk)]
        return found

    def walks(self, path: FoundPath, asked: int, answer: int, limit: int) -> list[PathInstance]:
        """All walks along a path from what was asked to an answer that visit no entity twice, at most so many."""
        found = path_instances(self.graph, asked, path.walk.relations, answer, limit)
        return [walk for walk in found if _is_simple(walk)]

    def resemblance(self, asked: int, answer: int) -> NDArray[np.float64]:
        """How much a pair resembles each example, (K,), in sum 1: the product of how alike both sides are, squared."""
        if self._last_asked[0] != asked:
            self._last_asked = asked, self.likeness.alike(asked, self._groups[0])
        weights = (self._last_asked[1] * self.likeness.alike(answer, self._groups[1])) ** 2
        weights[(self.question.references == (asked, answer)).all(1)] = 0  # a known pair is no example of itself
        return np.asarray(weights / weights.sum() if weights.sum() > 0 else np.full(len(weights), 1 / len(weights)))

    def shared_neighbours(self, one: int, other: int) -> tuple[Ints, tuple[Fact, ...]]:
        """Entities that two are linked with, those with the fewest edges first; and the facts that link them."""
        sides = [self.likeness.edges(entity) for entity in (one, other)]
        shared = np.intersect1d(sides[0][1], sides[1][1])
        degrees = self.graph.neighbours.degrees_of(shared)
        shared = shared[np.argsort(degrees, kind="stable")][: int((degrees <= _HUB).sum())]
        shared = shared[(shared != one) & (shared != other)]
        facts = [
            self._fact(entity, int(relation), int(end))
            for middle in shared.tolist()
            for entity, (relations, ends) in zip((one, other), sides, strict=True)
            for relation, end in zip(relations[ends == middle].tolist(), ends[ends == middle].tolist(), strict=True)
        ]
        return shared, tuple(facts)

    def direct_links(self, one: int, other: int) -> tuple[list[str], tuple[Fact, ...]]:
        """Relations that link two entities, in words as seen from the first; and the facts that do."""
        relations, ends = self.likeness.edges(one)
        between = relations[ends == other].tolist()
        return [self._role(role) for role in between], tuple(self._fact(one, role, other) for role in between)

    def shared_roles(self, entity: int, limit: int) -> tuple[list[str], tuple[Fact, ...]]:
        """Relations of an entity that most tails of the examples take part in too, in words; and its facts of these."""
        relations, ends = self.likeness.edges(entity)
        own, usual = distinct(relations), self._tail_roles
        best = [int(role) for role in own[np.argsort(-usual[own], kind="stable")[:limit]] if usual[role] > 0]
        facts = [self._fact(entity, role, end) for role in best for end in ends[relations == role].tolist()]
        return [self._role(role) for role in best], tuple(facts)

    @cached_property
    def _tail_roles(self) -> NDArray[np.float64]:
        """The share of the examples' tails that take part in each relation, inverse ones included, (2 R,)."""
        tails, counts = distinct(self.question.references[:, 1]), np.zeros(2 * self.graph.num_relations)
        for tail in tails.tolist():
            counts[distinct(self.likeness.edges(tail)[0])] += 1
        return np.asarray(counts / len(tails))

    def facts_of(self, walk: PathInstance) -> Iterable[Fact]:
        """The facts that a walk goes along."""
        for relation, one, other in zip(walk.relations, walk.entities, walk.entities[1:], strict=False):
            yield self._fact(one, relation, other)

    def fact_of(self, entity: int, relation: int, other: int) -> tuple[str, Fact]:
        """What an edge says of an entity, in words, and as a fact."""
        return self._hop(relation, other), self._fact(entity, relation, other)

    def examples(self, pairs: Ints) -> tuple[Fact, ...]:
        """Examples as facts of the relation."""
        names = self.graph.entity_names
        return tuple(Fact(names[int(head)], self.question.relation, names[int(tail)]) for head, tail in pairs.tolist())

    def _fact(self, entity: int, relation: int, other: int) -> Fact:
        names, count = self.graph.entity_names, self.graph.num_relations
        head, tail = (entity, other) if relation < count else (other, entity)
        return Fact(names[head], self.graph.relation_names[relation % count], names[tail])

    def type_share(self, tail: int) -> tuple[str, float]:
        """The type of a tail that most tails of the examples have, and their share; empty if it has none."""
        types = self.graph.types
        if types is None or not len(types.of(tail)):
            return "", 0.0
        shares = [(self._type_shares.get(number, 0.0), number) for number in types.of(tail).tolist()]
        share, best = max(shares)
        return types.label(best), share

    @cached_property
    def _type_shares(self) -> dict[int, float]:
        types, tails = self.graph.types, self.question.references[:, 1]
        assert types is not None
        found = np.concatenate([distinct(types.of(tail)) for tail in tails.tolist()])
        numbers, counts = np.unique(found, return_counts=True)
        return dict(zip(numbers.tolist(), (counts / len(tails)).tolist(), strict=True))

    def in_common(self, one: int, other: int) -> str:
        """The two rarest facts that two entities share, in words."""
        a, b = self.likeness.facts(one), self.likeness.facts(other)
        same = np.flatnonzero(np.isin(a.keys, b.keys))
        if one == other or not len(same):
            return ""
        best = same[np.argsort(-a.idf[same], kind="stable")[:2]].tolist()
        return ", both ".join(self._hop(int(a.relations[i]), int(a.entities[i])) for i in best)

    def follows_from(self, asked: int, answer: int) -> tuple[str, Fact]:
        """A known fact from which a pair follows by the schema, in words and as a fact."""
        assert self._constraints is not None
        source = next(self._constraints.sources(asked, answer))
        fact = self._fact(source.head, source.relation, source.tail)
        known = f"{self.label(source.head)} {self._hop(source.relation, source.tail)}"
        return f"the schema says that {source.said}, and {known} is known", fact

    def in_words(self, walk: PathInstance) -> str:
        """A walk as a line: `Peru – borders → Chile ← city_in_country – Santiago`."""
        hops = [self._hop(r, e) for r, e in zip(walk.relations, walk.entities[1:], strict=True)]
        return " ".join([self.label(walk.entities[0]), *hops])

    def hops(self, walk: PathInstance) -> tuple[Hop, ...]:
        """The steps of a walk, with labels."""
        count = self.graph.num_relations
        return tuple(Hop(self.graph.relation_label(one % count), one < count) for one in walk.relations)

    def _role(self, relation: int) -> str:
        """A relation that an entity takes part in, as its head or as its tail."""
        name = self.graph.relation_label(relation % self.graph.num_relations)
        return f"— {name} →" if relation < self.graph.num_relations else f"← {name} —"

    def _hop(self, relation: int, entity: int) -> str:
        return f"{self._role(relation)} {self.label(entity)}"


def _is_simple(walk: PathInstance) -> bool:
    """Whether a walk visits no entity twice."""
    return len(set(walk.entities)) == len(walk.entities)
