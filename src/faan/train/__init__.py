"""Training few-shot models: one loop, run folders, evaluation."""

from faan.train.checkpoint import BEST_FILE, Progress, copied, load_best, why_broken
from faan.train.config import RunConfig, TrainConfig
from faan.train.embedding import evaluate_embedding
from faan.train.evaluation import evaluate_run, evaluate_shots
from faan.train.fewshot import EMBED_FOLDER
from faan.train.loop import Callbacks, Report, train_model
from faan.train.runs import TrainedRun, is_run, load_run, resume_run, train_run
from faan.train.tensorboard import tensorboard

__all__ = [
    "BEST_FILE",
    "EMBED_FOLDER",
    "Callbacks",
    "Progress",
    "Report",
    "RunConfig",
    "TrainConfig",
    "TrainedRun",
    "copied",
    "evaluate_embedding",
    "evaluate_run",
    "evaluate_shots",
    "is_run",
    "load_best",
    "load_run",
    "resume_run",
    "tensorboard",
    "train_model",
    "train_run",
    "why_broken",
]
