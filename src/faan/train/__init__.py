"""Training few-shot models: one loop, run folders, evaluation."""

from faan.train.checkpoint import Progress
from faan.train.config import RunConfig, TrainConfig
from faan.train.evaluation import evaluate_run, evaluate_shots
from faan.train.loop import Callbacks, Report, train_model
from faan.train.runs import TrainedRun, load_run, resume_run, train_run

__all__ = [
    "Callbacks",
    "Progress",
    "Report",
    "RunConfig",
    "TrainConfig",
    "TrainedRun",
    "evaluate_run",
    "evaluate_shots",
    "load_run",
    "resume_run",
    "train_model",
    "train_run",
]
