"""The list of all evidence. To add a piece, add an entry to the file of what it is taken from: graph, vectors or names.

What several pieces share is computed once, in `relation_query.py` and `head_query.py`.
"""

from __future__ import annotations

from collections.abc import Collection

from faan.evidence.evidence import Evidence, Kind
from faan.evidence.graph_evidence import CIRCUMSTANCES, LINKS, PATHS, ROLES, TAILS
from faan.evidence.name_evidence import NAMES
from faan.evidence.sources import Sources
from faan.evidence.vector_evidence import MATCHING, OWN, TRANSLATION, cosines, learnt_score

CATALOGUE: tuple[Evidence, ...] = (
    *PATHS,
    *LINKS,
    *TAILS,
    *ROLES,
    *TRANSLATION,
    *MATCHING,
    *cosines("translation"),
    *cosines("matching"),
    *OWN,
    *NAMES,
    *CIRCUMSTANCES,
)


def evidence_of(sources: Sources, in_graph: bool = False, without: Collection[Kind] = ()) -> tuple[Evidence, ...]:
    """All evidence that the sources allow, without some kinds; relations of the graph have more."""
    everything = (*CATALOGUE, *(learnt_score(name) for name in sources.learnt))
    wanted = (one for one in everything if one.kind not in without and (in_graph or not one.in_graph))
    return tuple(one for one in wanted if one.needs(sources))
