"""Evidence from the edges and types of the graph, and the context of a question."""

from __future__ import annotations

import math

import numpy as np

from faan.evidence.evidence import Context, PairEvidence, TailEvidence, group, highest_of, mean_of
from faan.evidence.head_query import Candidates
from faan.evidence.sources import Values


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


PATHS = group(
    "paths",
    PairEvidence(
        "short paths",
        "paths of one or two steps that link references lead from the head to the tail",
        lambda query: query.paths.short,
    ),
    PairEvidence(
        "long paths",
        "paths of three steps that link references lead from the head to the tail",
        lambda query: query.paths.long,
    ),
    PairEvidence(
        "all paths",
        "paths that link references lead from the head to the tail",
        lambda query: query.paths.short + query.paths.long,
    ),
    PairEvidence(
        "best path", "the most reliable of the paths from the head to the tail", lambda query: query.paths.best
    ),
    PairEvidence(
        "number of paths",
        "how many paths that link references lead from the head to the tail",
        lambda query: query.paths.fired,
    ),
)
"""Relation paths that references have too: the noisy-or of their confidences."""

LINKS = group(
    "links",
    PairEvidence("direct links", "the graph links head and tail directly", lambda query: query.links[0], direction=0),
    PairEvidence("common neighbours", "head and tail have neighbours in common", lambda query: query.links[1]),
    PairEvidence(
        "rare common neighbours",
        "head and tail have neighbours in common that few others have",
        lambda query: query.links[2],
    ),
)
"""Any links of head and tail."""

TAILS = group(
    "counts",
    TailEvidence(
        "tail in references",
        "the tail is a tail in the references",
        lambda candidates: candidates.uses,
        direction=0,
    ),
    PairEvidence(
        "tail of similar heads",
        "the tail is one in the references whose heads are similar",
        lambda query: query.candidates.is_reference @ query.weights,
    ),
    PairEvidence(
        "tail of the nearest heads",
        "the known heads that are most similar to the head have the tail",
        lambda query: query.nearest,
    ),
    PairEvidence(
        "tail of heads with the same fact",
        "most heads that share a certain fact with the head have the tail",
        lambda query: query.shared_facts[0],
    ),
    PairEvidence(
        "tail of heads with the same facts",
        "heads that share facts with the head have the tail",
        lambda query: query.shared_facts[1],
    ),
    TailEvidence(
        "edges of the tail",
        "the tail has many edges in the graph",
        lambda candidates: np.log1p(candidates.query.count_edges(candidates.ids)),
        direction=0,
    ),
    TailEvidence(
        "type",
        "the tail is of the types of the references' tails",
        _type_share,
        needs=lambda sources: sources.graph.types is not None,
    ),
)
"""Which entities the references' tails are, and of which types."""

ROLES = group(
    "profiles",
    TailEvidence(
        "relations like the references' tails",
        "the tail takes part in the same relations as the references' tails",
        lambda candidates: mean_of(candidates.profiles),
    ),
    TailEvidence(
        "relations like one reference's tail",
        "the tail takes part in the same relations as the tail of one reference",
        lambda candidates: highest_of(candidates.profiles),
    ),
    PairEvidence(
        "relations like the tails of similar heads",
        "the tail takes part in the same relations as the tails of similar heads",
        lambda query: query.candidates.profiles @ query.weights,
    ),
    TailEvidence(
        "edges in the references' roles",
        "the tail has many edges of the relations that the references' tails take part in",
        _role_popularity,
    ),
)
"""Which relations the references' tails take part in (cosines of profiles)."""

CIRCUMSTANCES = group(
    "context",
    Context("number of references", "how many references there are", lambda query, head: query.num_references),
    Context(
        "different tails",
        "how many of the references have a tail of their own",
        lambda query, head: len(query.tails) / query.num_references,
    ),
    Context(
        "different heads",
        "how many of the references have a head of their own",
        lambda query, head: query.num_heads / query.num_references,
    ),
    Context(
        "number of candidates",
        "among how many candidates the tail is chosen",
        lambda query, head: math.log1p(len(query.candidates)),
    ),
    Context(
        "best rule",
        "how reliable the best of the references' paths is",
        lambda query, head: float(query.paths.confidence.max(initial=0.0)),
    ),
    Context(
        "similar head",
        "how similar the head is to a head in the references",
        lambda query, head: float(query.head_similarities(head).max()),
    ),
    Context(
        "edges of the head",
        "how many edges the head has in the graph",
        lambda query, head: math.log1p(int(query.count_edges(np.array([head]))[0])),
    ),
)
"""Context of a question: it says how far to trust other evidence."""
