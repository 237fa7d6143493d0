"""Evidence from vectors of the background graph: translations (TransE) and matching relations (ComplEx)."""

from __future__ import annotations

from typing import ClassVar, Literal

from faan.evidence.evidence import Direction, PairEvidence, TailEvidence
from faan.evidence.question import Asked, Columns, Sources, Values, highest_of, mean_of

Vectors = Literal["translation", "matching"]


class _Translation(PairEvidence):
    kind = "embeddings"

    def is_there(self, sources: Sources) -> bool:
        return sources.translation is not None


class MeanTranslation(_Translation):
    """-||h + mean(t_k - h_k) - t||."""

    name = "mean translation"
    meaning = "the way from head to tail is the mean way of the references"

    def of(self, asked: Asked) -> Values:
        return asked.translated[:, -1]


class NearestTranslation(_Translation):
    """The closeness to the nearest reference's translation."""

    name = "nearest translation"
    meaning = "the way from head to tail is like that of one reference"

    def of(self, asked: Asked) -> Values:
        return highest_of(asked.translated[:, :-1])


class WeighedTranslation(_Translation):
    """The mean closeness, references with similar heads counting more."""

    name = "translation of similar heads"
    meaning = "the way from head to tail is like that of the references with similar heads"

    def of(self, asked: Asked) -> Values:
        return asked.translated[:, :-1] @ asked.weights


class _Matching(PairEvidence):
    kind = "embeddings"

    def is_there(self, sources: Sources) -> bool:
        return sources.matching is not None


class MeanMatch(_Matching):
    """The mean product of the relation between head and candidate with the references' relations."""

    name = "matching relations"
    meaning = "the relation from head to tail resembles those of the references"

    def of(self, asked: Asked) -> Values:
        return mean_of(asked.matched[:, :-1])


class BestMatch(_Matching):
    """The highest product."""

    name = "best matching relation"
    meaning = "the relation from head to tail resembles that of one reference"

    def of(self, asked: Asked) -> Values:
        return highest_of(asked.matched[:, :-1])


class WeighedMatch(_Matching):
    """The mean product, references with similar heads counting more."""

    name = "matching relations of similar heads"
    meaning = "the relation from head to tail resembles those of the references with similar heads"

    def of(self, asked: Asked) -> Values:
        return asked.matched[:, :-1] @ asked.weights


class FittedMatch(_Matching):
    """The score with the one relation that fits all references best."""

    name = "fitted relation"
    meaning = "the relation that fits the references best leads from the head to the tail"

    def of(self, asked: Asked) -> Values:
        return asked.matched[:, -1]


class HeadCosine(PairEvidence):
    """The cosine of head and candidate."""

    kind = "embeddings"
    direction: ClassVar[Direction] = 0

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors
        self.name = f"closeness to the head ({vectors})"
        self.meaning = f"head and tail are close to each other in the {vectors} vectors"

    def is_there(self, sources: Sources) -> bool:
        return getattr(sources, self.vectors) is not None

    def of(self, asked: Asked) -> Values:
        found: Values = asked.columns.units[self.vectors] @ asked.question.sources.units[self.vectors][asked.head]
        return found


class TailCosine(TailEvidence):
    """The mean cosine of candidate and references' tails."""

    kind = "embeddings"

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors
        self.name = f"closeness to the references' tails ({vectors})"
        self.meaning = f"the tail is close to the references' tails in the {vectors} vectors"

    def is_there(self, sources: Sources) -> bool:
        return getattr(sources, self.vectors) is not None

    def of(self, columns: Columns) -> Values:
        return mean_of(columns.tails[self.vectors])


class NearestTailCosine(TailCosine):
    """The highest cosine."""

    def __init__(self, vectors: Vectors) -> None:
        super().__init__(vectors)
        self.name = f"closeness to one reference's tail ({vectors})"
        self.meaning = f"the tail is close to the tail of one reference in the {vectors} vectors"

    def of(self, columns: Columns) -> Values:
        return highest_of(columns.tails[self.vectors])


class WeighedTailCosine(HeadCosine):
    """The mean cosine, references with similar heads counting more."""

    direction: ClassVar[Direction] = 1

    def __init__(self, vectors: Vectors) -> None:
        super().__init__(vectors)
        self.name = f"closeness to the tails of similar heads ({vectors})"
        self.meaning = f"the tail is close to the tails of similar heads in the {vectors} vectors"

    def of(self, asked: Asked) -> Values:
        return asked.columns.tails[self.vectors] @ asked.weights
