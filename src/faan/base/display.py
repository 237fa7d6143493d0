"""How objects look in a terminal and in a notebook: names are escaped, tables are short."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape

from faan.base.errors import shorten

_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}
_CELL = 60  # characters


def visible(text: str) -> str:
    """Text that is safe to print on a terminal: control characters are written out."""
    return text.translate(_CONTROLS)


@contextmanager
def quiet() -> Iterator[None]:
    """Hide what a library prints about its own failure; print it if nothing fails."""
    sys.stderr.flush()
    with tempfile.TemporaryFile() as said:
        own = os.dup(2)
        os.dup2(said.fileno(), 2)
        try:
            yield
            said.seek(0)
            os.write(own, said.read())
        finally:
            os.dup2(own, 2)
            os.close(own)


def text_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A plain table for a terminal; numbers are aligned on the right."""
    content = list(rows)
    cells = [[shorten(visible(_written(value)), _CELL) for value in row] for row in content]
    widths = [max(len(row[i]) for row in [list(columns), *cells]) for i in range(len(columns))]
    right = [bool(content) and all(_is_number(row[i]) for row in content) for i in range(len(columns))]

    def line(row: Sequence[str]) -> str:
        padded = (
            cell.rjust(width) if r else cell.ljust(width) for cell, width, r in zip(row, widths, right, strict=True)
        )
        return "  ".join(padded).rstrip()

    return "\n".join(line(row) for row in [columns, *cells])


def html_table(columns: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "", footer: str = "") -> str:
    """A table in HTML, for a notebook."""

    def cell(value: object) -> str:
        side = "right" if _is_number(value) else "left"
        return f'<td style="text-align:{side}">{html_text(_written(value))}</td>'

    head = "".join(f'<th style="text-align:left">{html_text(column)}</th>' for column in columns)
    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows)
    above = f"<p>{html_text(caption)}</p>" if caption else ""
    below = f"<p>{html_text(footer)}</p>" if footer else ""
    return f"<div>{above}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}</div>"


def html_text(text: str) -> str:
    """A text that cannot become a part of the page around it."""
    return escape(visible(text))


def _written(value: object) -> str:
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)
