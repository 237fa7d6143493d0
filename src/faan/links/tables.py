"""The tables of link prediction: all methods, by how many facts of a relation are known, relation by relation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from faan.rank import Chart, ResultFile, Table, plain_name, written

_METRICS = {"mrr": "MRR", "hits@10": "Hits@10", "hits@3": "Hits@3", "hits@1": "Hits@1"}
_PUBLISHED: dict[str, Any] = {
    "CoDEx-S": {
        "source": "Safavi and Koutra, CoDEx, EMNLP 2020, and its repository tsafavi/codex (models of LibKGE)",
        "rows": {
            "RESCAL": {"mrr": 0.404, "hits@10": 0.623, "hits@1": 0.293},
            "TransE": {"mrr": 0.354, "hits@10": 0.634, "hits@1": 0.219},
            "ComplEx": {"mrr": 0.465, "hits@10": 0.646, "hits@1": 0.372},
            "ConvE": {"mrr": 0.444, "hits@10": 0.635, "hits@1": 0.343},
            "TuckER": {"mrr": 0.444, "hits@10": 0.638, "hits@1": 0.339},
        },
    }
}
_CALIBRATION = {"ece": "ECE", "share_at_90": "at 90 %", "precision_at_90": "right at 90 %"}


def completion_tables(results: Sequence[ResultFile], dataset: str) -> list[Table]:
    """What methods made of the same split of a graph, one result each."""
    return [_methods(results, dataset), _by_known(results, dataset), _by_relation(results, dataset)]


def _methods(results: Sequence[ResultFile], dataset: str) -> Table:
    """A row for each method, with what its probabilities are worth where it gives any."""
    has_probabilities = any(result.calibration for result in results)
    lines, records = [], []
    for result in results:
        figures: dict[str, Any] = {name: result.test[metric] for metric, name in _METRICS.items()}
        figures["macro MRR"] = result.test["macro_mrr"]
        if has_probabilities:
            said = result.calibration or {}
            figures |= {name: said.get(key) for key, name in _CALIBRATION.items()}
        lines.append([result.label, *("" if figure is None else written(figure) for figure in figures.values())])
        records.append({"method": result.label, "dataset": dataset, "seed": result.seed, **figures})
    published = _PUBLISHED.get(dataset, {})
    for name, theirs in published.get("rows", {}).items():
        figures = {column: theirs.get(metric) for metric, column in _METRICS.items()}
        lines.append([f"{name}, published", *map(written, figures.values())])
        lines[-1] += [""] * (len(lines[0]) - len(lines[-1]))
        records.append({"method": f"{name}, published", "dataset": dataset, "seed": None, **figures})
    notes = [
        f"{results[0].test['queries']:,} queries: the tail of each fact and its head, among all entities, filtered."
    ]
    notes += results[0].notes
    notes += [f"Published: {published['source']}."] if published else []
    if has_probabilities:
        notes.append(
            "ECE: by how much the probabilities of first suggestions are off, on average. At 90 %: the share of first "
            "suggestions with a probability of 90 % or more, and how many of those are right."
        )
    columns = ["method", *list(records[0])[3:]]
    return Table("completion", f"Completion of {dataset}", columns, lines, records, notes)


def _by_known(results: Sequence[ResultFile], dataset: str) -> Table:
    """A row for each number of known facts, a column for each method."""
    groups = results[0].by_known or []
    labels = [f"{one['from']:,}+" if one["to"] is None else f"{one['from']:,} to {one['to']:,}" for one in groups]
    series = {result.label: [one["mrr"] for one in result.by_known or []] for result in results}
    lines, records = [], []
    for place, (label, group) in enumerate(zip(labels, groups, strict=True)):
        figures = {name: values[place] for name, values in series.items()}
        lines.append([label, f"{group['relations']:,}", f"{group['queries']:,}", *map(written, figures.values())])
        records += [{"known": label, "dataset": dataset, "method": name, "MRR": mrr} for name, mrr in figures.items()]
    title = f"MRR by the number of known facts of a relation, {dataset}"
    starts = [f"{one['from']:,}" for one in groups]  # whole labels would run into each other
    chart = Chart("lines", title, "MRR", starts, series, "known facts of the relation, at least (up to the next)")
    return Table("completion-known", title, ["known facts", "relations", "queries", *series], lines, records, (), chart)


def _by_relation(results: Sequence[ResultFile], dataset: str) -> Table:
    """A row for each relation, most queries first."""
    first = results[0].relations
    lines, records = [], []
    for relation in sorted(first, key=lambda name: (-first[name]["queries"], name)):
        figures = {result.label: result.relations[relation]["mrr"] for result in results}
        counts = (int(first[relation][name]) for name in ("known", "queries"))
        lines.append([plain_name(relation), *(f"{count:,}" for count in counts), *map(written, figures.values())])
        records += [
            {"relation": relation, "dataset": dataset, "method": name, "MRR": mrr} for name, mrr in figures.items()
        ]
    columns = ["relation", "known facts", "queries", *(result.label for result in results)]
    return Table("completion-relations", f"MRR by relation, {dataset}", columns, lines, records)
