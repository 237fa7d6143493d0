"""The request for a table: which one, of which dataset, from which results. Rows come from the register of methods."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from faan.base import InputError, UnknownNameError
from faan.rank import key_of, read_results

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
    given: str | None = None  # the path of the dataset on this machine, for commands to type here

    @property
    def base(self) -> Path:
        """Where results of this schedule are."""
        return self.results / "quick" if self.quick else self.results

    @property
    def own_folder(self) -> Path:
        """Where results of the table's own schedule are; most tables have none."""
        return self.base / self.table if self.table in ("ablation", "shots") else self.base

    @property
    def folder(self) -> Path:
        """Where the table's results are read from."""
        return self.own_folder if any(self.own_folder.glob("*.json")) else self.base

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
        """The rows to show: the named ones, or all of the table; `main` has a row for every measured method."""
        from faan.models import rows_of  # loads torch, which takes seconds

        rows = rows_of(self.table)
        if self.table == "main" or (self.rows is not None and self.table in ("shots", "relations")):
            rows += [*rows_of("main"), *_measured_rows(results)]
        if self.rows is not None:
            return [_row_called(name, rows) for name in self.rows]
        distinct: dict[tuple[str, str], Row] = {}
        for row in rows:  # those of the register come first and say more than those of results
            distinct.setdefault((key_of(row.label), row.protocol), row)
        return list(distinct.values())

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


def _measured_rows(results: pl.DataFrame) -> list[Row]:
    """A row for each method with results, known to the register or not; variants are rows of the ablation alone."""
    from faan.models import Row, rows_of

    variants = [key_of(row.label) for row in rows_of("ablation") if row.variant]
    measured = results.filter(~pl.col("key").is_in(variants)).unique(["key", "protocol"], keep="first").sort("label")
    return [Row(one["label"], protocol=one["protocol"], tables=()) for one in measured.iter_rows(named=True)]


def _row_called(name: str, rows: Sequence[Row]) -> Row:
    """A row by its name, or by that of a variant alone."""
    from faan.models import ablated, rows_of

    is_method = key_of(name) in {key_of(row.label) for row in rows_of("main")}
    keys = [key_of(prefix + name) for prefix in ([""] if is_method else ["", *ablated()])]
    for row in rows:
        if key_of(row.label) in keys:
            return row
    for table in TABLES:
        if any(key_of(row.label) in keys for row in rows_of(table)):
            raise InputError(f"{name!r} is not a row of this table; it is one of `faan reproduce {table}`")
    labels = {row.label.lower(): row.label for row in rows}
    near = difflib.get_close_matches(name.lower(), list(labels), n=3, cutoff=0.4)
    raise UnknownNameError("row", name, [labels[one] for one in near] or sorted(labels.values()))
