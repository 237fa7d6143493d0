"""The rows of the tables, from the register of methods.

A result file of any other method or variant gets a row too, but no command.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from faan.base import InputError, UnknownNameError
from faan.models import Kind, MethodConfig, Protocol, TableName, methods
from faan.paper.measured import key_of

_SECONDS = {"trained": 3600.0, "embedding": 180.0, "translation": 120.0, "untrained": 30.0}
"""About how long a row takes on NELL-One, where no result says so."""


@dataclass(frozen=True)
class Row:
    """A method, and how to get its result."""

    label: str
    config: str = ""  # the name of its configuration
    kind: Kind = "trained"
    variant: str | None = None  # of the ablation
    protocol: Protocol = "strict"
    meaning: str = ""  # of the variant

    @property
    def is_known(self) -> bool:
        """Whether it is known how to get its result."""
        return bool(self.config) or self.kind == "untrained"

    @property
    def seconds(self) -> float:
        """About how long it takes on NELL-One, where no result says so."""
        return _SECONDS[self.kind]


def _rows() -> dict[str, tuple[Row, ...]]:
    """The rows of each table, from the register of methods; in an ablation the method itself follows its variants."""
    found: dict[str, list[Row]] = {name: [] for name in get_args(TableName)}
    for method in methods():
        rows = {
            row.label: Row(row.label, row.config, method.kind, row.variant, row.protocol, meaning(method, row.variant))
            for row in method.all_rows()
        }
        for row in method.all_rows():
            for table in row.tables:
                found[table].append(rows[row.label])
        if method.variants:
            found["ablation"].append(rows[method.rows[0].label])
    return {table: tuple(rows) for table, rows in found.items()}


def meaning(method: type[MethodConfig], variant: str | None) -> str:
    """What a variant changes, in words."""
    return method.variants[variant].meaning if variant is not None else ""


ROWS = _rows()
"""The rows of each table, in its order."""
FAAN, EVIDENCE = (next(row for row in ROWS["main"] if row.label == label) for label in ("FAAN", "Evidence"))


def one_protocol(rows: Iterable[Row]) -> Protocol:
    """The protocol of all rows of a table; those of different ones were trained on different data."""
    by_protocol = {row.protocol: row.label for row in rows}
    if len(by_protocol) > 1:
        raise InputError(
            f"{by_protocol['open']} is of the open protocol, {by_protocol['strict']} of the strict one: they are not"
            " compared, ask for them apart"
        )
    return next(iter(by_protocol), "strict")


def rows_of(table: str, found: Iterable[str], wanted: Sequence[str] | None) -> list[Row]:
    """The rows of a table and those that there are results of, or of all these the wanted ones.

    A table of relations or of K has its own rows only, unless others are asked for.
    """
    variants = {key_of(row.label) for row in ROWS["ablation"] if row.variant}
    known = {key_of(row.label): row for row in ROWS[table]}
    others = dict(known)
    if table != "ablation":
        others |= {key_of(label): Row(label) for label in found if key_of(label) not in known}
        others = {key: row for key, row in others.items() if key not in variants}
        others |= {key_of(row.label): row for row in ROWS["main"] if key_of(row.label) not in known}
    if table == "attention":
        others = known  # only FAAN has it
    if wanted is None:
        return list((others if table == "main" else known).values())
    chosen, methods = [], {key_of(row.label) for row in ROWS["main"]}
    for name in wanted:
        prefixes = [""] if key_of(name) in methods else ["", "FAAN ", "Evidence "]  # a variant's name alone will do
        keys = [key_of(prefix + name) for prefix in prefixes]
        row = next((others[key] for key in keys if key in others), None)
        if row is None:
            elsewhere = [one for one in ROWS if any(key_of(row.label) in keys for row in ROWS[one])]
            if elsewhere:
                raise InputError(f"{name!r} is no row of this table; it is one of `faan reproduce {elsewhere[0]}`")
            labels = {row.label.lower(): row.label for row in others.values()}
            near = difflib.get_close_matches(name.lower(), list(labels), n=3, cutoff=0.4)
            raise UnknownNameError("row", name, [labels[one] for one in near] or sorted(labels.values()))
        chosen.append(row)
    return chosen
