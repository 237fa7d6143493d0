"""What is asked, and what several pieces of evidence share, computed once.

A `RelationQuery` is a relation, known by its references. `Candidates` are the entities that are asked about as tails. A
`HeadQuery` is one head with all candidates. Each keeps what it has computed, so a piece of evidence is a line or two.

Everything is computed for one head at a time, and from sorted references: a pair's evidence does not depend on the
other heads of a call, nor on the order in which references are given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray

from faan.base import Ints, Purpose, Stream
from faan.embed import Embeddings
from faan.evidence.fit import fit_relation
from faan.evidence.links import link_counts
from faan.evidence.names import EntityNames
from faan.evidence.path_sums import PathSums, path_sums
from faan.evidence.paths import RelationPaths, find_paths
from faan.evidence.profiles import Profiles
from faan.evidence.shared_facts import SharedFacts
from faan.graph import Graph, has_readable_names
from faan.tasks import Method, PairSet, Scorer, Task

Values = NDArray[np.float32]

SAMPLE = 30  # references for what is costly: vectors, profiles, finding paths
COUNTED = 100  # references that the worth of paths is counted over
MANY = 10_000  # references for what is cheap
FITTED = 200  # references that a relation vector is fitted to
NEAREST = 10  # references with the most similar heads
_AT_ONCE = 1 << 17  # candidates whose vectors are in memory together
SHARPNESS = 5.0  # how much more a reference counts whose head is similar: weights are softmax(SHARPNESS * similarity)


@dataclass(frozen=True, eq=False)
class Sources:
    """What evidence is taken from: the background graph, vectors of it, methods that have learnt."""

    graph: Graph
    translation: Embeddings | None = None  # of TransE
    matching: Embeddings | None = None  # of a model whose score is a product: ComplEx or DistMult
    learnt: Mapping[str, Method] = field(default_factory=dict)
    completion: Embeddings | None = None  # trained to complete the relations of the graph
    saved_names: EntityNames | None = None  # the entities' names as they were found on disk

    @cached_property
    def profiles(self) -> Profiles:
        """The relations that each entity takes part in."""
        return Profiles.of(self.graph)

    @cached_property
    def has_names(self) -> bool:
        """Whether entities have names that a person can read."""
        return has_readable_names(self.graph)

    @cached_property
    def names(self) -> EntityNames:
        """What the entities are called."""
        return EntityNames.of(self.graph) if self.saved_names is None else self.saved_names

    def vectors(self, kind: str) -> Embeddings:
        """The vectors of a kind: `translation`, `matching` or `completion`."""
        found: Embeddings | None = getattr(self, kind)
        assert found is not None, f"evidence from {kind} vectors is asked for, and there are none"
        return found

    def units(self, entities: Ints) -> dict[str, Values]:
        """The vectors of some entities at length 1, by kind, (n, w); of all entities they would not fit in memory."""
        kinds = {"translation": self.translation, "matching": self.matching}
        return {kind: _unit(found.entities.numpy()[entities]) for kind, found in kinds.items() if found is not None}


class RelationQuery:
    """A relation that is known by its references: all of them (`known`), or a sample (`references`) for costly work."""

    def __init__(self, sources: Sources, task: Task, references: Ints) -> None:
        facts = references if task.facts is None else task.facts
        self.sources, self.task, self.known = sources, task, _drawn(facts, MANY)
        self.references = _drawn(references, SAMPLE)  # (K, 2)
        self.num_references = len(facts)
        self.tails, self.uses = np.unique(facts[:, 1], return_counts=True)  # how often each tail is the answer
        self.num_heads = len(np.unique(facts[:, 0]))
        self.candidates = _sorted(task.candidates).astype(np.int64)  # among these a candidate has its place
        self._heads: dict[int, Values] = {}
        self._own_scores: tuple[int, Callable[[Ints], Values], np.float32] | None = None

    @property
    def own(self) -> int | None:
        """The relation's own id, where the graph has its references as edges and vectors know them."""
        return self.task.hidden if self.task.in_graph else None

    @cached_property
    def _facts(self) -> PairSet:
        facts = self.task.facts if self.task.in_graph and self.task.facts is not None else self.task.pairs[:0]
        return PairSet(facts[:, 0], facts[:, 1], self.sources.graph.num_entities)

    def known_tails(self, head: int) -> Ints:
        """The tails that a head is known to have, sorted; none where the relation is new."""
        return self._facts.tails_of(head)

    def rivals(self, head: int) -> Ints:
        """The candidates that a head may have beside its known tails, sorted."""
        return np.setdiff1d(self.candidates, self.known_tails(head), assume_unique=True)

    @cached_property
    def paths(self) -> RelationPaths:
        """The relation paths from the references' heads to their tails."""
        task, counted = self.task, _drawn(self.known, COUNTED)
        graph = self.sources.graph
        return find_paths(graph, self.references, self.candidates, task.hidden, task.in_graph, counted)

    @cached_property
    def namesake_paths(self) -> RelationPaths:
        """The same, where entities of the same name are one."""
        task, names = self.task, self.sources.names
        if names.merged is self.sources.graph:
            return self.paths
        references, counted = names.number(self.references), names.number(_drawn(self.known, COUNTED))
        candidates = np.unique(names.number(self.candidates))
        return find_paths(names.merged, references, candidates, task.hidden, task.in_graph, counted)

    @cached_property
    def name_agreement(self) -> tuple[float, float]:
        """How alike the names of head and tail are in the references, and those of their tails; means of cosines."""
        names, (heads, tails) = self.sources.names, self.references.T
        pairs = names.letters[heads].multiply(names.letters[tails]).sum() / len(heads)
        different = np.unique(tails)
        count = len(different)
        if count < 2:
            return float(pairs), 0.0
        likeness = names.cosines("letters", different, different)
        return float(pairs), float((likeness.sum() - np.trace(likeness)) / (count * (count - 1)))

    @cached_property
    def shared_facts(self) -> SharedFacts:
        """The references by the facts of their heads."""
        return SharedFacts.of(self.sources.graph, self.known, self.task.hidden)

    @cached_property
    def degrees(self) -> Ints:
        """The edges of each entity of the graph that are not of the hidden relation."""
        return _degrees(self.sources.graph, self.task.hidden)

    @cached_property
    def namesake_degrees(self) -> Ints:
        """The same where entities of the same name are one; of a relation of the graph, all edges."""
        return _degrees(self.sources.names.merged, None if self.task.in_graph else self.task.hidden)

    @cached_property
    def tail_profiles(self) -> Values:
        """The profiles of the references' tails, (K, roles)."""
        return self.sources.profiles.dense(self.references[:, 1], self.task.hidden)

    @cached_property
    def scorers(self) -> dict[str, Scorer]:
        """The learnt methods, by their names, after they have seen the references."""
        return {name: method.prepare(self.task, self.references) for name, method in self.sources.learnt.items()}

    @cached_property
    def relations(self) -> Values:
        """The relation of each reference in the matching vectors: (K, w), conj(h) * t for ComplEx."""
        vectors = self.sources.vectors("matching")
        pairs = vectors.entities[torch.from_numpy(self.references)]  # (K, 2, w)
        found: Values = vectors.model.between(pairs[:, 0], pairs[:, 1]).numpy()
        return found

    @cached_property
    def fitted(self) -> Values:
        """The relation that picks the references' tails out best, (1, w)."""
        references = _drawn(self.known, FITTED)
        found: Values = fit_relation(self.sources.vectors("matching"), references, self.candidates).numpy()
        return found[None]

    def own_scores(self, head: int) -> tuple[Callable[[Ints], Values], np.float32]:
        """How a head's tails (n,) score with the relation's own vector, and what its rivals have together."""
        if self._own_scores is None or self._own_scores[0] != head:
            self._own_scores = head, *self._score_own(head)
        return self._own_scores[1:]

    def _score_own(self, head: int) -> tuple[Callable[[Ints], Values], np.float32]:
        vectors = self.sources.vectors("completion")
        assert self.own is not None
        query = vectors.model.tail_query(vectors.entities[head], vectors.with_inverses()[self.own])[None]

        def scores(ids: Ints) -> Values:
            parts = [torch.from_numpy(ids[start : start + _AT_ONCE]) for start in range(0, max(len(ids), 1), _AT_ONCE)]
            found = [vectors.model.similarity.matrix(query, vectors.entities[part]).numpy()[0] for part in parts]
            return np.concatenate(found)

        rivals = self.rivals(head)
        among = scores(rivals if len(rivals) else self.candidates)
        return scores, np.float32(among.max() + np.log(np.exp(among - among.max()).sum()))

    @cached_property
    def _head_units(self) -> tuple[Ints, dict[str, Values]]:
        """The heads of all references, sorted, and their vectors at length 1."""
        heads = np.union1d(self.references[:, 0], self.known[:, 0])
        return heads, self.sources.units(heads)

    def head_similarities(self, head: int) -> Values:
        """How similar a head is to each reference's head, (K,): the mean cosine of profiles and vectors."""
        if head not in self._heads:  # the last one is asked for again and again
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
        """The tails of the references (at most `NEAREST`) whose heads are most similar; not of the head itself."""
        known = self.known[self.known[:, 0] != head]
        heads, row = np.unique(known[:, 0], return_inverse=True)
        likeness = self._similarities(head, heads)[row]
        tails: Ints = known[np.argsort(-likeness, kind="stable")[:NEAREST], 1]
        return tails

    def weights(self, head: int) -> Values:
        """How much each reference counts for a head, (K,), their sum 1: more if the heads are similar."""
        raised = np.exp(SHARPNESS * (self.head_similarities(head) - self.head_similarities(head).max()))
        weights: Values = raised / raised.sum()
        return weights


