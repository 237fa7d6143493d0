"""A question: examples of a relation, what is known of it, and which entities may be its heads and tails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from faan.base import InputError, Ints, Purpose, Stream, distinct, unlocked_property
from faan.complete.shape import TypePairs, has_loops, has_one_value
from faan.complete.standins import stand_ins
from faan.complete.types import Described, Examples, Extended
from faan.graph import Graph, Implied, Names, RelationRules
from faan.tasks import CUTOFF, PairSet, Task, find_candidates

NEW_RELATION = "the new relation"
MAX_REFERENCES = 30  # of a relation with more facts so many are drawn as examples to be looked at one by one
_SEVERAL = 4  # from so many different tails on, a role that only one of them plays says little
_LOW_EVIDENCE = 2  # examples: from so few on, suggestions are marked
_MANY = 1000  # names that are cheaper looked up together than one by one


@dataclass(frozen=True, eq=False)
class Question:
    """A relation to complete: which tails do its heads have?"""

    graph: Graph = field(repr=False)
    relation: str  # what to call it
    references: Ints  # (K, 2)
    known: PairSet  # facts that are known
    hidden: int | None  # the relation's id if the graph has it: its edges are hidden
    rejected: PairSet  # pairs that a reviewer rejected
    as_if_like: tuple[str, ...] = ()  # relations that lent pairs
    lent: int = 0  # how many references are lent: the last ones
    is_inverse: bool = False  # heads are suggested for given tails

    @unlocked_property
    def looks_like(self) -> Ints:
        """The pairs (n, 2) that answers look like: all known facts, or the references if some of these are lent."""
        return self.references if self.lent else self.known.pairs

    @property
    def num_examples(self) -> int:
        """How many of the references are facts of the relation."""
        return len(self.references) - self.lent

    @unlocked_property
    def candidates(self) -> Ints:
        """The entities that fit as answers: those that look like known ones, or follow from known facts."""
        found = fitting(self.graph, self.looks_like[:, 1])
        return distinct(found, self.following[:, 1]).astype(np.int32) if self.implied else found

    @unlocked_property
    def type_pairs(self) -> TypePairs | None:
        """Which types go together in known facts, if entities have types."""
        return None if self.graph.types is None else TypePairs(self.graph.types, self.known)

    @unlocked_property
    def rules(self) -> RelationRules | None:
        """What the schema says about the relation, if there is a schema."""
        graph = self.graph
        name = self.relation if self.hidden is None else graph.relation_names[self.hidden % graph.num_relations]
        return None if graph.rules is None else graph.rules.of(name)

    @unlocked_property
    def implied(self) -> tuple[tuple[Implied, PairSet], ...]:
        """What makes facts of the relation by the schema, each with the pairs (head, tail) that follow."""
        graph, found = self.graph, []
        for one in () if self.rules is None else self.rules.implied_by:
            if self.hidden is not None and one.relation == self.hidden % graph.num_relations:
                ends: Ints = self.known.pairs.T[::-1] if self.is_inverse else self.known.pairs.T
            else:
                ends = graph.pairs_of(one.relation).T
            heads, tails = ends[::-1] if one.turned else ends
            found.append((one, PairSet(heads, tails, graph.num_entities)))
        return tuple(found)

    @property
    def is_functional(self) -> bool:
        """Whether the schema says that there is one answer at most."""
        return self.rules is not None and self.rules.has_one(1 if self.is_inverse else 0)

    @unlocked_property
    def one_value(self) -> bool:
        """Whether there is one answer: by nearly all known facts or, if these are few, by the schema."""
        return has_one_value(self.entailed, self.is_functional)

    @unlocked_property
    def has_loops(self) -> bool:
        """Whether an entity may be its own answer."""
        return has_loops(self.looks_like)

    @unlocked_property
    def entailed(self) -> Ints:
        """The pairs (n, 2) that are known or follow from known facts: a symmetric relation may be stored one way."""
        known = self.known.pairs
        return np.unique(np.concatenate([known, self.following]), axis=0) if self.implied else known

    @unlocked_property
    def following(self) -> Ints:
        """The pairs (n, 2) that follow from known facts by the schema, known or not."""
        pairs = [pairs.pairs for _, pairs in self.implied]
        found = np.unique(np.concatenate([*pairs, np.empty((0, 2), dtype=np.int64)]), axis=0)
        return found[:, ::-1] if self.is_inverse else found

    @unlocked_property
    def task(self) -> Task:
        """The question as a few-shot task."""
        facts, in_graph = self.looks_like, self.hidden is not None
        return Task(self.relation, self.references, self.candidates, self.known, self.hidden, in_graph, facts)

    @property
    def low_evidence(self) -> bool:
        """Whether there are two examples or fewer."""
        return self.num_examples <= _LOW_EVIDENCE

    def inverse(self) -> Question:
        """The inverse question, which asks for the heads of tails."""
        count = self.graph.num_relations
        return replace(
            self,
            references=np.ascontiguousarray(self.references[:, ::-1]),
            known=self.known.turned(),
            hidden=None if self.hidden is None else (self.hidden + count) % (2 * count),
            rejected=self.rejected.turned(),
            is_inverse=not self.is_inverse,
        )


def ask(graph: Graph, examples: Examples, rejected: Sequence[tuple[str, str]] = ()) -> Question:
    """Look up the examples: a relation of the graph by name, or pairs by the names of entities.

    A pair that is both known and rejected is known: it was accepted later.
    """
    question = _look_up(graph, examples)
    wrong = _pairs(graph, rejected)
    wrong = wrong[~question.known.contains(wrong[:, 0], wrong[:, 1])]
    return replace(question, rejected=PairSet.of(wrong, graph.num_entities))


def _look_up(graph: Graph, examples: Examples) -> Question:
    if isinstance(examples, str):
        return _of_graph(graph, examples, ())
    if isinstance(examples, Extended):
        return _of_graph(graph, examples.relation, examples.pairs)
    if isinstance(examples, Described):
        return _described(graph, examples)
    pairs = _pairs(graph, examples)
    if not len(pairs):
        raise InputError("there is no example: give at least one pair of head and tail, better five")
    return _new(graph, NEW_RELATION, pairs[:MAX_REFERENCES], pairs)


def _of_graph(graph: Graph, name: str, more: Sequence[tuple[str, str]]) -> Question:
    """A relation of the graph; pairs that are given beside its own facts come first.

    One of which the graph has no fact, as after `without`, is as new as one that it never heard of.
    """
    relation, given = graph.relation(name), _pairs(graph, more)
    own = graph.pairs_of(relation)
    if not len(own) and not len(given):
        raise InputError(f"the graph has no fact of {name!r}: give examples of it as pairs")
    room = max(MAX_REFERENCES - len(given), 0)
    order = np.sort(Stream(0, Purpose.EXAMPLES, relation).permutation(len(own))[:room])
    references, known = np.concatenate([given[:MAX_REFERENCES], own[order]]), np.concatenate([given, own])
    return _new(graph, graph.relation_label(relation), references, known, relation if len(own) else None)


def _described(graph: Graph, given: Described) -> Question:
    """A new relation by its name; without an example, relations of a similar name lend theirs."""
    own = _pairs(graph, given.pairs)
    question = _new(graph, given.relation, own[:MAX_REFERENCES], own)
    if len(own):  # stand-ins hurt beside a single one: docs/experiments.md
        return question
    lent, relations = stand_ins(graph, given.relation, given.not_like)
    return replace(question, references=lent.astype(np.int32), as_if_like=relations, lent=len(lent))


def _new(graph: Graph, relation: str, references: Ints, known: Ints, hidden: int | None = None) -> Question:
    """A question before anything was rejected."""
    known_, rejected = (PairSet.of(pairs, graph.num_entities) for pairs in (known, known[:0]))
    return Question(graph, relation, references, known_, hidden, rejected)


def _pairs(graph: Graph, pairs: Sequence[tuple[str, str]]) -> Ints:
    """The ids of pairs, each once, in their order."""
    ids = np.array([(graph.entity(head), graph.entity(tail)) for head, tail in pairs], dtype=np.int32).reshape(-1, 2)
    _, first = np.unique(ids, axis=0, return_index=True)
    return ids[np.sort(first)]


def fitting(graph: Graph, tails: Ints) -> Ints:
    """The entities that look like some others: by type, else by the roles that they play.

    Where there are four different ones or more, a role counts if two of them play it. On NELL-One without its types,
    five examples so find 92 % of the true tails among 8,900 candidates; all roles of all five 95 % among 13,200, and
    roles that three of them play 85 % among 6,200 (mean of training and dev tasks).
    """
    several = len(distinct(tails))
    return find_candidates(graph, tails, max(CUTOFF, 2 / several) if several >= _SEVERAL else CUTOFF).entities


def entities(graph: Graph, names: Sequence[str]) -> Ints:
    """The ids of entities, each once, in the order of their names; a million are looked up at once."""
    if len(names) < _MANY:
        found = [graph.entity(name) for name in names]
    else:
        ids = graph.entity_names.find_each(Names.from_strings(names))
        found = [number if number >= 0 else graph.entity(names[i]) for i, number in enumerate(ids.tolist())]
    return np.array(list(dict.fromkeys(found)), dtype=np.int32)
