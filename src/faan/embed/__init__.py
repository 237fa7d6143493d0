"""Entity and relation embeddings: five models, one sparse trainer."""

from faan.embed.checkpoint import Report, TrainingError
from faan.embed.config import EmbedConfig
from faan.embed.embeddings import Embeddings, export_tsv
from faan.embed.evaluation import LinkPrediction, Metrics, evaluate
from faan.embed.models import make_model
from faan.embed.runs import EmbeddingRun, embed_graph, encode_triples, export_vectors, resume_run
from faan.embed.training import TrainedRun, resume, train

__all__ = [
    "EmbedConfig",
    "EmbeddingRun",
    "Embeddings",
    "LinkPrediction",
    "Metrics",
    "Report",
    "TrainedRun",
    "TrainingError",
    "embed_graph",
    "encode_triples",
    "evaluate",
    "export_tsv",
    "export_vectors",
    "make_model",
    "resume",
    "resume_run",
    "train",
]
