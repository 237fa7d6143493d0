"""`faan suggest` to a folder of Parquet files: all heads of a relation, or of every relation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faan.base import counted
from faan.cli.examples import Wanted, called
from faan.cli.options import refuse
from faan.cli.printing import busy, talk, visible

if TYPE_CHECKING:
    from faan.complete import BulkQuestion, Completer


class EngineName(str, Enum):
    """What may compute suggestions in bulk, instead of this process."""

    RAY = "ray"


EngineOption = Annotated[
    EngineName | None, typer.Option("--engine", help="Compute Parquet files with Ray (pip install 'faan[cluster]').")
]
AddressOption = Annotated[
    str | None,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="A running Ray cluster, or auto.  [default: Ray is started on this machine]",
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", min=1, metavar="N", help="How many of Ray's processes compute.  [default: one a core]"),
]


@dataclass(frozen=True)
class BulkOptions:
    """Where suggestions in bulk go, which ones, and what computes them."""

    output: Path | None
    top: int
    min_probability: float
    strict: bool
    resume: bool
    engine: EngineName | None
    address: str | None
    workers: int | None


def suggest_all_relations(model: Path, options: BulkOptions) -> None:
    """Complete a graph."""
    _check(options)
    with busy("loading"):
        from faan.complete import Completer, all_relations  # torch takes seconds to load

        completer = Completer.load(model)
    _run(completer, model, all_relations(completer), options)


def suggest_all_heads(wanted: Wanted, name: str | None, options: BulkOptions) -> None:
    """Complete one relation."""
    _check(options)
    completer, examples = wanted.open()
    from faan.complete import BulkQuestion

    relation = called(examples, completer.graph) or name or ""
    _run(completer, wanted.model, [BulkQuestion(relation=relation, examples=examples)], options)


def _check(options: BulkOptions) -> None:
    if options.output is None:
        raise typer.BadParameter("Parquet files need a folder: -o FOLDER", param_hint="--output")
    if options.engine is None:
        refuse("--engine ray", {"--address": options.address, "--workers": options.workers})


def _run(completer: Completer, model: Path, questions: list[BulkQuestion], options: BulkOptions) -> None:
    from faan.complete import BulkSettings, compute_here, on_ray, suggest_in_bulk

    assert options.output is not None
    settings = BulkSettings(top=options.top, min_probability=options.min_probability, strict=options.strict)
    engine = compute_here if options.engine is None else on_ray(options.address, options.workers)
    with busy("suggesting") as on_progress:
        job = suggest_in_bulk(
            completer,
            model,
            options.output,
            questions,
            settings,
            resume=options.resume,
            engine=engine,
            on_progress=on_progress,
        )
    heads, relations = counted(job.heads, "head"), counted(len(job.questions), "relation")
    place = visible(str(options.output))
    talk.print(f"asked about {heads} of {relations}: {counted(job.rows or 0, 'suggestion')} in {place}")
