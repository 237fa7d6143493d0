"""Write docs/results.md and its figures again, from results/ and docs/results-reading.md."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from faan.base import write_text
from faan.links import completion_tables
from faan.paper import TABLES, Request, build_tables
from faan.rank import Chart, ResultFile, Table, read_results, slug_of, write_figure

ROOT = Path(__file__).parent.parent
_HEADER = """# Results

Written by `make results` from the files in `results/` and from [results-reading.md](results-reading.md), which is the
part that people write; [reproduce.md](reproduce.md) says how each figure is computed again.

"""


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


def read_completions(folder: Path) -> dict[str, list[ResultFile]]:
    """The results of completion in a folder by graph, those of its lowest seed: another seed hides other facts."""
    found: dict[str, list[ResultFile]] = {}
    for path in sorted(folder.glob("*-completion-*.json")):
        result = ResultFile.read(path)
        if result.protocol == "completion":
            found.setdefault(result.dataset, []).append(result)
    order = {dataset: min(one.seed for one in some) for dataset, some in found.items()}
    chosen = {dataset: [one for one in some if one.seed == order[dataset]] for dataset, some in found.items()}
    return {dataset: sorted(some, key=lambda one: -one.test["mrr"]) for dataset, some in chosen.items()}


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


if __name__ == "__main__":
    for path in write_results_page(ROOT / "results", ROOT / "docs"):
        print(f"wrote {path.relative_to(ROOT)}")
