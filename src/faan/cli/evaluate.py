"""The command `evaluate`: a few-shot method on a benchmark, or methods at completing a graph."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from faan.base import check_writable
from faan.cli.loading import load_model
from faan.cli.methods_help import MethodsCommand
from faan.cli.options import AsJson, refuse
from faan.cli.printing import new_table, out, print_json, print_table, shown, stages, talk, visible
from faan.cli.reading import DEFAULT, SourceOptions, reads_graph
from faan.cli.train import evaluate
from faan.rank import ResultFile, slug_of, write_figure

if TYPE_CHECKING:
    from faan.links import LinkSplit

_DEFAULT = "few-shot"
_SHARE, _MOST, _SAMPLE = 0.1, 200, 2000  # as `faan.links.hide_facts` has them
_DEFAULTS = {"--share": _SHARE, "--most": _MOST, "--sample": _SAMPLE}


class _WithDefault(TyperGroup):
    """A group of commands; `faan evaluate TARGET` means `faan evaluate few-shot TARGET`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Insert the default command if none is named."""
        if args and args[0] not in (*self.commands, "--help"):
            args = [_DEFAULT, *args]
        return super().parse_args(ctx, args)


evaluate_app = typer.Typer(
    cls=_WithDefault,
    help="Measure how well methods rank known facts: a few-shot method on a benchmark (`faan evaluate TARGET`, see "
    "`faan evaluate few-shot --help`), or several methods on a graph (`faan evaluate completion GRAPH`).",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
evaluate_app.command(_DEFAULT, cls=MethodsCommand)(evaluate)


@evaluate_app.command(cls=MethodsCommand)
@reads_graph()
def completion(
    graph: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[GRAPH...]",
            help="A graph, as for `faan fit`; faan hides some of its facts. Without it, give --train and --test.",
            show_default=False,
        ),
    ] = None,
    train: Annotated[str | None, typer.Option(metavar="FILE", help="Facts to learn from.")] = None,
    valid: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Validation facts: embeddings stop training when these no longer improve. faan does not rank them.",
        ),
    ] = None,
    test: Annotated[str | None, typer.Option(metavar="FILE", help="Facts to ask for.")] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A row of the table; may be given several times [default: {links}].",
            show_default=False,
        ),
    ] = None,
    share: Annotated[float, typer.Option(metavar="SHARE", help="The share of each relation's facts to hide.")] = _SHARE,
    most: Annotated[int, typer.Option(min=1, help="Hide at most this many facts of a relation.")] = _MOST,
    sample: Annotated[
        int, typer.Option(min=0, help="Ask for this many of the hidden facts; 0 asks for all.")
    ] = _SAMPLE,
    seed: Annotated[int, typer.Option(min=0, help="The random seed, which also decides which facts are hidden.")] = 0,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="The name of the graph in results.")] = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Write NAME-completion-METHOD-seedN.json here."),
    ] = None,
    figure: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw MRR by the number of known facts: .svg or .png.")
    ] = None,
    source: SourceOptions = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Complete a graph: hide some of its facts, learn from the rest, rank the hidden ones among all entities."""
    files = {"--train": train, "--valid": valid, "--test": test}
    if not graph and (train is None or test is None):
        raise typer.BadParameter("give a graph, or facts to learn from (--train) and to ask for (--test)")
    if graph:
        refuse("facts from files, without a GRAPH", files)
    if figure is not None and figure.suffix not in (".svg", ".png"):
        raise typer.BadParameter("expected a name that ends in .svg or .png", param_hint="--figure")
    from faan.links import DEFAULT_METHODS, evaluate_links, given_facts, hide_facts, method_called

    rows = list(dict.fromkeys(method_called(one) for one in method or DEFAULT_METHODS))
    for place in (output, figure):
        if place is not None:
            check_writable(place)
    if graph:
        called = name or _own_name(graph[0]).split(".")[0]
        split = hide_facts(source.read(*graph), called, share=share, most=most, sample=sample, seed=seed)
    else:
        called = name or Path(str(train)).resolve().parent.name  # files of benchmarks are all called train.txt
        *first, last = (source.of_table().read(path) for path in (valid, test) if path)
        split = given_facts(source.read(str(train)), called, first[0] if first else None, last)
    _print_split(split)
    numbers = {"--share": share, "--most": most, "--sample": sample}
    command = _command(graph or [], files, numbers, ["--seed", str(seed), "--name", called, *source.words])
    results = []
    for row in rows:
        talk.print(f"{row} ...")
        with stages() as on_progress:
            result = evaluate_links(row, split, f"{command} --method {row}", seed=seed, on_progress=on_progress)
        results.append(result)
        talk.print(f"{row}: MRR {result.test['mrr']:.4f} in {sum(result.seconds.values()):,.0f} s")
        if output is not None:
            _write(result, output)
    _finish(results, called, figure, as_json)


