"""Ranking the candidates of queries, metrics, results."""

from faan.rank.baselines import Origin, evaluate_embedding
from faan.rank.metrics import METRICS, Interval, bootstrap, summarise_ranks
from faan.rank.ranker import TaskRanks, mean_ranks, rank_task, rank_tasks
from faan.rank.results import ResultFile, split_metrics
from faan.rank.untrained import UNTRAINED, evaluate_untrained

__all__ = [
    "METRICS",
    "UNTRAINED",
    "Interval",
    "Origin",
    "ResultFile",
    "TaskRanks",
    "bootstrap",
    "evaluate_embedding",
    "evaluate_untrained",
    "mean_ranks",
    "rank_task",
    "rank_tasks",
    "split_metrics",
    "summarise_ranks",
]
