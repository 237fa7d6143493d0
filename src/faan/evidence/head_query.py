"""One head with the candidates for its tail.

`Candidates` are the entities that are asked about as tails, a `HeadQuery` is one head with all of them. Each keeps what
it has computed, so a piece of evidence is a line or two. One head is looked at at a time: a pair's evidence does not
depend on the other heads of a call.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from faan.base import Ints, distinct, unlocked_property
from faan.evidence.links import link_counts
from faan.evidence.path_sums import PathSums, path_sums
from faan.evidence.relation_query import RelationQuery
from faan.evidence.sources import Values, unit
from faan.graph import Graph

_MOST_TAILS = 1024  # known tails that candidates are compared with
_AT_ONCE = 64  # of them, so that little memory is needed


class Candidates:
    """The candidates (C,) for the tail of one query."""

    def __init__(self, query: RelationQuery, ids: Ints) -> None:
        self.query, self.ids = query, ids

    @unlocked_property
    def distinct(self) -> tuple[Ints, Ints]:
        """The distinct candidates, sorted (N,), and the index of each candidate in them (C,)."""
        different, row = np.unique(self.ids, return_inverse=True)
        return different, row

    @unlocked_property
    def uses(self) -> Values:
        """The share of all references that each candidate is the tail of, (C,)."""
        return self.among(self.query.tails, self.query.uses / max(self.query.num_references, 1))

    def among(self, tails: Ints, values: NDArray[np.floating]) -> Values:
        """Values of sorted tails (U,), looked up for the candidates; 0 for candidates that are not among them: (C,)."""
        found = np.zeros(len(self.ids), np.float32)
        if len(tails):
            places = np.searchsorted(tails, self.ids).clip(max=len(tails) - 1)
            found = np.where(tails[places] == self.ids, values[places], 0).astype(np.float32)
        return found

    @unlocked_property
    def is_reference(self) -> NDArray[np.bool_]:
        """Which candidate is the tail of which reference, (C, K)."""
        same: NDArray[np.bool_] = self.ids[:, None] == self.query.references[None, :, 1]
        return same

    @unlocked_property
    def profiles(self) -> Values:
        """Cosines of the candidates' profiles with those of the references' tails, (C, K)."""
        query = self.query
        return query.sources.profiles.similarities(self.ids, query.tail_profiles, query.task.hidden)

    @unlocked_property
    def tails(self) -> dict[str, Values]:
        """Cosines of candidates and references' tails in each kind of vectors, (C, K)."""
        references = self.query.sources.units(self.query.references[:, 1])
        return {kind: self.units[kind] @ units.T for kind, units in references.items()}

    @unlocked_property
    def names(self) -> dict[str, Values]:
        """Cosines of the names of candidates and references' tails, in words and in letters, (C, K)."""
        names, tails = self.query.sources.names, self.query.references[:, 1]
        return {kind: names.cosines(kind, self.ids, tails) for kind in ("words", "letters")}

    @unlocked_property
    def namesakes(self) -> tuple[Ints, Ints]:
        """The distinct candidates in the graph that merges namesakes (N,), and the index of each candidate (C,)."""
        different, row = np.unique(self.query.sources.names.number(self.ids), return_inverse=True)
        return different.astype(np.int64), row

    @unlocked_property
    def units(self) -> dict[str, Values]:
        """The candidates' vectors of each kind at length 1, (C, w)."""
        return {kind: unit(self.vectors(kind)) for kind in self.query.sources.kinds}

    @unlocked_property
    def completion_units(self) -> Values:
        """The same of the vectors for relations of the graph."""
        return unit(self.query.sources.vectors("completion").entities.numpy()[self.ids])

    def vectors(self, kind: str) -> Values:
        """The candidates' vectors, (C, w)."""
        if kind not in self._vectors:
            self._vectors[kind] = self.query.sources.vectors(kind).entities.numpy()[self.ids]
        return self._vectors[kind]

    @unlocked_property
    def _vectors(self) -> dict[str, Values]:
        return {}


