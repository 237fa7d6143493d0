"""Tables as files: Markdown, CSV and figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from faan.base import write_text
from faan.paper.figures import write_figure
from faan.paper.measured import slug_of
from faan.paper.table import Table


def write_tables(tables: Sequence[Table], dataset: str, folder: Path) -> list[Path]:
    """Write each table as DATASET-TABLE.md, .csv and, where there is something to draw, .png and .svg."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for table in tables:
        stem = folder / f"{slug_of(dataset)}-{table.name}"
        written += [
            write_text(stem.with_name(f"{stem.name}.md"), table.as_markdown()),
            write_text(stem.with_name(f"{stem.name}.csv"), table.as_csv()),
        ]
        if table.chart is not None and not table.chart.is_empty:
            written += write_figure(table.chart, stem)
    return written
