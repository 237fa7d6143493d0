"""What a user calls: fit, suggest, score, explain, save, load."""

from typing import TYPE_CHECKING

from faan.base import lazy_names
from faan.complete.about import About, Bin, GraphSource, Measured, Point
from faan.complete.doubts import doubts_about
from faan.complete.drawing import Edge, EvidenceGraph, Node, write_drawing
from faan.complete.folder import GRAPH_FOLDER, SEARCH_FILE, check_place, check_same_graph, read_about
from faan.complete.given import as_examples, parse_pair, parse_pairs, trimmed
from faan.complete.output import ENDINGS, NAMED, Line, cut, header, last_asked, line_writer
from faan.complete.question import Question, ask, entities
from faan.complete.suggestions import Expected, Suggestions, expected_above, surest
from faan.complete.trust import Trust, calibration_error, reliability
from faan.complete.types import (
    Contribution,
    Described,
    Examples,
    ExplainedPath,
    Explanation,
    Extended,
    Fact,
    Hop,
    Known,
    Reason,
    Suggestion,
    ToldPath,
    WeightedExample,
    WeightedNeighbour,
)

if TYPE_CHECKING:  # imported when first used: torch takes seconds to load
    from faan.complete.bulk import BulkQuestion, BulkSettings, all_relations, suggest_in_bulk
    from faan.complete.completer import Completer
    from faan.complete.fitting import fit
    from faan.complete.registry import fit_methods, recipe_of
else:
    __getattr__ = lazy_names(__name__)

__all__ = [
    "ENDINGS",
    "GRAPH_FOLDER",
    "NAMED",
    "SEARCH_FILE",
    "About",
    "Bin",
    "BulkQuestion",
    "BulkSettings",
    "Completer",
    "Contribution",
    "Described",
    "Edge",
    "EvidenceGraph",
    "Examples",
    "Expected",
    "ExplainedPath",
    "Explanation",
    "Extended",
    "Fact",
    "GraphSource",
    "Hop",
    "Known",
    "Line",
    "Measured",
    "Node",
    "Point",
    "Question",
    "Reason",
    "Suggestion",
    "Suggestions",
    "ToldPath",
    "Trust",
    "WeightedExample",
    "WeightedNeighbour",
    "all_relations",
    "as_examples",
    "ask",
    "calibration_error",
    "check_place",
    "check_same_graph",
    "cut",
    "doubts_about",
    "entities",
    "expected_above",
    "fit",
    "fit_methods",
    "header",
    "last_asked",
    "line_writer",
    "parse_pair",
    "parse_pairs",
    "read_about",
    "recipe_of",
    "reliability",
    "suggest_in_bulk",
    "surest",
    "trimmed",
    "write_drawing",
]
