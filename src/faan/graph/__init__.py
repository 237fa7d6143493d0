"""A knowledge graph: read it from any format, hold it compactly, walk its neighbours."""

from faan.graph.breaking import Breaking, BrokenRule, SchemaSummary, summarise_schema
from faan.graph.builder import TYPE_RELATIONS, GraphBuilder
from faan.graph.detect import FORMATS
from faan.graph.endpoint import Client, Endpoint, is_endpoint, retried
from faan.graph.entity_types import Types, types_from_pattern
from faan.graph.frames import frame_columns
from faan.graph.graph import Graph, ReadReport
from faan.graph.iris import DEFAULT_BASE, Terms
from faan.graph.kgx import EDGE_COLUMNS, NODE_COLUMNS, Row, checked_source, kgx_edge, kgx_json, kgx_line, kgx_nodes
from faan.graph.libraries import pandas_frame, pykeen_factory
from faan.graph.names import Names, local_name
from faan.graph.neighbours import Neighbours
from faan.graph.read import BACKGROUND, BUNDLED, has_fixed_columns, read_graph
from faan.graph.rules import SIDES, Implied, RelationRules, Rule, Rules
from faan.graph.schema import SHACL, SUBCLASS, Schema
from faan.graph.schema_file import read_shapes
from faan.graph.selection import PREFIXES, iri
from faan.graph.sources import Folder
from faan.graph.store import is_saved_graph, open_graph, save_graph
from faan.graph.summary import RARE, RelationSummary, Summary, summarise
from faan.graph.table_layout import pair_columns
from faan.graph.tables import read_triples
from faan.graph.tsv import is_formula, tsv_cells, tsv_line
from faan.graph.words import entity_words, has_readable_names, plain_words, relation_words

__all__ = [
    "BACKGROUND",
    "BUNDLED",
    "DEFAULT_BASE",
    "EDGE_COLUMNS",
    "FORMATS",
    "NODE_COLUMNS",
    "PREFIXES",
    "RARE",
    "SHACL",
    "SIDES",
    "SUBCLASS",
    "TYPE_RELATIONS",
    "Breaking",
    "BrokenRule",
    "Client",
    "Endpoint",
    "Folder",
    "Graph",
    "GraphBuilder",
    "Implied",
    "Names",
    "Neighbours",
    "ReadReport",
    "RelationRules",
    "RelationSummary",
    "Row",
    "Rule",
    "Rules",
    "Schema",
    "SchemaSummary",
    "Summary",
    "Terms",
    "Types",
    "checked_source",
    "entity_words",
    "frame_columns",
    "has_fixed_columns",
    "has_readable_names",
    "iri",
    "is_endpoint",
    "is_formula",
    "is_saved_graph",
    "kgx_edge",
    "kgx_json",
    "kgx_line",
    "kgx_nodes",
    "local_name",
    "open_graph",
    "pair_columns",
    "pandas_frame",
    "plain_words",
    "pykeen_factory",
    "read_graph",
    "read_shapes",
    "read_triples",
    "relation_words",
    "retried",
    "save_graph",
    "summarise",
    "summarise_schema",
    "tsv_cells",
    "tsv_line",
    "types_from_pattern",
]
