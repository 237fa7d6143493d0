"""Methods without training as rows of the main table."""

from __future__ import annotations

from collections.abc import Callable

from faan.graph import Graph
from faan.models import Method, PathRules, TailCounts
from faan.rank.baselines import Origin, measure
from faan.rank.results import ResultFile
from faan.tasks import Benchmark

UNTRAINED: dict[str, Callable[[Graph], Method]] = {"Rules": PathRules, "TailCounts": TailCounts}


def evaluate_untrained(benchmark: Benchmark, method_name: str, shots: int, origin: Origin) -> ResultFile:
    """Rank the queries of dev and test by one of the methods that need the background graph and nothing else."""
    return measure(method_name, UNTRAINED[method_name](benchmark.graph), benchmark, shots, origin)
