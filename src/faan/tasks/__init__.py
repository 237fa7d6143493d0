"""Few-shot tasks: benchmark folders, building one from any graph, candidates, episodes."""

from faan.tasks.benchmark import SPLITS, Benchmark, PairSet, Task, num_pairs
from faan.tasks.build import BuildReport, BuildSettings, build_benchmark
from faan.tasks.candidates import CUTOFF, FoundCandidates, find_candidates
from faan.tasks.edges import with_task_edges
from faan.tasks.episodes import (
    Episode,
    EpisodeSampler,
    background_tasks,
    draw_negatives,
    has_negatives,
    inverse_name,
    inverse_tasks,
)
from faan.tasks.holdout import held_out_rows, without_relations, without_rows
from faan.tasks.layout import benchmark_name, find_benchmark, read_benchmark, write_benchmark
from faan.tasks.leakage import Leakage, find_leakage
from faan.tasks.method import Method, Protocol, Scorer

__all__ = [
    "CUTOFF",
    "SPLITS",
    "Benchmark",
    "BuildReport",
    "BuildSettings",
    "Episode",
    "EpisodeSampler",
    "FoundCandidates",
    "Leakage",
    "Method",
    "PairSet",
    "Protocol",
    "Scorer",
    "Task",
    "background_tasks",
    "benchmark_name",
    "build_benchmark",
    "draw_negatives",
    "find_benchmark",
    "find_candidates",
    "find_leakage",
    "has_negatives",
    "held_out_rows",
    "inverse_name",
    "inverse_tasks",
    "num_pairs",
    "read_benchmark",
    "with_task_edges",
    "without_relations",
    "without_rows",
    "write_benchmark",
]
