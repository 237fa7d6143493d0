"""The rows of the tables, from the register of methods. No other file of this room knows which methods there are.

A result file of any other method or variant gets a row too, but no command.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from faan.tasks import Protocol

if TYPE_CHECKING:
    from faan.models import Kind, MethodConfig

TABLES = ("main", "ablation", "shots", "relations", "attention", "datasets")
_SECONDS = {"trained": 3600.0, "embedding": 180.0, "translation": 120.0, "likeness": 120.0, "untrained": 30.0}


@dataclass(frozen=True)
class TableRow:
    """A method, and how to get its result."""

    label: str
    config: str = ""  # the name of its configuration
    kind: Kind = "trained"
    variant: str | None = None  # of the ablation
    what: str = ""  # what the variant changes
    protocol: Protocol = "strict"
    unit: str = "steps"  # what its training is counted in

    @property
    def method(self) -> str:
        """The row that it is a variant of, or its own name."""
        return self.label.removesuffix(f" {self.variant}")

    @property
    def is_known(self) -> bool:
        """Whether it is known how to get its result."""
        return bool(self.config) or self.kind == "untrained"

    @property
    def seconds(self) -> float:
        """About how long it takes on NELL-One, where no result says so."""
        return _SECONDS[self.kind]


def rows_of(table: str) -> list[TableRow]:
    """The rows of a table, in its order; in the ablation a method follows its variants."""
    return list(_rows().get(table, ()))


def ablated() -> dict[str, str]:
    """The methods that the ablation takes apart, and what its titles call them."""
    from faan.models import methods  # loads torch, which takes seconds

    return {method.rows[0].label: method.title or method.rows[0].label for method in methods() if method.variants}


@cache
def _rows() -> dict[str, list[TableRow]]:
    from faan.models import methods

    found: dict[str, list[TableRow]] = {table: [] for table in TABLES}
    for method in methods():
        own = list(_of_method(method))
        for row, tables in own:
            for table in tables:
                found[table].append(row)
        if method.variants:
            found["ablation"].append(own[0][0])
    return found


def _of_method(method: type[MethodConfig]) -> list[tuple[TableRow, tuple[str, ...]]]:
    """The rows of a method and of its variants, each with the tables that it is in."""
    rows: list[tuple[TableRow, tuple[str, ...]]] = []
    for row in method.all_rows():
        what = method.variants[row.variant].meaning if row.variant is not None else ""
        made = TableRow(row.label, row.config, method.kind, row.variant, what, row.protocol, method.unit)
        rows.append((made, row.tables))
    return rows
