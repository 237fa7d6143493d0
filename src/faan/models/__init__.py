"""Few-shot methods, one file each, behind one interface and in one register."""

from importlib import import_module
from pkgutil import iter_modules

from faan.models.background import Background, sample_neighbours
from faan.models.counts import TailCounts
from faan.models.embedding import NAMES, EmbeddingMethod, training_triples, triples_with
from faan.models.evidence import RANKER_FILE, EvidenceRanker, EvidenceScorer
from faan.models.evidence_known import MIN_FACTS, fit_known, known_questions
from faan.models.evidence_training import (
    EvidenceConfig,
    OutOfFoldVectors,
    check_enough,
    count_tasks,
    fit_ranker,
    make_sources,
    train_trees,
)
from faan.models.faan import Faan, NeighbourWeights
from faan.models.folds import OutOfFold, parts_of
from faan.models.interface import (
    Apart,
    FewShotConfig,
    FewShotModel,
    Scorers,
    UntrainedConfig,
    prepare_sets,
)
from faan.models.known_config import KnownConfig
from faan.models.likeness import TailLikeness
from faan.models.parts import ExplainingScorer, ScorePart, ScoreParts
from faan.models.pykeen import PYKEEN, PyKeenMethod, PyKeenWitness, training_factory
from faan.models.register import (
    METHODS,
    AnyMethod,
    Kind,
    MethodConfig,
    Row,
    TableName,
    Variant,
    ablated,
    methods,
    rows_of,
)
from faan.models.rules import PathRules
from faan.models.threads import map_in_threads
from faan.models.translation import MeanTranslation

__all__ = [
    "METHODS",
    "MIN_FACTS",
    "NAMES",
    "PYKEEN",
    "RANKER_FILE",
    "AnyMethod",
    "Apart",
    "Background",
    "EmbeddingMethod",
    "EvidenceConfig",
    "EvidenceRanker",
    "EvidenceScorer",
    "ExplainingScorer",
    "Faan",
    "FewShotConfig",
    "FewShotModel",
    "Kind",
    "KnownConfig",
    "MeanTranslation",
    "MethodConfig",
    "NeighbourWeights",
    "OutOfFold",
    "OutOfFoldVectors",
    "PathRules",
    "PyKeenMethod",
    "PyKeenWitness",
    "Row",
    "ScorePart",
    "ScoreParts",
    "Scorers",
    "TableName",
    "TailCounts",
    "TailLikeness",
    "UntrainedConfig",
    "Variant",
    "ablated",
    "check_enough",
    "count_tasks",
    "fit_known",
    "fit_ranker",
    "known_questions",
    "make_sources",
    "map_in_threads",
    "methods",
    "parts_of",
    "prepare_sets",
    "rows_of",
    "sample_neighbours",
    "train_trees",
    "training_factory",
    "training_triples",
    "triples_with",
]


for _file in iter_modules(__path__):  # every file is looked at: a method registers itself
    import_module(f"{__name__}.{_file.name}")
