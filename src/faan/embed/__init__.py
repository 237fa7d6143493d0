"""Entity and relation embeddings: five models, one sparse trainer."""

from faan.embed.checkpoint import EpochReport, fingerprint, read_progress
from faan.embed.config import MIN_EPOCHS, EmbedConfig, ModelName
from faan.embed.embeddings import VECTORS_FILE, Embeddings, can_be_joined, export_tsv, joined
from faan.embed.epochs import TrainedVectors
from faan.embed.evaluation import LinkPrediction, Metrics, answer_ranks, evaluate
from faan.embed.models import make_model
from faan.embed.runs import (
    EmbeddingRun,
    embed_graph,
    encode_triples,
    export_vectors,
    resume_run,
    triples_of,
)
from faan.embed.training import extend, resume, split, train

__all__ = [
    "MIN_EPOCHS",
    "VECTORS_FILE",
    "EmbedConfig",
    "EmbeddingRun",
    "Embeddings",
    "EpochReport",
    "LinkPrediction",
    "Metrics",
    "ModelName",
    "TrainedVectors",
    "answer_ranks",
    "can_be_joined",
    "embed_graph",
    "encode_triples",
    "evaluate",
    "export_tsv",
    "export_vectors",
    "extend",
    "fingerprint",
    "joined",
    "make_model",
    "read_progress",
    "resume",
    "resume_run",
    "split",
    "train",
    "triples_of",
]
