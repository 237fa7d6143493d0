"""A schema in files of its own: ontologies and shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pyoxigraph as ox

from faan.base import InputError, OnProgress, counted
from faan.graph.builder import GraphBuilder
from faan.graph.detect import detect
from faan.graph.graph import Graph
from faan.graph.ntriples import FORMATS as LINE_FORMATS
from faan.graph.ntriples import read_ntriples
from faan.graph.rdf import FORMATS as RDF_FORMATS
from faan.graph.rdf import quads_of, read_rdf
from faan.graph.schema import Schema
from faan.graph.sources import open_source

_STATEMENTS = 1_000_000  # of a file of shapes


def with_schema_files(graph: Graph, paths: Sequence[str | Path], on_progress: OnProgress) -> Graph:
    """The graph with the schema of some files added to its own."""
    for path in paths:
        schema, notes = _read(path, on_progress)
        whole = schema if graph.schema is None else graph.schema.with_more(schema)
        graph = graph.with_schema(whole, replace(graph.report, notes=(*graph.report.notes, *notes)))
    return graph


def read_shapes(path: str | Path) -> list[ox.Triple]:
    """All statements of a small file in RDF, as they are."""
    found: list[ox.Triple] = []
    with open_source(path) as source:
        kind = detect(source, source.peek(), "shapes in RDF, such as Turtle")
        if kind not in (*LINE_FORMATS, *RDF_FORMATS):
            raise InputError(f"expected shapes in RDF, such as Turtle, found {kind}", source=source.name)
        for quad in quads_of(source, "trig" if kind in LINE_FORMATS else kind):  # which N-Triples are, too
            if len(found) == _STATEMENTS:
                raise InputError(f"holds more than {_STATEMENTS:,} statements; expected shapes", source=source.name)
            found.append(quad.triple)
    return found


def _read(path: str | Path, on_progress: OnProgress) -> tuple[Schema, list[str]]:
    """The statements of the schema in a file, and what to say about them; other statements count for nothing."""
    builder = GraphBuilder()
    with open_source(path, on_progress) as source:
        kind = detect(source, source.peek(), "a schema in RDF, such as Turtle")
        builder.begin(source.name, kind)
        if kind in LINE_FORMATS:
            read_ntriples(source, builder, kind, ())
        elif kind in RDF_FORMATS:
            read_rdf(source, builder, kind, ())
        else:
            raise InputError(f"expected a schema in RDF, such as Turtle, found {kind}", source=source.name)
    schema = builder.take_schema(only_schema=True)
    if schema is None:
        raise InputError(
            "there is no statement of a schema in it; expected some such as rdfs:range, owl:FunctionalProperty, "
            "sh:class",
            source=source.name,
        )
    told = f"{source.name}: {counted(len(schema), 'schema statement')}"
    return schema, [told, *builder.report.notes]
