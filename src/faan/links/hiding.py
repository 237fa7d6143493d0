"""Which facts of a graph are asked for: some that are hidden from it, or those of a benchmark's own files."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from faan.base import InputError, Ints, Purpose, Stream, counted, distinct
from faan.embed import encode_triples, triples_of
from faan.graph import Graph
from faan.tasks import PairSet, Task, find_leakage, held_out_rows, without_rows

SHARE = 0.1  # of a relation's facts are hidden,
MOST = 200  # and at most so many
SAMPLE = 2000  # hidden facts that are asked for
_GIVEN_AWAY = 0.8  # share of a relation's pairs that one other relation links


@dataclass(frozen=True, eq=False)
class LinkSplit:
    """A graph to learn from, and facts to ask for that it does not hold."""

    name: str
    graph: Graph  # without the facts below; ids are its own
    valid: Ints  # (n, 3) facts that may be used to choose settings
    test: Ints  # (m, 3) facts that are asked for
    unasked: Ints  # (u, 3) facts that are hidden and not asked for, where only a sample is
    notes: tuple[str, ...] = ()  # what a reader of the figures should know

    @cached_property
    def known(self) -> Ints:
        """All facts that are true: an answer of one of them never counts as wrong, (k, 3)."""
        return np.concatenate([triples_of(self.graph), self.valid, self.test, self.unasked])

    def for_choosing(self) -> LinkSplit:
        """The split to choose settings by: it asks for the validation facts and ignores the test facts."""
        return replace(self, valid=self.valid[:0], test=self.valid, unasked=self.unasked[:0])

    @cached_property
    def asked_relations(self) -> list[int]:
        """The relations of the facts that are asked for."""
        return [int(relation) for relation in distinct(self.test[:, 1])]


def hide_facts(
    graph: Graph, name: str, *, share: float = SHARE, most: int = MOST, sample: int = SAMPLE, seed: int = 0
) -> LinkSplit:
    """Hide a share of each relation's facts, at least one and at most `most`, and ask for a sample of them.

    A fact stays if it is the only one of its relation, or the only one that an entity has left: of an entity without
    facts nothing can be known. `sample` is the number of hidden facts that are asked for, 0 for all.
    """
    if not 0 < share < 1:
        raise InputError(f"the share of hidden facts must be between 0 and 1, found {share}")
    hidden = held_out_rows(graph, share, most, seed, Purpose.HIDDEN_FACTS, at_least=1)
    facts = triples_of(graph)[hidden]
    if not len(facts):
        raise InputError("no fact can be hidden: each is the only one of its relation or of an entity", source=name)
    rest = without_rows(graph, hidden)
    asked = np.ones(len(facts), dtype=bool)
    notes = [f"{len(facts):,} of {graph.num_triples:,} facts were hidden ({share:.0%} of a relation, at most {most})."]
    if 0 < sample < len(facts):
        asked[Stream(seed, Purpose.HIDDEN_FACTS, graph.num_relations).permutation(len(facts))[sample:]] = False
        notes.append(f"{sample:,} of the hidden facts are asked for, a random sample (--sample 0 asks for all).")
    split = LinkSplit(name, rest, facts[:0], facts[asked], facts[~asked], tuple(notes))
    return replace(split, notes=(*notes, *find_duplicates(split)))


def given_facts(graph: Graph, name: str, valid: Graph | None, test: Graph) -> LinkSplit:
    """The facts of a benchmark's own files; those with an entity or relation that the graph lacks are skipped."""
    notes, found = [], [np.empty((0, 3), dtype=np.int64)] * 2
    for place, (what, other) in enumerate((("validation", valid), ("test", test))):
        if other is not None:
            found[place], unknown = encode_triples(graph, other)
            if unknown:
                notes.append(
                    f"{counted(unknown, f'{what} fact was', f'{what} facts were')} skipped: the training facts lack "
                    "an entity or a relation of theirs."
                )
    if not len(found[1]):
        raise InputError("none of the test facts has names that the training facts know", source=test.report.source)
    split = LinkSplit(name, graph, found[0], found[1], found[1][:0], tuple(notes))
    return replace(split, notes=(*notes, *find_duplicates(split)))


def find_duplicates(split: LinkSplit) -> list[str]:
    """Say which relations are given away: another one, or their own inverse, links most of the pairs asked for."""
    tasks, none = [], split.test[:0, 0]
    for relation in split.asked_relations:
        pairs = split.test[split.test[:, 1] == relation][:, [0, 2]]
        if len(pairs) > 1:
            tasks.append(Task(split.graph.relation_label(relation), pairs, none, PairSet(none, none, 1)))
    found = [
        f"{leak.relation} by {name} ({count} of {leak.pairs})"
        for leak in find_leakage(split.graph, tasks)
        for name, count in leak.links[:1]
        if count >= _GIVEN_AWAY * leak.pairs
    ]
    return [f"Given away by another relation or by symmetry: {'; '.join(found)}."] if found else []
