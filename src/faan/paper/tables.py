"""The tables of figures: all methods, the ablation, the number of references K, relation by relation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from faan.base import InputError, config_name
from faan.paper.case_tables import attention_tables
from faan.paper.datasets import dataset_tables
from faan.paper.published import published_figures, source_note
from faan.paper.request import QUICK, SHOTS, Request
from faan.rank import METRICS, MISSING, Chart, Table, by_relation, plain_name, written
from faan.tasks import Protocol

if TYPE_CHECKING:
    from faan.models import Row

Found: TypeAlias = "Mapping[Row, pl.DataFrame]"
Record = dict[str, Any]


def build_tables(request: Request) -> list[Table]:
    """The tables that were asked for: what was measured beside what was published, and what is missing."""
    if request.table == "attention":
        return attention_tables(request)
    if request.table == "datasets":
        return dataset_tables(request)
    results = request.read()
    found = {row: request.of(results, row) for row in request.chosen(results)}
    if request.table == "shots":
        return [_shots(request, found, metric) for metric in ("mrr", "hits@10")]
    if request.table == "relations":
        return [_relations(request, results, found, metric) for metric in ("mrr", "hits@10")]
    parts = _by_protocol(request, found) if request.table == "main" else _by_ablated_method(found)
    unseen = [row for row in found if row.tables and not any(row in rows for rows in parts.values())]
    tables: list[Table] = []
    for (kind, what), rows in parts.items():
        if rows:
            tables.append(_methods(request, kind, what, rows, () if tables else unseen))
    return tables


def _by_protocol(request: Request, found: Found) -> dict[tuple[str, str], Found]:
    """The tables of all methods; those of the open protocol, which were trained on more, have one of their own."""
    strict = {row: some for row, some in found.items() if row.protocol == "strict" and (row.tables or some.height)}
    opened = {row: some for row, some in found.items() if row.protocol == "open" and (request.rows or some.height)}
    return {("main", "All methods"): strict, ("main-open", "All methods"): opened}


def _by_ablated_method(found: Found) -> dict[tuple[str, str], Found]:
    """A table for each method that has variants: the paper's first, then the evidence ranker with more or less."""
    from faan.models import ablated

    return {
        ("ablation" if method == "FAAN" else f"ablation-{method.lower()}", f"{name} and its variants"): {
            row: some for row, some in found.items() if row.method == method
        }
        for method, name in ablated().items()
    }


def _methods(request: Request, kind: str, what: str, found: Found, unseen: Sequence[Row]) -> Table:
    """A row for each method, all metrics. The notes also list the rows that are missing and `unseen`."""
    protocol, published = _one_protocol(found), published_figures(kind, request.dataset)
    lines, records = list[list[str]](), list[Record]()
    for row, some in found.items():
        record = {"method": row.label, "dataset": request.dataset, "protocol": protocol, "shots": SHOTS}
        record |= {"seeds": some.height}
        line = [f"{row.variant}: {row.meaning}" if row.meaning else row.label]
        for metric, name in METRICS.items():
            figures = _figures(name, some[metric], published.get(row.label, {}).get(metric))
            line.append(_cell(figures, name, MISSING if metric == "mrr" else ""))
            if published:
                line.append(written(figures[f"{name} published"]))
                line.append(written(figures[f"{name} difference"], signed=True))
            record |= figures
        for name in ("macro MRR", "dev MRR"):
            figures = _figures(name, some[name].drop_nulls())
            line.append(_cell(figures, name, ""))
            record[name] = figures[name]
        lines.append([*line, str(some.height or "")])
        records.append(record)
    title = _title(request, what, protocol)
    notes = _notes(request, found, bool(published), unseen)
    series = {"measured here": [record["MRR"] for record in records]}
    if published:
        series["published"] = [record["MRR published"] for record in records]
    titles = [part for name in METRICS.values() for part in ((name, "paper", "diff") if published else (name,))]
    columns = ["method", *titles, "macro MRR", "dev MRR", "seeds"]
    chart = Chart("dots", title, "test MRR", [line[0] for line in lines], series)
    return Table(kind, title, columns, lines, records, notes, chart)


