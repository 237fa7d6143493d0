"""Named facts about a (head, tail) pair, given the references of a relation."""

from faan.evidence.catalogue import CATALOGUE, evidence_of
from faan.evidence.evidence import Context, Evidence, Kind, PairEvidence, TailEvidence
from faan.evidence.head_query import Candidates, HeadQuery
from faan.evidence.measure import Measure, column_evidence
from faan.evidence.names import EntityNames
from faan.evidence.paths import (
    PSEUDO_COUNT,
    Firings,
    PathEvidence,
    PathInstance,
    RelationPaths,
    find_paths,
    path_instances,
)
from faan.evidence.profiles import Profiles
from faan.evidence.relation_query import RelationQuery
from faan.evidence.sources import Sources, Values

__all__ = [
    "CATALOGUE",
    "PSEUDO_COUNT",
    "Candidates",
    "Context",
    "EntityNames",
    "Evidence",
    "Firings",
    "HeadQuery",
    "Kind",
    "Measure",
    "PairEvidence",
    "PathEvidence",
    "PathInstance",
    "Profiles",
    "RelationPaths",
    "RelationQuery",
    "Sources",
    "TailEvidence",
    "Values",
    "column_evidence",
    "evidence_of",
    "find_paths",
    "path_instances",
]
