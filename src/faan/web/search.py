"""Finds entities as a person types: by the beginnings of words, in any order, with one typing error in each word.

The index is an SQLite full-text table. Rows are numbered by importance, entities with most edges first, and such a
table gives its matches in the order of their numbers: the best matches of the shortest beginning are there at once,
however many there are.
"""

from __future__ import annotations

import math
import re
import sqlite3
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from faan.base import InputError
from faan.graph import Graph
from faan.web.decision import DamagedError
from faan.web.sqlite import Readers

SHORT = 4  # beginnings up to this length have lists of their own in the index
_MATCHES = 100  # how many matches are looked at to order the best
_MIN_TYPO = 4  # words shorter than this must be right
_MAX_WORDS, _MAX_LETTERS = 8, 30  # of a search; what is longer is cut
_NAMED = 40  # words that begin alike are named one by one up to this number
_CORRECTIONS = 12  # other readings of one word
_KEPT = 20_000  # searches for words whose results are kept
_LOOKED_AT = 1000  # edges of an entity that are read to find its kind
_MANY = 32  # more than any number of edges weighs
_NAMESAKES = 5  # entities of the very same label that come first
_FROM = "SELECT term FROM word WHERE term >= ? LIMIT 1"
_LAST = "\U0010ffff"  # sorts after every other character
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Entity:
    """An entity that was found."""

    name: str
    label: str
    kind: str  # a type of it, "" where it has none
    edges: int


def words_of(text: str) -> list[str]:
    """The words of a text without case, accents and punctuation."""
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text.casefold())
        text = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return _WORD.findall(text.lower())


def open_index(path: Path) -> sqlite3.Connection:
    """A connection to an index, which is never changed but replaced: no journal beside it counts."""
    place = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(place, uri=True, check_same_thread=False)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA mmap_size = 4294967296")
    return connection


class PreparingError(InputError):
    """The index does not hold all entities yet."""


