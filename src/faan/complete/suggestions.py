"""The result of `suggest`: suggestions that are computed lazily; tables, files and summaries of them."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, overload

import polars as pl

from faan.base import InputError, as_path, atomic_file, html_table, progress_bars, text_table, visible
from faan.complete.output import COLUMNS, ENDINGS, NAMED, header, line_writer
from faan.complete.types import Suggestion
from faan.graph import DEFAULT_BASE, Graph, Terms, pandas_frame

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_NAMED_ENDINGS = [ending for ending, form in ENDINGS.items() if form in NAMED]
_SHOWN = 10  # rows that `repr` computes
_THRESHOLDS = (0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.25, 0.1)
TYPES: dict[str, pl.DataType] = {
    "head": pl.String(),
    "tail": pl.String(),
    "probability": pl.Float64(),
    "score": pl.Float64(),
    "rank": pl.Int64(),
    "low_evidence": pl.Boolean(),
    "because": pl.List(pl.String()),
    "warnings": pl.List(pl.String()),
}


@dataclass(frozen=True)
class Asked:
    """The question behind suggestions: its relation and number of heads (or tails)."""

    graph: Graph
    relation: str  # its name
    count: int  # heads (or tails) of the question
    by_tail: bool  # heads are suggested for given tails
    as_if_like: tuple[str, ...] = ()  # relations whose pairs are stand-ins for examples
    notes: tuple[str, ...] = ()  # what looks wrong with the examples


class Suggestions(Sequence[Suggestion]):
    """Missing facts, best first for each head, computed lazily.

    A loop takes them as they are found. What was found is kept, so a second loop costs nothing. In a notebook the first
    rows are shown as a table. `len()`, slices that need the end, and the methods below compute all of them.

    >>> import faan
    >>> facts = [(f"land{i}", "next_to", f"land{i + 1}") for i in range(9)]
    >>> facts += [(f"town{i}", "lies_in", f"land{i}") for i in range(9)]
    >>> completer = faan.fit(facts, method="rules", progress=False)
    >>> found = completer.suggest([("land1", "town1"), ("land2", "town2")], heads=["land6", "land7"], top=1)
    >>> for fact in found:
    ...     print(fact.head, fact.tail)
    land6 town6
    land7 town7
    >>> found[0].because[0]
    'land6 ← lies_in — town6: right for 2 of 2 that it reaches'
    """

    def __init__(self, stream: Callable[[], Iterator[Suggestion]], asked: Asked, *, progress: bool = True) -> None:
        self._stream, self._asked, self._progress = stream, asked, progress
        self._found: list[Suggestion] = []
        self._rest: Iterator[Suggestion] | None = None  # suggestions that were not computed yet
        self._is_complete = False

    @property
    def as_if_like(self) -> tuple[str, ...]:
        """The relations whose pairs are stand-ins for the examples of a new relation.

        >>> found.as_if_like
        ()
        """
        return self._asked.as_if_like

    @property
    def notes(self) -> tuple[str, ...]:
        """What looks wrong with the examples: pairs that look reversed, or that link an entity with itself.

        >>> completer.suggest([("land1", "town1"), ("land2", "land2")], heads="land6").notes
        ('the head and the tail of an example are the same entity: land2',)
        """
        return self._asked.notes

    def stream(self) -> Iterator[Suggestion]:
        """Compute the suggestions from the beginning without keeping them, for jobs that do not fit into memory.

        >>> next(found.stream()).tail
        'town6'
        """
        return self._stream()

    def to_polars(self) -> pl.DataFrame:
        """All suggestions as a polars frame; `because` and `warnings` are lists.

        >>> found.to_polars().select("head", "tail", "rank").rows()
        [('land6', 'town6', 1), ('land7', 'town7', 1)]
        """
        rows = self._all()
        return pl.DataFrame({name: [getattr(row, name) for row in rows] for name in COLUMNS}, schema=TYPES)

    def to_pandas(self) -> pd.DataFrame:
        """All suggestions as a pandas frame; needs pandas.

        >>> list(found.to_pandas()["tail"])
        ['town6', 'town7']
        """
        rows = self._all()
        found: pd.DataFrame = pandas_frame({name: [_plain(getattr(row, name)) for row in rows] for name in COLUMNS})
        return found

    def to_arrow(self) -> pa.Table:
        """All suggestions as an Arrow table; needs pyarrow.

        >>> found.to_arrow().num_rows
        2
        """
        try:
            import pyarrow  # noqa: F401, polars needs it
        except ImportError:
            raise InputError("an Arrow table needs pyarrow: pip install pyarrow") from None
        return self.to_polars().to_arrow()

    def save(self, path: str | Path) -> None:
        """Write all suggestions to a file, atomically; an older file is replaced.

        Args:
            path: A name that ends in .parquet, .tsv, .csv or .jsonl; the ending decides the format.

        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.save(f"{folder}/towns.csv")
        ...     pathlib.Path(folder, "towns.csv").read_text(encoding="utf-8")[:21]
        'head,tail,probability'
        """
        path = as_path(path, "path")
        ending = next((end for end in _NAMED_ENDINGS if path.name.lower().endswith(end)), path.suffix.lower())
        form = "parquet" if ending == ".parquet" else ENDINGS.get(ending)
        if form is None or form in NAMED:
            hint = f"; {NAMED[form]} is written by `faan suggest` and `faan export`" if form else ""
            raise InputError(f"expected a name that ends in .parquet, .tsv, .csv or .jsonl{hint}", source=str(path))
        if not path.parent.is_dir():
            raise InputError("there is no such folder; make it first", source=str(path.parent))
        rows = self._all()
        with atomic_file(path) as part:
            if form == "parquet":
                self.to_polars().write_parquet(part)
                return
            line = line_writer(form, "", Terms(DEFAULT_BASE))
            with part.open("w", encoding="utf-8", newline="\n") as file:
                file.write(header(form))
                file.writelines(line(row) for row in rows)

    def __iter__(self) -> Iterator[Suggestion]:
        place = 0
        while place < len(self._found) or self._find_more(place + 1):
            yield self._found[place]
            place += 1

    def __len__(self) -> int:
        return len(self._all())

    def __bool__(self) -> bool:
        return self._find_more(1)

    @overload
    def __getitem__(self, place: int) -> Suggestion: ...
    @overload
    def __getitem__(self, place: slice) -> list[Suggestion]: ...
    def __getitem__(self, place: int | slice) -> Suggestion | list[Suggestion]:
        own = place if isinstance(place, slice) else slice(place, place + 1)
        if own.stop is None or min(own.start or 0, own.stop, own.step or 1) < 0:
            return self._all()[place]  # what is counted from the end, or backwards, needs the end
        self._find_more(own.stop)
        return self._found[place]

    def __repr__(self) -> str:
        rows = self._rows()
        table = [text_table(self._columns(), rows)] if rows else []
        return "\n".join([self._title(), *(f"note: {visible(note)}" for note in self.notes), *table])

    def _repr_html_(self) -> str:
        return html_table(self._columns(), self._rows(), self._title(), " ".join(f"Note: {one}." for one in self.notes))

    def _columns(self) -> tuple[str, ...]:
        return ("tail", "head", *_SHOWN_COLUMNS) if self._asked.by_tail else ("head", "tail", *_SHOWN_COLUMNS)

    def _rows(self) -> list[tuple[object, ...]]:
        """The first rows as they are shown, with labels."""
        graph, by_tail = self._asked.graph, self._asked.by_tail

        def shown(fact: Suggestion) -> tuple[object, ...]:
            head, tail = (graph.entity_label(graph.entity(name)) for name in (fact.head, fact.tail))
            why = "! " + fact.warnings[0] if fact.warnings else "".join(fact.because[:1])
            return *((tail, head) if by_tail else (head, tail)), fact.rank, fact.probability, why

        return [shown(fact) for fact in islice(self, _SHOWN)]

    def _title(self) -> str:
        what = "heads" if self._asked.by_tail else "tails"
        whose = f"{self._asked.count:,} {'tail' if self._asked.by_tail else 'head'}{'s' * (self._asked.count != 1)}"
        like = f" (as if like {', '.join(self.as_if_like)})" if self.as_if_like else ""
        if self._find_more(_SHOWN + 1):
            return f"Suggested {what} for {whose}, {self._asked.relation}{like}; the first {_SHOWN}:"
        return f"Suggested {what} for {whose}, {self._asked.relation}{like}: {len(self._found) or 'none'}"

    def _find_more(self, count: int) -> bool:
        """Compute the first `count` suggestions; false if there are fewer."""
        while len(self._found) < count and not self._is_complete:
            if self._rest is None:
                self._rest = islice(self._stream(), len(self._found), None)
            try:
                self._found.append(next(self._rest))
            except StopIteration:
                self._is_complete = True
            except BaseException:  # such as Ctrl-C: a generator that was interrupted gives no more
                self._rest = None
                raise
        return len(self._found) >= count

    def _all(self) -> list[Suggestion]:
        """Compute all suggestions, with a progress bar."""
        if not self._is_complete:
            with progress_bars(wanted=self._progress) as on_progress:
                asked = {self._key(fact) for fact in self._found}
                while self._find_more(len(self._found) + 1):
                    asked.add(self._key(self._found[-1]))
                    on_progress("suggesting", min(len(asked) / self._asked.count, 1.0))
        return self._found

    def _key(self, fact: Suggestion) -> str:
        return fact.tail if self._asked.by_tail else fact.head


_SHOWN_COLUMNS = ("rank", "probability", "because")


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Expected:
    """What to expect of the suggestions above a probability."""

    least: float
    suggestions: int
    heads: int  # entities asked about that have one at least
    true: float  # the sum of the probabilities
    wrong: float


def surest(found: Iterable[Suggestion], count: int) -> list[Suggestion]:
    """The most likely suggestions of all, the surest first; holds no more than `count` of them at a time."""
    return heapq.nlargest(count, found, key=lambda suggestion: suggestion.probability)


def expected_above(found: Iterable[Suggestion], by_tail: bool) -> list[Expected]:
    """How many facts to expect at which probability; suggestions of an entity must come together."""
    counts, heads = [0] * len(_THRESHOLDS), [0] * len(_THRESHOLDS)
    sums = [0.0] * len(_THRESHOLDS)
    last, best = None, 0.0
    for suggestion in found:
        asked, probability = suggestion.tail if by_tail else suggestion.head, suggestion.probability
        before = best if asked == last else -1.0
        last, best = asked, max(before, probability)
        for place, least in enumerate(_THRESHOLDS):
            if probability >= least:
                counts[place] += 1
                sums[place] += probability
                heads[place] += before < least
    rows = zip(_THRESHOLDS, counts, heads, sums, strict=True)
    return [Expected(least, count, asked, true, count - true) for least, count, asked, true in rows]
