"""What a schema says about the relations of a graph, as rules that its facts keep or break.

| statement | rule |
|---|---|
| `rdfs:domain`, `rdfs:range` (`owl:unionOf`); `domainIncludes`, `rangeIncludes` | heads or tails are of a class |
| `owl:FunctionalProperty`, `owl:InverseFunctionalProperty` | one tail for a head, one head for a tail |
| `sh:class`, `sh:in`, `sh:maxCount` of a shape with `sh:targetClass` | the same for entities of that class alone |
| `owl:SymmetricProperty`, `owl:inverseOf`, `rdfs:subPropertyOf` | a fact follows from another one |
| `owl:disjointWith`, `owl:AllDisjointClasses`, `owl:disjointUnionOf` | classes that no entity shares |

Rules hold for relations and classes below (`rdfs:subPropertyOf`, `rdfs:subClassOf`), too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from faan.base import Ints, shorten
from faan.graph.drafts import Draft, Drafts, Kind
from faan.graph.matching import Finder, is_iri
from faan.graph.names import Names, local_name
from faan.graph.schema import OWL, RDFS, Schema

_RULES = 100  # for one relation
SIDES = ("head", "tail")
_GROUPS = 1000  # of disjoint classes that are looked for in the graph
_CHECKED = 10_000  # relations whose rules are compared with each other
_NAMED = 5  # classes or values of a rule that are named
_KINDS = (
    "domain",
    "range",
    "functional relation",
    "inverse functional relation",
    "symmetric relation",
    "pair of inverse relations",
    "relation below another",
    "group of disjoint classes",
    "rule of a shape",
)


@dataclass(frozen=True, eq=False)
class Rule:
    """One thing that a schema says about the facts of a relation, in numbers of the graph."""

    kind: Kind
    side: int  # whose entities are named: 0 heads, 1 tails; "most": 0 limits the tails of a head
    said: str  # the class or the values, for people
    allowed: Ints  # types ("class") or entities ("values")
    apart: Ints  # types that share no entity with the class
    most: int = 0
    scope: Ints | None = None  # the rule is about facts where an entity has one of these types:
    scope_side: int = 0  # the head, or the tail
    scope_said: str = ""

    @property
    def in_words(self) -> str:
        """What the rule says."""
        where = f", if the {SIDES[self.scope_side]} is of type {self.scope_said}" if self.scope_said else ""
        if self.kind == "class":
            return f"a {SIDES[self.side]} is of type {self.said}{where}"
        if self.kind == "values":
            return f"a {SIDES[self.side]} is {self.said}{where}"
        here, there = SIDES[self.side], SIDES[1 - self.side]
        count = "one" if self.most == 1 else f"{self.most:,}"
        return f"a {here} has at most {count} {there if self.most == 1 else f'{there}s'}{where}"


@dataclass(frozen=True)
class Implied:
    """A relation of the graph whose facts make facts of another one, head and tail turned or not; and why."""

    relation: int
    turned: bool
    said: str


@dataclass(frozen=True)
class RelationRules:
    """What a schema says about one relation."""

    rules: tuple[Rule, ...]
    implied_by: tuple[Implied, ...]

    def has_one(self, side: int) -> bool:
        """Whether every head (0) has one tail at most, or every tail (1) one head."""
        plain = (rule for rule in self.rules if rule.kind == "most" and rule.scope is None)
        return any(rule.side == side and rule.most == 1 for rule in plain)


class Rules:
    """The rules of a schema for one graph, by the names of relations."""

    def __init__(
        self,
        schema: Schema,
        entities: Names,
        relations: Names,
        relation_label: Callable[[int], str],
        types: Names | None,
        type_label: Callable[[int], str],
    ) -> None:
        self._terms, self._entities, self._stated = schema.terms, entities, Drafts(schema)
        self._relations, self._relation_label = Finder(relations), relation_label
        self._types, self._type_label = None if types is None else Finder(types), type_label
        self._made: dict[str, RelationRules] = {}
        self._drafts: dict[str, list[Draft]] = {}
        for relation, draft in self._stated:
            self._drafts.setdefault(self._called(relation), []).append(draft)
        self._symmetric = {self._called(name) for name in self._stated.declared(f"{OWL}SymmetricProperty")}
        below, equal = self._pairs(f"{RDFS}subPropertyOf"), self._pairs(f"{OWL}equivalentProperty")
        inverse = self._pairs(f"{OWL}inverseOf")
        self._counts = {"pair of inverse relations": len(inverse), "relation below another": len(below)}
        self._above = _grouped([*below, *equal, *_turned(equal)])
        self._below = _grouped(_turned([*below, *equal, *_turned(equal)]))
        self._inverse = _grouped([*inverse, *_turned(inverse)])

    def of(self, relation: str) -> RelationRules:
        """What the schema says about a relation, of the graph or not."""
        name = self._called(relation)
        if name not in self._made:
            drafts = dict.fromkeys(draft for one in self._upwards(name) for draft in self._drafts.get(one, ()))
            made = [self._make(draft) for draft in list(drafts)[:_RULES]]
            applied = tuple(rule for rule in made if rule is not None)
            self._made[name] = RelationRules(applied, tuple(self._implied(name)))
        return self._made[name]

    @cached_property
    def holds(self) -> dict[str, int]:
        """What the schema holds, counted by kind, for people."""
        counts = Counter(_kind_of(draft) for own in self._drafts.values() for draft in own)
        counts.update(self._counts)
        counts["symmetric relation"] = len(self._symmetric)
        counts["group of disjoint classes"] = len(self._stated.hierarchy.groups)
        return {kind: counts[kind] for kind in _KINDS if counts[kind]}

    @cached_property
    def unknown_relations(self) -> list[str]:
        """The relations that rules are about and the graph lacks."""
        return sorted(name for name in self._drafts if self._relations.find(name) is None)

    @cached_property
    def unknown_classes(self) -> list[str]:
        """The classes that rules name and that no entity of the graph is of."""
        drafts = [draft for own in self._drafts.values() for draft in own]
        named = {name for draft in drafts for name in (*(draft.names if draft.kind == "class" else ()), *draft.scope)}
        return sorted(name for name in named if not len(self._types_below([name])))

    def disjoint(self) -> Iterator[list[tuple[str, Ints]]]:
        """Groups of disjoint classes, at most so many: what each class is called, and its types in the graph."""
        for group in self._stated.hierarchy.groups[:_GROUPS]:
            names = [self._terms[number] for number in group[:_RULES]]
            found = [(self._said([name]), self._types_below([name])) for name in dict.fromkeys(names)]
            yield [(said, types) for said, types in found if len(types)]

    def contradictions(self) -> Iterator[str]:
        """What the schema says that cannot all be so, one sentence each."""
        for kind, (one, other) in self._stated.hierarchy.contradictions():
            names = [self._said([self._terms[number]]) for number in (kind, one, other)]
            if one == other:
                yield f"the schema says that the class {names[0]} is disjoint with itself: no entity can be of it"
            else:
                yield (
                    f"the schema says that the class {names[0]} is below {names[1]} and {names[2]}, which are "
                    "disjoint: no entity can be of it"
                )
        for relation in sorted(self._drafts)[:_CHECKED] if self._stated.hierarchy.groups else ():
            domains, ranges = (self._plain(relation, side) for side in (0, 1))
            for what, found in (
                ("is symmetric, but its domain and range", self._apart(domains, ranges)),
                ("has two domains, and these", self._apart(domains, domains)),
                ("has two ranges, and these", self._apart(ranges, ranges)),
            ):
                if found and (relation in self._symmetric or "two" in what):
                    one_class, other_class = (self._said([name]) for name in found)
                    yield (
                        f"the schema says that {self._relation_said(relation)} {what}, {one_class} and {other_class}, "
                        "are disjoint: no fact can fit"
                    )
        if self._stated.is_too_large or self._stated.hierarchy.is_too_large:
            yield "the schema is too large to be applied as a whole; give the part that is about this graph (--schema)"

    def _plain(self, relation: str, side: int) -> list[str]:
        """The classes that all heads or all tails of a relation are of."""
        drafts = (draft for draft in self._drafts[relation] if draft.kind == "class" and draft.side == side)
        return [draft.names[0] for draft in drafts if len(draft.names) == 1 and not draft.scope][:_NAMED]

    def _apart(self, ones: Sequence[str], others: Sequence[str]) -> tuple[str, str] | None:
        """The first two classes that are disjoint."""
        number, hierarchy = self._stated.number, self._stated.hierarchy
        pairs = ((one, other) for one in ones for other in others)
        return next(((one, other) for one, other in pairs if hierarchy.are_apart(number[one], number[other])), None)

    def _called(self, relation: str) -> str:
        """The graph's name of a relation; one that it lacks keeps the name that it has in the schema."""
        number = self._relations.find(relation)
        return relation if number is None else self._relations.names[number]

    def _pairs(self, relation: str) -> list[tuple[str, str]]:
        """Pairs of different relations that are linked, by the graph's names."""
        found = ((self._called(one), self._called(other)) for one, other in self._stated.pairs(relation))
        return list(dict.fromkeys((one, other) for one, other in found if one != other))

    def _relation_said(self, name: str) -> str:
        number = self._relations.find(name)
        return _shown(name if number is None else self._relation_label(number))

    def _said(self, classes: Sequence[str]) -> str:
        """Classes or values as a person reads them; the first few."""
        shown = classes[:_NAMED]
        numbers = [None if self._types is None else self._types.find(name) for name in shown]
        named = [
            _shown(name if number is None else self._type_label(number))
            for name, number in zip(shown, numbers, strict=True)
        ]
        return " or ".join(named) + (f" or {len(classes) - _NAMED:,} more" if len(classes) > _NAMED else "")

    def _upwards(self, relation: str) -> list[str]:
        """A relation and all above it."""
        found, todo = {relation: None}, [relation]
        while todo:
            for other in self._above.get(todo.pop(), ()):
                if other not in found:
                    found[other] = None
                    todo.append(other)
        return list(found)

    def _make(self, draft: Draft) -> Rule | None:
        """A rule with the numbers of the graph; None where it is about no class or value of the graph."""
        scope = self._types_below(draft.scope) if draft.scope else None
        allowed: Ints = np.empty(0, dtype=np.int64)
        apart = allowed
        if draft.kind == "class":
            allowed = self._types_below(draft.names)
            numbers = [self._stated.number[name] for name in draft.names]
            apart = np.setdiff1d(self._types_of(self._stated.hierarchy.apart(numbers)), allowed)
        elif draft.kind == "values":
            found = [self._entity(name) for name in draft.names]
            allowed = np.unique([number for number in found if number is not None]).astype(np.int64)
        if (scope is not None and not len(scope)) or (draft.kind != "most" and not len(allowed)):
            return None
        said, scope_said = self._said(draft.names), self._said(draft.scope)
        return Rule(draft.kind, draft.side, said, allowed, apart, draft.most, scope, draft.scope_side, scope_said)

    def _entity(self, name: str) -> int | None:
        number = self._entities.find(name)
        return self._entities.find(local_name(name)) if number is None else number

    def _types_below(self, classes: Sequence[str]) -> Ints:
        """The types of the graph that are among some classes or below them."""
        return self._types_of(self._stated.hierarchy.below(self._stated.number[name] for name in classes))

    def _types_of(self, numbers: Ints) -> Ints:
        found = self._type_numbers[numbers]
        return np.unique(found[found >= 0])

    @cached_property
    def _type_numbers(self) -> Ints:
        """The number of each term of the schema as a type of the graph, -1 for others."""
        if self._types is None:
            return np.full(len(self._terms), -1)
        found = self._types.names.find_each(self._terms).astype(np.int64)
        if self._types.aliases:
            for number in np.flatnonzero(found < 0).tolist():
                found[number] = self._types.alias(self._terms[number])
        return found

    def _implied(self, relation: str) -> Iterator[Implied]:
        """What facts of the relation follow from: facts of relations of the graph."""
        said = self._relation_said(relation)
        if relation in self._symmetric:
            yield from self._from(relation, True, f"{said} is symmetric")
        for inverse in self._inverse.get(relation, ())[:_RULES]:
            yield from self._from(inverse, True, f"{said} is the inverse of {self._relation_said(inverse)}")
        for kind in self._below.get(relation, ())[:_RULES]:
            yield from self._from(kind, False, f"{self._relation_said(kind)} is a kind of {said}")

    def _from(self, name: str, turned: bool, said: str) -> Iterator[Implied]:
        number = self._relations.find(name)
        if number is not None:
            yield Implied(number, turned, said)


def _grouped(pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for one, other in dict.fromkeys(pairs):
        found.setdefault(one, []).append(other)
    return found


def _turned(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(other, one) for one, other in pairs]


def _shown(name: str) -> str:
    return shorten(local_name(name) if is_iri(name) else name)


def _kind_of(draft: Draft) -> str:
    if draft.scope:
        return "rule of a shape"
    if draft.kind == "class":
        return ("domain", "range")[draft.side]
    return ("functional relation", "inverse functional relation")[draft.side]