class Candidates:
    """Entities (C,) that are asked about as tails of one query."""

    def __init__(self, query: RelationQuery, ids: Ints) -> None:
        self.query, self.ids = query, ids

    @cached_property
    def place(self) -> Ints:
        """The place of each entity of the graph, -1 for those that are not asked about."""
        place = np.full(self.query.sources.graph.num_entities, -1, np.int32)
        place[self.ids] = np.arange(len(self.ids))
        return place

    @cached_property
    def uses(self) -> Values:
        """The share of all references that each candidate is the tail of, (C,)."""
        return self.among(self.query.tails, self.query.uses / max(self.query.num_references, 1))

    def among(self, tails: Ints, values: NDArray[np.floating]) -> Values:
        """The values of sorted tails (U,) as those of the candidates, 0 for other candidates: (C,)."""
        found = np.zeros(len(self.ids), np.float32)
        if len(tails):
            places = np.searchsorted(tails, self.ids).clip(max=len(tails) - 1)
            found = np.where(tails[places] == self.ids, values[places], 0).astype(np.float32)
        return found

    @cached_property
    def is_reference(self) -> NDArray[np.bool_]:
        """Which candidate is the tail of which reference, (C, K)."""
        same: NDArray[np.bool_] = self.ids[:, None] == self.query.references[None, :, 1]
        return same

    @cached_property
    def profiles(self) -> Values:
        """Cosines of the candidates' profiles with those of the references' tails, (C, K)."""
        query = self.query
        return query.sources.profiles.similarities(self.ids, query.tail_profiles, query.task.hidden)

    @cached_property
    def tails(self) -> dict[str, Values]:
        """Cosines of candidates and references' tails in each kind of vectors, (C, K)."""
        references = self.query.sources.units(self.query.references[:, 1])
        return {kind: self.units[kind] @ units.T for kind, units in references.items()}

    @cached_property
    def names(self) -> dict[str, Values]:
        """Cosines of the names of candidates and references' tails, in words and in letters, (C, K)."""
        names, tails = self.query.sources.names, self.query.references[:, 1]
        return {kind: names.cosines(kind, self.ids, tails) for kind in ("words", "letters")}

    @cached_property
    def namesakes(self) -> tuple[Ints, Ints]:
        """The candidates in the graph where entities of the same name are one: each once (N,), and which is which."""
        different, row = np.unique(self.query.sources.names.number(self.ids), return_inverse=True)
        return different.astype(np.int64), row

    @cached_property
    def units(self) -> dict[str, Values]:
        """The candidates' vectors of each kind at length 1, (C, w)."""
        return self.query.sources.units(self.ids)

    def vectors(self, kind: str) -> Values:
        """The candidates' vectors, (C, w)."""
        if kind not in self._vectors:
            self._vectors[kind] = self.query.sources.vectors(kind).entities.numpy()[self.ids]
        return self._vectors[kind]

    @cached_property
    def _vectors(self) -> dict[str, Values]:
        return {}


