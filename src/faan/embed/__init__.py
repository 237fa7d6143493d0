"""Entity and relation embeddings: five models, one sparse trainer."""

from faan.embed.checkpoint import Report, TrainingError
from faan.embed.config import EmbedConfig
from faan.embed.embeddings import Embeddings, export_tsv
from faan.embed.evaluation import LinkPrediction, Metrics, evaluate
from faan.embed.models import make_model
from faan.embed.training import TrainedRun, resume, train

__all__ = [
    "EmbedConfig",
    "Embeddings",
    "LinkPrediction",
    "Metrics",
    "Report",
    "TrainedRun",
    "TrainingError",
    "evaluate",
    "export_tsv",
    "make_model",
    "resume",
    "train",
]