class Search:
    """An index of a graph's entities; may be used by many threads at once.

    An incomplete index holds the entities with most edges. The others are found by their whole name or label.
    """

    def __init__(self, graph: Graph, path: Path, *, complete: bool = True) -> None:
        self._graph = graph
        self._open(path)
        self.is_complete = complete

    def _open(self, path: Path) -> None:
        self._path = path
        self._readers = Readers(partial(open_index, path))
        self._letters: str = self._query("SELECT letters FROM about")[0][0]
        self._recent: dict[tuple[str, str], list[str]] = {}  # what was found for a word, by the search that found it

    def complete(self, path: Path) -> None:
        """Search an index of all entities from now on; searches that are running finish with the earlier index."""
        earlier = self._readers
        self._open(path)
        self.is_complete = True
        earlier.close()

    def _query(self, query: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        try:
            return self._readers.query(query, values)
        except sqlite3.Error as error:
            raise DamagedError(
                f"the index of entities is damaged ({error}). Stop the server, remove {self._path.name} and start the "
                "server again to rebuild the index"
            ) from None

    def close(self) -> None:
        """Close the index."""
        self._readers.close()

    def __del__(self) -> None:
        self.close()

    def find(self, text: str, limit: int = 10, like: Sequence[str] = ()) -> list[Entity]:
        """The entities that match best: by the exact name, then by words, beginnings of words, words with an error.

        Those come first that are of the same kind as the entities `like`; names that the graph lacks are ignored.
        """
        entities = dict.fromkeys(self._named(text, _NAMESAKES))
        if words := _searched(text):
            entities |= dict.fromkeys(self._by_words(words, limit, self._common(like)))
        return [self._describe(entity) for entity in list(entities)[:limit]]

    def candidates(self, text: str, limit: int, kinds: set[int]) -> list[int]:
        """The entities that a cell of a table may mean, those of some types first; a few of its words may be enough.

        Raises:
            PreparingError: The index is not complete, so a cell could seem to match no entity.
        """
        if not self.is_complete:
            raise PreparingError("the index of names is being built; ask again in a minute")
        entities = dict.fromkeys(self._named(text, _MATCHES))
        if words := _searched(text):
            found = self._by_words(words, limit, kinds) or self._by_some_words(words)
            entities |= dict.fromkeys(found[:limit])
        return list(entities)

    def describe(self, name: str) -> Entity:
        """An entity by its name."""
        return self._describe(self._graph.entity(name))

    def _named(self, text: str, limit: int) -> list[int]:
        names, labels = self._graph.entity_names, self._graph.entity_labels
        exact = names.find(text)
        return ([] if exact is None else [exact]) + (labels.find_all(text)[:limit] if labels and text else [])

    def _common(self, like: Sequence[str]) -> set[int]:
        """The kinds that half of some entities have at least."""
        found = [self._graph.entity_names.find(name) for name in like]
        counts = Counter(kind for entity in found if entity is not None for kind in self._kinds(entity))
        return {kind for kind, count in counts.items() if 2 * count >= len(like)}

    def _kinds(self, entity: int) -> set[int]:
        """The types of an entity; in a graph without types, the relations that it has, by direction."""
        graph = self._graph
        if graph.types is not None:
            return set(graph.types.of(entity).tolist())
        begin = int(graph.neighbours.offsets[entity])
        end = min(int(graph.neighbours.offsets[entity + 1]), begin + _LOOKED_AT)
        return set(graph.neighbours.relations[begin:end].tolist())

    def _by_words(self, words: list[str], limit: int, kinds: set[int]) -> list[int]:
        whole = self._match([_quoted(word) for word in words])
        found = dict.fromkeys(whole)
        if len(found) < limit:
            found |= dict.fromkeys(self._match([self._beginning(word) for word in words]))
        if not found:
            found = dict.fromkeys(self._corrected(words))
        typed, exact = " ".join(words), set(whole)
        return sorted(found, key=lambda entity: -self._likely(entity, typed, entity in exact, kinds))

    def _by_some_words(self, words: list[str]) -> list[int]:
        """Entities that have all words but one, or else any of the longer words; most letters in common first."""
        terms = [_quoted(word) for word in words]
        found = {entity for i in range(len(terms)) for entity in self._match(terms[:i] + terms[i + 1 :])}
        if not found:
            found = {e for word, term in zip(words, terms, strict=True) if len(word) > 3 for e in self._match([term])}
        return sorted(found, key=lambda entity: (-self._shared(entity, words), -self.edges(entity), entity))

    def _shared(self, entity: int, words: list[str]) -> int:
        """How many letters the words have that an entity's name has too."""
        own = words_of(local_part(self._graph.entity_label(entity)))
        return sum(len(word) for word in set(words).intersection(own))

    def _likely(self, entity: int, typed: str, whole: bool, kinds: set[int]) -> float:
        """How likely it is that an entity is meant.

        Whole words, or the beginning of its text, weigh as much as four times the edges. All of its words, or a kind
        that is looked for, weigh more than any number of edges.
        """
        text = " ".join(words_of(local_part(self._graph.entity_label(entity))))
        alike = len(kinds & self._kinds(entity)) / len(kinds) if kinds else 0.0
        begins = text.startswith(typed)
        first = f"{text} ".startswith(f"{typed} ")  # whole words at the beginning, which are more often meant
        weights = 2 * begins + 2 * whole + 2 * first + _MANY * (text == typed) + _MANY * alike
        return math.log2(self.edges(entity) + 1) + weights

    def edges(self, entity: int) -> int:
        """How many edges an entity has, in both directions."""
        offsets = self._graph.neighbours.offsets
        return int(offsets[entity + 1] - offsets[entity])

    def _match(self, terms: list[str]) -> list[int]:
        if not terms:
            return []
        query = "SELECT entity FROM text CROSS JOIN entity ON id = text.rowid WHERE text MATCH ? LIMIT ?"
        return [row[0] for row in self._query(query, (" AND ".join(terms), _MATCHES))]

    def _beginning(self, word: str) -> str:
        """Matches words that begin so.

        Short beginnings have lists of their own in the index. For a longer one the table would first merge the lists of
        all its words; where these are few it is faster to name them.
        """
        terms = self._again(self._few_terms, word) if len(word) > SHORT else []
        return "(" + " OR ".join(map(_quoted, terms)) + ")" if 0 < len(terms) <= _NAMED else f"{_quoted(word)}*"

    def _corrected(self, words: list[str]) -> list[int]:
        """Matches with one error in each word that no word begins with; none where there is no such word."""
        terms, wrong = [], False
        for word in words:
            if self._terms(word, 1):
                terms.append(self._beginning(word))
                continue
            wrong, meant = True, self._again(self._meant, word)
            if not meant:
                return []
            terms.append("(" + " OR ".join(self._beginning(variant) for variant in meant) + ")")
        return self._match(terms) if wrong else []

    def _meant(self, word: str) -> list[str]:
        """Corrections of a word: beginnings of words one error away."""
        if len(word) < _MIN_TYPO:
            return []
        right = next(length for length in range(len(word), -1, -1) if length == 0 or self._terms(word[:length], 1))
        # In alphabetical order, because neighbours lie on the same pages of the index.
        good = (variant for variant in sorted(self._variants(word, right)) if self._terms(variant, 1))
        return list(islice(good, _CORRECTIONS))

    def _variants(self, word: str, right: int) -> set[str]:
        """Words one error away: two letters swapped, one too many, a wrong one, one too few.

        Some word begins with the first `right` letters and none with one more, so the error is not behind them.
        """
        cuts = [(word[:i], word[i:], self._again(self._following, word[:i])) for i in range(right + 1)]
        swapped = [a + b[1] + b[0] + b[2:] for a, b, _ in cuts if len(b) > 1]
        shorter = [a + b[1:] for a, b, _ in cuts if b]
        wrong = [a + letter + b[1:] for a, b, letters in cuts if b for letter in letters]
        longer = [a + letter + b for a, b, letters in cuts for letter in letters]
        return {*swapped, *shorter, *wrong, *longer} - {word}

    def _following(self, beginning: str) -> list[str]:
        """The letters that may come next in words that begin so; rare ones are left out."""
        letters, after = [], beginning
        while (rows := self._query(_FROM, (after,))) and rows[0][0].startswith(beginning):
            letter = rows[0][0][len(beginning) : len(beginning) + 1]
            letters += [letter] if letter and letter in self._letters else []
            after = beginning + (f"{letter}{_LAST}" if letter else "\0")
        return letters

    def _again(self, search: Callable[[str], list[str]], word: str) -> list[str]:
        """What a search finds for a word, cached: the words of a table's column repeat."""
        key, recent = (search.__name__, word), self._recent
        found = recent.get(key)
        if found is None:
            if len(recent) >= _KEPT:
                recent.clear()
            found = recent[key] = search(word)
        return found

    def _few_terms(self, beginning: str) -> list[str]:
        return self._terms(beginning, _NAMED + 1)

    def _terms(self, beginning: str, limit: int) -> list[str]:
        """The first words of the index that begin so."""
        after = beginning
        terms: list[str] = []
        while len(terms) < limit:
            rows = self._query(_FROM, (after,))
            if not rows or not rows[0][0].startswith(beginning):
                break
            terms.append(rows[0][0])
            after = rows[0][0] + "\0"
        return terms

    def _describe(self, entity: int) -> Entity:
        graph = self._graph
        kind = next(iter(graph.type_labels(entity)), "")
        return Entity(graph.entity_names[entity], graph.entity_label(entity), kind, self.edges(entity))


def _quoted(word: str) -> str:
    """A word as a query names it; a strange index may hold words with quotes."""
    return '"' + word.replace('"', '""') + '"'


def local_part(name: str) -> str:
    """The last part of an IRI; the whole of any other name."""
    return re.split(r"[/#]", name.rstrip("/#"))[-1] if "://" in name else name


def _searched(text: str) -> list[str]:
    """The words of a text that are searched for."""
    return [word[:_MAX_LETTERS] for word in words_of(text)[:_MAX_WORDS]]
