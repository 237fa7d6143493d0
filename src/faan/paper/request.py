"""What is asked for: which table, of which dataset, from which results. Rows come from the register of methods."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from faan.base import InputError, UnknownNameError
from faan.rank import key_of, read_results
from faan.tasks import Protocol

if TYPE_CHECKING:
    from faan.models import Row

QUICK = ", QUICK SCHEDULE, FEW QUERIES: for trying out, not for comparing"  # in titles
TABLES = ("main", "ablation", "shots", "relations", "attention", "datasets")
RESULTS = Path("results")
_PACKAGE = Path(__file__).parents[1]
SHIPPED = next(  # in a wheel inside the package, in a checkout beside `src/`
    (folder for folder in (_PACKAGE / "results", _PACKAGE.parents[1] / "results") if folder.is_dir()), RESULTS
)
SHOTS = 5  # K of all tables but one
ALL_SHOTS = tuple(range(1, 11))  # and of that one


@dataclass(frozen=True)
class Request:
    """A table of a dataset from a folder of results.

    Results of a schedule that is not the method's own are apart, in a folder inside: `quick` for trying out, and
    `ablation` and `shots` where these tables have a schedule of their own.
    """

    table: str
    dataset: str = "NELL-One"  # its name
    results: Path = RESULTS
    rows: Sequence[str] | None = None  # all of the table
    seeds: int | None = None  # 0 to N - 1; all that there are
    quick: bool = False
    changes: Sequence[str] = ()  # NAME=VALUE, in the settings of all trained rows
    given: str | None = None  # where the dataset was said to be, for commands that are to be typed here

    @property
    def base(self) -> Path:
        """Where results of this schedule are."""
        return self.results / "quick" if self.quick else self.results

    @property
    def own_folder(self) -> Path | None:
        """Where results of this table alone are, for the tables that can have a schedule of their own."""
        return self.base / self.table if self.table in ("ablation", "shots") else None

    @property
    def folder(self) -> Path:
        """Where the table's results are read from."""
        own = self.own_folder
        return own if own is not None and any(own.glob("*.json")) else self.base

    @property
    def shots(self) -> tuple[int, ...]:
        """The K of the table."""
        return ALL_SHOTS if self.table == "shots" else (SHOTS,)

    def read(self) -> pl.DataFrame:
        """The results that there are."""
        return read_results(self.folder, self.dataset)

    def of(self, results: pl.DataFrame, row: Row) -> pl.DataFrame:
        """The results of a row that belong into the table, by seed."""
        wanted = [pl.col("key") == key_of(row.label), pl.col("protocol") == row.protocol]
        wanted += [pl.col("shots").is_in(self.shots), *([pl.col("seed") < self.seeds] if self.seeds else [])]
        return results.filter(wanted).sort("seed")

    def chosen(self, results: pl.DataFrame) -> list[Row]:
        """The rows to show: those of the table, in `main` those that there are results of too, or the wanted ones."""
        known = _by_key(rows_of(self.table))
        others = known
        if self.table not in ("ablation", "attention"):  # others may stand in these tables, but no variants
            variants = _by_key(row for row in rows_of("ablation") if row.variant)
            strict = results.filter(pl.col("protocol") == "strict", ~pl.col("key").is_in(list(variants)))
            others = known | _by_key(measured_rows(strict)) | _by_key(rows_of("main")) | known
        if self.rows is None:
            return list((others if self.table == "main" else known).values())
        return [_row_called(name, others) for name in self.rows]

    @property
    def anywhere(self) -> Request:
        """The same without where things are on this machine."""
        return replace(self, given=None)

    def command(self, rows: Sequence[str] = ()) -> str:
        """What computes the missing rows."""
        call = ["faan", "reproduce", self.table, "--dataset", self.given or self.dataset]
        call += ["--rows", ",".join(rows)] if rows else []
        call += ["--seeds", str(self.seeds)] if self.seeds else []
        call += [word for change in self.changes for word in ("--set", change)]
        call += ["--results", str(self.results)] if self.given and self.results not in (RESULTS, SHIPPED) else []
        return shlex.join([*call, *["--quick"] * self.quick, "--run"])

    def missing_note(self, missing: Sequence[str], *, everything: bool) -> str:
        """Which rows have no result, and the command that gives them."""
        rows = () if everything and self.rows is None else missing
        return f"Missing: {', '.join(missing)}. To compute: `{self.command(rows)}`"


def rows_of(table: str) -> list[Row]:
    """The rows of a table, in its order; in the ablation a method follows its variants."""
    from faan.models import methods  # loads torch, which takes seconds

    found: list[Row] = []
    for method in methods():
        own = method.all_rows()
        found += [row for row in own if table in row.tables]
        found += own[:1] if table == "ablation" and method.variants else []
    return found


def ablated() -> dict[str, str]:
    """The methods that the ablation takes apart, and what its titles call them."""
    from faan.models import methods

    return {method.rows[0].label: method.title or method.rows[0].label for method in methods() if method.variants}


def measured_rows(results: pl.DataFrame, protocol: Protocol = "strict") -> list[Row]:
    """Rows by the labels of results, known to the register or not: without a table of their own, nor a command."""
    from faan.models import Row

    labels = results.unique("key", keep="first", maintain_order=True)["label"].sort()
    return [Row(label, protocol=protocol, tables=()) for label in labels]


def _by_key(rows: Iterable[Row]) -> dict[str, Row]:
    return {key_of(row.label): row for row in rows}


def _row_called(name: str, rows: dict[str, Row]) -> Row:
    """A row by its name, or by that of a variant alone."""
    prefixes = [""] if key_of(name) in _by_key(rows_of("main")) else ["", *ablated()]
    keys = [key_of(prefix + name) for prefix in prefixes]
    for key in keys:
        if key in rows:
            return rows[key]
    for table in TABLES:
        if set(keys) & set(_by_key(rows_of(table))):
            raise InputError(f"{name!r} is not a row of this table; it is one of `faan reproduce {table}`")
    labels = {row.label.lower(): row.label for row in rows.values()}
    near = difflib.get_close_matches(name.lower(), list(labels), n=3, cutoff=0.4)
    raise UnknownNameError("row", name, [labels[one] for one in near] or sorted(labels.values()))
