"""Which facts break the rules of a schema."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, counted, distinct, grouped
from faan.graph.graph import Graph
from faan.graph.rules import SIDES, Rule, Rules

Mask = NDArray[np.bool_]
_EXAMPLES = 3
_MANY = 0.1  # if more entities than this share have too many values, the schema is taken to be wrong, not the facts
_FEWEST = 3  # and at least so many entities


class Breaking:
    """Finds pairs that break rules of one relation, given its known pairs (n, 2)."""

    def __init__(self, graph: Graph, known: Ints) -> None:
        self._graph, self._known = graph, known
        self._masks: dict[tuple[Rule, str], Mask] = {}
        self._counts: dict[int, Ints] = {}

    def pairs(self, rule: Rule, heads: Ints, tails: Ints, is_known: Mask | bool) -> Mask:
        """Which pairs, known or not, break a rule; heads, tails and whether pairs are known broadcast."""
        ends = (heads, tails)
        if rule.kind == "most":
            others = self.counts(rule.side)[ends[rule.side]] - np.asarray(is_known, dtype=np.int64)
            broken = others >= rule.most
        else:  # entities without a type may be of any class
            broken = ~self._mask(rule, "allowed")[ends[rule.side]]
        if rule.scope is not None:
            broken = broken & self._mask(rule, "scope")[ends[rule.scope_side]]
        return np.broadcast_to(broken, np.broadcast_shapes(heads.shape, tails.shape))

    def are_apart(self, rule: Rule, entities: Ints) -> Mask:
        """Which entities have a type that is disjoint with the class of a rule."""
        return self._mask(rule, "apart")[entities]

    def counts(self, side: int) -> Ints:
        """How many known pairs each entity is the head (or tail) of."""
        if side not in self._counts:
            self._counts[side] = np.bincount(self._known[:, side], minlength=self._graph.num_entities)
        return self._counts[side]

    def _mask(self, rule: Rule, what: Literal["allowed", "scope", "apart"]) -> Mask:
        """Which entities a rule allows, which are in its scope, or which have a type disjoint with its class."""
        key = (rule, what)
        if key not in self._masks:
            self._masks[key] = self._look_up(rule, what)
        return self._masks[key]

    def _look_up(self, rule: Rule, what: str) -> Mask:
        types, numbers = self._graph.types, getattr(rule, what)
        if what == "allowed" and rule.kind == "values":
            return np.isin(np.arange(self._graph.num_entities), numbers)
        if types is None:
            return np.full(self._graph.num_entities, what == "allowed")
        found = types.having(numbers)
        return found | ~types.is_typed if what == "allowed" else found


@dataclass(frozen=True)
class BrokenRule:
    """A rule of the schema that facts break."""

    relation: str
    rule: str  # in words
    facts: int  # that break it
    of: int  # facts that it is about
    examples: tuple[str, ...]


@dataclass(frozen=True)
class SchemaSummary:
    """What a schema says about a graph, and what contradicts it."""

    statements: int
    holds: dict[str, int]  # by kind
    ruled: int  # relations of the graph that it has rules for
    unknown_relations: tuple[str, ...]  # relations with rules that the graph lacks
    unknown_classes: tuple[str, ...]  # classes in rules that no entity has
    broken: tuple[BrokenRule, ...]  # most facts first
    contradictions: tuple[str, ...]  # contradictions, a sentence each

    @property
    def problems(self) -> Iterator[str]:
        """What a user should look at, one sentence each."""
        yield from self.contradictions
        if self.broken:
            rules = counted(len(self.broken), "rule of the schema", "rules of the schema")
            yield f"facts break {rules}, those of {self.broken[0].relation} most often"
        for names, what in ((self.unknown_relations, "relation"), (self.unknown_classes, "class")):
            if names:
                lacking = "the graph lacks" if what == "relation" else "no entity of the graph is of"
                many = counted(len(names), what, "relations" if what == "relation" else "classes")
                yield f"the schema has rules about {many} that {lacking}, such as {names[0]}"


def summarise_schema(graph: Graph) -> SchemaSummary | None:
    """Summarise the schema of a graph and the facts that contradict it; None if there is no schema."""
    rules = graph.rules
    if graph.schema is None or rules is None:
        return None
    broken: list[BrokenRule] = []
    wrong: list[str] = []
    ruled = 0
    offsets, rows_by_relation = grouped(graph.relations, graph.num_relations)
    for relation in graph.used_relations.tolist():
        own = rules.of(graph.relation_names[relation])
        ruled += bool(own.rules or own.implied_by)
        if own.rules:
            rows = rows_by_relation[offsets[relation] : offsets[relation + 1]]
            known = np.stack([graph.heads[rows], graph.tails[rows]], axis=1)
            found, sentences = _broken(graph, relation, own.rules, known)
            broken += found
            wrong += sentences
    return SchemaSummary(
        len(graph.schema),
        rules.holds,
        ruled,
        tuple(rules.unknown_relations),
        tuple(rules.unknown_classes),
        tuple(sorted(broken, key=lambda one: (-one.facts, one.relation))),
        (*rules.contradictions(), *wrong, *_shared(graph, rules)),
    )


def _shared(graph: Graph, rules: Rules) -> Iterator[str]:
    """Entities of two classes that are disjoint, in a sentence for each group of such classes."""
    if graph.types is None:
        return
    for group in rules.disjoint():
        masks = [(said, graph.types.having(types)) for said, types in group]
        both = np.flatnonzero(np.sum([mask for _, mask in masks], axis=0) > 1)
        if len(both):
            first = [said for said, mask in masks if mask[both[0]]][:2]
            many = counted(len(both), "entity is", "entities are")
            name = graph.entity_label(int(both[0]))
            yield f"{many} of classes that the schema calls disjoint, such as {name} ({' and '.join(first)})"


def _broken(graph: Graph, relation: int, rules: tuple[Rule, ...], known: Ints) -> tuple[list[BrokenRule], list[str]]:
    """The rules that known pairs (n, 2) of a relation break, and those that so many break that the schema is wrong."""
    breaking, label = Breaking(graph, known), graph.relation_label(relation)
    heads, tails = known.T
    broken, wrong = {}, []
    for rule in rules:
        mask = breaking.pairs(rule, heads, tails, True)
        if not mask.any():
            continue
        first = np.flatnonzero(mask)[:_EXAMPLES]
        examples = tuple(
            f"{graph.entity_label(head)} → {graph.entity_label(tail)}" for head, tail in known[first].tolist()
        )
        broken[rule.in_words] = BrokenRule(label, rule.in_words, int(mask.sum()), len(known), examples)
        entities = known[:, rule.side]
        several, all_of = len(distinct(entities[mask])), len(distinct(entities))
        if rule.kind == "most" and not rule.scope_said and several >= max(_FEWEST, _MANY * all_of):
            name = graph.entity_label(int(entities[first[0]]))
            wrong.append(
                f"the schema says of {label} that {rule.in_words}, but {several:,} of {all_of:,} {SIDES[rule.side]}s "
                f"in the facts have more, such as {name}"
            )
    return list(broken.values()), wrong
