"""Evidence from what the references' tails are: which entities, of which types, with which relations."""

from __future__ import annotations

import numpy as np

from faan.evidence.evidence import PairEvidence, TailEvidence
from faan.evidence.question import Asked, Columns, Sources, Values, highest_of, mean_of


class TailCount(TailEvidence):
    """The share of the references that have this tail."""

    name = "tail in references"
    meaning = "the tail is a tail in the references"
    kind = "counts"

    def of(self, columns: Columns) -> Values:
        return mean_of(columns.is_reference.astype(np.float32))


class WeighedTailCount(PairEvidence):
    """The same, where references with a similar head count more."""

    name = "tail of similar heads"
    meaning = "the tail is one in the references whose heads are similar"
    kind = "counts"

    def of(self, asked: Asked) -> Values:
        return asked.columns.is_reference @ asked.weights


class Degree(TailEvidence):
    """Edges of the candidate, those of a hidden relation left out."""

    name = "edges of the tail"
    meaning = "the tail has many edges in the graph"
    kind = "counts"
    direction = 0

    def of(self, columns: Columns) -> Values:
        return np.log1p(columns.question.degrees[columns.candidates]).astype(np.float32)


class TypeShare(TailEvidence):
    """The share of the references' tails that have a type in common with the candidate."""

    name = "type"
    meaning = "the tail is of the types of the references' tails"
    kind = "counts"

    def is_there(self, sources: Sources) -> bool:
        return sources.graph.types is not None

    def of(self, columns: Columns) -> Values:
        types = columns.question.sources.graph.types
        assert types is not None
        share = np.zeros((len(columns.candidates), len(columns.question.references)), np.float32)
        for k, tail in enumerate(columns.question.references[:, 1].tolist()):
            same = types.owners[np.isin(types.ids, types.of(tail))]
            share[:, k] = np.isin(columns.candidates, same)
        return mean_of(share)


class SimilarTails(TailEvidence):
    """The mean cosine of relation profiles."""

    name = "relations like the references' tails"
    meaning = "the tail takes part in the same relations as the references' tails"
    kind = "profiles"

    def of(self, columns: Columns) -> Values:
        return mean_of(columns.profiles)


class MostSimilarTail(TailEvidence):
    """The highest cosine."""

    name = "relations like one reference's tail"
    meaning = "the tail takes part in the same relations as the tail of one reference"
    kind = "profiles"

    def of(self, columns: Columns) -> Values:
        return highest_of(columns.profiles)


class WeighedSimilarTails(PairEvidence):
    """The mean cosine, references with similar heads counting more."""

    name = "relations like the tails of similar heads"
    meaning = "the tail takes part in the same relations as the tails of similar heads"
    kind = "profiles"

    def of(self, asked: Asked) -> Values:
        return asked.columns.profiles @ asked.weights


class RolePopularity(TailEvidence):
    """Edges in the roles that the references' tails have."""

    name = "edges in the references' roles"
    meaning = "the tail has many edges of the relations that the references' tails take part in"
    kind = "profiles"

    def of(self, columns: Columns) -> Values:
        question = columns.question
        roles = question.tail_profiles.mean(0)
        return question.sources.profiles.popularity(columns.candidates, roles, question.task.hidden)
