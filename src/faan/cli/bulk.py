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


@dataclass(frozen=True)
class EngineOptions:
    """What computes suggestions in bulk."""

    engine: Annotated[
        EngineName | None, typer.Option(help="Compute Parquet files with Ray (pip install 'faan[cluster]').")
    ] = None
    address: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT", help="A running Ray cluster, or auto.  [default: Ray is started on this machine]"
        ),
    ] = None
    workers: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="How many of Ray's processes compute.  [default: one a core]")
    ] = None


@dataclass(frozen=True)
class Bulk:
    """Where suggestions in bulk go, which ones, and what computes them."""

    output: Path
    top: int
    min_probability: float
    strict: bool
    resume: bool
    engine: EngineOptions


def suggest_all_relations(model: Path, options: Bulk) -> None:
    """Complete a graph."""
    with busy("loading"):
        from faan.complete import Completer, all_relations  # torch takes seconds to load

        completer = Completer.load(model)
    _run(completer, model, all_relations(completer), options)


def suggest_all_heads(wanted: Wanted, name: str | None, options: Bulk) -> None:
    """Complete one relation."""
    completer, examples = wanted.open()
    from faan.complete import BulkQuestion

    relation = called(examples, completer.graph) or name or ""
    _run(completer, wanted.model, [BulkQuestion(relation=relation, examples=examples)], options)


def _run(completer: Completer, model: Path, questions: list[BulkQuestion], options: Bulk) -> None:
    from faan.complete import BulkSettings, on_ray, suggest_in_bulk

    given = options.engine
    if given.engine is None:
        refuse("--engine ray", {"--address": given.address, "--workers": given.workers})
    settings = BulkSettings(top=options.top, min_probability=options.min_probability, strict=options.strict)
    engine = None if given.engine is None else on_ray(given.address, given.workers)
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
