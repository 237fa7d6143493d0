"""A table of results: for people, for programs, and the data of its figure."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

MISSING = "missing"


@dataclass(frozen=True)
class Chart:
    """What a figure shows: for each series a figure for each label, or none."""

    kind: Literal["dots", "lines", "heat"]
    title: str
    axis: str  # what the figures are
    labels: Sequence[str]
    series: Mapping[str, Sequence[float | None]]
    along: str = "K, the number of references"  # what the labels are, below lines


@dataclass(frozen=True)
class Table:
    """One table: what people read (`rows`), what programs read (`records`), and what to know about it (`notes`)."""

    name: str  # as a part of a file name
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    records: Sequence[Mapping[str, Any]]
    notes: Sequence[str] = ()
    chart: Chart | None = None

    @property
    def figure(self) -> Chart | None:
        """Its chart, if enough was measured to draw: something, or two points of a line."""
        if self.chart is None:
            return None
        measured = [figures for name, figures in self.chart.series.items() if "published" not in name]
        counts = [sum(figure is not None for figure in figures) for figures in measured]
        return self.chart if max(counts, default=0) >= (2 if self.chart.kind == "lines" else 1) else None

    def as_markdown(self, level: int = 2) -> str:
        """The table with its title and notes."""
        lines = [f"{'#' * level} {_cell(self.title)}", ""]
        lines += [_line(self.columns), _line(["---", *["---:"] * (len(self.columns) - 1)])]
        lines += [_line([_cell(cell) for cell in row]) for row in self.rows]
        lines += ["", *(f"- {note}" for note in self.notes)] if self.notes else []
        return "\n".join(lines) + "\n"

    def as_csv(self) -> str:
        """The records, with all digits."""
        out = io.StringIO()
        names = list(dict.fromkeys(name for record in self.records for name in record))
        writer = csv.DictWriter(out, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.records)
        return out.getvalue()

    def as_json(self) -> dict[str, Any]:
        """All of it for programs."""
        return {"table": self.name, "title": self.title, "records": list(self.records), "notes": list(self.notes)}


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def plain_name(name: str) -> str:
    """A name as figures show it: concept:country:france is france to everybody."""
    return re.sub(r"\bconcept:(\w+:(?=\w))?", "", name)


def written(figure: float | None, *, signed: bool = False) -> str:
    """A figure as the paper writes it: .279."""
    if figure is None:
        return ""
    text = f"{figure:+.3f}" if signed else f"{figure:.3f}"
    return text.replace("0.", ".", 1) if abs(figure) < 0.9995 else text
