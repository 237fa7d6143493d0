"""Ranking the candidates of queries, metrics, results."""

from faan.rank.baselines import evaluate_embedding
from faan.rank.metrics import METRICS, Interval, bootstrap, summarise_ranks
from faan.rank.ranker import TaskRanks, check_tasks, mean_ranks, rank_sets, rank_task, rank_tasks
from faan.rank.results import (
    Matching,
    OnRanked,
    Origin,
    ResultFile,
    draw_references,
    rank_shots,
    rank_splits,
    relation_metrics,
    split_metrics,
)
from faan.rank.untrained import UNTRAINED, evaluate_untrained

__all__ = [
    "METRICS",
    "UNTRAINED",
    "Interval",
    "Matching",
    "OnRanked",
    "Origin",
    "ResultFile",
    "TaskRanks",
    "bootstrap",
    "check_tasks",
    "draw_references",
    "evaluate_embedding",
    "evaluate_untrained",
    "mean_ranks",
    "rank_sets",
    "rank_shots",
    "rank_splits",
    "rank_task",
    "rank_tasks",
    "relation_metrics",
    "split_metrics",
    "summarise_ranks",
]