class HeadQuery:
    """One head with all candidates; evidence of candidates that are not `wanted` is undefined."""

    def __init__(self, candidates: Candidates, head: int, wanted: NDArray[np.bool_] | None = None) -> None:
        self.candidates, self.relation, self.head = candidates, candidates.query, head
        self.wanted = np.ones(len(candidates.ids), dtype=bool) if wanted is None else wanted  # (C,)

    @unlocked_property
    def weights(self) -> Values:
        """How much each reference counts, (K,)."""
        return self.relation.weights(self.head)

    @unlocked_property
    def units(self) -> dict[str, Values]:
        """The head's vectors of each kind at length 1, (w,)."""
        return {kind: units[0] for kind, units in self.relation.sources.units(np.array([self.head])).items()}

    @unlocked_property
    def paths(self) -> PathSums:
        """Which paths lead from the head to the candidates."""
        return path_sums(self.relation.paths, self.head, self.candidates.ids, self.relation.own, self.wanted)

    @unlocked_property
    def namesake_paths(self) -> PathSums:
        """Which paths lead from the head to the candidates where entities of the same name are one.

        No known fact of the head is evidence for itself. Those of its namesakes are other facts, and may be thousands.
        """
        relation, names = self.relation, self.relation.sources.names
        if not names.has_namesakes:
            return self.paths
        (ids, row), head = self.candidates.namesakes, int(names.number(np.array([self.head]))[0])
        wanted = np.bincount(row, weights=self.wanted, minlength=len(ids)) > 0
        wanted &= np.isin(ids, names.number(relation.known_tails(self.head)))
        found = path_sums(relation.namesake_paths, head, ids, relation.own, wanted)
        return PathSums(found.short[row], found.long[row], found.best[row], found.fired[row])

    @unlocked_property
    def shared_facts(self) -> tuple[Values, Values]:
        """Support by facts that other heads share with the head: of the best fact, and of all; (C,) each."""
        facts = self.relation.shared_facts
        best, total = facts.of_head(self.head)
        return self.candidates.among(facts.tails, best), self.candidates.among(facts.tails, total)

    @unlocked_property
    def nearest(self) -> Values:
        """The share of the most similar heads that each candidate is the tail of, (C,)."""
        tails, counts = np.unique(self.relation.nearest(self.head)[:, 1], return_counts=True)
        return self.candidates.among(tails, counts / max(counts.sum(), 1))

    @property
    def own_relation(self) -> Values:
        """The score with the relation's own vector, normalised over the head's rivals (log-softmax); (C,)."""
        return self.relation.own_scores(self.head, self.candidates.ids)

    @property
    def other_tails(self) -> Values:
        """The highest cosine with a known tail of the head other than the candidate, (C,); -1 if there is none.

        Of a head with very many tails some are looked at.
        """
        relation, entities = self.relation, self.relation.sources.vectors("completion").entities.numpy()
        own = distinct(relation.known[relation.known[:, 0] == self.head, 1])
        own, found = own[:: -(-len(own) // _MOST_TAILS) or 1], np.full(len(self.candidates.ids), -1, np.float32)
        for start in range(0, len(own), _AT_ONCE):
            tails = own[start : start + _AT_ONCE]
            cosines = self.candidates.completion_units @ unit(entities[tails]).T  # (C, T)
            cosines[self.candidates.ids[:, None] == tails] = -1
            np.maximum(found, cosines.max(1), out=found)
        return found

    @unlocked_property
    def links(self) -> tuple[Values, Values, Values]:
        """Edges from the head to each candidate, links over one entity, and these weighed; (C,) each."""
        return self._links(self.relation.sources.graph, self.head, *self.candidates.distinct)

    @unlocked_property
    def namesake_links(self) -> tuple[Values, Values, Values]:
        """The same where entities of the same name are one."""
        names = self.relation.sources.names
        if not names.has_namesakes:
            return self.links
        head = int(names.number(np.array([self.head]))[0])
        return self._links(names.merged, head, *self.candidates.namesakes)

    def _links(self, graph: Graph, head: int, ids: Ints, row: Ints) -> tuple[Values, Values, Values]:
        task, own = self.relation.task, -1 if self.relation.own is None else self.relation.own
        unseen = -1 if task.hidden is None or task.in_graph else task.hidden % graph.num_relations
        found = tuple(np.zeros(len(ids), np.float32) for _ in range(3))
        edges = graph.neighbours.offsets, graph.neighbours.relations, graph.neighbours.entities
        link_counts(*edges, graph.num_relations, head, ids, unseen, own, *found)
        return found[0][row], found[1][row], found[2][row]

    @unlocked_property
    def similar_names(self) -> Values:
        """How alike the head's name is to that of another head that has the candidate as its tail, (C,)."""
        known, likeness = self.relation.alike_names(self.head)
        tails, place = np.unique(known[:, 1], return_inverse=True)
        best = np.zeros(len(tails), np.float32)
        np.maximum.at(best, place, likeness)
        return self.candidates.among(tails, best)

    def shared_name(self, kind: str) -> Values:
        """How alike the names of the head and each candidate are, in `words` or `letters`, (C,)."""
        if kind not in self._shared_names:
            found = self.relation.sources.names.cosines(kind, self.candidates.ids, np.array([self.head]))[:, 0]
            self._shared_names[kind] = found
        return self._shared_names[kind]

    @unlocked_property
    def _shared_names(self) -> dict[str, Values]:
        return {}

    @unlocked_property
    def translated(self) -> Values:
        """Closeness of each candidate to h + t_k - h_k for each reference, then to their mean; (C, K + 1)."""
        vectors, references = self.relation.sources.vectors("translation"), self.relation.references
        pairs = vectors.entities[torch.from_numpy(references)]  # (K, 2, d)
        moves = pairs[:, 1] - pairs[:, 0]
        targets = vectors.entities[self.head] + torch.cat([moves, moves.mean(0, keepdim=True)])  # (K + 1, d)
        candidates = torch.from_numpy(self.candidates.vectors("translation"))
        found: Values = vectors.model.similarity.matrix(targets, candidates).numpy()
        return found.T

    @unlocked_property
    def matched(self) -> Values:
        """Products of the relation to each candidate with each reference's, then with the fitted one; (C, K + 1)."""
        vectors = self.relation.sources.vectors("matching")
        relations = torch.from_numpy(np.concatenate([self.relation.relations, self.relation.fitted]))
        queries = vectors.model.tail_query(vectors.entities[self.head], relations).numpy()  # (K + 1, w)
        found: Values = self.candidates.vectors("matching") @ queries.T
        return found