class HeadQuery:
    """One head with all candidates; of those that are not `wanted` evidence may say anything."""

    def __init__(self, candidates: Candidates, head: int, wanted: NDArray[np.bool_] | None = None) -> None:
        self.candidates, self.relation, self.head = candidates, candidates.query, head
        self.wanted = np.ones(len(candidates.ids), dtype=bool) if wanted is None else wanted  # (C,)

    @cached_property
    def weights(self) -> Values:
        """How much each reference counts, (K,)."""
        return self.relation.weights(self.head)

    @cached_property
    def units(self) -> dict[str, Values]:
        """The head's vectors of each kind at length 1, (w,)."""
        return {kind: units[0] for kind, units in self.relation.sources.units(np.array([self.head])).items()}

    @cached_property
    def paths(self) -> PathSums:
        """Which paths lead from the head to the candidates."""
        return path_sums(self.relation.paths, self.head, self.candidates.ids, self.relation.own, self.wanted)

    @cached_property
    def namesake_paths(self) -> PathSums:
        """Which paths lead from the head to the candidates where entities of the same name are one."""
        if self.relation.sources.names.merged is self.relation.sources.graph:
            return self.paths
        (ids, row), head = self.candidates.namesakes, int(self.relation.sources.names.number(np.array([self.head]))[0])
        wanted = np.bincount(row, weights=self.wanted, minlength=len(ids)) > 0
        found = path_sums(self.relation.namesake_paths, head, ids, self.relation.own, wanted)
        return PathSums(found.short[row], found.long[row], found.best[row], found.fired[row])

    @cached_property
    def shared_facts(self) -> tuple[Values, Values]:
        """The tails of heads that share facts with the head: what the best fact says, and what all say; (C,) each."""
        facts = self.relation.shared_facts
        best, total = facts.of_head(self.head)
        return self.candidates.among(facts.tails, best), self.candidates.among(facts.tails, total)

    @cached_property
    def nearest(self) -> Values:
        """The share of the most similar heads that each candidate is the tail of, (C,)."""
        tails, counts = np.unique(self.relation.nearest(self.head), return_counts=True)
        return self.candidates.among(tails, counts / max(counts.sum(), 1))

    @property
    def own_relation(self) -> Values:
        """The score with the relation's own vector, above what the head's rivals have together (log-softmax); (C,)."""
        scores, together = self.relation.own_scores(self.head)
        return scores(self.candidates.ids) - together

    @property
    def other_tails(self) -> Values:
        """The highest cosine with a known tail of the head other than the candidate, (C,); -1 if there is none."""
        relation, entities = self.relation, self.relation.sources.vectors("completion").entities.numpy()
        own = np.unique(relation.known[relation.known[:, 0] == self.head, 1])
        if not len(own):
            return np.full(len(self.candidates.ids), -1, np.float32)
        cosines = _unit(entities[self.candidates.ids]) @ _unit(entities[own]).T  # (C, T)
        cosines[self.candidates.ids[:, None] == own] = -1
        found: Values = cosines.max(1)
        return found

    @cached_property
    def links(self) -> tuple[Values, Values, Values]:
        """Edges from the head to each candidate, links over one entity, and these weighed; (C,) each."""
        degrees = self.relation.sources.graph.neighbours.degrees if self.relation.task.in_graph else None
        degrees = self.relation.degrees if degrees is None else degrees
        return self._links(self.relation.sources.graph, degrees, self.head, self.candidates.place)

    @cached_property
    def namesake_links(self) -> tuple[Values, Values, Values]:
        """The same where entities of the same name are one."""
        names, (ids, row) = self.relation.sources.names, self.candidates.namesakes
        if names.merged is self.relation.sources.graph:
            return self.links
        place = np.full(names.merged.num_entities, -1, np.int32)
        place[ids] = np.arange(len(ids))
        head = int(names.number(np.array([self.head]))[0])
        direct, between, rare = self._links(names.merged, self.relation.namesake_degrees, head, place)
        return direct[row], between[row], rare[row]

    def _links(self, graph: Graph, degrees: Ints, head: int, place: Ints) -> tuple[Values, Values, Values]:
        task, own = self.relation.task, -1 if self.relation.own is None else self.relation.own
        unseen = -1 if task.hidden is None or task.in_graph else task.hidden % graph.num_relations
        found = tuple(np.zeros(int(place.max()) + 1, np.float32) for _ in range(3))
        edges = graph.neighbours.offsets, graph.neighbours.relations, graph.neighbours.entities
        link_counts(*edges, degrees, graph.num_relations, head, place, unseen, own, *found)
        return found[0], found[1], found[2]

    @cached_property
    def similar_names(self) -> Values:
        """How alike the head's name is to that of another head that has the candidate as its tail, (C,)."""
        relation = self.relation
        known = relation.known[relation.known[:, 0] != self.head]
        likeness = relation.sources.names.cosines("letters", known[:, 0], np.array([self.head]))[:, 0]
        tails, place = np.unique(known[:, 1], return_inverse=True)
        best = np.zeros(len(tails), np.float32)
        np.maximum.at(best, place, likeness)
        return self.candidates.among(tails, best)

    def shared_name(self, kind: str) -> Values:
        """How alike the names of the head and each candidate are, in `words` or `letters`, (C,)."""
        return self.relation.sources.names.cosines(kind, self.candidates.ids, np.array([self.head]))[:, 0]

    @cached_property
    def translated(self) -> Values:
        """Closeness of each candidate to h + t_k - h_k for each reference, then to their mean; (C, K + 1)."""
        vectors, references = self.relation.sources.vectors("translation"), self.relation.references
        pairs = vectors.entities[torch.from_numpy(references)]  # (K, 2, d)
        moves = pairs[:, 1] - pairs[:, 0]
        targets = vectors.entities[self.head] + torch.cat([moves, moves.mean(0, keepdim=True)])  # (K + 1, d)
        candidates = torch.from_numpy(self.candidates.vectors("translation"))
        found: Values = vectors.model.similarity.matrix(targets, candidates).numpy()
        return found.T

    @cached_property
    def matched(self) -> Values:
        """Products of the relation to each candidate with each reference's, then with the fitted one; (C, K + 1)."""
        vectors = self.relation.sources.vectors("matching")
        relations = torch.from_numpy(np.concatenate([self.relation.relations, self.relation.fitted]))
        queries = vectors.model.tail_query(vectors.entities[self.head], relations).numpy()  # (K + 1, w)
        found: Values = self.candidates.vectors("matching") @ queries.T
        return found


