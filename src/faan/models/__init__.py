"""Few-shot methods, one file each, behind one interface."""

from faan.models.background import Background, sample_neighbours
from faan.models.counts import TailCounts
from faan.models.embedding import EmbeddingMethod, training_triples, triples_with
from faan.models.evidence import Contribution, EvidenceRanker, EvidenceScorer, Explanation
from faan.models.evidence_training import Blind, EvidenceConfig, check_enough, count_tasks, fit_ranker, make_sources
from faan.models.folds import OutOfFold, parts_of
from faan.models.interface import Apart, FewShotModel, Method, MethodConfig, Scorer, Scorers, prepare_sets
from faan.models.likeness import TailLikeness
from faan.models.registry import FewShotConfig
from faan.models.rules import PathRules
from faan.models.translation import MeanTranslation

__all__ = [
    "Apart",
    "Background",
    "Blind",
    "Contribution",
    "EmbeddingMethod",
    "EvidenceConfig",
    "EvidenceRanker",
    "EvidenceScorer",
    "Explanation",
    "FewShotConfig",
    "FewShotModel",
    "MeanTranslation",
    "Method",
    "MethodConfig",
    "OutOfFold",
    "PathRules",
    "Scorer",
    "Scorers",
    "TailCounts",
    "TailLikeness",
    "check_enough",
    "count_tasks",
    "fit_ranker",
    "make_sources",
    "parts_of",
    "prepare_sets",
    "sample_neighbours",
    "training_triples",
    "triples_with",
]
