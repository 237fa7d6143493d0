"""What a user calls: fit, suggest, score, explain, save, load."""

from faan.complete.about import About, Measured, Source
from faan.complete.completer import Completer
from faan.complete.fitting import fit
from faan.complete.folder import read_about
from faan.complete.registry import DEFAULT, METHODS
from faan.complete.types import (
    Contribution,
    Edge,
    EvidenceGraph,
    Examples,
    ExplainedPath,
    Explanation,
    Extended,
    Hop,
    Node,
    Suggestion,
    WeightedExample,
    WeightedNeighbour,
)

__all__ = [
    "DEFAULT",
    "METHODS",
    "About",
    "Completer",
    "Contribution",
    "Edge",
    "EvidenceGraph",
    "Examples",
    "ExplainedPath",
    "Explanation",
    "Extended",
    "Hop",
    "Measured",
    "Node",
    "Source",
    "Suggestion",
    "WeightedExample",
    "WeightedNeighbour",
    "fit",
    "read_about",
]
