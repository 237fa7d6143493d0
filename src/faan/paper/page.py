"""The page of all results, written from the result files and a hand-written reading of them."""

from __future__ import annotations

from pathlib import Path

from faan.base import write_text
from faan.paper.figures import write_figure
from faan.paper.measured import read_json, slug_of
from faan.paper.request import TABLES, Request
from faan.paper.table import Table
from faan.paper.tables import build_tables

_HEADER = """# Results

Written by `make results` from the files in `results/` and from [results-reading.md](results-reading.md), which is the
part that people write; [reproduce.md](reproduce.md) says how each figure is computed again.

"""


def results_page(results: Path, reading: str) -> tuple[str, dict[str, Table]]:
    """The page, and the tables that it shows a figure of, by the figure's name."""
    parts, figures = [_HEADER + reading.strip() + "\n"], dict[str, Table]()
    for dataset in _datasets(results):
        parts.append(f"## {dataset}\n")
        for kind in TABLES:
            request = Request(kind, dataset, results)
            if kind == "datasets" or (dataset != "NELL-One" and not _has_any(request)):
                continue
            for table in build_tables(request):
                parts.append(table.as_markdown(3))
                if table.chart is not None and not table.chart.is_empty:
                    name = f"{slug_of(dataset)}-{table.name}"
                    figures[name] = table
                    parts.append(f"![{table.title}](figures/results/{name}.svg)\n")
    parts += [table.as_markdown() for table in build_tables(Request("datasets", results=results))]
    return "\n".join(parts), figures


def write_results_page(results: Path, docs: Path) -> list[Path]:
    """Write `results.md` and its figures; figures of what is no longer there are removed."""
    page, figures = results_page(results, (docs / "results-reading.md").read_text(encoding="utf-8"))
    folder = docs / "figures" / "results"
    folder.mkdir(parents=True, exist_ok=True)
    written = [write_text(docs / "results.md", page)]
    for name, table in figures.items():
        assert table.chart is not None
        written += write_figure(table.chart, folder / name, ("svg",))
    for old in set(folder.glob("*.svg")) - set(written):
        old.unlink()
    return written


def _datasets(results: Path) -> list[str]:
    """NELL-One, then all others that there are results of."""
    named = (str(read_json(path).get("dataset")) for path in sorted(results.glob("*.json")))
    return list(dict.fromkeys(["NELL-One", *named]))


def _has_any(request: Request) -> bool:
    if request.table == "attention":
        return any((request.base / "attention").glob(f"{slug_of(request.dataset)}-*.json"))
    results = request.read()
    rows = (row.label for row in request.chosen(results) if row.variant or request.table != "ablation")
    return any(results.of(label, k) for label in rows for k in request.shots)
