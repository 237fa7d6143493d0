"""The main table and the ablation: a row for each method, all metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from faan.paper.measured import Measured, Protocol, mean_of, value_of
from faan.paper.notes import MISSING, common_notes, difference, record_of, schedule_notes, title_of
from faan.paper.published import METRICS, published_ablation, published_main, written
from faan.paper.request import SHOTS, Request
from faan.paper.rows import EVIDENCE, FAAN
from faan.paper.table import Chart, Table

Published = Mapping[str, Mapping[str, float]]


def main_tables(request: Request) -> list[Table]:
    """All methods; those of the open protocol, which were trained on more, in a table of their own."""
    results = request.read()
    rows = [row for row in request.chosen(results) if row.is_known or results.of(row.label, SHOTS)]
    strict = [row.label for row in rows if row.protocol == "strict"]
    opened, unseen = [row.label for row in rows if row.protocol == "open"], list[str]()
    if request.rows is None:
        found_open = results.labels(SHOTS, "open")
        opened, unseen = found_open, [label for label in opened if label not in found_open]
    tables: list[Table] = []
    sections: tuple[tuple[str, Protocol, list[str]], ...] = ("main", "strict", strict), ("main-open", "open", opened)
    for kind, protocol, labels in sections:
        if labels:
            found = {label: results.of(label, SHOTS, request.seeds, protocol) for label in labels}
            published = published_main(request.dataset) if protocol == "strict" else {}
            names = {label: label for label in labels}
            missing = unseen if protocol == "strict" else ()
            tables.append(_table(request, kind, "All methods", found, names, published, protocol, missing))
    return tables


def ablation_tables(request: Request) -> list[Table]:
    """FAAN and its variants, trained alike; then the evidence ranker with less evidence, and with more."""
    results, tables = request.read(), list[Table]()
    for kind, whole, what in (
        ("ablation", FAAN, "FAAN and its variants"),
        ("ablation-evidence", EVIDENCE, "The evidence ranker and its variants"),
    ):
        rows = [row for row in request.chosen(results) if row.label in (whole.label, f"{whole.label} {row.variant}")]
        if rows:
            found = {row.label: results.of(row.label, SHOTS, request.seeds) for row in rows}
            names = {row.label: f"{row.variant}: {row.meaning}" if row.variant else row.label for row in rows}
            published = published_ablation(request.dataset) if whole == FAAN else {}
            theirs = {row.label: published[row.variant or row.label] for row in rows} if published else {}
            tables.append(_table(request, kind, what, found, names, theirs))
    return tables


def _table(
    request: Request,
    kind: str,
    what: str,
    found: Mapping[str, Sequence[Measured]],
    names: Mapping[str, str],
    published: Published,
    protocol: Protocol = "strict",
    unseen: Sequence[str] = (),
) -> Table:
    """`found` are the results of each row by its label; `names` says what it is called in the table.

    Rows that are `unseen` would have a table of their own, were there results of them.
    """
    title = title_of(request, what, protocol)
    records: list[dict[str, Any]] = [
        {"method": label, "dataset": request.dataset, "protocol": protocol, "shots": SHOTS, "seeds": len(some)}
        | _record(some, published.get(label, {}))
        for label, some in found.items()
    ]
    rows = [[names[label], *_cells(some, published, label)] for label, some in found.items()]
    used = [one for some in found.values() for one in some]
    seeds = {label: len(some) for label, some in found.items()} | dict.fromkeys(unseen, 0)
    notes = [
        *(schedule_notes(used) if request.table == "ablation" else ()),
        *common_notes(request, seeds, bool(published)),
    ]
    series = {"measured here": [record["MRR"] for record in records]}
    if published:
        series["published"] = [record["MRR published"] for record in records]
    chart = Chart("dots", title, "test MRR", [names[label] for label in found], series)
    titles = [part for title in METRICS.values() for part in ((title, "paper", "diff") if published else (title,))]
    columns = ["method", *titles, "macro MRR", "dev MRR", "seeds"]
    return Table(kind, title, columns, rows, records, notes, chart)


def _record(found: Sequence[Measured], published: Mapping[str, float]) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for metric, title in METRICS.items():
        ours = mean_of([one.test[metric] for one in found])
        record |= record_of(title, ours, published.get(metric))
    macro, dev = mean_of(_macro(found)), mean_of([one.dev["mrr"] for one in found if one.dev])
    return record | {"macro MRR": value_of(macro), "dev MRR": value_of(dev)}


def _cells(found: Sequence[Measured], published: Published, label: str) -> list[str]:
    cells = []
    for metric in METRICS:
        ours, theirs = mean_of([one.test[metric] for one in found]), published.get(label, {}).get(metric)
        cells.append(str(ours) if ours else MISSING if metric == "mrr" else "")
        cells += [written(theirs), written(difference(ours, theirs), signed=True)] if published else []
    return [
        *cells,
        str(mean_of(_macro(found)) or ""),
        str(mean_of([one.dev["mrr"] for one in found if one.dev]) or ""),
        str(len(found) or ""),
    ]


def _macro(found: Sequence[Measured]) -> list[float]:
    return [one.test["macro_mrr"] for one in found if "macro_mrr" in one.test]
