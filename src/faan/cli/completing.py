"""The commands of a graph engineer: fit, suggest, explain, info. What needs torch is imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from faan.cli.options import (
    AsJson,
    Base,
    ColumnNames,
    Force,
    Format,
    GraphArgument,
    Languages,
    Nodes,
    SkipBadLines,
    TypePattern,
    TypeRelations,
    check_new_file,
    format_of,
    read_source,
    refuse,
)
from faan.graph import DEFAULT_BASE

ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="The model folder that `faan fit` wrote.")]
Relation = Annotated[
    str | None, typer.Option(metavar="NAME", help="A relation of the graph; its own facts are the examples.")
]
ExamplesFile = Annotated[
    str | None,
    typer.Option("--examples", metavar="FILE", help="Examples, a line each: head, tab, tail; `-` for standard input."),
]
Example = Annotated[
    list[str] | None,
    typer.Option("--example", metavar="HEAD,TAIL", help="An example; may be given several times, five are good."),
]


def fit(
    graph: GraphArgument,
    output: Annotated[Path, typer.Option("-o", "--output", metavar="MODEL", help="The model folder to write.")],
    method: Annotated[
        str | None, typer.Option(help="evidence, rules, faan, metar, gmatching or fsrl.  [default: evidence]")
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(metavar="RELATION", help="Leave a relation out, as if the graph had none of it; repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Decides which relations are held out, and all that is random.")] = 0,
    format: Format = None,
    columns: ColumnNames = None,
    nodes: Nodes = None,
    language: Languages = "en",
    type_relation: TypeRelations = None,
    type_pattern: TypePattern = None,
    skip_bad_lines: SkipBadLines = False,
    as_json: AsJson = False,
) -> None:
    """Make a model of a graph, which then suggests missing facts of any relation; says how good it is."""
    from faan.cli.fitting import check_place, run_fit
    from faan.complete import METHODS

    if method is not None and method not in METHODS:
        raise typer.BadParameter(f"expected one of {', '.join(METHODS)}", param_hint="--method")
    check_place(output)
    read = read_source(graph, format, columns, nodes, language, type_relation, type_pattern, skip_bad_lines)
    run_fit(read, output, method, without or [], seed, as_json)


def suggest(
    model: ModelArgument,
    relation: Relation = None,
    examples: ExamplesFile = None,
    example: Example = None,
    head: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Whose facts are wanted; may be given several times.")
    ] = None,
    heads_file: Annotated[Path | None, typer.Option(metavar="FILE", help="The same, a name a line.")] = None,
    tail: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only these tails; without heads: suggest heads for these tails."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Suggestions for each head.")] = 10,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="Without heads and tails: ask for so many heads at most.  [default: 10 in a table, else all]"
        ),
    ] = None,
    known: Annotated[
        bool, typer.Option("--known", help="Show facts of these heads or tails that are known already, too.")
    ] = False,
    explain: Annotated[bool, typer.Option("--explain", help="In a table: say why, below each.")] = False,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="table, tsv, jsonl or nt (N-Triples).  [default: by the file's ending, else table]",
        ),
    ] = None,
    name: Annotated[
        str | None, typer.Option(metavar="NAME", help="What N-Triples call a relation that is given by examples.")
    ] = None,
    base: Base = DEFAULT_BASE,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write to a file instead (not a table).")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an interrupted job in that file.")] = False,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format jsonl.")] = False,
) -> None:
    """Suggest missing facts of a relation: for given heads, or for the entities that most likely lack the fact."""
    from faan.cli.fitting import Wanted
    from faan.cli.suggesting import Asked, Target, run_suggest
    from faan.complete import ENDINGS

    _check_one_source(relation, examples, example)
    if as_json and form not in (None, "jsonl"):
        raise typer.BadParameter(f"--json means jsonl, not {form}: give one of the two", param_hint="--json")
    chosen = format_of("jsonl" if as_json else form, output, ENDINGS, default="table")
    if output is not None and chosen == "table":
        raise typer.BadParameter("a table is for the screen: write tsv, jsonl or nt", param_hint="--format")
    if resume and output is None:
        raise typer.BadParameter("only with -o: there is no file to go on with", param_hint="--resume")
    if known and not (head or heads_file or tail):
        raise typer.BadParameter(
            "say whose: without --head, --heads-file or --tail only entities that lack the fact are asked about",
            param_hint="--known",
        )
    if chosen == "nt" and relation is None and name is None:
        raise typer.BadParameter(
            "say what N-Triples are to call the new relation: an IRI or a name", param_hint="--name"
        )
    if chosen != "nt" or relation is not None:
        refuse("a new relation in N-Triples", {"--name": name})
    if chosen != "nt":
        refuse("N-Triples", {"--base": base != DEFAULT_BASE})
    if chosen != "table":
        refuse("a table", {"--explain": explain})
    if output is None or resume:
        refuse("a file that is begun anew (-o without --resume)", {"--force": force})
    if head or heads_file or tail:
        refuse("a question without heads and tails", {"--limit": limit})
    run_suggest(
        Wanted(model, relation, examples, example or []),
        Asked(head or [], heads_file, tail or [], top, limit, known),
        Target(chosen, output, resume, force, explain, name, base),
    )


def explain(
    model: ModelArgument,
    head: Annotated[str, typer.Argument(metavar="HEAD", help="The head of the fact.")],
    tail: Annotated[str, typer.Argument(metavar="TAIL", help="Its tail.")],
    relation: Relation = None,
    examples: ExamplesFile = None,
    example: Example = None,
    draw: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the evidence: .svg, or .png with matplotlib.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Say what speaks for and against one fact: similar examples, paths, neighbours, evidence."""
    from faan.cli.fitting import Wanted, run_explain

    if draw is not None:
        if draw.suffix.lower() not in (".svg", ".png"):
            raise typer.BadParameter("expected a name that ends in .svg or .png", param_hint="--draw")
        check_new_file(draw, force)
    else:
        refuse("a drawing (--draw)", {"--force": force})
    _check_one_source(relation, examples, example)
    run_explain(Wanted(model, relation, examples, example or []), head, tail, draw, as_json)


def info(model: ModelArgument, as_json: AsJson = False) -> None:
    """Say what a model is, from what graph, and how good."""
    from faan.cli.fitting import run_info

    run_info(model, as_json)


def _check_one_source(relation: str | None, examples: str | None, example: list[str] | None) -> None:
    given = [relation is not None, examples is not None, bool(example)]
    if sum(given) != 1:
        raise typer.BadParameter(
            "say what relation is meant by just one of --relation, --examples and --example",
            param_hint="--example",
        )
