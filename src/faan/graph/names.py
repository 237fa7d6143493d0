"""An immutable list of strings in four arrays, with O(1) look-up both ways.

A Python dictionary of five million names takes more than half a gigabyte and seconds to load. Here the UTF-8 bytes of
all names lie in one array, a hash index beside them, and both open as memory maps: nothing is loaded before it is used.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from faan.base import InputError, Ints, are_below, is_ragged, offsets_of
from faan.graph.limits import NAME_BYTES, too_long

Bytes = NDArray[np.uint8]

_PARTS = ("data", "offsets", "buckets", "members")  # arrays that are saved
_CHUNK = 1 << 14  # names in one block: small temporary arrays reuse the same memory
_MIN_PART = 3  # bytes of a text that is looked for in others
_ENOUGH = 1000  # strings that hold it, from which on the search ends
_NEAR = 3  # strings that are most like a misspelt one
_IN_WORD = re.compile(rb"[a-z0-9\x80-\xff]")
_BASE = 0x9E3779B97F4A7C15  # odd, so powers never vanish modulo 2**64


@dataclass(frozen=True, eq=False)
class Names:
    """Strings numbered from 0: `names[3]` is a string, `names.find("Peru")` its number.

    A string may occur several times (two cities share a label); `find_all` gives all of them.
    """

    data: Bytes  # UTF-8 of all strings, one after the other
    offsets: Ints  # (n + 1,) where each string begins
    buckets: Ints  # (number of buckets + 1,) where each hash bucket begins in `members`
    members: Ints  # (n,) string numbers, grouped by hash bucket

    @classmethod
    def from_strings(cls, strings: Iterable[str] | pl.Series) -> Names:
        """Names in the order given."""
        series = strings if isinstance(strings, pl.Series) else _to_series(list(strings))
        lengths = series.str.len_bytes().to_numpy()
        if len(lengths) and lengths.max() > NAME_BYTES:
            raise InputError(too_long(series[int(lengths.argmax())]))
        offsets = offsets_of(lengths)
        data = np.empty(offsets[-1], dtype=np.uint8)
        for start in range(0, len(series), _CHUNK):
            text = series[start : start + _CHUNK].str.join("").item().encode()
            data[offsets[start] : offsets[start] + len(text)] = np.frombuffer(text, dtype=np.uint8)

        count = 1 << max((len(series) // 4).bit_length(), 1)  # two to four names a bucket: the index stays small
        bucket = _hash_all(data, offsets) & np.uint64(count - 1)
        buckets = offsets_of(np.bincount(bucket.astype(np.int64), minlength=count)).astype(np.uint32)
        members = np.argsort(bucket, kind="stable").astype(np.uint32)
        return cls(data, offsets, buckets, members)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]], prefix: str) -> Names:
        """The reverse of `arrays`; checks that the parts fit together."""
        names = cls(**{part: arrays[f"{prefix}_{part}"] for part in _PARTS})  # type: ignore[arg-type]
        n = len(names)
        if not (
            names.data.dtype == np.uint8
            and names.offsets[0] == 0
            and names.offsets[-1] == len(names.data)
            and len(names.members) == n
            and names.buckets[-1] == n
        ):
            raise damaged(f"the parts of {prefix} do not fit together")
        return names

    def check(self) -> None:
        """Refuse names from disk that `from_strings` would not have written; reads all of them."""
        n, count = len(self), len(self.buckets) - 1
        fitting = (
            is_ragged(self.offsets, len(self.data))
            and is_ragged(self.buckets, n)
            and are_below(self.members, n)
            and count.bit_count() == 1  # a hash is cut to a bucket by its last bits
        )
        if not fitting or not self._are_text():
            raise damaged("its names are not valid text")

    def _are_text(self) -> bool:
        """Whether each name is whole UTF-8: all of them together are, and none begins inside a letter."""
        try:
            for start in range(0, len(self), _CHUNK):
                ends = self.offsets[start : start + _CHUNK + 1]
                self.data[ends[0] : ends[-1]].tobytes().decode()
        except UnicodeDecodeError:
            return False
        begins = self.offsets[self.offsets < len(self.data)]
        return bool(((self.data[begins] & 0xC0) != 0x80).all())

    def arrays(self, prefix: str) -> dict[str, NDArray[np.generic]]:
        """The arrays behind the names, for saving."""
        return {f"{prefix}_{part}": getattr(self, part) for part in _PARTS}

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self):
            raise IndexError(f"number {number} is outside 0 to {len(self) - 1}")
        return self.data[self.offsets[number] : self.offsets[number + 1]].tobytes().decode()

    def __iter__(self) -> Iterator[str]:
        for start in range(0, len(self), _CHUNK):
            yield from self._some(start, start + _CHUNK)

    def _some(self, start: int, stop: int) -> Iterator[str]:
        ends = self.offsets[start : stop + 1]
        text = self.data[ends[0] : ends[-1]].tobytes()
        for begin, end in pairwise((ends - ends[0]).tolist()):
            yield text[begin:end].decode()

    def __contains__(self, name: str) -> bool:
        return self.find(name) is not None

    def find(self, name: str) -> int | None:
        """The number of a string, the lowest if it occurs several times; None if it does not occur."""
        found = self.find_all(name)
        return found[0] if found else None

    def find_all(self, name: str) -> list[int]:
        """The numbers of all occurrences of a string."""
        try:
            wanted = name.encode()
        except UnicodeEncodeError:
            return []
        key = np.frombuffer(wanted, dtype=np.uint8)
        bucket = int(_hash_all(key, np.array([0, len(key)]))[0]) & (len(self.buckets) - 2)
        members = self.members[self.buckets[bucket] : self.buckets[bucket + 1]].tolist()
        return [m for m in members if self.data[self.offsets[m] : self.offsets[m + 1]].tobytes() == wanted]

    def find_each(self, wanted: Names) -> NDArray[np.int32]:
        """The number of each of another's strings, -1 for one that does not occur here."""
        numbers = pl.DataFrame({"name": self.to_series(), "number": np.arange(len(self), dtype=np.int32)})
        asked = wanted.to_series().alias("name").to_frame()
        found = asked.join(numbers.unique("name", keep="first"), on="name", how="left", maintain_order="left")
        return found["number"].fill_null(-1).to_numpy()

    def to_series(self, start: int = 0, stop: int | None = None) -> pl.Series:
        """All strings as a polars column, or those of some numbers; Python holds few of them at a time."""
        end = len(self) if stop is None else min(stop, len(self))
        parts = [
            pl.Series(list(self._some(first, min(first + _CHUNK, end))), dtype=pl.String)
            for first in range(start, end, _CHUNK)
        ]
        return pl.concat(parts, rechunk=True) if parts else pl.Series([], dtype=pl.String)

    def containing(self, text: str) -> list[str]:
        """The strings that hold a text as whole words, ASCII letters in any case, the shortest first.

        The search ends when it has found many.
        """
        wanted = _lower(np.frombuffer(text.strip().encode(errors="replace"), dtype=np.uint8)).tobytes()
        if len(wanted) < _MIN_PART:
            return []
        found: set[int] = set()
        for start in range(0, len(self), _CHUNK):
            ends = self.offsets[start : start + _CHUNK + 1]
            data, bounds = _lower(self.data[ends[0] : ends[-1]]).tobytes(), ends - ends[0]
            for match in re.finditer(rb"(?=%s)" % re.escape(wanted), data):  # looking ahead finds overlapping ones too
                begin, end = match.start(), match.start() + len(wanted)
                number = int(np.searchsorted(bounds, begin, side="right")) - 1
                before, after = data[bounds[number] : begin], data[end : bounds[number + 1]]
                if end <= bounds[number + 1] and not _IN_WORD.match(before[-1:]) and not _IN_WORD.match(after):
                    found.add(start + number)
            if len(found) >= _ENOUGH:
                break
        return sorted((self[number] for number in found), key=lambda name: (len(name), name))

    def nearest(self, name: str) -> list[str]:
        """The strings most like a misspelt one, best first.

        Shared letters and pairs of neighbouring letters narrow millions of strings down to two hundred, which are then
        compared letter by letter; of an IRI or the like its last part alone may be meant.
        """
        wanted = _lower(np.frombuffer(name.encode(errors="replace"), dtype=np.uint8))
        if len(wanted) < 2 or not len(self):
            return []
        letters, pairs = np.zeros(1 << 8, dtype=np.int64), np.zeros(1 << 16, dtype=np.int64)
        letters[wanted], pairs[_pairs(wanted)] = 1, 1
        likeness = np.empty(len(self), dtype=np.float32)
        for start in range(0, len(self), _CHUNK):
            offsets = self.offsets[start : start + _CHUNK + 1]
            begins, lengths = offsets[:-1] - offsets[0], np.diff(offsets)
            text = _lower(self.data[offsets[0] : offsets[-1]])
            shared_letters = np.concatenate([[0], np.cumsum(letters[text])])
            shared_pairs = np.concatenate([[0], np.cumsum(pairs[_pairs(text)]), [0]])
            hits = shared_letters[begins + lengths] - shared_letters[begins]
            hits += shared_pairs[begins + np.maximum(lengths - 1, 0)] - shared_pairs[begins]
            likeness[start : start + len(lengths)] = hits / (lengths + len(wanted))
        best = np.argsort(-likeness, kind="stable")[:200]
        close = {}
        for number in best[likeness[best] > 0].tolist():
            other = self[number]
            parts = {other.casefold(), local_name(other).casefold()}
            ratio = max(difflib.SequenceMatcher(None, name.casefold(), part).ratio() for part in parts)
            if ratio >= 0.6:
                close[other] = ratio
        return sorted(close, key=lambda other: (-close[other], other))[:_NEAR]


