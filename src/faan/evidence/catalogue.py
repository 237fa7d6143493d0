"""Which evidence there is: to add a piece, add a line. What several pieces share is computed once, in `question.py`."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from faan.evidence.evidence import Evidence, Kind, PairEvidence, context, pair, tail
from faan.evidence.question import Candidates, HeadQuery, Sources, Values, highest_of, mean_of

_SAMPLE = 256  # of the candidates, against which a learnt score is measured


def _type_share(candidates: Candidates) -> Values:
    """The share of the references' tails that have a type in common with each candidate."""
    types = candidates.query.sources.graph.types
    assert types is not None
    share = np.zeros((len(candidates.ids), len(candidates.query.references)), np.float32)
    rows, kinds = types.gather(candidates.ids)
    for k, one in enumerate(candidates.query.references[:, 1].tolist()):
        same = np.zeros(len(types.names), dtype=bool)
        same[types.of(one)] = True
        share[rows[same[kinds]], k] = 1
    return mean_of(share)


def _role_popularity(candidates: Candidates) -> Values:
    """Edges in the roles that the references' tails have."""
    query = candidates.query
    return query.sources.profiles.popularity(candidates.ids, query.tail_profiles.mean(0), query.task.hidden)


PATHS = (
    pair(
        "short paths",
        "paths",
        "paths of one or two steps that link references lead from the head to the tail",
        lambda query: query.paths.short,
    ),
    pair(
        "long paths",
        "paths",
        "paths of three steps that link references lead from the head to the tail",
        lambda query: query.paths.long,
    ),
    pair(
        "all paths",
        "paths",
        "paths that link references lead from the head to the tail",
        lambda query: query.paths.short + query.paths.long,
    ),
    pair(
        "best path",
        "paths",
        "the most reliable of the paths from the head to the tail",
        lambda query: query.paths.best,
    ),
    pair(
        "number of paths",
        "paths",
        "how many paths that link references lead from the head to the tail",
        lambda query: query.paths.fired,
    ),
    pair("direct links", "links", "the graph links head and tail directly", lambda query: query.links[0], direction=0),
    pair("common neighbours", "links", "head and tail have neighbours in common", lambda query: query.links[1]),
    pair(
        "rare common neighbours",
        "links",
        "head and tail have neighbours in common that few others have",
        lambda query: query.links[2],
    ),
)
"""Ways through the graph: relation paths that references have too (noisy-or of their confidences), and any links."""

TAILS = (
    tail(
        "tail in references",
        "counts",
        "the tail is a tail in the references",
        lambda candidates: candidates.uses,
        direction=0,
    ),
    pair(
        "tail of similar heads",
        "counts",
        "the tail is one in the references whose heads are similar",
        lambda query: query.candidates.is_reference @ query.weights,
    ),
    pair(
        "tail of the nearest heads",
        "counts",
        "the tail is one of the heads that are most similar to the head",
        lambda query: query.nearest,
    ),
    pair(
        "tail of heads with the same fact",
        "counts",
        "most heads that share a certain fact with the head have the tail",
        lambda query: query.shared_facts[0],
    ),
    pair(
        "tail of heads with the same facts",
        "counts",
        "heads that share facts with the head have the tail",
        lambda query: query.shared_facts[1],
    ),
    tail(
        "edges of the tail",
        "counts",
        "the tail has many edges in the graph",
        lambda candidates: np.log1p(candidates.query.degrees[candidates.ids]),
        direction=0,
    ),
    tail(
        "type",
        "counts",
        "the tail is of the types of the references' tails",
        _type_share,
        needs=lambda sources: sources.graph.types is not None,
    ),
    tail(
        "relations like the references' tails",
        "profiles",
        "the tail takes part in the same relations as the references' tails",
        lambda candidates: mean_of(candidates.profiles),
    ),
    tail(
        "relations like one reference's tail",
        "profiles",
        "the tail takes part in the same relations as the tail of one reference",
        lambda candidates: highest_of(candidates.profiles),
    ),
    pair(
        "relations like the tails of similar heads",
        "profiles",
        "the tail takes part in the same relations as the tails of similar heads",
        lambda query: query.candidates.profiles @ query.weights,
    ),
    tail(
        "edges in the references' roles",
        "profiles",
        "the tail has many edges of the relations that the references' tails take part in",
        _role_popularity,
    ),
)
"""What the references' tails are: which entities, of which types, with which relations (cosines of profiles)."""


