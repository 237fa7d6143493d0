"""Ranking the candidates of queries, metrics, results.

Reading result files does not load torch; ranking does.
"""

from typing import TYPE_CHECKING, Any

from faan.base import load_lazily
from faan.rank.metrics import METRICS, Interval, bootstrap, summarise_ranks
from faan.rank.result_file import Origin, Protocol, ResultFile, label_of, settings_hash

if TYPE_CHECKING:
    from faan.rank.baselines import evaluate_embedding
    from faan.rank.ranker import TaskRanks, check_tasks, mean_ranks, rank_sets, rank_task, rank_tasks
    from faan.rank.results import draw_references, rank_shots, rank_splits, relation_metrics, split_metrics
    from faan.rank.untrained import UNTRAINED, evaluate_untrained

__all__ = [
    "METRICS",
    "UNTRAINED",
    "Interval",
    "Origin",
    "Protocol",
    "ResultFile",
    "TaskRanks",
    "bootstrap",
    "check_tasks",
    "draw_references",
    "evaluate_embedding",
    "evaluate_untrained",
    "label_of",
    "mean_ranks",
    "rank_sets",
    "rank_shots",
    "rank_splits",
    "rank_task",
    "rank_tasks",
    "relation_metrics",
    "settings_hash",
    "split_metrics",
    "summarise_ranks",
]

_LAZY = {
    "evaluate_embedding": "baselines",
    **dict.fromkeys(("TaskRanks", "check_tasks", "mean_ranks", "rank_sets", "rank_task", "rank_tasks"), "ranker"),
    **dict.fromkeys(("draw_references", "rank_shots", "rank_splits", "relation_metrics", "split_metrics"), "results"),
    **dict.fromkeys(("UNTRAINED", "evaluate_untrained"), "untrained"),
}


def __getattr__(name: str) -> Any:
    return load_lazily(__name__, _LAZY, name)
