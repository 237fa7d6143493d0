"""Objects of other libraries: pandas, networkx, igraph, PyKEEN. They are imported at first use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from faan.base import InputError, Ints

Node = tuple[str, dict[str, Any]]  # its name and attributes


def pandas_frame(columns: Mapping[str, Sequence[Any]]) -> Any:
    """A pandas frame of columns by their names."""
    return _library("pandas").DataFrame(columns)


def networkx_graph(nodes: Iterable[Node], triples: Iterable[tuple[str, str, str]]) -> Any:
    """A `networkx.MultiDiGraph`, whose edges have their relation as key and as attribute."""
    graph = _library("networkx").MultiDiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((head, tail, relation, {"relation": relation}) for head, relation, tail in triples)
    return graph


def igraph_graph(nodes: Sequence[Node], edges: Ints, relations: Sequence[str]) -> Any:
    """A directed `igraph.Graph` of edges (n, 2) by the numbers of nodes."""
    graph = _library("igraph").Graph(n=len(nodes), edges=edges, directed=True)
    graph.vs["name"] = [name for name, _ in nodes]
    for attribute in dict.fromkeys(key for _, known in nodes for key in known):
        graph.vs[attribute] = [known.get(attribute) for _, known in nodes]
    graph.es["relation"] = relations
    return graph


def pykeen_factory(triples: Ints, entities: Iterable[str], relations: Iterable[str], *, inverse: bool) -> Any:
    """A PyKEEN `TriplesFactory` of triples (n, 3), with the numbers that they have here."""
    library, torch = _library("pykeen.triples"), _library("torch")
    return library.TriplesFactory(
        torch.from_numpy(np.ascontiguousarray(triples, dtype=np.int64)),
        entity_to_id={name: number for number, name in enumerate(entities)},
        relation_to_id={name: number for number, name in enumerate(relations)},
        create_inverse_triples=inverse,
    )


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ModuleNotFoundError:
        package = name.partition(".")[0]
        raise InputError(f"{package} is not installed; install it with: pip install {package}") from None
