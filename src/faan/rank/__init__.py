"""Ranking the candidates of queries, metrics, results and tables of them.

Reading result files does not load torch; ranking does.
"""

from typing import TYPE_CHECKING

from faan.base import lazy_names
from faan.rank.charts import write_figure, write_tables
from faan.rank.metrics import METRICS, Interval, bootstrap, summarise_ranks, summarise_split
from faan.rank.result_file import Origin, ResultFile, key_of, label_of, settings_hash, slug_of
from faan.rank.result_frame import by_relation, read_results
from faan.rank.table import MISSING, Chart, Table, plain_name, written

if TYPE_CHECKING:  # imported when first used: torch takes seconds to load
    from faan.rank.ranker import TaskRanks, check_tasks, mean_ranks, rank_task, rank_tasks
    from faan.rank.results import draw_references, rank_shots, rank_splits, relation_metrics, split_metrics
    from faan.rank.untrained import evaluate_method, untrained_methods
else:
    __getattr__ = lazy_names(__name__)

__all__ = [
    "METRICS",
    "MISSING",
    "Chart",
    "Interval",
    "Origin",
    "ResultFile",
    "Table",
    "TaskRanks",
    "bootstrap",
    "by_relation",
    "check_tasks",
    "draw_references",
    "evaluate_method",
    "key_of",
    "label_of",
    "mean_ranks",
    "plain_name",
    "rank_shots",
    "rank_splits",
    "rank_task",
    "rank_tasks",
    "read_results",
    "relation_metrics",
    "settings_hash",
    "slug_of",
    "split_metrics",
    "summarise_ranks",
    "summarise_split",
    "untrained_methods",
    "write_figure",
    "write_tables",
    "written",
]