def _sorted(ids: Ints) -> Ints:
    """Ids in order, each once; nearly always they are."""
    return ids if (ids[1:] > ids[:-1]).all() else np.unique(ids)


def _degrees(graph: Graph, hidden: int | None) -> Ints:
    degrees = graph.neighbours.degrees
    if hidden is None:
        return degrees
    is_hidden = graph.relations == hidden % graph.num_relations
    ends = np.concatenate([graph.heads[is_hidden], graph.tails[is_hidden]])
    return degrees - np.bincount(ends, minlength=graph.num_entities)


def mean_of(values: Values) -> Values:
    """The mean over the references: (C, K) to (C,)."""
    found: Values = values.mean(1)
    return found


def highest_of(values: Values) -> Values:
    """The highest over the references: (C, K) to (C,)."""
    found: Values = values.max(1)
    return found


def _drawn(references: Ints, count: int) -> Ints:
    """References (K, 2) in order, or so many of them, drawn at random, if there are more."""
    ordered = references[np.lexsort((references[:, 1], references[:, 0]))].astype(np.int64)
    if len(ordered) <= count:
        return ordered
    return ordered[np.sort(Stream(0, Purpose.EXAMPLES, count).permutation(len(ordered))[:count])]


def _unit(vectors: Values) -> Values:
    units: Values = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return units
