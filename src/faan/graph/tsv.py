"""Cells of tab-separated lines, escaped so that every name stays in its cell."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_SIGNS = r"=+\-@\uff1d\uff0b\uff0d\uff20"  # that begin a formula; the last four are wide forms of the others
_ESCAPED = re.compile(rf"\\([\\tnr{_SIGNS}])")
_MEANT = {"t": "\t", "n": "\n", "r": "\r"}  # any other character stands for itself
_FORMULA = re.compile(f"[{_SIGNS}]")
_NUMBER = re.compile(r"[+-]?([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)


def is_formula(cell: str) -> bool:
    """Whether a spreadsheet would compute a cell, or call a program, rather than show it."""
    return _FORMULA.match(cell) is not None and _NUMBER.fullmatch(cell) is None


def tsv_line(cells: Iterable[str]) -> str:
    r"""A line of cells; tabs, line breaks and backslashes in them are written `\t`, `\n`, `\r` and `\\`.

    A cell that a spreadsheet would take for a formula begins with a backslash: `\=1+1`.
    """
    return "\t".join("\\" * is_formula(cell) + cell.translate(_ESCAPES) for cell in cells) + "\n"


def tsv_cells(line: str) -> list[str]:
    """The cells of a line that `tsv_line` wrote."""
    return [
        _ESCAPED.sub(lambda found: _MEANT.get(found[1], found[1]), cell) for cell in line.removesuffix("\n").split("\t")
    ]
