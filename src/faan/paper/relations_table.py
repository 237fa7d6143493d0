"""The table in which methods are compared relation by relation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from faan.paper.measured import Measured, Protocol, mean_of
from faan.paper.notes import MISSING, common_notes, plain_name, record_of, title_of
from faan.paper.published import METRICS, published_relations, written
from faan.paper.request import SHOTS, Request
from faan.paper.rows import one_protocol
from faan.paper.table import Chart, Table

ByRow = Mapping[str, Sequence[Measured]]


def relations_tables(request: Request) -> list[Table]:
    """A row for each test relation, a column for each method; MRR, then Hits@10."""
    results = request.read()
    rows = request.chosen(results)
    protocol = one_protocol(rows)
    by_row = {row.label: results.of(row.label, SHOTS, request.seeds, protocol) for row in rows}
    every = [one for label in results.labels(SHOTS, protocol) for one in results.of(label, SHOTS, protocol=protocol)]
    known = {name: figures for one in every for name, figures in one.relations.items()}
    relations = {
        name: int(known[name]["candidates"]) for name in sorted(known, key=lambda n: (known[n]["candidates"], n))
    }
    return [_table(request, by_row, relations, metric, protocol) for metric in ("mrr", "hits@10")]


def _table(request: Request, by_row: ByRow, relations: Mapping[str, int], metric: str, protocol: Protocol) -> Table:
    """`relations` are the numbers of candidates, by which the paper tells relations apart."""
    published = published_relations(request.dataset)
    compared = {method for row in published.values() for method in row}
    lines, records = [], list[dict[str, Any]]()
    for relation, candidates in relations.items():
        line = [relation, f"{candidates:,}"]
        for label, found in by_row.items():
            figures = [one.relations[relation][metric] for one in found if metric in one.relations.get(relation, {})]
            ours, theirs = mean_of(figures), published.get(candidates, {}).get(label, {}).get(metric)
            line += [str(ours or MISSING), *([written(theirs)] if label in compared else [])]
            record = {"relation": relation, "candidates": candidates, "method": label, "dataset": request.dataset}
            record |= {"shots": SHOTS, "seeds": len(figures)}
            records.append(record | record_of(METRICS[metric], ours, theirs))
        lines.append(line)
    title = title_of(request, f"{METRICS[metric]} by relation", protocol)
    notes = common_notes(request, {label: len(found) for label, found in by_row.items()}, bool(published))
    if published:
        notes.append("The paper tells relations by their number of candidates, and has MetaR and FAAN only.")
    titles = [part for label in by_row for part in ([label, "paper"] if label in compared else [label])]
    series = {label: [one[METRICS[metric]] for one in records if one["method"] == label] for label in by_row}
    if published:
        theirs_of = [published.get(candidates, {}).get("FAAN", {}) for candidates in relations.values()]
        series["FAAN, published"] = [figures.get(metric) for figures in theirs_of]
    labels = [plain_name(name) for name in relations]
    chart = Chart("dots", title, f"test {METRICS[metric]}", labels, series)
    name = "relations" if metric == "mrr" else "relations-hits10"
    return Table(name, title, ["relation", "candidates", *titles], lines, records, notes, chart)
