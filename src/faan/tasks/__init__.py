"""Few-shot tasks: benchmark folders, building one from any graph, candidates, episodes."""

from faan.tasks.benchmark import SPLITS, Benchmark, PairSet, Task
from faan.tasks.build import BuildReport, BuildSettings, build_benchmark
from faan.tasks.candidates import Candidates, find_candidates
from faan.tasks.edges import with_task_edges
from faan.tasks.episodes import Episode, EpisodeSampler, background_tasks, inverse_tasks
from faan.tasks.layout import benchmark_name, read_benchmark, write_benchmark
from faan.tasks.leakage import Leakage, find_leakage

__all__ = [
    "SPLITS",
    "Benchmark",
    "BuildReport",
    "BuildSettings",
    "Candidates",
    "Episode",
    "EpisodeSampler",
    "Leakage",
    "PairSet",
    "Task",
    "background_tasks",
    "benchmark_name",
    "build_benchmark",
    "find_candidates",
    "find_leakage",
    "inverse_tasks",
    "read_benchmark",
    "with_task_edges",
    "write_benchmark",
]
