"""The commands `fit` and `info`: make a model of a graph, and say what it is and how good."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from faan.base import counted
from faan.cli.examples import ModelArgument, graph_of
from faan.cli.loading import load_model
from faan.cli.options import AsJson
from faan.cli.printing import new_table, out, print_json, stages, talk, visible
from faan.cli.reading import DEFAULT, GraphArgument, SourceOptions, reads_graph
from faan.complete import About, Bin, Point, check_place, check_same_graph, read_about
from faan.graph import Graph, ReadReport


@reads_graph()
def fit(
    graph: GraphArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="The model folder to write.")],
    method: Annotated[
        str | None, typer.Option(metavar="NAME", help="{methods}, the first by default.", show_default=False)
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(
            metavar="CONFIG",
            help="The configuration to fit with: a name such as `evidence` (larger vectors, takes much longer), or "
            "a TOML file.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(metavar="RELATION", help="Remove a relation from the graph first; may be given several times."),
    ] = None,
    seed: Annotated[
        int,
        typer.Option(min=0, help="The random seed, which also decides which relations are held out."),
    ] = 0,
    force: Annotated[bool, typer.Option("--force", help="Overwrite a model of another graph.")] = False,
    source: SourceOptions = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Fit a model to a graph and print how good it is. The model suggests missing facts of any relation."""
    from faan.complete import fit as fit_completer  # torch takes seconds to load
    from faan.complete import recipe_of

    recipe_of(method, config)  # raises an error before the graph is read
    check_place(output)
    read = source.read(*graph)
    if not force:
        check_same_graph(output, read)
    _print_reading(read.report)
    try:
        with stages() as on_progress:
            completer = fit_completer(
                read, method=method, config=config, without=without or [], seed=seed, on_progress=on_progress
            )
        completer.save(output)
    except KeyboardInterrupt:
        talk.print("interrupted; nothing was saved, run `faan fit` again")
        raise
    talk.print(f"wrote {visible(str(output))}")
    _print_about(completer.about, completer.graph, as_json)


def info(
    model: ModelArgument,
    relation: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Show how reliable the probabilities of this relation of the graph are; tests it if needed.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Describe a model: its method, its graph, and how good it is."""
    if relation is None:
        _print_about(read_about(model), graph_of(model), as_json)
        return
    trust = load_model(model).trust(relation)
    if as_json:
        print_json(asdict(trust) | {"rests_on": trust.in_words()})
        return
    out.print(f"probabilities of {visible(relation)}: {trust.in_words()}")
    one = "one value each; their answers share one unit with 'none of these'"
    out.print(f"heads have {one if trust.one_value else 'several values'}")
    _print_curve(trust.reliability, trust.trade_off)


def _print_reading(report: ReadReport) -> None:
    """What a user should know about the file before a fit of minutes begins."""
    for note in report.notes:
        talk.print(f"note: {visible(note)}", style="dim")
    if report.skipped:
        skipped = counted(report.skipped, "bad line was skipped", "bad lines were skipped")
        talk.print(f"note: {skipped}, such as: {visible(report.bad_lines[0])}", style="yellow")


def _print_curve(reliability: Sequence[Bin], trade_off: Sequence[Point]) -> None:
    """The reliability curve of first suggestions, and what to expect when accepting everything above a probability."""
    if not reliability:
        return
    table = new_table("first suggestions", "probability", "right", "suggestions")
    for one in reliability:
        table.add_row(f"{one.said:.0%}", f"{one.true:.0%}", f"{one.count:,.0f}")
    out.print(table)
    for point in trade_off:
        if point.right is None:  # nor has any head one of a higher threshold
            out.print(f"{point.threshold:.0%} or more: no head has such a first suggestion")
            break
        share = f"{point.answered:.0%} of heads have such a first suggestion"
        out.print(f"{point.threshold:.0%} or more: {share}, {point.right:.0%} of these are right")


def _print_about(about: About, graph: Graph | None, as_json: bool) -> None:
    if as_json:
        print_json(about.model_dump())
        return
    source = about.source
    out.print(
        f"{about.method} for {visible(source.name)}: {counted(source.entities, 'entity', 'entities')}, "
        f"{counted(source.relations, 'relation')}, {counted(source.triples, 'triple')}"
    )
    if source.without:
        out.print(f"left out: {_labels(source.without, graph)}")
    out.print(about.in_words())
    if about.measured is not None:
        out.print(f"held out: {_labels(about.measured.relations, graph)}")
        _print_curve(about.measured.reliability, about.measured.trade_off)
    if about.known is not None:
        out.print(about.known.in_words())
        _print_curve(about.known.reliability, about.known.trade_off)
    for note in about.notes:
        out.print(f"note: {visible(note)}", style="yellow")
    out.print(f"made {about.date} in {sum(about.seconds.values()):,.0f} s", style="dim")


def _labels(relations: Sequence[str], graph: Graph | None) -> str:
    """The labels of relations, to print."""

    def label(name: str) -> str:
        number = None if graph is None else graph.relation_names.find(name)
        return name if graph is None or number is None else graph.relation_label(number)

    return visible(", ".join(map(label, relations)))
