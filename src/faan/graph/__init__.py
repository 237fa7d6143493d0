"""A knowledge graph: read it from any format, hold it compactly, walk its neighbours."""

from faan.graph.errors import InputError, UnknownNameError
from faan.graph.graph import Graph, Neighbours, ReadReport, Types
from faan.graph.names import Names
from faan.graph.read import read_graph
from faan.graph.store import open_graph, save_graph

__all__ = [
    "Graph",
    "InputError",
    "Names",
    "Neighbours",
    "ReadReport",
    "Types",
    "UnknownNameError",
    "open_graph",
    "read_graph",
    "save_graph",
]
