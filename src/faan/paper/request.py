"""What is asked for: which table, of which dataset, from which results."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from faan.paper.measured import Results, read_results
from faan.paper.rows import Row, rows_of

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

    def read(self) -> Results:
        """The results that there are."""
        return read_results(self.folder, self.dataset)

    def chosen(self, results: Results) -> list[Row]:
        """The rows to show."""
        return rows_of(self.table, results.labels(), self.rows)

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
