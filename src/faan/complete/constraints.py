"""What the schema says about answers to one question: what counts against them, what follows from known facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.complete.question import Question
from faan.complete.types import Fact
from faan.graph import SIDES, Breaking, Implied, Rule
from faan.tasks import PairSet

SAYS = 40  # facts that the word of the schema counts as
_APART = 200  # and where it calls classes disjoint
_DOUBT = 2.0  # broken rules that are thought to have been seen
_FOLLOWS = 4.0  # what it adds to the logarithm of odds that a fact follows from a known one

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Follows:
    """A known fact from which another one follows, by its numbers, and why."""

    head: int
    relation: int
    tail: int
    said: str


class Constraints:
    """The rules of a question's relation; asked and answers are heads and tails, or tails and heads of the inverse."""

    def __init__(
        self, question: Question, rules: Sequence[Rule], implied_by: Sequence[Implied], known: Ints, turned: bool
    ) -> None:
        self._graph, self._rules, self._turned = question.graph, rules, turned
        self._known = PairSet(known[:, 0], known[:, 1], question.graph.num_entities)
        self._breaking = Breaking(question.graph, known)
        self._one_value = question.one_value
        self._relation = None if question.hidden is None else question.hidden % question.graph.num_relations
        self._implied = [(one, self._pairs_of(one)) for one in implied_by]
        self._worth = [self._worths(rule) for rule in rules]

    @classmethod
    def of(cls, question: Question) -> Constraints | None:
        """For a question; None where the schema says nothing about its relation."""
        rules = question.rules
        if rules is None or not (rules.rules or rules.implied_by):
            return None
        turned, known = question.is_inverse, question.known.pairs
        return cls(question, rules.rules, rules.implied_by, known[:, ::-1] if turned else known, turned)

    def added(self, asked: int, answers: Ints) -> NDArray[np.float64]:
        """What the schema adds to the logarithm of the odds of each answer (C,), below 0 where it speaks against it.

        Of several rules the one that says most counts: they say the same, mostly. That a head has its one value is
        left to those who make probabilities, where they know that heads have one.
        """
        against = np.zeros(len(answers))
        for rule, (outside, apart) in zip(self._rules, self._worth, strict=True):
            if not (rule.kind == "most" and rule.side == 0 and self._one_value):
                broken, entities = self._breaks(rule, asked, answers), self._ends(asked, answers)[rule.side]
                worth = np.where(self._breaking.are_apart(rule, entities), apart, outside) if apart else outside
                against = np.maximum(against, np.where(broken, worth, 0.0))
        return np.where(self.follows(asked, answers), _FOLLOWS, 0.0) - against

    def allows(self, asked: int, answers: Ints) -> Mask:
        """Which answers (C,) break no rule."""
        allowed = np.ones(len(answers), dtype=bool)
        for rule in self._rules:
            allowed &= ~self._breaks(rule, asked, answers)
        return allowed

    def follows(self, asked: int, answers: Ints) -> Mask:
        """Which answers (C,) follow from known facts."""
        heads, tails = self._ends(asked, answers)
        found = np.zeros(len(answers), dtype=bool)
        for _, pairs in self._implied:
            found |= pairs.contains(heads, tails)
        return found

    def sources(self, asked: int, answer: int) -> Iterator[Follows]:
        """The known facts from which an answer follows."""
        head, tail = (answer, asked) if self._turned else (asked, answer)
        for one, pairs in self._implied:
            if pairs.contains(np.array([head]), np.array([tail]))[0]:
                ends = (tail, head) if one.turned else (head, tail)
                yield Follows(ends[0], one.relation, ends[1], one.said)

    def broken(self, asked: int, answer: int) -> Iterable[tuple[Rule, int]]:
        """The rules that an answer breaks, each said once, with the entity that it is about."""
        pair = (answer, asked) if self._turned else (asked, answer)
        found = {
            (rule.kind, rule.side, rule.said): (rule, pair[rule.side])
            for rule in reversed(self._rules)
            if self._breaks(rule, asked, np.array([answer]))[0]
        }
        return reversed(found.values())

    def others(self, rule: Rule, asked: int, answer: int) -> Ints:
        """The values that an entity has already, where a rule limits how many."""
        head, tail = (answer, asked) if self._turned else (asked, answer)
        if rule.side == 0:
            found = self._known.tails_of(head)
            return found[found != tail]
        pairs = self._known.pairs
        return pairs[(pairs[:, 1] == tail) & (pairs[:, 0] != head), 0]

    def implied_answers(self) -> Ints:
        """The entities that are answers of facts that follow from known ones."""
        found = [pairs.pairs[:, 0 if self._turned else 1] for _, pairs in self._implied]
        return np.unique(np.concatenate(found)) if found else np.empty(0, dtype=np.int64)

    def _ends(self, asked: int, answers: Ints) -> tuple[Ints, Ints]:
        """Heads and tails of the relation, one of them alone."""
        return (answers, np.array([asked])) if self._turned else (np.array([asked]), answers)

    def _breaks(self, rule: Rule, asked: int, answers: Ints) -> Mask:
        heads, tails = self._ends(asked, answers)
        is_known = self._known.contains(heads, tails) if rule.kind == "most" else False
        return self._breaking.pairs(rule, heads, tails, is_known)

    def _worths(self, rule: Rule) -> tuple[float, float]:
        """What it counts to break a rule: less, the more known facts break it; more, where classes are disjoint."""
        heads, tails = self._known.pairs.T
        broken = int(self._breaking.pairs(rule, heads, tails, True).sum())
        outside, apart = (float(np.log((len(heads) + says + _DOUBT) / (broken + _DOUBT))) for says in (SAYS, _APART))
        return outside, apart if len(rule.apart) else 0.0

    def _pairs_of(self, one: Implied) -> PairSet:
        """The pairs that follow from facts of a relation; of the relation itself, from those that are known."""
        graph = self._graph
        if one.relation == self._relation:
            heads, tails = self._known.pairs.T
        else:
            rows = np.flatnonzero(graph.relations == one.relation)
            heads, tails = graph.heads[rows], graph.tails[rows]
        ends = (tails, heads) if one.turned else (heads, tails)
        return PairSet(*ends, graph.num_entities)


def in_words(rule: Rule, name: str, own_type: str, others: Sequence[str], relation: str) -> str:
    """What is wrong with an entity that breaks a rule."""
    if rule.kind == "class":
        return f"{name} is of type {own_type}; the schema says that a {SIDES[rule.side]} of {relation} is of type {rule.said}"
    if rule.kind == "values":
        return f"{name} is none of the values that the schema allows: {rule.said}"
    if not others:
        return f"the schema allows {name} no {SIDES[1 - rule.side]} of {relation}"
    count = "one" if rule.most == 1 else f"{rule.most:,}"
    return f"{name} already goes with {', '.join(others)}; the schema allows {count}"


def as_fact(found: Follows, entity: Sequence[str], relation: Sequence[str]) -> Fact:
    """A known fact by names."""
    return Fact(entity[found.head], relation[found.relation], entity[found.tail])