@evaluate_app.command()
@reads_graph("format", "columns", "skip_bad_lines")
def facts(
    true: Annotated[str, typer.Argument(metavar="FILE", help="Facts that people judged true: HEAD RELATION TAIL.")],
    false: Annotated[str, typer.Option("--false", metavar="FILE", help="Facts that people judged false.")],
    model: Annotated[
        Path | None, typer.Option(metavar="MODEL", help="The model folder of `faan fit` that judges.")
    ] = None,
    graph: Annotated[
        list[str] | None,
        typer.Option(metavar="GRAPH", help="A graph to fit a model on instead; may be given several times."),
    ] = None,
    valid: Annotated[
        str | None, typer.Option(metavar="FILE", help="True facts that choose a threshold for each relation.")
    ] = None,
    valid_false: Annotated[
        str | None, typer.Option(metavar="FILE", help="False facts that choose the threshold.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The random seed of the fit.")] = 0,
    source: SourceOptions = DEFAULT,
    as_json: AsJson = False,
) -> None:
    """Tell true facts from false ones: accuracy with a threshold for each relation, and AUC of the probability."""
    if (model is None) == (not graph):
        raise typer.BadParameter("give either a model, or a graph to fit one on", param_hint="--model or --graph")
    if (valid is None) != (valid_false is None):
        raise typer.BadParameter("needs both true and false facts", param_hint="--valid and --valid-false")
    from faan.complete import fit
    from faan.links import Judged, judge_facts, probabilities

    labelled = [(source.read(true), source.read(false))]
    if valid is not None and valid_false is not None:
        labelled.append((source.read(valid), source.read(valid_false)))
    to_learn_from = source.read(*graph) if graph else None
    completer = load_model(model) if model is not None else None
    with stages() as on_progress:
        if completer is None:
            completer = fit(to_learn_from, seed=seed, on_progress=on_progress)
        judged = [Judged.of(completer.graph, *files) for files in labelled]
        said = [probabilities(completer, one.facts, on_progress) for one in judged]
    figures = judge_facts(judged[0], said[0], judged[1] if valid is not None else None, said[-1])
    names = completer.graph.relation_names
    figures["relations"] = {names[relation]: own for relation, own in figures["relations"].items()}
    _print_judged(figures, "threshold 50 %" if valid is None else "thresholds from validation facts", as_json)


def _print_judged(figures: dict[str, Any], thresholds: str, as_json: bool) -> None:
    if as_json:
        print_json(figures)
        return
    out.print(
        f"{figures['facts']:,} facts, {figures['true']:,} of them true; {figures['skipped']:,} skipped: unknown names"
    )
    auc = "needs facts of both kinds" if figures["auc"] is None else f"{figures['auc']:.3f}"
    out.print(f"accuracy {figures['accuracy']:.3f}, F1 {figures['f1']:.3f} ({thresholds})")
    out.print(f"AUC of the probability {auc}; accuracy at 50 %: {figures['accuracy_at_50']:.3f}")
    table = new_table("\nBy relation", "relation", "facts", "threshold", "accuracy")
    for relation, own in sorted(figures["relations"].items(), key=lambda item: -item[1]["facts"]):
        table.add_row(shown(relation), f"{own['facts']:,}", f"{own['threshold']:.3f}", f"{own['accuracy']:.3f}")
    out.print(table)


def _write(result: ResultFile, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{slug_of(result.dataset)}-completion-{slug_of(result.method)}-seed{result.seed}.json"
    result.write(path)
    talk.print(f"wrote {visible(str(path))}")


def _finish(results: Sequence[ResultFile], called: str, figure: Path | None, as_json: bool) -> None:
    """Draw the figure, print the tables."""
    from faan.links import completion_tables

    tables = completion_tables(results, called)
    charts = [table.figure for table in tables if table.figure]
    if figure is not None and not charts:
        talk.print("nothing to draw: all relations have about as many known facts", style="yellow")
    elif figure is not None:
        write_figure(charts[0], figure.with_suffix(""), (figure.suffix[1:],))
        talk.print(f"wrote {visible(str(figure))}")
    if as_json:
        print_json({"graph": called, "results": [result.model_dump() for result in results]})
    else:
        for table in tables:
            print_table(table)


def _print_split(split: LinkSplit) -> None:
    graph = split.graph
    talk.print(
        f"{visible(split.name)}: {graph.num_entities:,} entities, {graph.num_triples:,} facts to learn from, "
        f"{len(split.test):,} to ask for, of {len(split.asked_relations):,} relations"
    )
    for note in split.notes:
        talk.print(visible(note), style="dim")


def _command(
    graph: Sequence[str], files: Mapping[str, str | None], numbers: Mapping[str, float], others: Sequence[str]
) -> str:
    """The command that computes the rows again, with the names of files instead of their paths."""
    call = ["faan", "evaluate", "completion", *map(_own_name, graph)]
    for option, path in files.items():
        call += [option, Path(path).name] if path is not None else []
    for option, number in numbers.items():
        call += [option, str(number)] if graph and number != _DEFAULTS[option] else []
    return shlex.join([*call, *others])


def _own_name(path: str) -> str:
    """The name of a file or folder without its path, also where the path ends in `.` or `..`."""
    name = Path(path).name
    return name if name.strip(".") else Path(path).resolve().name
