"""What FAAN looks at, as tables: `attention.py` computes it from a trained run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError, model_validator

from faan.base import InputError, first_problem, read_json
from faan.paper.published import published, source_note
from faan.paper.request import QUICK, Request
from faan.rank import Chart, Table, key_of, plain_name, slug_of, written


class NeighbourCase(BaseModel, frozen=True):
    """An entity under a task relation: which relations of its neighbours count, and how much in sum."""

    entity: str
    relation: str
    weights: dict[str, float]  # relation -> the sum of alpha, the highest first


class ReferenceCase(BaseModel, frozen=True):
    """A query of a relation: how much each reference counts."""

    relation: str
    query: str
    references: list[str]
    weights: list[float]  # beta

    @property
    def by_reference(self) -> list[tuple[str, float]]:
        """Each reference with its weight."""
        return list(zip(self.references, self.weights, strict=True))


class Attention(BaseModel, frozen=True):
    """The case studies of one trained run, as `results/attention/` holds them."""

    method: str
    dataset: str
    seed: int
    command: str
    neighbours: list[NeighbourCase]
    references: list[ReferenceCase]  # all with the same number of references

    @model_validator(mode="after")
    def _check(self) -> Attention:
        if len({len(names) for case in self.references for names in (case.references, case.weights)}) > 1:
            raise ValueError("expected a weight for each reference, and equally many references for each query")
        return self


def attention_file(request: Request, label: str) -> Path:
    """Where the case studies of a row are kept."""
    return request.base / "attention" / f"{slug_of(request.dataset)}-{slug_of(label)}.json"


def attention_tables(request: Request) -> list[Table]:
    """Neighbour attention and reference attention, for each row that has them, and the published example."""
    found = map(_read, sorted((request.base / "attention").glob("*.json")))
    cases = {key_of(one.method): one for one in found if one.dataset == request.dataset}
    rows = {key_of(row.label): row.label for row in request.chosen(request.read())}
    if request.rows is None:
        rows |= {key: one.method for key, one in cases.items()}  # of a run that was trained elsewhere, too
    tables = []
    for one in (cases[key] for key in rows if key in cases):
        title = f"attention of {one.method}, {one.dataset}, seed {one.seed}{QUICK if request.quick else ''}"
        tables += [_neighbours(one, f"Neighbour {title}"), _references(one, f"Reference {title}")]
    missing = [label for key, label in rows.items() if key not in cases]
    notes = [source_note()]
    if missing:
        notes.append(request.missing_note(missing, everything=not tables))
    return [*tables, _published(notes)]


def _read(path: Path) -> Attention:
    try:
        return Attention.model_validate(read_json(path))
    except ValidationError as error:
        raise InputError(f"holds no case studies ({first_problem(error)}); remove it", source=str(path)) from None


def _neighbours(found: Attention, title: str) -> Table:
    rows, records = [], list[dict[str, Any]]()
    for case in found.neighbours:
        strongest = ", ".join(f"{relation} {written(alpha)}" for relation, alpha in case.weights.items())
        rows.append([case.entity, case.relation, strongest])
        shared = {"entity": case.entity, "task": case.relation}
        records += [shared | {"relation": relation, "alpha": alpha} for relation, alpha in case.weights.items()]
    note = (
        "The weights (alpha) of an entity's neighbours, summed by their relation, under two task relations of which it "
        "is a head. The entities are those with the most relations to choose from, whatever the weights are."
    )
    name = f"attention-{slug_of(found.method)}-neighbours"
    return Table(name, title, ["entity", "task relation", "relations that count most"], rows, records, [note])


def _references(found: Attention, title: str) -> Table:
    cases = found.references
    rows = [
        [f"{case.relation}: {case.query}", *(f"{reference}: {written(beta)}" for reference, beta in case.by_reference)]
        for case in cases
    ]
    note = (
        "The weights (beta) of a relation's references for two of its first queries. Relations and queries are picked "
        "for their contrast, as case studies are: they show what the weights can do, not what they do on average."
    )
    series = {f"reference {k}": betas for k, betas in enumerate(zip(*(case.weights for case in cases), strict=True), 1)}
    chart = Chart("heat", title, "weight of the reference (beta)", [plain_name(row[0]) for row in rows], series)
    name = f"attention-{slug_of(found.method)}-references"
    return Table(name, title, ["query", *series], rows, _betas(cases), [note], chart)


def _betas(cases: list[ReferenceCase]) -> list[dict[str, Any]]:
    return [
        {"relation": case.relation, "query": case.query, "reference": reference, "beta": beta}
        for case in cases
        for reference, beta in case.by_reference
    ]


def _published(notes: list[str]) -> Table:
    cases = [ReferenceCase.model_validate(case) for case in published()["attention"]]
    rows = [[case.query, *map(written, case.weights)] for case in cases]
    title = f"Reference attention, published: the relation {cases[0].relation}"
    return Table("attention-published", title, ["query", *cases[0].references], rows, _betas(cases), notes)
