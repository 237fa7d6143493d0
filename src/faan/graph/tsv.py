"""Cells of tab-separated lines: whatever a name holds, it stays in its cell."""

from __future__ import annotations

import re
from collections.abc import Iterable

_ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"})
_ESCAPED = re.compile(r"\\([\\tnr])")
_MEANT = {"\\": "\\", "t": "\t", "n": "\n", "r": "\r"}


def tsv_line(cells: Iterable[str]) -> str:
    r"""A line of cells; tabs, line breaks and backslashes in them are written `\t`, `\n`, `\r` and `\\`."""
    return "\t".join(cell.translate(_ESCAPES) for cell in cells) + "\n"


def tsv_cells(line: str) -> list[str]:
    """The cells of a line that `tsv_line` wrote."""
    return [_ESCAPED.sub(lambda found: _MEANT[found[1]], cell) for cell in line.removesuffix("\n").split("\t")]
