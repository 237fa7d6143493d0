"""Facts that vectors are not trained with, so that each relation can be tested on some that they have not seen.

A fact that vectors were trained with looks truer than one that is missing: a test on such facts says too much. So a
share of each relation's facts is kept from the vectors, more of each where there are few relations. The model's graph
has them, as edges and as examples.
"""

from __future__ import annotations

from faan.base import Ints, Purpose
from faan.graph import Graph
from faan.tasks import held_out_rows

_SHARE, _MOST = 0.05, 50  # of each relation's facts,
_ENOUGH = 250  # or more than that until there are so many in all


def reserved_rows(graph: Graph, seed: int) -> Ints:
    """The triples to keep from the vectors, sorted."""
    most = max(_MOST, _ENOUGH // max(len(graph.used_relations), 1))
    return held_out_rows(graph, _SHARE, most, seed, Purpose.RESERVED)
