"""Few-shot methods, one file each, behind one interface."""

from faan.models.embedding import EmbeddingMethod, training_triples
from faan.models.interface import Method, Scorer
from faan.models.translation import MeanTranslation

__all__ = ["EmbeddingMethod", "MeanTranslation", "Method", "Scorer", "training_triples"]
