"""Facts and warnings about answers to one question, in words: paths, shared neighbours, rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, distinct
from faan.complete.constraints import Broken
from faan.complete.likeness import Group, Likeness
from faan.complete.question import Question
from faan.complete.scoring import Adjusted
from faan.complete.shape import has_one_head
from faan.complete.types import Fact, Hop
from faan.evidence import PathInstance, RelationPaths, find_paths, path_instances
from faan.graph import SIDES
from faan.models import ExplainingScorer
from faan.tasks import PairSet

_SINGLE = 0.25  # factor for a path of one example only, which may be chance: it is shown last
_VALUES = 3  # known values that a warning names
_HUB = 3_000  # an entity with more edges does not count as a link, as in the evidence


@dataclass(frozen=True)
class FoundPath:
    """A relation path that leads from what was asked to an answer, with one walk along it."""

    walk: PathInstance
    confidence: float
    support: int  # examples that it connects
    reached: int  # answers that it leads to from the heads of examples, right and wrong


class Reasons:
    """Facts and warnings about answers to one question."""

    def __init__(self, question: Question, scorer: Adjusted) -> None:
        self.question, self.graph = question, question.graph
        self.label = question.graph.entity_label
        self._scorer, self._constraints = scorer.scorer, scorer.constraints
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

    def type_of(self, entity: int) -> str:
        """A type of an entity."""
        types = self.graph.types
        own = [] if types is None else types.of(entity).tolist()
        return "" if types is None or not own else types.label(own[0])

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

    def warnings(self, asked: int, answer: int) -> tuple[str, ...]:
        """Warnings about a pair: it is known, breaks a rule, is a second value, or has types that never occur there."""
        by_schema = self._broken(asked, answer)
        kinds = {broken.rule.kind for broken in by_schema}
        return (
            *self._known(asked, answer),
            *map(self._broken_in_words, by_schema),
            *(() if "most" in kinds else self._second_value(asked, answer)),
            *(() if "class" in kinds else self._types(asked, answer)),
        )

    def _broken(self, asked: int, answer: int) -> list[Broken]:
        return [] if self._constraints is None else list(self._constraints.broken(asked, answer))

    def broken_rule(self, asked: int, answer: int) -> str:
        """The rule of the schema that counts most against a pair, in words."""
        return self._broken_in_words(max(self._broken(asked, answer), key=lambda broken: broken.worth))

    def _broken_in_words(self, broken: Broken) -> str:
        rule, name = broken.rule, self.label(broken.entity)
        if rule.kind == "class":
            side, kind = SIDES[rule.side], self.type_of(broken.entity)
            return f"{name} is of type {kind}, and the schema allows {rule.said} as {side}"
        if rule.kind == "values":
            return f"{name} is not among the values that the schema allows: {rule.said}"
        if not len(broken.others):
            return f"the schema allows {name} no {SIDES[1 - rule.side]}"
        values = ", ".join(self.label(value) for value in broken.others[:_VALUES].tolist())
        return f"{name} already has {values}, and the schema allows {'one' if rule.most == 1 else f'{rule.most:,}'}"

    def follows_from(self, asked: int, answer: int) -> tuple[str, Fact]:
        """A known fact from which a pair follows by the schema, in words and as a fact."""
        assert self._constraints is not None
        source = next(self._constraints.sources(asked, answer))
        fact = self._fact(source.head, source.relation, source.tail)
        known = f"{self.label(source.head)} {self._hop(source.relation, source.tail)}"
        return f"the schema says that {source.said}, and {known} is known", fact

    def _known(self, asked: int, answer: int) -> Iterable[str]:
        if self.question.known.contains(np.array([asked]), np.array([answer]))[0]:
            yield "this fact is known already"
        elif self.question.rejected.contains(np.array([asked]), np.array([answer]))[0]:
            yield "this fact was rejected"

    def _second_value(self, asked: int, answer: int) -> Iterable[str]:
        if self.question.one_value:
            yield from self._taken(asked, answer, self.question.known.tails_of(asked))
        if self._one_head_each:
            yield from self._taken(answer, asked, self._turned.tails_of(answer))

    def _taken(self, entity: int, other: int, known: Ints) -> Iterable[str]:
        rest = known[known != other]
        if len(rest):
            value = self.label(int(rest[0]))
            yield f"{self.label(entity)} already has {value}, and this relation usually has one value"

    @cached_property
    def _one_head_each(self) -> bool:
        return has_one_head(self.question.entailed)

    @cached_property
    def _turned(self) -> PairSet:
        """Known pairs (answer, asked)."""
        return self.question.known.turned()

    def _types(self, asked: int, answer: int) -> Iterable[str]:
        types, pairs = self.graph.types, self.question.type_pairs
        if types is None or pairs is None:
            return
        for entity, seen, side in zip((asked, answer), self._seen_types, ("head", "tail"), strict=True):
            own = types.of(entity)
            if len(own) and len(seen) and not np.isin(own, seen).any():
                yield f"{self.label(entity)} is of type {self.type_of(entity)}, as no {side} of the examples is"
                return
        if pairs.is_odd(asked, answer):
            one, other = self.type_of(asked), self.type_of(answer)
            yield f"{self.label(answer)} is of type {other}, and no known fact of this relation links a {one} with one"

    @cached_property
    def _seen_types(self) -> tuple[Ints, Ints]:
        types = self.graph.types
        assert types is not None
        first, second = (distinct(types.gather(distinct(column))[1]) for column in self.question.known.pairs.T)
        return first, second

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
        forward = relation < self.graph.num_relations
        name = self.graph.relation_label(relation % self.graph.num_relations)
        return f"{'—' if forward else '←'} {name} {'→' if forward else '—'} {self.label(entity)}"


def _is_simple(walk: PathInstance) -> bool:
    """Whether a walk visits no entity twice."""
    return len(set(walk.entities)) == len(walk.entities)
