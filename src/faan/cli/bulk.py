"""`faan suggest` to a folder of Parquet files: all heads of a relation, or of every relation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from faan.base import counted
from faan.cli.engine import EngineOptions
from faan.cli.examples import RelationOptions, called
from faan.cli.loading import load_model
from faan.cli.printing import busy, talk, visible
from faan.cli.suggest_options import AskedOptions, TargetOptions

if TYPE_CHECKING:
    from faan.complete import BulkQuestion, Completer


def suggest_all_relations(model: Path, asked: AskedOptions, target: TargetOptions, engine: EngineOptions) -> None:
    """Complete a graph."""
    completer = load_model(model)
    from faan.complete import all_relations

    _run(completer, model, all_relations(completer), asked, target, engine)


def suggest_all_heads(
    model: Path, about: RelationOptions, asked: AskedOptions, target: TargetOptions, engine: EngineOptions
) -> None:
    """Complete one relation."""
    completer = load_model(model)
    from faan.complete import BulkQuestion

    examples = about.look_up(completer.graph)
    relation = called(examples, completer.graph) or target.name or ""
    _run(completer, model, [BulkQuestion(relation=relation, examples=examples)], asked, target, engine)


def _run(
    completer: Completer,
    model: Path,
    questions: list[BulkQuestion],
    asked: AskedOptions,
    target: TargetOptions,
    engine: EngineOptions,
) -> None:
    from faan.complete import BulkSettings, suggest_in_bulk

    assert target.output is not None  # as `check_bulk` made sure
    settings = BulkSettings(top=asked.top, min_probability=asked.min_probability, strict=asked.strict_schema)
    cluster = engine.cluster
    with busy("suggesting") as on_progress:
        job = suggest_in_bulk(
            completer,
            model,
            target.output,
            questions,
            settings,
            resume=target.resume,
            engine=cluster,
            on_progress=on_progress,
        )
    heads, relations = counted(job.heads, "head"), counted(len(job.questions), "relation")
    place = visible(str(target.output))
    talk.print(f"asked about {heads} of {relations}: {counted(job.rows or 0, 'suggestion')} in {place}")
