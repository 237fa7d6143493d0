"""The figure of the paper in which K, the number of references, changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from faan.paper.measured import Measured, Results, mean_of, value_of
from faan.paper.notes import MISSING, common_notes, record_of, schedule_notes, title_of
from faan.paper.published import METRICS, published_main, written
from faan.paper.request import SHOTS, Request
from faan.paper.rows import Row, one_protocol
from faan.paper.table import Chart, Table


def shots_tables(request: Request) -> list[Table]:
    """A row for each method, a column for each K; MRR, then Hits@10."""
    results = request.read()
    rows = request.chosen(results)
    return [_table(request, results, rows, metric) for metric in ("mrr", "hits@10")]


def _table(request: Request, results: Results, rows: list[Row], metric: str) -> Table:
    published = published_main(request.dataset)
    lines, records, series = [], list[dict[str, Any]](), dict[str, list[float | None]]()
    used, seeds, parts = [], {}, list[str]()
    for row in rows:
        found = {k: results.of(row.label, k, request.seeds, row.protocol) for k in request.shots}
        used += [one for some in found.values() for one in some]
        seeds[row.label] = max(map(len, found.values()))
        if any(not some and k < _pairs_of_the_smallest(found) for k, some in found.items()):
            parts.append(row.label)
        means = {k: mean_of([one.test[metric] for one in some]) for k, some in found.items()}
        theirs = published.get(row.label, {}).get(metric)
        cells = [str(figure or MISSING) for figure in means.values()]
        lines.append([row.label, *cells, *([written(theirs)] if published else [])])
        records += [
            {"method": row.label, "dataset": request.dataset, "shots": k, "seeds": len(found[k])}
            | record_of(METRICS[metric], figure, theirs if k == SHOTS else None)
            for k, figure in means.items()
        ]
        series[row.label] = [value_of(figure) for figure in means.values()]
    title = title_of(request, f"{METRICS[metric]} by the number of references K", one_protocol(rows))
    notes = [*schedule_notes(used), *common_notes(request, seeds, bool(published))]
    if parts:
        notes.append(f"Not for every K: {', '.join(parts)}. To compute: `{request.command(parts)}`")
    columns = ["method", *(f"K={k}" for k in request.shots), *([f"paper, K={SHOTS}"] if published else [])]
    chart = Chart("lines", title, f"test {METRICS[metric]}", [str(k) for k in request.shots], series)
    return Table("shots" if metric == "mrr" else "shots-hits10", title, columns, lines, records, notes, chart)


def _pairs_of_the_smallest(found: Mapping[int, Sequence[Measured]]) -> float:
    """How many pairs the smallest test task has, by the results that there are; 0 without any."""
    sizes = [
        figures["queries"] + one.shots for some in found.values() for one in some for figures in one.relations.values()
    ]
    return min(sizes, default=0)
