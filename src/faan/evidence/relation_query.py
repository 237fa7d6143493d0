"""A relation that is given by its references.

A `RelationQuery` keeps what it has computed, because several pieces of evidence share it. Everything is computed from
sorted references, so evidence does not depend on the order in which they are given.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from faan.base import Ints, Purpose, Stream, distinct, unlocked_property
from faan.evidence.fit import fit_relation
from faan.evidence.links import count_edges
from faan.evidence.paths import RelationPaths, find_paths
from faan.evidence.shared_facts import SharedFacts
from faan.evidence.sources import Sources, Values
from faan.tasks import PairSet, Scorer, Task

_SAMPLE = 30  # references for costly work: vectors, profiles, finding paths
_COUNTED = 100  # references over which the confidence of paths is counted
_MANY = 10_000  # references for cheap work
_FITTED = 200  # references to which a relation vector is fitted
_NEAREST = 10  # references with the most similar heads
_AT_ONCE = 1 << 17  # candidates whose vectors are in memory at a time
_SHARPNESS = 5.0  # how much more a reference counts whose head is similar: weights are softmax(_SHARPNESS * similarity)


class RelationQuery:
    """A relation given by its references: all of them (`known`), and a sample (`references`) for costly work."""

    def __init__(self, sources: Sources, task: Task, references: Ints) -> None:
        facts = references if task.facts is None else task.facts
        self.sources, self.task, self.known = sources, task, _drawn(facts, _MANY)
        self.references = _drawn(references, _SAMPLE)  # (K, 2)
        self.num_references = len(facts)
        self.tails, self.uses = np.unique(facts[:, 1], return_counts=True)  # how often each tail is the answer
        self.num_heads = len(distinct(facts[:, 0]))
        self.candidates = _sorted(task.candidates).astype(np.int64)  # among these, candidates are ranked
        self._heads: dict[int, Values] = {}
        self._own_scores: tuple[int, Values, np.float32] | None = None  # of the head that was asked for last

    @property
    def own(self) -> int | None:
        """The relation's own id, if its references are edges of the graph that vectors were trained on."""
        return self.task.hidden if self.task.in_graph else None

    @unlocked_property
    def _facts(self) -> PairSet:
        facts = self.task.facts if self.task.in_graph and self.task.facts is not None else self.task.pairs[:0]
        return PairSet(facts[:, 0], facts[:, 1], self.sources.graph.num_entities)

    def known_tails(self, head: int) -> Ints:
        """The known tails of a head, sorted; none if the relation is new."""
        return self._facts.tails_of(head)

    @unlocked_property
    def paths(self) -> RelationPaths:
        """The relation paths from the references' heads to their tails."""
        task, counted = self.task, _drawn(self.known, _COUNTED)
        graph = self.sources.graph
        return find_paths(graph, self.references, self.candidates, task.hidden, task.in_graph, counted)

    @unlocked_property
    def namesake_paths(self) -> RelationPaths:
        """The same in the graph that merges entities with the same name."""
        task, names = self.task, self.sources.names
        if not names.has_namesakes:
            return self.paths
        references, counted = names.number(self.references), names.number(_drawn(self.known, _COUNTED))
        candidates = distinct(names.number(self.candidates))
        return find_paths(names.merged, references, candidates, task.hidden, task.in_graph, counted)

    @unlocked_property
    def name_agreement(self) -> tuple[float, float]:
        """How similar the names of head and tail are in the references, and those of their tails; means of cosines."""
        names, (heads, tails) = self.sources.names, self.references.T
        pairs = names.letters[heads].multiply(names.letters[tails]).sum() / len(heads)
        different = distinct(tails)
        count = len(different)
        if count < 2:
            return float(pairs), 0.0
        likeness = names.cosines("letters", different, different)
        return float(pairs), float((likeness.sum() - np.trace(likeness)) / (count * (count - 1)))

    @unlocked_property
    def shared_facts(self) -> SharedFacts:
        """The references by the facts of their heads."""
        return SharedFacts.of(self.sources.graph, self.known, self.task.hidden)

    def count_edges(self, entities: Ints) -> Ints:
        """How many edges entities (n,) have that are not of the hidden relation."""
        graph, hidden = self.sources.graph, self.task.hidden
        unseen = -1 if hidden is None else hidden % graph.num_relations
        return count_edges(graph.neighbours.offsets, graph.neighbours.relations, graph.num_relations, entities, unseen)

    @unlocked_property
    def tail_profiles(self) -> Values:
        """The profiles of the references' tails, (K, roles)."""
        return self.sources.profiles.dense(self.references[:, 1], self.task.hidden)

    @unlocked_property
    def scorers(self) -> dict[str, Scorer]:
        """The learnt methods by name, prepared with the references."""
        return {name: method.prepare(self.task, self.references) for name, method in self.sources.learnt.items()}

    @unlocked_property
    def relations(self) -> Values:
        """The relation of each reference in the matching vectors: (K, w), conj(h) * t for ComplEx."""
        vectors = self.sources.vectors("matching")
        pairs = vectors.entities[torch.from_numpy(self.references)]  # (K, 2, w)
        found: Values = vectors.model.between(pairs[:, 0], pairs[:, 1]).numpy()
        return found

    @unlocked_property
    def fitted(self) -> Values:
        """The relation vector that ranks the references' tails best, (1, w)."""
        references = _drawn(self.known, _FITTED)
        found: Values = fit_relation(self.sources.vectors("matching"), references, self.candidates).numpy()
        return found[None]

    def own_scores(self, head: int, ids: Ints) -> Values:
        """The scores of entities as tails of a head by the relation's own vector, normalised over the candidates that
        are not known tails (log-softmax); (n,)."""
        if self._own_scores is None or self._own_scores[0] != head:
            among = self._score_own(head, self.candidates, self._candidate_vectors)
            competes = ~np.isin(self.candidates, self.known_tails(head))
            rivals = among[competes] if competes.any() else among
            together = np.float32(rivals.max() + np.log(np.exp(rivals - rivals.max()).sum()))
            self._own_scores = head, among - together, together
        _, among, together = self._own_scores
        places = np.searchsorted(self.candidates, ids).clip(max=len(self.candidates) - 1)
        found: Values = among[places]
        outside = self.candidates[places] != ids
        if outside.any():
            found[outside] = self._score_own(head, ids[outside]) - together
        return found

    def _score_own(self, head: int, ids: Ints, rows: Tensor | None = None) -> Values:
        """The scores of entities as tails of a head by the relation's own vector, (n,); `rows` are their vectors."""
        vectors = self.sources.vectors("completion")
        assert self.own is not None
        query = vectors.model.tail_query(vectors.entities[head], vectors.with_inverses()[self.own])[None]
        places = torch.from_numpy(ids)
        parts = [rows] if rows is not None else (vectors.entities[part] for part in places.split(_AT_ONCE))
        scores: Values = np.concatenate([vectors.model.similarity.matrix(query, part).numpy()[0] for part in parts])
        return scores

    @unlocked_property
    def _candidate_vectors(self) -> Tensor | None:
        """The candidates' vectors for relations of the graph, (C, w); None where there are too many to keep."""
        if len(self.candidates) > _AT_ONCE:
            return None
        return self.sources.vectors("completion").entities[torch.from_numpy(self.candidates)]

    @unlocked_property
    def _head_units(self) -> tuple[Ints, dict[str, Values]]:
        """The heads of all references, sorted, and their vectors at length 1."""
        heads = distinct(self.references[:, 0], self.known[:, 0])
        return heads, self.sources.units(heads)

    def head_similarities(self, head: int) -> Values:
        """How similar a head is to each reference's head, (K,): the mean cosine of profiles and vectors."""
        if head not in self._heads:  # the same head is asked for many times in a row
            self._heads = {head: self._similarities(head, self.references[:, 0])}
        return self._heads[head]

    def _similarities(self, head: int, others: Ints) -> Values:
        profiles, hidden = self.sources.profiles, self.task.hidden
        own = profiles.similarities(others, profiles.dense(np.array([head]), hidden), hidden)[:, 0]
        heads, units = self._head_units
        rows, asked = np.searchsorted(heads, others), self.sources.units(np.array([head]))
        found = [own, *(units[kind][rows] @ asked[kind][0] for kind in units)]
        mean: Values = np.mean(found, axis=0, dtype=np.float32)
        return mean

    def nearest(self, head: int) -> Ints:
        """The references (n, 2), at most `_NEAREST`, with the most similar heads, without the head's own."""
        known = self.known[self.known[:, 0] != head]
        heads, row = np.unique(known[:, 0], return_inverse=True)
        likeness = self._similarities(head, heads)[row]
        nearest: Ints = known[np.argsort(-likeness, kind="stable")[:_NEAREST]]
        return nearest

    def alike_names(self, head: int) -> tuple[Ints, Values]:
        """The references (n, 2) without the head's own, and how alike the names of their heads are to its own, (n,)."""
        known = self.known[self.known[:, 0] != head]
        return known, self.sources.names.cosines("letters", known[:, 0], np.array([head]))[:, 0]

    def weights(self, head: int) -> Values:
        """How much each reference counts for a head, (K,), their sum 1: more if the heads are similar."""
        raised = np.exp(_SHARPNESS * (self.head_similarities(head) - self.head_similarities(head).max()))
        weights: Values = raised / raised.sum()
        return weights


def _sorted(ids: Ints) -> Ints:
    """Distinct ids, sorted; fast if they already are."""
    return ids if (ids[1:] > ids[:-1]).all() else distinct(ids)


def _drawn(references: Ints, count: int) -> Ints:
    """References (K, 2), sorted; a random sample if there are more than `count`."""
    ordered = references[np.lexsort((references[:, 1], references[:, 0]))].astype(np.int64)
    if len(ordered) <= count:
        return ordered
    return ordered[np.sort(Stream(0, Purpose.EXAMPLES, count).permutation(len(ordered))[:count])]
