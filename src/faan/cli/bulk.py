"""`faan suggest` to a folder of Parquet files: all heads of a relation, or of every relation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from faan.base import counted
from faan.cli.engine import EngineOptions
from faan.cli.examples import Wanted, called
from faan.cli.loading import load_lightgbm
from faan.cli.printing import busy, talk, visible

if TYPE_CHECKING:
    from faan.complete import BulkQuestion, Completer


@dataclass(frozen=True)
class Bulk:
    """Which suggestions to compute in bulk, where to write them, and on which engine."""

    output: Path
    top: int
    min_probability: float
    strict: bool
    resume: bool
    engine: EngineOptions


def suggest_all_relations(model: Path, options: Bulk) -> None:
    """Complete a graph."""
    with busy("loading"):
        load_lightgbm()
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
    from faan.complete import BulkSettings, suggest_in_bulk

    settings = BulkSettings(top=options.top, min_probability=options.min_probability, strict=options.strict)
    engine = options.engine.cluster
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