def _has_translation(sources: Sources) -> bool:
    return sources.translation is not None


def _has_matching(sources: Sources) -> bool:
    return sources.matching is not None


def _has_completion(sources: Sources) -> bool:
    return sources.completion is not None


VECTORS = (
    pair(
        "mean translation",
        "embeddings",
        "the way from head to tail is the mean way of the references",
        lambda query: query.translated[:, -1],
        needs=_has_translation,
    ),
    pair(
        "nearest translation",
        "embeddings",
        "the way from head to tail is like that of one reference",
        lambda query: highest_of(query.translated[:, :-1]),
        needs=_has_translation,
    ),
    pair(
        "translation of similar heads",
        "embeddings",
        "the way from head to tail is like that of the references with similar heads",
        lambda query: query.translated[:, :-1] @ query.weights,
        needs=_has_translation,
    ),
    pair(
        "matching relations",
        "embeddings",
        "the relation from head to tail resembles those of the references",
        lambda query: mean_of(query.matched[:, :-1]),
        needs=_has_matching,
    ),
    pair(
        "best matching relation",
        "embeddings",
        "the relation from head to tail resembles that of one reference",
        lambda query: highest_of(query.matched[:, :-1]),
        needs=_has_matching,
    ),
    pair(
        "matching relations of similar heads",
        "embeddings",
        "the relation from head to tail resembles those of the references with similar heads",
        lambda query: query.matched[:, :-1] @ query.weights,
        needs=_has_matching,
    ),
    pair(
        "fitted relation",
        "embeddings",
        "the relation that fits the references best leads from the head to the tail",
        lambda query: query.matched[:, -1],
        needs=_has_matching,
    ),
)
"""Translations (TransE: -||h + t_k - h_k - t||) and matching relations (ComplEx: products of conj(h) * t)."""


OWN = (
    pair(
        "own relation",
        "embeddings",
        "the vector of the relation itself, known from its facts, leads from the head to the tail",
        lambda query: query.own_relation,
        needs=_has_completion,
        in_graph=True,
    ),
    pair(
        "closeness to the head's other tails",
        "embeddings",
        "the tail is close to another tail of the head",
        lambda query: query.other_tails,
        direction=0,
        needs=_has_completion,
        in_graph=True,
    ),
)
"""What vectors know of a relation of the graph from its own facts, and what is known of the head."""


def _cosines(vectors: str) -> tuple[Evidence, ...]:
    """Cosines of entity vectors of a kind, `translation` or `matching`."""

    def needs(sources: Sources) -> bool:
        return getattr(sources, vectors) is not None

    return (
        pair(
            f"closeness to the head ({vectors})",
            "embeddings",
            f"head and tail are close to each other in the {vectors} vectors",
            lambda query: query.candidates.units[vectors] @ query.units[vectors],
            direction=0,
            needs=needs,
        ),
        tail(
            f"closeness to the references' tails ({vectors})",
            "embeddings",
            f"the tail is close to the references' tails in the {vectors} vectors",
            lambda candidates: mean_of(candidates.tails[vectors]),
            needs=needs,
        ),
        tail(
            f"closeness to one reference's tail ({vectors})",
            "embeddings",
            f"the tail is close to the tail of one reference in the {vectors} vectors",
            lambda candidates: highest_of(candidates.tails[vectors]),
            needs=needs,
        ),
        pair(
            f"closeness to the tails of similar heads ({vectors})",
            "embeddings",
            f"the tail is close to the tails of similar heads in the {vectors} vectors",
            lambda query: query.candidates.tails[vectors] @ query.weights,
            needs=needs,
        ),
    )


def _has_names(sources: Sources) -> bool:
    return sources.has_names


