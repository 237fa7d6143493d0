"""Evidence from vectors of entities and relations, and from the scores of learnt methods."""

from __future__ import annotations

import numpy as np

from faan.evidence.evidence import Evidence, PairEvidence, TailEvidence, group, highest_of, mean_of
from faan.evidence.head_query import HeadQuery
from faan.evidence.sources import Values

_SAMPLE = 256  # of the candidates, for the mean and deviation of a learnt score

TRANSLATION = group(
    "embeddings",
    PairEvidence(
        "mean translation",
        "the way from head to tail is the mean way of the references",
        lambda query: query.translated[:, -1],
    ),
    PairEvidence(
        "nearest translation",
        "the way from head to tail is like that of one reference",
        lambda query: highest_of(query.translated[:, :-1]),
    ),
    PairEvidence(
        "translation of similar heads",
        "the way from head to tail is like that of the references with similar heads",
        lambda query: query.translated[:, :-1] @ query.weights,
    ),
    needs=lambda sources: sources.translation is not None,
)
"""Translations (TransE): -||h + t_k - h_k - t||."""

MATCHING = group(
    "embeddings",
    PairEvidence(
        "matching relations",
        "the relation from head to tail resembles those of the references",
        lambda query: mean_of(query.matched[:, :-1]),
    ),
    PairEvidence(
        "best matching relation",
        "the relation from head to tail resembles that of one reference",
        lambda query: highest_of(query.matched[:, :-1]),
    ),
    PairEvidence(
        "matching relations of similar heads",
        "the relation from head to tail resembles those of the references with similar heads",
        lambda query: query.matched[:, :-1] @ query.weights,
    ),
    PairEvidence(
        "fitted relation",
        "the relation that fits the references best leads from the head to the tail",
        lambda query: query.matched[:, -1],
    ),
    needs=lambda sources: sources.matching is not None,
)
"""Matching relations (ComplEx, DistMult): products of conj(h) * t."""

OWN = group(
    "embeddings",
    PairEvidence(
        "own relation",
        "the vector of the relation itself, known from its facts, leads from the head to the tail",
        lambda query: query.own_relation,
        in_graph=True,
    ),
    PairEvidence(
        "closeness to the head's other tails",
        "the tail is close to another tail of the head",
        lambda query: query.other_tails,
        direction=0,
        in_graph=True,
    ),
    needs=lambda sources: sources.completion is not None,
)
"""Evidence for relations of the graph: the relation's own vector, and the known tails of the head."""


def cosines(vectors: str) -> tuple[Evidence, ...]:
    """Cosines of entity vectors of a kind, `translation` or `matching`."""

    return group(
        "embeddings",
        PairEvidence(
            f"closeness to the head ({vectors})",
            f"head and tail are close to each other in the {vectors} vectors",
            lambda query: query.candidates.units[vectors] @ query.units[vectors],
            direction=0,
        ),
        TailEvidence(
            f"closeness to the references' tails ({vectors})",
            f"the tail is close to the references' tails in the {vectors} vectors",
            lambda candidates: mean_of(candidates.tails[vectors]),
        ),
        TailEvidence(
            f"closeness to one reference's tail ({vectors})",
            f"the tail is close to the tail of one reference in the {vectors} vectors",
            lambda candidates: highest_of(candidates.tails[vectors]),
        ),
        PairEvidence(
            f"closeness to the tails of similar heads ({vectors})",
            f"the tail is close to the tails of similar heads in the {vectors} vectors",
            lambda query: query.candidates.tails[vectors] @ query.weights,
        ),
        needs=lambda sources: getattr(sources, vectors) is not None,
    )


def learnt_score(method: str) -> PairEvidence:
    """The score of a learnt method, in standard deviations above the mean of the task's candidates.

    Both are estimated from every n-th candidate, and there is no rank column: learnt scores are too costly to compute
    for all candidates of a training query.
    """

    def of(query: HeadQuery) -> Values:
        scorer, among, head = query.relation.scorers[method], query.relation.candidates, np.array([query.head])
        usual = scorer.score(head, among[:: max(1, len(among) // _SAMPLE)])[0].astype(np.float64)
        own = scorer.score(head, query.candidates.ids)[0]
        return np.asarray((own - usual.mean()) / max(float(usual.std()), 1e-6), dtype=np.float32)

    return PairEvidence(
        name=f"{method}'s score",
        kind="learnt",
        meaning=f"{method} finds that the pair fits the references",
        is_compared=False,
        needs=lambda sources: method in sources.learnt,
        of=of,
    )
