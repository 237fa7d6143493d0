"""Ranking the candidates of queries, metrics, results."""

from faan.rank.metrics import METRICS, Interval, bootstrap, summarise_ranks
from faan.rank.ranker import TaskRanks, check_tasks, mean_ranks, rank_sets, rank_task, rank_tasks
from faan.rank.results import (
    Origin,
    ResultFile,
    draw_references,
    rank_shots,
    rank_splits,
    relation_metrics,
    split_metrics,
)
from faan.rank.untrained import evaluate_untrained, untrained_methods

__all__ = [
    "METRICS",
    "Interval",
    "Origin",
    "ResultFile",
    "TaskRanks",
    "bootstrap",
    "check_tasks",
    "draw_references",
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
    "untrained_methods",
]
