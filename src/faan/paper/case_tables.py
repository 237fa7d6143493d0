"""What FAAN looks at, as tables: `attention.py` computes it from a trained run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from faan.base import InputError, first_problem
from faan.paper.measured import key_of, read_json, slug_of
from faan.paper.notes import QUICK, missing_note, plain_name
from faan.paper.published import published_reference_attention, source, written
from faan.paper.request import Request
from faan.paper.table import Chart, Table


class NeighbourCase(BaseModel):
    """An entity under a task relation: which relations of its neighbours count, and how much in sum."""

    model_config = ConfigDict(frozen=True)

    entity: str
    relation: str
    weights: dict[str, float]  # relation -> the sum of alpha, the highest first


class ReferenceCase(BaseModel):
    """A query of a relation: how much each reference counts."""

    model_config = ConfigDict(frozen=True)

    relation: str
    query: str
    references: list[str]
    weights: list[float]  # beta

    @model_validator(mode="after")
    def _check(self) -> ReferenceCase:
        if len(self.weights) != len(self.references):
            raise ValueError("expected a weight for each reference")
        return self


class Attention(BaseModel):
    """The case studies of one trained run, as `results/attention/` holds them."""

    model_config = ConfigDict(frozen=True)

    method: str
    dataset: str
    seed: int
    command: str
    neighbours: list[NeighbourCase]
    references: list[ReferenceCase]


def attention_file(request: Request, label: str) -> Path:
    """Where the case studies of a row are kept."""
    return _folder(request) / f"{slug_of(request.dataset)}-{slug_of(label)}.json"


def _folder(request: Request) -> Path:
    return request.base / "attention"


def attention_tables(request: Request) -> list[Table]:
    """Neighbour attention and reference attention, for each row that has them, and the published example."""
    found = map(_read, sorted(_folder(request).glob("*.json")))
    cases = {key_of(one.method): one for one in found if one.dataset == request.dataset}
    rows = {key_of(row.label): row.label for row in request.chosen(request.read())}
    if request.rows is None:
        rows |= {key: one.method for key, one in cases.items()}  # of a run that was trained elsewhere, too
    quick = QUICK if request.quick else ""
    tables = [make(cases[key], quick) for key in rows if key in cases for make in (_neighbours, _references)]
    missing = [label for key, label in rows.items() if key not in cases]
    notes = [f"Published: {source()}."]
    if missing:
        notes.append(missing_note(request, missing, everything=not tables))
    return [*tables, _published(notes)]


def _read(path: Path) -> Attention:
    try:
        return Attention.model_validate(read_json(path))
    except ValidationError as error:
        raise InputError(f"holds no case studies ({first_problem(error)}); remove it", source=str(path)) from None


def _neighbours(found: Attention, quick: str) -> Table:
    title = f"Neighbour attention of {found.method}, {found.dataset}, seed {found.seed}{quick}"
    rows, records = [], list[dict[str, Any]]()
    for case in found.neighbours:
        strongest = [f"{relation} {written(weight)}" for relation, weight in case.weights.items()]
        rows.append([case.entity, case.relation, ", ".join(strongest)])
        records += [
            {"entity": case.entity, "task": case.relation, "relation": relation, "alpha": weight}
            for relation, weight in case.weights.items()
        ]
    notes = [
        "The weights (alpha) of an entity's neighbours, summed by their relation, under two task relations of which it "
        "is a head. The entities are those with the most relations to choose from, whatever the weights are."
    ]
    name = f"attention-{slug_of(found.method)}-neighbours"
    return Table(name, title, ["entity", "task relation", "relations that count most"], rows, records, notes)


def _references(found: Attention, quick: str) -> Table:
    title = f"Reference attention of {found.method}, {found.dataset}, seed {found.seed}{quick}"
    shots = max((len(case.weights) for case in found.references), default=0)
    rows, records = [], list[dict[str, Any]]()
    for case in found.references:
        cells = [f"{reference}: {written(beta)}" for reference, beta in zip(case.references, case.weights, strict=True)]
        rows.append([f"{case.relation}: {case.query}", *cells, *[""] * (shots - len(cells))])
        records += [
            {"relation": case.relation, "query": case.query, "reference": reference, "beta": beta}
            for reference, beta in zip(case.references, case.weights, strict=True)
        ]
    notes = [
        "The weights (beta) of a relation's references for two of its first queries. Relations and queries are picked "
        "for their contrast, as case studies are: they show what the weights can do, not what they do on average."
    ]
    labels = [plain_name(f"{case.relation}: {case.query}") for case in found.references]
    series = {f"reference {k + 1}": [_at(case.weights, k) for case in found.references] for k in range(shots)}
    chart = Chart("heat", title, "weight of the reference (beta)", labels, series)
    columns = ["query", *(f"reference {k + 1}" for k in range(shots))]
    return Table(f"attention-{slug_of(found.method)}-references", title, columns, rows, records, notes, chart)


def _at(weights: Sequence[float], k: int) -> float | None:
    return weights[k] if k < len(weights) else None


def _published(notes: list[str]) -> Table:
    content = dict(published_reference_attention())
    references = content.pop("references")
    rows = [[query, *(written(beta) for beta in weights)] for query, weights in content.items()]
    records = [
        {"relation": "SubPartOf", "query": query, "reference": reference, "beta": beta}
        for query, weights in content.items()
        for reference, beta in zip(references, weights, strict=True)
    ]
    title = "Reference attention, published: the relation SubPartOf"
    return Table("attention-published", title, ["query", *references], rows, records, notes)
