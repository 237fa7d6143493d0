"""The command `embed`: train entity and relation vectors of a graph."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import numpy as np
import typer

from faan.base import Cluster, InputError, check_free
from faan.cli.engine import HERE, EngineOptions
from faan.cli.options import AsJson, Settings, refuse, with_changes, with_options
from faan.cli.printing import busy, new_table, out, print_json, talk, visible
from faan.cli.reading import DEFAULT, GraphArgument, SourceOptions, reads_graph
from faan.graph import Graph, has_fixed_columns

if TYPE_CHECKING:
    from faan.embed import EmbedConfig, EmbeddingRun, EpochReport, ModelName


@with_options("engine", EngineOptions)
@reads_graph("format", "columns", "type_relation", "skip_bad_lines")
def embed(
    graph: GraphArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="The run's folder; must be empty.")],
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="transe, distmult, complex, simple or rotate, with settings that suit it [default: transe].",
            show_default=False,
        ),
    ] = None,
    purpose: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="PURPOSE",
            help="`completion` takes the settings for link prediction on all relations of a graph; the recommended "
            "ones are for relations with few triples.",
        ),
    ] = None,
    config: Annotated[
        Path | None,
        typer.Option(metavar="CONFIG", help="Settings instead of a model: a name (`embed-complex`) or a TOML file."),
    ] = None,
    setting: Settings = None,
    valid: Annotated[str | None, typer.Option(metavar="FILE", help="Validation triples to rank in training.")] = None,
    test: Annotated[str | None, typer.Option(metavar="FILE", help="Triples to report link prediction on.")] = None,
    tsv: Annotated[bool, typer.Option("--tsv", help="Also write the vectors as TSV, for other tools.")] = False,
    source: SourceOptions = DEFAULT,
    engine: EngineOptions = HERE,
    as_json: AsJson = False,
) -> None:
    """Train entity and relation embeddings of a graph; `faan resume FOLDER` continues an interrupted run."""
    if model is not None and config is not None:
        raise typer.BadParameter("--config already sets the model; pass one of them", param_hint="--model")
    if purpose not in (None, "completion"):
        raise typer.BadParameter("expected `completion`", param_hint="--for")
    if purpose is not None:
        refuse("settings of its own, without --for", {"--config": config})
    check_free(output)
    cluster = engine.cluster
    changes = [*(setting or ()), *(["rounds=true"] if cluster else [])]
    from faan.embed import EmbedConfig, embed_graph  # torch takes seconds to load; few commands need it

    if purpose:
        settings = with_changes(EmbedConfig.for_completion(_known_model(model), has_valid=bool(valid)), changes)
    else:
        settings = embed_config(model, config, changes)

    given = (("valid", valid), ("test", test))
    held_out = {name: (path, source.of_table().read(path)) for name, path in given if path}
    if held_out and all(has_fixed_columns(one) for one in graph):
        source = replace(source, format=None, columns=None)  # the held-out files have the same layout
    trained_on = source.read(*graph)
    triples = {name: _held_out(trained_on, other, path) for name, (path, other) in held_out.items()}
    _say_what_is_ranked(trained_on, settings, len(triples.get("valid", ())))
    with busy("training vectors") as on_progress:
        run = embed_graph(
            trained_on,
            settings,
            output,
            valid=triples.get("valid"),
            test=triples.get("test"),
            on_progress=on_progress,
            on_report=_print_epoch,
            engine=cluster,
        )
    _finish(run, output, tsv, as_json)


def resume_embedding(folder: Path, tsv: bool, as_json: bool, cluster: Cluster | None) -> None:
    """Continue an interrupted run of `faan embed`."""
    from faan.embed import resume_run

    with busy("training vectors") as on_progress:
        run = resume_run(folder, on_progress=on_progress, on_report=_print_epoch, engine=cluster)
    _finish(run, folder, tsv, as_json)


def embed_config(model: str | None, path: Path | None, changes: list[str] | None) -> EmbedConfig:
    """The recommended settings of a model, or those of a file, with single settings changed."""
    from faan.embed import EmbedConfig

    return with_changes(EmbedConfig.from_toml(path) if path else EmbedConfig.recommended(_known_model(model)), changes)


def _known_model(model: str | None) -> ModelName:
    """A model by its name, by default TransE."""
    from faan.embed import ModelName

    names: tuple[ModelName, ...] = get_args(ModelName)
    for name in names:
        if name == ("transe" if model is None else model):
            return name
    raise typer.BadParameter(f"expected one of {', '.join(names)}", param_hint="--model")


def _held_out(graph: Graph, other: Graph, path: str) -> np.ndarray:
    from faan.embed import encode_triples

    triples, unknown = encode_triples(graph, other)
    if not len(triples):
        raise InputError("no triple has entities and a relation of the graph", source=path)
    if unknown:
        talk.print(f"{visible(path)}: {unknown:,} triples skipped: the graph lacks their entity or relation")
    return triples


def _finish(run: EmbeddingRun, folder: Path, tsv: bool, as_json: bool) -> None:
    from faan.embed import export_vectors

    for path in export_vectors(run, folder) if tsv else ():
        talk.print(f"wrote {visible(str(path))}")
    talk.print(f"wrote {visible(str(folder / 'vectors.safetensors'))}")
    if as_json:
        print_json({name: asdict(score) for name, score in run.scores.items()})
    else:
        _print_link_prediction(run)


def _say_what_is_ranked(graph: Graph, settings: EmbedConfig, valid: int) -> None:
    """Print a note if the MRR printed in training is estimated from a sample, as on large graphs."""
    queries, candidates = settings.evaluate_queries, settings.evaluate_candidates
    parts = []
    if queries < valid:
        parts.append(f"{queries:,} of the {valid:,} validation triples")
    if valid and candidates < graph.num_entities:
        parts.append(f"{candidates:,} of the {graph.num_entities:,} entities")
    if parts:
        talk.print(f"the held-out MRR is an estimate from a sample: {' and '.join(parts)}")


def _print_epoch(report: EpochReport) -> None:
    """Print what an evaluation during training found."""
    if report.mrr is not None:
        talk.print(f"epoch {report.epoch}: loss {report.loss:.4f}, held-out MRR {report.mrr:.4f}")


def _print_link_prediction(run: EmbeddingRun) -> None:
    """Print how well vectors predict held-out triples."""
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
