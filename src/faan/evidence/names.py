"""What entities are called: which share their whole name, and how alike names are in words and in letters."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from faan.base import Ints, offsets_of
from faan.graph import Graph, Names, entity_words

_LETTERS = 3  # of an n-gram
_NAMESAKES = 0.01  # share of the entities: fewer are not worth the time to look for paths among them


@dataclass(frozen=True, eq=False)
class EntityNames:
    """The names of all entities as numbers: rows of sparse matrices have length 1, so that products are cosines."""

    graph: Graph = field(repr=False)
    whole: Ints  # (entities,) the same number for the same whole name
    called: Names = field(repr=False)  # the names behind these numbers
    words: csr_matrix  # (entities, words), rare words weigh more
    letters: csr_matrix  # (entities, n-grams), likewise

    @classmethod
    def of(cls, graph: Graph) -> EntityNames:
        """Take the names of a graph apart."""
        texts = entity_words(graph)
        called = pl.DataFrame({"name": texts, "entity": np.arange(len(texts))})
        is_empty = called["name"] == ""  # nobody's namesake
        key = pl.when(is_empty).then(pl.format("  {}", "entity")).otherwise("name")
        whole = called.select(key.rank("dense") - 1).to_series().to_numpy().astype(np.int64)
        distinct = called.select(key.alias("key")).unique().sort("key")["key"]
        return cls(graph, whole, Names.from_strings(distinct), _words(texts), _letters(texts))

    @cached_property
    def merged(self) -> Graph:
        """The graph in which entities of the same name are one; the graph itself if hardly any have the same."""
        graph = self.graph
        if graph.num_entities - len(self.called) < _NAMESAKES * graph.num_entities:
            return graph
        rows = np.stack([self.whole[graph.heads], graph.relations, self.whole[graph.tails]], axis=1).astype(np.int32)
        heads, relations, tails = np.ascontiguousarray(np.unique(rows, axis=0).T)
        return Graph(self.called, graph.relation_names, heads, relations, tails)

    def number(self, entities: Ints) -> Ints:
        """The entities of the merged graph that entities are."""
        if self.merged is self.graph:
            return np.asarray(entities)
        return self.whole[entities]

    def cosines(self, kind: str, entities: Ints, others: Ints) -> NDArray[np.float32]:
        """How alike names are, in `words` or `letters`: (n,) and (m,) to (n, m)."""
        rows: csr_matrix = getattr(self, kind)
        found: NDArray[np.float32] = (rows[entities] @ rows[others].T).toarray()
        return found


def _words(texts: pl.Series) -> csr_matrix:
    rows = pl.DataFrame({"row": np.arange(len(texts)), "word": texts.str.split(" ")}).explode("word")
    numbers = rows["word"].rank("dense").to_numpy().astype(np.int64) - 1
    keep = (rows["word"] != "").to_numpy()
    return _weighed(rows["row"].to_numpy()[keep], numbers[keep], len(texts))


def _letters(texts: pl.Series) -> csr_matrix:
    """Three bytes each; a blank before and after a name marks where it begins and ends."""
    padded = pl.select(pl.format(" {} ", texts)).to_series()
    lengths = padded.str.len_bytes().to_numpy().astype(np.int64)
    data = np.frombuffer("".join(padded.to_list()).encode(), np.uint8).astype(np.int32)
    owner, offsets = np.repeat(np.arange(len(texts)), lengths), offsets_of(lengths)
    starts = np.arange(len(data)) + _LETTERS <= offsets[1:][owner]
    places = np.flatnonzero(starts)
    codes = (data[places] << 16) | (data[places + 1] << 8) | data[places + 2]
    return _weighed(owner[places], np.unique(codes, return_inverse=True)[1], len(texts))


def _weighed(rows: Ints, columns: Ints, count: int) -> csr_matrix:
    """Which row has which column, each once, weighed by log((1 + rows) / (1 + rows that have the column))."""
    width = int(columns.max(initial=0)) + 1
    keys = np.sort(rows.astype(np.int64) * width + columns)
    rows, columns = np.divmod(keys[np.diff(keys, prepend=-1) != 0], width)
    weights = np.log((1 + count) / (1 + np.bincount(columns, minlength=width)))[columns]
    lengths = np.sqrt(np.bincount(rows, weights=weights**2, minlength=count))
    values = (weights / np.maximum(lengths, 1e-12)[rows]).astype(np.float32)
    return csr_matrix((values, columns, offsets_of(np.bincount(rows, minlength=count))), shape=(count, width))
