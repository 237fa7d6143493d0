"""Files of tables: Markdown, CSV and figures, and the page of all results with a hand-written reading of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from faan.base import write_text
from faan.paper.completion import completion_tables, read_completions
from faan.paper.figures import write_figure
from faan.paper.request import TABLES, Request
from faan.paper.results import read_results, slug_of
from faan.paper.table import Chart, Table
from faan.paper.tables import build_tables

_HEADER = """# Results

Written by `make results` from the files in `results/` and from [results-reading.md](results-reading.md), which is the
part that people write; [reproduce.md](reproduce.md) says how each figure is computed again.

"""


def write_tables(tables: Sequence[Table], dataset: str, folder: Path) -> list[Path]:
    """Write each table as DATASET-TABLE.md, .csv and, where there is something to draw, .png and .svg."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for table in tables:
        name = f"{slug_of(dataset)}-{table.name}"
        paths.append(write_text(folder / f"{name}.md", table.as_markdown()))
        paths.append(write_text(folder / f"{name}.csv", table.as_csv()))
        paths += write_figure(table.figure, folder / name) if table.figure else []
    return paths


def results_page(results: Path, reading: str) -> tuple[str, dict[str, Chart]]:
    """The page, and the figures that it shows by name."""
    parts, figures = [_HEADER + reading.strip() + "\n"], dict[str, Chart]()

    def add(dataset: str, tables: Iterable[Table]) -> None:
        for table in tables:
            parts.append(table.as_markdown(3))
            if table.figure:
                name = f"{slug_of(dataset)}-{table.name}"
                figures[name] = table.figure
                parts.append(f"![{table.title}](figures/results/{name}.svg)\n")

    for dataset in dict.fromkeys(["NELL-One", *read_results(results)["dataset"]]):
        parts.append(f"## {dataset}\n")
        requests = [Request(kind, dataset, results) for kind in TABLES if kind != "datasets"]
        for request in requests:
            add(dataset, build_tables(request) if dataset == "NELL-One" or _has_any(request) else ())
    completions = read_completions(results)
    parts += (
        ["## Completing graphs\n\n[completion.md](completion.md) says how it is measured.\n"] if completions else []
    )
    for dataset, found in completions.items():
        add(dataset, completion_tables(found, dataset)[:2])  # result files have all relations
    parts += [table.as_markdown() for table in build_tables(Request("datasets", results=results))]
    return "\n".join(parts), figures


def _has_any(request: Request) -> bool:
    if request.table == "attention":
        return any((request.base / "attention").glob(f"{slug_of(request.dataset)}-*.json"))
    results = request.read()
    rows = (row for row in request.chosen(results) if row.variant or request.table != "ablation")
    return any(request.of(results, row).height for row in rows)


def write_results_page(results: Path, docs: Path) -> list[Path]:
    """Write `results.md` and its figures; figures of what is no longer there are removed."""
    page, figures = results_page(results, (docs / "results-reading.md").read_text(encoding="utf-8"))
    folder = docs / "figures" / "results"
    folder.mkdir(parents=True, exist_ok=True)
    paths = [write_text(docs / "results.md", page)]
    for name, chart in figures.items():
        paths += write_figure(chart, folder / name, ("svg",))
    for old in set(folder.glob("*.svg")) - set(paths):
        old.unlink()
    return paths
