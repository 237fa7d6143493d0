"""The commands that train embeddings, apart from the others because they load torch."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar, get_args

import numpy as np
import typer
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from faan.embed import EmbedConfig, EmbeddingRun, Report, embed_graph, encode_triples, export_vectors, resume_run
from faan.embed.config import ModelName
from faan.embed.settings import Settings, UnknownSettingError
from faan.embed.training import OnUpdate
from faan.graph import Graph, InputError
from faan.printing import busy, new_table, out, print_json, shown, talk, visible
from faan.rank import METRICS, Matching, OnRanked, Origin, ResultFile, evaluate_embedding, evaluate_untrained
from faan.tasks import Benchmark

SettingsT = TypeVar("SettingsT", bound=Settings)


def run_embed(
    graph: Graph,
    config: EmbedConfig,
    folder: Path,
    held_out: dict[str, tuple[str, Graph]],
    tsv: bool,
    as_json: bool,
) -> None:
    """Train vectors in a run folder; `held_out` has the path and triples of `valid` and `test`."""
    triples = {name: _held_out(graph, other, path) for name, (path, other) in held_out.items()}
    with training_progress() as new_bar:
        run = embed_graph(graph, config, folder, **triples, on_update=new_bar("training"), on_report=print_epoch)
    _finish(run, folder, tsv, as_json)


def run_resume(folder: Path, tsv: bool, as_json: bool) -> None:
    """Go on with a run."""
    with training_progress() as new_bar:
        run = resume_run(folder, on_update=new_bar("training"), on_report=print_epoch)
    _finish(run, folder, tsv, as_json)


def run_evaluate(
    benchmark: Benchmark,
    config: EmbedConfig,
    shots: int,
    origin: Origin,
    by: Matching,
    draws: int,
    output: Path | None,
    as_json: bool,
) -> None:
    """Train on a benchmark and rank its queries."""
    if by == "translation" and config.model != "transe":
        raise typer.BadParameter("expected TransE vectors", param_hint="--translation")
    with training_progress() as new_bar:
        result = evaluate_embedding(
            benchmark,
            config,
            shots,
            origin,
            by=by,
            draws=draws,
            on_update=new_bar("training"),
            on_ranked=shares(new_bar("ranking")),
        )
    finish_result(result, output, as_json)


def run_evaluate_untrained(
    benchmark: Benchmark, name: str, shots: int, draws: int, output: Path | None, as_json: bool
) -> None:
    """Rank the queries of a benchmark by a method that needs no training."""
    origin = Origin.of_evaluation(name, benchmark.name, shots, draws=draws)
    with busy("ranking") as on_ranked:
        result = evaluate_untrained(benchmark, name, shots, origin, draws, on_ranked)
    finish_result(result, output, as_json)


def finish_result(result: ResultFile, output: Path | None, as_json: bool) -> None:
    """Write a result, and print it."""
    if output is not None:
        result.write(output)
        talk.print(f"wrote {visible(str(output))}")
    if as_json:
        print_json(result.model_dump())
    else:
        print_result(result)


def embed_config(model: str | None, path: Path | None, changes: list[str] | None) -> EmbedConfig:
    """The recommended settings of a model, or those of a file, with single settings changed."""
    return with_changes(EmbedConfig.from_toml(path) if path else _recommended(model or "transe"), changes)


def with_changes(settings: SettingsT, changes: list[str] | None) -> SettingsT:
    """Settings with some changed by NAME=VALUE, those of a table by TABLE.NAME=VALUE."""
    try:
        return settings.changed(changes or ())
    except UnknownSettingError as error:
        raise typer.BadParameter(str(error), param_hint="--set") from None


def _recommended(model: str) -> EmbedConfig:
    for known in get_args(ModelName):
        if model == known:
            return EmbedConfig.recommended(known)
    raise typer.BadParameter(f"expected one of {', '.join(get_args(ModelName))}", param_hint="--model")


def _held_out(graph: Graph, other: Graph, path: str) -> np.ndarray:
    triples, unknown = encode_triples(graph, other)
    if not len(triples):
        raise InputError("none of its triples has names that the graph knows", source=path)
    if unknown:
        talk.print(
            f"{visible(path)}: {unknown:,} triples left out, which have an entity or relation that the graph lacks"
        )
    return triples


def _finish(run: EmbeddingRun, folder: Path, tsv: bool, as_json: bool) -> None:
    for path in export_vectors(run, folder) if tsv else ():
        talk.print(f"wrote {visible(str(path))}")
    talk.print(f"wrote {visible(str(folder / 'vectors.safetensors'))}")
    if as_json:
        print_json({name: dataclasses.asdict(score) for name, score in run.scores.items()})
    else:
        print_link_prediction(run)


def shares(bar: OnUpdate) -> OnRanked:
    """A bar that is told the share of what is done."""
    return lambda share: bar(round(1000 * share), 1000, math.nan)


@contextmanager
def training_progress() -> Iterator[Callable[[str], OnUpdate]]:
    """Give bars that show how far a training is, its loss, its speed and the time left."""
    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        _Loss(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=talk,
        transient=True,
        disable=not talk.is_terminal,
    )

    def new_bar(what: str) -> OnUpdate:
        task: TaskID | None = None

        def on_update(done: int, total: int, loss: float) -> None:
            nonlocal task
            if task is None:  # a run that goes on does not begin at 0
                task = bars.add_task(what, total=total, completed=done, loss=loss)
            bars.update(task, completed=done, loss=loss)

        return on_update

    with bars:
        yield new_bar


class _Loss(ProgressColumn):
    def render(self, task: Task) -> Text:
        loss = task.fields["loss"]
        speed = f", {task.speed:,.1f}/s" if task.speed else ""
        return Text("" if math.isnan(loss) else f"loss {loss:.4f}{speed}")  # ranking has neither


def print_epoch(report: Report) -> None:
    """Print what an evaluation during training found."""
    if report.mrr is not None:
        talk.print(f"epoch {report.epoch}: loss {report.loss:.4f}, held-out MRR {report.mrr:.4f}")


def print_link_prediction(run: EmbeddingRun) -> None:
    """Print what vectors are worth on held-out triples."""
    shape = tuple(run.embeddings.entities.shape)
    relations = run.graph.num_relations
    out.print(f"{run.embeddings.config.model}: {shape[0]:,} entities, {relations:,} relations, {shape[1]} numbers each")
    if not run.scores:
        return
    title = "\nFiltered link prediction"
    table = new_table(title, "triples", "asked for", "queries", "MRR", "Hits@10", "Hits@3", "Hits@1")
    for name, score in run.scores.items():
        for side, found in (("tails", score.tails), ("heads", score.heads), ("both", score.both)):
            figures = (found.mrr, found.hits_at_10, found.hits_at_3, found.hits_at_1)
            table.add_row(name, side, f"{found.queries:,}", *(f"{figure:.3f}" for figure in figures))
    out.print(table)


def print_result(result: ResultFile) -> None:
    """Print a row of the main table, and test relation by relation."""
    method = result.method if result.variant is None else f"{result.method} {result.variant}"
    title = f"{method} on {result.dataset}, {result.shots}-shot, {result.protocol}, seed {result.seed}"
    table = new_table(title, "", *METRICS)
    for split, figures in (("dev", result.dev), ("test", result.test)):
        if not figures:
            continue  # there are no dev tasks
        table.add_row(split, *(f"{figures[metric]:.3f}" for metric in METRICS))
        table.add_row(f"{split}, mean over relations", *(f"{figures[f'macro_{metric}']:.3f}" for metric in METRICS))
    for relation, figures in result.relations.items():
        table.add_row(shown(f"  {relation}"), *(f"{figures[metric]:.3f}" for metric in METRICS))
    out.print(table)
    low, high = result.test["mrr_interval"]
    out.print(f"test MRR with 95 % confidence between {low:.3f} and {high:.3f} (over queries)")
    if draws := result.test.get("draws"):
        spread = f"{draws['mean']:.3f} ± {draws['std']:.3f}"
        out.print(f"test MRR over {len(draws['mrr'])} random draws of the references: {spread}")
    out.print("seconds: " + ", ".join(f"{part} {seconds:,.0f}" for part, seconds in result.seconds.items()))
