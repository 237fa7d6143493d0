"""faan: few-shot knowledge graph completion."""

from faan.graph import Graph, InputError, open_graph, read_graph, save_graph
from faan.tasks import Benchmark, BuildSettings, build_benchmark, read_benchmark, write_benchmark

__version__ = "0.1.0.dev0"

__all__ = [
    "Benchmark",
    "BuildSettings",
    "Graph",
    "InputError",
    "build_benchmark",
    "open_graph",
    "read_benchmark",
    "read_graph",
    "save_graph",
    "write_benchmark",
]
