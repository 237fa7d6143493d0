"""faan: few-shot knowledge graph completion."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from faan.base import InputError
from faan.graph import Graph, open_graph, read_graph, save_graph
from faan.tasks import Benchmark, BuildSettings, build_benchmark, read_benchmark, write_benchmark

if TYPE_CHECKING:
    from faan.complete import Completer, fit

__version__ = "0.1.0"

__all__ = [
    "Benchmark",
    "BuildSettings",
    "Completer",
    "Graph",
    "InputError",
    "build_benchmark",
    "fit",
    "load",
    "open_graph",
    "read_benchmark",
    "read_graph",
    "save_graph",
    "write_benchmark",
]


def load(folder: str | Path) -> "Completer":
    """Open a model folder that `Completer.save` or `faan fit` wrote."""
    from faan.complete import Completer

    return Completer.load(folder)


def __getattr__(name: str) -> Any:
    """`Completer` and `fit` are loaded when they are used: torch takes seconds."""
    if name in ("Completer", "fit"):
        from faan import complete

        return getattr(complete, name)
    raise AttributeError(f"module 'faan' has no attribute {name!r}")