NAMES = (
    pair(
        "same name",
        "names",
        "head and tail have the same name",
        lambda query: query.shared_name("letters") > 1 - 1e-6,
        direction=0,
        needs=_has_names,
    ),
    pair(
        "words of the head",
        "names",
        "the names of head and tail have words in common",
        lambda query: query.shared_name("words"),
        direction=0,
        needs=_has_names,
    ),
    pair(
        "letters of the head",
        "names",
        "the names of head and tail are spelt alike",
        lambda query: query.shared_name("letters"),
        direction=0,
        needs=_has_names,
    ),
    tail(
        "words of the references' tails",
        "names",
        "the tail's name has words of the names of the references' tails",
        lambda candidates: mean_of(candidates.names["words"]),
        needs=_has_names,
    ),
    tail(
        "letters of the references' tails",
        "names",
        "the tail's name is spelt like those of the references' tails",
        lambda candidates: mean_of(candidates.names["letters"]),
        needs=_has_names,
    ),
    pair(
        "tail of a head with a similar name",
        "names",
        "the tail is one of a head whose name is spelt like the head's",
        lambda query: query.similar_names,
        needs=_has_names,
    ),
    pair(
        "paths among namesakes",
        "names",
        "paths that link references lead from the head to the tail where entities of the same name are one",
        lambda query: query.namesake_paths.short + query.namesake_paths.long,
        needs=_has_names,
    ),
    pair(
        "best path among namesakes",
        "names",
        "the most reliable of the paths from the head to the tail where entities of the same name are one",
        lambda query: query.namesake_paths.best,
        needs=_has_names,
    ),
    pair(
        "direct links among namesakes",
        "names",
        "the graph links namesakes of the head with namesakes of the tail directly",
        lambda query: query.namesake_links[0],
        direction=0,
        needs=_has_names,
    ),
    pair(
        "rare common neighbours among namesakes",
        "names",
        "namesakes of head and tail have neighbours in common that few others have",
        lambda query: query.namesake_links[2],
        needs=_has_names,
    ),
    context(
        "alike names in references",
        "how alike the names of head and tail are in the references",
        lambda query, head: query.name_agreement[0],
        kind="names",
        needs=_has_names,
    ),
    context(
        "alike names of tails",
        "how alike the names of the references' tails are",
        lambda query, head: query.name_agreement[1],
        kind="names",
        needs=_has_names,
    ),
    context(
        "best rule among namesakes",
        "how reliable the best of the references' paths is where entities of the same name are one",
        lambda query, head: float(query.namesake_paths.confidence.max(initial=0.0)),
        kind="names",
        needs=_has_names,
    ),
)
"""What names say: cosines of words (by idf) and of letters (three in a row), and the graph with namesakes as one."""


CIRCUMSTANCES = (
    context("number of references", "how many references there are", lambda query, head: query.num_references),
    context(
        "different tails",
        "how many of the references have a tail of their own",
        lambda query, head: len(query.tails) / query.num_references,
    ),
    context(
        "different heads",
        "how many of the references have a head of their own",
        lambda query, head: query.num_heads / query.num_references,
    ),
    context(
        "number of candidates",
        "among how many candidates the tail is chosen",
        lambda query, head: math.log1p(len(query.candidates)),
    ),
    context(
        "best rule",
        "how reliable the best of the references' paths is",
        lambda query, head: float(query.paths.confidence.max(initial=0.0)),
    ),
    context(
        "similar head",
        "how similar the head is to a head in the references",
        lambda query, head: float(query.head_similarities(head).max()),
    ),
    context(
        "edges of the head",
        "how many edges the head has in the graph",
        lambda query, head: math.log1p(int(query.degrees[head])),
    ),
)
"""Circumstances of a question, which say how far other evidence is to be trusted."""

CATALOGUE: tuple[Evidence, ...] = (
    *PATHS,
    *TAILS,
    *VECTORS,
    *_cosines("translation"),
    *_cosines("matching"),
    *OWN,
    *NAMES,
    *CIRCUMSTANCES,
)


def learnt_score(method: str) -> PairEvidence:
    """The score of a learnt method, in standard deviations above the mean of the task's candidates.

    These are known from every n-th candidate: a learnt score is too costly to be computed for all candidates of a
    training query, which its place among them would need.
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


def evidence_of(sources: Sources, in_graph: bool = False, without: Collection[Kind] = ()) -> tuple[Evidence, ...]:
    """All evidence that the sources allow, without some kinds; about relations of the graph there is more."""
    everything = (*CATALOGUE, *(learnt_score(name) for name in sources.learnt))
    wanted = (one for one in everything if one.kind not in without and (in_graph or not one.in_graph))
    return tuple(one for one in wanted if one.needs(sources))
