"""Files that a stranger sends: graphs in every format, benchmarks, settings, saved graphs."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tools.attack.inputs import Inputs
from tools.attack.mutations import mutated

_TSV = "".join(f"h{i % 7}\tr{i % 3}\tt{i % 5}\n" for i in range(20)).encode()


def make_graph(random: Random, folder: Path) -> Path:
    """A graph file of any format, changed."""
    for old in folder.glob("graph*"):
        old.unlink()
    path = folder / "graph.tsv"
    path.write_bytes(mutated(_TSV, random))
    return path


def read(path: Path) -> str:
    """Read a graph and use it."""
    from faan import read_graph
    from faan.graph import summarise

    graph = read_graph(path, progress=False)
    summarise(graph)
    return "read"


READERS = (Inputs("graphs", make_graph, read),)