def _shots(request: Request, found: Found, metric: str) -> Table:
    """A row for each method, a column for each K."""
    name, published = METRICS[metric], published_figures("main", request.dataset)
    lines, records, parts = [], list[Record](), list[str]()
    for row, some in found.items():
        theirs, own = published.get(row.label, {}).get(metric), list[Record]()
        for k in request.shots:
            values = some.filter(pl.col("shots") == k)[metric]
            record = {"method": row.label, "dataset": request.dataset, "shots": k, "seeds": len(values)}
            own.append(record | _figures(name, values, theirs if k == SHOTS else None))
        lines.append([row.label, *(_cell(one, name) for one in own), *([written(theirs)] if published else [])])
        records += own
        smallest = by_relation(some).select((pl.col("queries") + pl.col("shots")).min()).item() or 0  # pairs of a task
        if any(not one["seeds"] and one["shots"] < smallest for one in own):
            parts.append(row.label)
    title = _title(request, f"{name} by the number of references K", _one_protocol(found))
    notes = _notes(request, found, bool(published))
    if parts:
        notes.append(f"Not for every K: {', '.join(parts)}. To compute: `{request.command(parts)}`")
    columns = ["method", *(f"K={k}" for k in request.shots), *([f"paper, K={SHOTS}"] if published else [])]
    chart = Chart("lines", title, f"test {name}", [str(k) for k in request.shots], _by_method(records, name))
    return Table("shots" if metric == "mrr" else "shots-hits10", title, columns, lines, records, notes, chart)


def _relations(request: Request, results: pl.DataFrame, found: Found, metric: str) -> Table:
    """A row for each test relation, a column for each method; the paper tells relations by their candidates."""
    name, published, protocol = METRICS[metric], published_figures("relations", request.dataset), _one_protocol(found)
    compared = {method for row in published.values() for method in row}
    every = by_relation(results.filter(pl.col("shots") == SHOTS, pl.col("protocol") == protocol))
    relations = every.unique("relation").sort("candidates", "relation").cast({"candidates": pl.Int64})
    own = {row.label: by_relation(some) for row, some in found.items()}
    lines, records = [], list[Record]()
    for relation, candidates in relations.select("relation", "candidates").iter_rows():
        line = [relation, f"{candidates:,}"]
        for label, some in own.items():
            values = some.filter(pl.col("relation") == relation)[metric]
            figures = _figures(name, values, published.get(str(candidates), {}).get(label, {}).get(metric))
            line += [_cell(figures, name), *([written(figures[f"{name} published"])] if label in compared else [])]
            record = {"relation": relation, "candidates": candidates, "method": label, "dataset": request.dataset}
            records.append(record | {"shots": SHOTS, "seeds": len(values)} | figures)
        lines.append(line)
    title, series = _title(request, f"{name} by relation", protocol), _by_method(records, name)
    notes = _notes(request, found, bool(published))
    if published:
        theirs = (published.get(str(candidates), {}) for candidates in relations["candidates"])
        series["FAAN, published"] = [one.get("FAAN", {}).get(metric) for one in theirs]
        notes.append("The paper tells relations by their number of candidates, and has MetaR and FAAN only.")
    titles = [part for label in own for part in ([label, "paper"] if label in compared else [label])]
    chart = Chart("dots", title, f"test {name}", [plain_name(line[0]) for line in lines], series)
    kind = "relations" if metric == "mrr" else "relations-hits10"
    return Table(kind, title, ["relation", "candidates", *titles], lines, records, notes, chart)


def _by_method(records: Iterable[Record], name: str) -> dict[str, list[float | None]]:
    """The figures of each method in the order of the records, for a chart."""
    series: dict[str, list[float | None]] = {}
    for record in records:
        series.setdefault(record["method"], []).append(record[name])
    return series


