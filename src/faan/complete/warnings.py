"""Warnings about answers to one question: known facts, broken rules, second values, types that never occur there."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np

from faan.base import Ints, distinct
from faan.complete.constraints import Broken, Constraints
from faan.complete.question import Question
from faan.complete.shape import has_one_head
from faan.graph import SIDES
from faan.tasks import PairSet

_VALUES = 3  # known values that a warning names


class Warnings:
    """Warnings about answers to one question."""

    def __init__(self, question: Question, constraints: Constraints | None) -> None:
        self._question, self._constraints, self._graph = question, constraints, question.graph
        self._label = question.graph.entity_label

    def of(self, asked: int, answer: int) -> tuple[str, ...]:
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
        rule, name = broken.rule, self._label(broken.entity)
        if rule.kind == "class":
            side, kind = SIDES[rule.side], self.type_of(broken.entity)
            return f"{name} is of type {kind}, and the schema allows {rule.said} as {side}"
        if rule.kind == "values":
            return f"{name} is not among the values that the schema allows: {rule.said}"
        if not len(broken.others):
            return f"the schema allows {name} no {SIDES[1 - rule.side]}"
        values = ", ".join(self._label(value) for value in broken.others[:_VALUES].tolist())
        return f"{name} already has {values}, and the schema allows {'one' if rule.most == 1 else f'{rule.most:,}'}"

    def _known(self, asked: int, answer: int) -> Iterable[str]:
        if self._question.known.contains(np.array([asked]), np.array([answer]))[0]:
            yield "this fact is known already"
        elif self._question.rejected.contains(np.array([asked]), np.array([answer]))[0]:
            yield "this fact was rejected"

    def _second_value(self, asked: int, answer: int) -> Iterable[str]:
        if self._question.one_value:
            yield from self._taken(asked, answer, self._question.known.tails_of(asked))
        if self._one_head_each:
            yield from self._taken(answer, asked, self._turned.tails_of(answer))

    def _taken(self, entity: int, other: int, known: Ints) -> Iterable[str]:
        rest = known[known != other]
        if len(rest):
            value = self._label(int(rest[0]))
            yield f"{self._label(entity)} already has {value}, and this relation usually has one value"

    @cached_property
    def _one_head_each(self) -> bool:
        return has_one_head(self._question.entailed)

    @cached_property
    def _turned(self) -> PairSet:
        """Known pairs (answer, asked)."""
        return self._question.known.turned()

    def _types(self, asked: int, answer: int) -> Iterable[str]:
        types, pairs = self._graph.types, self._question.type_pairs
        if types is None or pairs is None:
            return
        for entity, seen, side in zip((asked, answer), self._seen_types, SIDES, strict=True):
            own = types.of(entity)
            if len(own) and len(seen) and not np.isin(own, seen).any():
                yield f"{self._label(entity)} is of type {self.type_of(entity)}, as no {side} of the examples is"
                return
        if pairs.is_odd(asked, answer):
            one, other = self.type_of(asked), self.type_of(answer)
            yield f"{self._label(answer)} is of type {other}, and no known fact of this relation links a {one} with one"

    @cached_property
    def _seen_types(self) -> tuple[Ints, Ints]:
        types = self._graph.types
        assert types is not None
        first, second = (distinct(types.gather(distinct(column))[1]) for column in self._question.known.pairs.T)
        return first, second

    def type_of(self, entity: int) -> str:
        """A type of an entity."""
        return next(iter(self._graph.type_labels(entity)), "")