def local_name(name: str) -> str:
    """The last part of an IRI: `capital` of `http://example.org/capital`."""
    return re.split(r"[#/:]", name.rstrip("#/:"))[-1] or name


def _to_series(strings: list[str]) -> pl.Series:
    try:
        return pl.Series(strings, dtype=pl.String)
    except UnicodeEncodeError as error:
        raise InputError(f"a name is not valid Unicode ({error}); correct it") from None


def _hash_all(data: Bytes, offsets: Ints) -> NDArray[np.uint64]:
    """A 64-bit hash of each string: a polynomial in its bytes, then mixed. The same on every machine."""
    hashes = np.zeros(len(offsets) - 1, dtype=np.uint64)
    for start in range(0, len(hashes), _CHUNK):
        ends = offsets[start : start + _CHUNK + 1]
        lengths = np.diff(ends)
        begins = ends[:-1] - ends[0]
        place = np.arange(ends[-1] - ends[0]) - np.repeat(begins, lengths)
        powers = np.cumprod(np.full(int(lengths.max(initial=0)) + 1, _BASE, dtype=np.uint64))
        terms = (data[ends[0] : ends[-1]].astype(np.uint64) + np.uint64(1)) * powers[place]
        sums = np.add.reduceat(np.append(terms, np.uint64(0)), begins)
        hashes[start : start + len(lengths)] = np.where(lengths > 0, sums, np.uint64(0))
    hashes ^= hashes >> np.uint64(33)
    hashes *= np.uint64(0xFF51AFD7ED558CCD)
    hashes ^= hashes >> np.uint64(33)
    return hashes


def _lower(text: Bytes) -> Bytes:
    """ASCII letters in lower case, all other bytes as they are."""
    capital = (text >= ord("A")) & (text <= ord("Z"))
    return np.where(capital, text + np.uint8(32), text).astype(np.uint8)


def _pairs(text: Bytes) -> NDArray[np.uint16]:
    """A number for each two neighbouring bytes."""
    return (text[:-1].astype(np.uint16) << np.uint16(8)) | text[1:]


def damaged(problem: str) -> InputError:
    """The error for a damaged saved graph."""
    return InputError(f"the graph is damaged ({problem}); read it from its source again")