def _figures(title: str, seeds: Iterable[float], published: float | None = None) -> dict[str, float | None]:
    """A metric of a row for programs: the mean over seeds, the spread of several, how much better than published."""
    values = list(seeds)
    mean = fmean(values) if values else None
    return {
        title: mean,
        f"{title} spread": stdev(values) if len(values) > 1 else None,
        f"{title} published": published,
        f"{title} difference": None if mean is None or published is None else mean - published,
    }


def _cell(figures: Mapping[str, float | None], title: str, missing: str = MISSING) -> str:
    """The same for people."""
    mean, spread = figures[title], figures[f"{title} spread"]
    return missing if mean is None else written(mean) + ("" if spread is None else f" ± {written(spread)}")


def _title(request: Request, what: str, protocol: str) -> str:
    shots = "" if request.table == "shots" else f"{SHOTS}-shot, "
    return f"{what}, {request.dataset}, {shots}{protocol}{QUICK if request.quick else ''}"


def _one_protocol(rows: Iterable[Row]) -> Protocol:
    """The protocol of all rows of a table; those of different ones were trained on different data."""
    by_protocol = {row.protocol: row.label for row in rows}
    if len(by_protocol) > 1:
        raise InputError(
            f"{by_protocol['open']} is of the open protocol, {by_protocol['strict']} of the strict one: they"
            " cannot be compared; ask for them separately"
        )
    return next(iter(by_protocol), "strict")


def _notes(request: Request, found: Found, has_published: bool, others: Sequence[Row] = ()) -> list[str]:
    """How rows were trained, where figures come from, which ones to distrust, and what computes the missing ones."""
    notes = _schedule_notes(found) if request.table in ("ablation", "shots") else []
    seeds = {row: some["seed"].n_unique() for row, some in found.items()} | dict.fromkeys(others, 0)
    if any(count > 1 for count in seeds.values()):
        notes.append("Mean over seeds ± standard deviation; a figure without ± is of one seed.")
    if has_published:
        notes.append(source_note())
    broken = [row.label for row, some in found.items() if some["broken_off"].count()]
    if broken:
        notes.append(f"Training broke off, and these are its best weights until then: {', '.join(broken)}.")
    missing = [row.label for row, count in seeds.items() if not count]
    if missing:
        notes.append(request.missing_note(missing, everything=len(missing) == len(seeds)))
    few = [row.label for row, count in seeds.items() if 0 < count < (request.seeds or 0) and row.kind != "untrained"]
    if few:
        notes.append(f"Not all of the {request.seeds} seeds: {', '.join(few)}. To compute: `{request.command(few)}`")
    return notes


def _schedule_notes(found: Found) -> list[str]:
    """How the trained rows were trained, and a warning where they cannot be compared."""
    schedules: dict[str, list[tuple[str, str]]] = {}  # what was changed in a method's settings -> rows and their files
    steps, units = set(), set()
    for row, some in found.items():
        for one in some.filter(pl.col("config") != "").iter_rows(named=True):
            changes = [change for change in one["changes"] if not re.match(r"seed=|variant=|model\.", change)]
            schedules.setdefault(", ".join(changes), []).append((one["label"], config_name(one["config"])))
            steps.add(one["steps"])
            units.add(row.unit)
    if len(schedules) == 1:
        ((changed, trained),) = schedules.items()
        ends = f"{min(steps):,}" if len(steps) == 1 else f"{min(steps):,} to {max(steps):,}"
        what = ", ".join(sorted({file for _, file in trained})) + (f" with {changed}" if changed else "")
        return [
            f"All trained rows have one schedule ({what}); training ended after {ends} {' or '.join(sorted(units))}."
        ]
    parts = [
        f"{', '.join(dict.fromkeys(label for label, _ in trained))}: {changed or 'as in the file'}"
        for changed, trained in schedules.items()
    ]
    return [f"WARNING: the rows were not trained alike, do not compare them. {'; '.join(parts)}."] if parts else []
