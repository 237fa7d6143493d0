"""A graph as a folder of arrays that open as memory maps: a graph of five million entities opens in milliseconds."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from faan.base import InputError, as_path, atomic_folder, check_free, check_kind, open_array, read_small
from faan.graph.entity_types import Types
from faan.graph.graph import Graph, ReadReport
from faan.graph.names import Names
from faan.graph.neighbours import Neighbours
from faan.graph.schema import Schema

_MARK = "graph.json"
_FORMAT = "faan-graph"
_VERSION = 1
_KINDS: dict[str, Sequence[type[np.generic]]] = {  # of numbers in arrays, by the last part of their names
    "data": (np.uint8,),
    "offsets": (np.int64,),
    "buckets": (np.uint32,),
    "members": (np.uint32,),
}
_IDS: Sequence[type[np.generic]] = (np.int32, np.int64)  # of all other arrays


def is_saved_graph(folder: Path) -> bool:
    """Whether a folder was written by `save_graph`."""
    return os.path.isfile(folder / _MARK)  # noqa: PTH113, raises no error where a path is too long


def save_graph(graph: Graph, folder: str | Path) -> None:
    """Write a graph to a folder, atomically; an older graph is replaced, but nothing else.

    Args:
        graph: The graph.
        folder: Where to write. `open_graph` opens it in milliseconds, however large it is.

    >>> import faan, tempfile
    >>> graph = faan.read_graph([("Peru", "capital", "Lima"), ("Japan", "capital", "Tokyo")])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     faan.save_graph(graph, f"{folder}/graph")
    ...     faan.open_graph(f"{folder}/graph").num_triples
    2
    """
    check_kind("graph", graph, Graph, "a Graph (faan.read_graph makes one)")
    folder = as_path(folder, "folder")
    check_free(folder, is_saved_graph, "a saved graph")
    arrays = _take_apart(graph)
    mark = {"format": _FORMAT, "version": _VERSION, "arrays": sorted(arrays), "report": asdict(graph.report)}
    with atomic_folder(folder) as new:
        for name, array in arrays.items():
            np.save(new / f"{name}.npy", array, allow_pickle=False)
        (new / _MARK).write_text(json.dumps(mark, indent=1, ensure_ascii=False), encoding="utf-8")


def open_graph(folder: str | Path) -> Graph:
    """Open a saved graph; its arrays stay on disk until they are used, and are checked before loops run over them.

    Args:
        folder: A folder that `save_graph` wrote.

    >>> import faan
    >>> faan.open_graph("no-such-graph")
    Traceback (most recent call last):
    faan.base.errors.InputError: no-such-graph: there is no saved graph: graph.json is missing
    """
    folder = as_path(folder, "folder")
    if not is_saved_graph(folder):
        raise InputError(f"there is no saved graph: {_MARK} is missing", source=str(folder))
    try:
        mark = json.loads(read_small(folder / _MARK))
        if mark["format"] != _FORMAT:
            raise InputError(f"{_MARK} does not describe a graph", source=str(folder))
        if mark["version"] > _VERSION:
            raise InputError(
                f"was saved by a newer version of faan (format {mark['version']}, this one reads {_VERSION})",
                source=str(folder),
            )
        kinds = {name: _KINDS.get(Path(name).name.rpartition("_")[2], _IDS) for name in mark["arrays"]}
        arrays = {name: open_array(folder / f"{Path(name).name}.npy", kind) for name, kind in kinds.items()}
        report = mark["report"]
        report["bad_lines"], report["notes"] = tuple(report["bad_lines"]), tuple(report["notes"])
        return _put_together(arrays, ReadReport(**report))
    except InputError as error:
        raise InputError(str(error).removeprefix(f"{folder}: "), source=str(folder)) from None
    except (OSError, EOFError, ValueError, KeyError, TypeError, IndexError, RecursionError) as error:
        raise InputError(
            f"the saved graph is damaged ({error}); read it from its source again", source=str(folder)
        ) from None


def _take_apart(graph: Graph) -> dict[str, NDArray[np.generic]]:
    arrays: dict[str, NDArray[np.generic]] = {
        "heads": graph.heads,
        "relations": graph.relations,
        "tails": graph.tails,
        "neighbour_offsets": graph.neighbours.offsets,
        "neighbour_relations": graph.neighbours.relations,
        "neighbour_entities": graph.neighbours.entities,
        **graph.entity_names.arrays("entity_names"),
        **graph.relation_names.arrays("relation_names"),
    }
    for name in ("entity_labels", "relation_labels", "entity_descriptions"):
        texts: Names | None = getattr(graph, name)
        arrays |= {} if texts is None else texts.arrays(name)
    if graph.types is not None:
        arrays |= {
            "type_offsets": graph.types.offsets,
            "type_ids": graph.types.ids,
            **graph.types.names.arrays("types"),
        }
        if graph.types.labels is not None:
            arrays |= graph.types.labels.arrays("type_labels")
    if graph.schema is not None:
        arrays |= {
            "schema_subjects": graph.schema.subjects,
            "schema_predicates": graph.schema.predicates,
            "schema_objects": graph.schema.objects,
            **graph.schema.terms.arrays("schema_terms"),
        }
    return arrays


def _put_together(arrays: dict[str, NDArray[np.integer]], report: ReadReport) -> Graph:
    def labels(prefix: str) -> Names | None:
        return Names.from_arrays(arrays, prefix) if f"{prefix}_data" in arrays else None

    types = None
    if "type_ids" in arrays:
        kinds = Names.from_arrays(arrays, "types")
        types = Types(kinds, arrays["type_offsets"], arrays["type_ids"], labels("type_labels"))
    schema = None
    if "schema_subjects" in arrays:
        statements = (arrays[f"schema_{column}"] for column in ("subjects", "predicates", "objects"))
        schema = Schema(Names.from_arrays(arrays, "schema_terms"), *statements)
    graph = Graph(
        Names.from_arrays(arrays, "entity_names"),
        Names.from_arrays(arrays, "relation_names"),
        arrays["heads"],
        arrays["relations"],
        arrays["tails"],
        labels("entity_labels"),
        labels("relation_labels"),
        types,
        report,
        labels("entity_descriptions"),
        schema,
    )
    neighbours = Neighbours(arrays["neighbour_offsets"], arrays["neighbour_relations"], arrays["neighbour_entities"])
    triples, entities = graph.num_triples, graph.num_entities
    fitting = (
        len(graph.relations) == len(graph.tails) == triples
        and len(neighbours.offsets) == entities + 1
        and len(neighbours.relations) == len(neighbours.entities) == 2 * triples == neighbours.offsets[-1]
        and all(texts is None or len(texts) == entities for texts in (graph.entity_labels, graph.entity_descriptions))
        and (graph.relation_labels is None or len(graph.relation_labels) == graph.num_relations)
        and (types is None or (len(types.offsets) == entities + 1 and types.offsets[-1] == len(types.ids)))
        and (types is None or types.labels is None or len(types.labels) == len(types.names))
        and (schema is None or len(schema.subjects) == len(schema.predicates) == len(schema.objects))
    )
    if not fitting:
        raise InputError("the saved graph is damaged (its arrays do not fit together); read it from its source again")
    object.__setattr__(graph, "saved_neighbours", neighbours)  # frozen: set only here, before anyone uses it
    return graph
