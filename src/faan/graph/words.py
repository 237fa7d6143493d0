"""Names as plain words: `concept:person:albert_einstein` and `http://x/Albert_Einstein` are both *albert einstein*.

Labels and readable ids are names. Opaque ids (`Q42`, `/m/0abc`, numbers) are not; a graph that has
only such ids, and no labels, has no readable names.
"""

from __future__ import annotations

from collections import Counter
from urllib.parse import unquote

import polars as pl

from faan.graph.graph import Graph
from faan.graph.names import Names

_SAMPLE = 2_000  # sample of entities that decides whether names are readable
_WORD = r"^\p{L}{3,}$"
_COMMON = 0.1  # words of more than this share of the entities do not count
_FEW = 5  # in a small graph, so many entities may share a word
_AT_ONCE = 1 << 16  # entities
_LONGEST = 200  # letters of a name that count


def plain_words(names: pl.Series) -> pl.Series:
    """Each name in small letters without accents, its words set apart by single blanks; of an id the local part."""
    texts = names.str.slice(0, 10 * _LONGEST)
    is_id = ~texts.str.contains(r"\s")
    if (encoded := is_id & texts.str.contains("%")).any():
        decoded = [unquote(one) if coded else one for one, coded in zip(texts, encoded, strict=True)]
        texts = pl.Series(decoded, dtype=pl.String)
    local = (
        texts.str.replace(r"^(?:[^:#]*[:#]|/).*?([^/#:]*[\p{L}\p{N}][^/#:]*)[/#:]*$", "$1")
        .str.replace(r"(\p{L})0\d\d$", "$1")  # ford001: the number only tells it from another ford
        .str.replace_all(r"(\p{Ll})(\p{Lu})", "$1 $2")
    )
    texts = pl.select(pl.when(is_id).then(local).otherwise(texts)).to_series()
    texts = texts.str.slice(0, _LONGEST).str.normalize("NFKD").str.replace_all(r"\p{M}+", "")
    return texts.str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars()


def entity_words(graph: Graph) -> pl.Series:
    """The name of each entity in plain words: its label, or its id if it has none."""
    starts = range(0, graph.num_entities, _AT_ONCE)  # patterns over all names need memory for several copies of them
    some = (_called(graph.entity_names, graph.entity_labels, start, start + _AT_ONCE) for start in starts)
    return pl.concat([pl.Series([], dtype=pl.String), *map(plain_words, some)], rechunk=True)


def relation_words(graph: Graph) -> pl.Series:
    """The name of each relation in plain words: its label, or its id if it has none."""
    return plain_words(_called(graph.relation_names, graph.relation_labels))


def has_readable_names(graph: Graph) -> bool:
    """Whether most entities have a distinguishing word in their name; decided by a sample."""
    step = max(1, graph.num_entities // _SAMPLE)
    sample = pl.Series([graph.entity_label(i) for i in range(0, graph.num_entities, step)], dtype=pl.String)
    words = [set(text.split(" ")) for text in plain_words(sample)]
    having = Counter(word for own in words for word in own)
    readable = pl.Series(list(having), dtype=pl.String)
    allowed = max(_FEW, _COMMON * len(words))
    telling = {word for word in readable.filter(readable.str.contains(_WORD)) if having[word] <= allowed}
    return sum(not own.isdisjoint(telling) for own in words) > len(words) / 2


def _called(names: Names, labels: Names | None, start: int = 0, stop: int | None = None) -> pl.Series:
    """The labels of all things, or of some numbers; the name of a thing without a label."""
    ids = names.to_series(start, stop)
    if labels is None:
        return ids
    shown = labels.to_series(start, stop)
    return pl.select(pl.when(shown == "").then(ids).otherwise(shown)).to_series()
