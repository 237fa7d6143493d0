"""What the schema says about answers to one question: what counts against them, what follows from known facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints
from faan.complete.question import Question
from faan.graph import Breaking, Rule

SAYS = 40  # a rule of the schema counts as much as so many facts
_SAYS_APART = 200  # a rule about disjoint classes counts as much as so many facts
_DOUBT = 2.0  # a pseudo-count: violations that are assumed in addition to those seen
_FOLLOWS = 4.0  # log-odds that are added if the fact follows from a known one

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Broken:
    """A rule that an answer breaks, the entity that breaks it, and the values that the entity already has."""

    rule: Rule
    entity: int
    others: Ints
    worth: float  # log-odds that it takes from the answer


@dataclass(frozen=True)
class Premise:
    """A known fact, by its numbers, from which another one follows; and why."""

    head: int
    relation: int
    tail: int
    said: str


class Constraints:
    """The rules of a question's relation; what is asked about is the head, or the tail if the question is inverse."""

    def __init__(self, question: Question, rules: Sequence[Rule]) -> None:
        known = question.known.pairs
        self._question, self._rules, self._turned = question, rules, question.is_inverse
        self._known = known[:, ::-1] if self._turned else known  # (n, 2) head, tail
        self._breaking = Breaking(question.graph, self._known)
        self._worths = {rule: self._all_worths(rule) for rule in rules}

    @classmethod
    def of(cls, question: Question) -> Constraints | None:
        """The constraints on a question; None where the schema says nothing about its relation."""
        rules = question.rules
        return None if rules is None or not (rules.rules or rules.implied_by) else cls(question, rules.rules)

    def against(self, asked: int, answers: Ints) -> Floats:
        """By how much the odds of each answer fall, as a logarithm (C,): 0 unless it breaks a rule.

        Of several broken rules only the strongest counts, because they mostly overlap. A second value of a functional
        relation is not counted here: `Judge.probabilities` handles it.
        """
        found = np.zeros(len(answers))
        for rule in self._rules:
            found = np.maximum(found, self._worth(rule, asked, answers))
        return found

    def _worth(self, rule: Rule, asked: int, answers: Ints) -> Floats:
        """The log-odds that a rule takes from each answer that breaks it."""
        outside, apart = self._worths[rule]
        if rule.kind == "most" and rule.side == int(self._turned) and self._question.one_value:
            return np.zeros(len(answers))
        is_apart = self._breaking.are_apart(rule, self._ends(asked, answers)[rule.side]) if apart else False
        return np.where(self._breaks(rule, asked, answers), np.where(is_apart, apart, outside), 0.0)

    def in_favour(self, asked: int, answers: Ints) -> Floats:
        """By how much the odds of each answer rise, as a logarithm (C,): 0 unless it follows from a known fact."""
        heads, tails = self._ends(asked, answers)
        found = np.zeros(len(answers))
        for _, pairs in self._question.implied:
            found[pairs.contains(heads, tails)] = _FOLLOWS
        return found

    def sure(self, asked: int, answers: Ints) -> Floats:
        """How likely each answer (C,) is because it follows from a known fact; 0 unless it does and breaks no rule."""
        follows = (self.in_favour(asked, answers) > 0) & self.allows(asked, answers)
        return np.where(follows, self._share_that_follows, 0.0)

    @cached_property
    def _share_that_follows(self) -> float:
        """The share of implied facts that are true, from the schema's word, known facts and rejected ones."""
        question = self._question
        pairs = question.following
        known, rejected = (int(decided.contains(*pairs.T).sum()) for decided in (question.known, question.rejected))
        return (SAYS + known) / (SAYS + known + rejected + _DOUBT)

    def allows(self, asked: int, answers: Ints) -> Mask:
        """Which answers (C,) break no rule."""
        allowed = np.ones(len(answers), dtype=bool)
        for rule in self._rules:
            allowed &= ~self._breaks(rule, asked, answers)
        return allowed

    def may_have(self, asked: Ints) -> Mask:
        """Which entities (n,) may have an answer at all: they break no rule themselves."""
        side, allowed = int(self._turned), np.ones(len(asked), dtype=bool)
        for rule in self._rules:
            if rule.kind != "most" and rule.side == side and (rule.scope is None or rule.scope_side == side):
                allowed &= ~self._breaking.pairs(rule, asked, asked, False)  # such a rule looks at one side only
        return allowed

    def broken(self, asked: int, answer: int) -> Iterable[Broken]:
        """The rules that an answer breaks, each once."""
        pair = (answer, asked) if self._turned else (asked, answer)
        told = set()
        for rule in self._rules:
            if (rule.kind, rule.side) not in told and self._breaks(rule, asked, np.array([answer]))[0]:
                told.add((rule.kind, rule.side))
                worth = float(self._worth(rule, asked, np.array([answer]))[0])
                yield Broken(rule, pair[rule.side], self._others(rule, *pair), worth)

    def sources(self, asked: int, answer: int) -> Iterator[Premise]:
        """The known facts from which an answer follows."""
        head, tail = (answer, asked) if self._turned else (asked, answer)
        for one, pairs in self._question.implied:
            if pairs.contains(np.array([head]), np.array([tail]))[0]:
                ends = (tail, head) if one.turned else (head, tail)
                yield Premise(ends[0], one.relation, ends[1], one.said)

    def _others(self, rule: Rule, head: int, tail: int) -> Ints:
        """The values that an entity has already, where a rule limits how many."""
        if rule.kind != "most":
            return np.empty(0, dtype=np.int64)
        end, other = (head, tail) if rule.side == 0 else (tail, head)
        values = self._known[self._known[:, rule.side] == end, 1 - rule.side]
        return np.asarray(values[values != other])

    def _ends(self, asked: int, answers: Ints) -> tuple[Ints, Ints]:
        """Heads and tails of the relation; on the side that is asked about there is one."""
        one = np.array([asked])
        return (answers, one) if self._turned else (one, answers)

    def _breaks(self, rule: Rule, asked: int, answers: Ints) -> Mask:
        is_known = rule.kind == "most" and self._question.known.contains(np.array([asked]), answers)
        return self._breaking.pairs(rule, *self._ends(asked, answers), is_known)

    def _all_worths(self, rule: Rule) -> tuple[float, float]:
        """The log-odds for each rule: smaller the more known facts break it, larger for disjoint classes."""
        heads, tails = self._known.T
        broken = int(self._breaking.pairs(rule, heads, tails, True).sum())
        outside, apart = (
            float(np.log((len(self._known) + says + _DOUBT) / (broken + _DOUBT))) for says in (SAYS, _SAYS_APART)
        )
        return outside, apart if len(rule.apart) else 0.0
