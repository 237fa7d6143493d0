"""Names of entities: which entities share their whole name, and how similar names are in words and letters."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from faan.base import InputError, Ints, are_below, is_ragged, offsets_of, open_array
from faan.graph import Graph, Names, entity_words, open_graph, save_graph

_LETTERS = 3  # of an n-gram
_NAMESAKES = 0.01  # share of the entities: fewer are not worth the time to look for paths among them
_AT_ONCE = 1 << 18  # names in one block
_MOST_COLUMNS = 1 << 31
_WHOLE, _MERGED, _KINDS = "whole.npy", "merged", ("words", "letters")
_INTS = (np.int32, np.int64)
_PARTS = {"offsets": _INTS, "columns": _INTS, "values": (np.float32,), "width": (np.int64,)}


@dataclass(frozen=True, eq=False)
class EntityNames:
    """The names of all entities as numbers: rows of sparse matrices have length 1, so that products are cosines."""

    graph: Graph = field(repr=False)
    merged: Graph = field(repr=False)  # entities of the same name are one; the graph itself if hardly any have the same
    whole: Ints | None  # (entities,) the entities of the merged graph, where that is another one
    words: csr_matrix  # (entities, words), rare words weigh more
    letters: csr_matrix  # (entities, n-grams), likewise

    @classmethod
    def of(cls, graph: Graph) -> EntityNames:
        """Compute them for a graph; graphs with the same names share what does not depend on their edges."""
        names = _Names.of(graph)
        merged, whole = graph, None
        if names.called is not None:
            whole = names.whole
            rows = np.stack([whole[graph.heads], graph.relations, whole[graph.tails]], axis=1).astype(np.int32)
            heads, relations, tails = np.ascontiguousarray(np.unique(rows, axis=0).T)
            merged = Graph(names.called, graph.relation_names, heads, relations, tails)
        return cls(graph, merged, whole, names.words, names.letters)

    def save(self, folder: Path) -> None:
        """Write them as arrays that open as memory maps."""
        folder.mkdir(parents=True)
        for kind in _KINDS:
            rows: csr_matrix = getattr(self, kind)
            arrays = (rows.indptr, rows.indices, rows.data, np.array([rows.shape[1]], np.int64))
            for part, array in zip(_PARTS, arrays, strict=True):
                np.save(folder / f"{kind}_{part}.npy", array, allow_pickle=False)
        if self.whole is not None:
            np.save(folder / _WHOLE, self.whole, allow_pickle=False)
            save_graph(self.merged, folder / _MERGED)

    @classmethod
    def load(cls, folder: Path, graph: Graph, *, checked: bool = False) -> EntityNames:
        """Open what `save` wrote; numbers are checked unless they were before, because scipy does not check indexes."""
        rows = {kind: _open_rows(folder, kind, graph.num_entities, checked=checked) for kind in _KINDS}
        if not (folder / _WHOLE).is_file():
            return cls(graph, graph, None, **rows)
        merged, whole = open_graph(folder / _MERGED), open_array(folder / _WHOLE, (np.int64,))
        if not checked:
            merged.check()
        fitting = len(whole) == graph.num_entities and merged.num_relations == graph.num_relations
        if not fitting or not (checked or are_below(whole, merged.num_entities)):
            raise InputError("the names are damaged (they are not those of the graph)", source=str(folder))
        return cls(graph, merged, whole, **rows)

    @property
    def has_namesakes(self) -> bool:
        """Whether enough entities have the same name that a graph where they are one tells more."""
        return self.merged is not self.graph

    def number(self, entities: Ints) -> Ints:
        """The ids of entities in the merged graph."""
        return np.asarray(entities) if self.whole is None else self.whole[entities]

    def cosines(self, kind: str, entities: Ints, others: Ints) -> NDArray[np.float32]:
        """How alike names are, in `words` or `letters`: (n,) and (m,) to (n, m)."""
        rows: csr_matrix = getattr(self, kind)
        found = np.zeros((len(entities), len(others)), np.float32)
        matrix = rows.indptr, rows.indices, rows.data
        _products(*matrix, rows.shape[1], np.asarray(entities, np.int64), np.asarray(others, np.int64), found)
        return found


@dataclass(frozen=True, eq=False)
class _Names:
    """What depends on names alone."""

    whole: Ints  # (entities,) the same number for the same whole name
    called: Names | None  # the names behind these numbers, unless nearly all are different
    words: csr_matrix
    letters: csr_matrix

    @classmethod
    def of(cls, graph: Graph) -> _Names:
        """Compute them once for all graphs with these names: names change less often than facts."""
        known = _TAKEN_APART.get(graph.entity_names)
        if known is None or known[0] is not graph.entity_labels:
            known = _TAKEN_APART[graph.entity_names] = graph.entity_labels, cls._make(graph)
        return known[1]

    @classmethod
    def _make(cls, graph: Graph) -> _Names:
        texts = entity_words(graph)
        called = pl.DataFrame({"name": texts, "entity": np.arange(len(texts))})
        is_empty = called["name"] == ""  # an empty name matches no other
        key = pl.when(is_empty).then(pl.format("  {}", "entity")).otherwise("name")
        whole = called.select(key.rank("dense") - 1).to_series().to_numpy().astype(np.int64)
        words, letters = _weighed(_words(texts), len(texts)), _weighed(_letters(texts), len(texts))
        if len(texts) - (whole.max(initial=-1) + 1) < _NAMESAKES * len(texts):
            return cls(whole, None, words, letters)
        distinct = called.select(key.alias("key")).unique().sort("key")["key"]
        return cls(whole, Names.from_strings(distinct), words, letters)


_TAKEN_APART: weakref.WeakKeyDictionary[Names, tuple[Names | None, _Names]] = weakref.WeakKeyDictionary()
"""A cache by the names of entities: their labels, and what was computed from both."""


def _words(texts: pl.Series) -> Iterator[tuple[Ints, Ints]]:
    """Which name has which word, as numbers, some names at a time."""
    rows = pl.DataFrame({"row": np.arange(len(texts)), "word": texts.str.split(" ")}).explode("word")
    numbers = rows["word"].rank("dense").to_numpy().astype(np.int64) - 1
    keep = (rows["word"] != "").to_numpy()
    yield rows["row"].to_numpy()[keep], numbers[keep]


def _letters(texts: pl.Series) -> Iterator[tuple[Ints, Ints]]:
    """The same with three bytes each; a blank before and after a name marks where it begins and ends."""
    for start in range(0, len(texts), _AT_ONCE):
        padded = pl.select(pl.format(" {} ", texts[start : start + _AT_ONCE])).to_series()
        lengths = padded.str.len_bytes().to_numpy().astype(np.int64)
        data = np.frombuffer("".join(padded.to_list()).encode(), np.uint8).astype(np.int32)
        owner, offsets = np.repeat(np.arange(len(padded)), lengths), offsets_of(lengths)
        places = np.flatnonzero(np.arange(len(data)) + _LETTERS <= offsets[1:][owner])
        codes = (data[places] << 16) | (data[places + 1] << 8) | data[places + 2]
        yield owner[places] + start, codes


def _weighed(parts: Iterator[tuple[Ints, Ints]], count: int) -> csr_matrix:
    """Which row has which column, each once, weighed by log((1 + rows) / (1 + rows that have the column)).

    Parts come in the order of their rows; columns that no row has are left out.
    """
    found, spread = [], np.zeros(0, np.int64)
    sizes = np.zeros(count, np.int64)
    for owners, having in parts:
        width = max(int(having.max(initial=0)) + 1, len(spread))
        keys = np.sort(owners.astype(np.int64) * width + having)
        rows, codes = np.divmod(keys[np.diff(keys, prepend=-1) != 0], width)
        spread = np.bincount(codes, minlength=width) + np.pad(spread, (0, width - len(spread)))
        sizes += np.bincount(rows, minlength=count)
        found.append(codes.astype(np.int32))
    columns = np.concatenate([np.zeros(0, np.int32), *found])
    found.clear()
    numbers = np.cumsum(spread > 0) - 1
    weight = np.log((1 + count) / (1 + spread))
    offsets = offsets_of(sizes)
    values = np.empty(len(columns), np.float32)
    for start in range(0, count, _AT_ONCE):
        own = sizes[start : start + _AT_ONCE]
        part = slice(offsets[start], offsets[min(start + _AT_ONCE, count)])
        rows, weights = np.repeat(np.arange(len(own)), own), weight[columns[part]]
        lengths = np.sqrt(np.bincount(rows, weights=weights**2, minlength=len(own)))
        values[part] = weights / np.maximum(lengths, 1e-12)[rows]
        columns[part] = numbers[columns[part]]
    width = int(numbers[-1]) + 1 if len(numbers) else 1
    return csr_matrix((values, columns, offsets), shape=(count, max(width, 1)))


def _open_rows(folder: Path, kind: str, count: int, *, checked: bool) -> csr_matrix:
    offsets, columns, values, width = (
        open_array(folder / f"{kind}_{part}.npy", kinds) for part, kinds in _PARTS.items()
    )
    fitting = len(offsets) == count + 1 and len(columns) == len(values) == offsets[-1] and len(width) == 1
    if fitting and not checked:
        fitting = is_ragged(offsets, len(columns)) and are_below(columns, min(int(width[0]), _MOST_COLUMNS))
        fitting = fitting and bool(np.isfinite(values).all())
    if not fitting:
        raise InputError(f"the {kind} of names are damaged", source=str(folder))
    return csr_matrix((values, columns, offsets), shape=(count, int(width[0])))


@njit(nogil=True, cache=True)
def _products(
    offsets: np.ndarray,
    columns: np.ndarray,
    values: np.ndarray,
    width: int,
    entities: np.ndarray,
    others: np.ndarray,
    found: np.ndarray,
) -> None:
    """Add products of some rows (n,) of a sparse matrix with others (m,) to (n, m); sums in the order of the former."""
    size = 0
    for other in others:
        size += offsets[other + 1] - offsets[other]
    slots = np.zeros(width, np.int32)  # of the columns that one of the others has, 0 for all other columns
    theirs, used = np.zeros((size + 1, len(others)), np.float32), 0
    for j in range(len(others)):
        for place in range(offsets[others[j]], offsets[others[j] + 1]):
            if slots[columns[place]] == 0:
                used += 1
                slots[columns[place]] = used
            theirs[slots[columns[place]], j] = values[place]
    for i in range(len(entities)):
        for place in range(offsets[entities[i]], offsets[entities[i] + 1]):
            slot = slots[columns[place]]
            if slot:
                for j in range(len(others)):
                    found[i, j] += values[place] * theirs[slot, j]
