"""The command `explain`: what speaks for and against one fact."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from faan.cli.examples import NAMELESS, ModelArgument, RelationOptions
from faan.cli.loading import load_model
from faan.cli.options import AsJson, Force, check_new_file, refuse, with_options
from faan.cli.printing import new_table, out, print_json, shown, talk, visible
from faan.complete import Explanation, write_drawing


@with_options("about", RelationOptions)
def explain(
    model: ModelArgument,
    head: Annotated[str, typer.Argument(metavar="HEAD", help="The head of the fact.")],
    tail: Annotated[str, typer.Argument(metavar="TAIL", help="Its tail.")],
    about: RelationOptions = NAMELESS,
    draw: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the evidence: .svg, or .png with matplotlib.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Show what speaks for and against one fact: similar examples, paths, neighbours, evidence."""
    if draw is not None:
        if draw.suffix.lower() not in (".svg", ".png"):
            raise typer.BadParameter("expected a name that ends in .svg or .png", param_hint="--draw")
        check_new_file(draw, force)
    else:
        refuse("a drawing (--draw)", {"--force": force})
    about.check()
    completer = load_model(model)
    explanation = completer.explain(head, tail, about.look_up(completer.graph))
    if draw is not None:
        write_drawing(explanation.draw(), draw)
        talk.print(f"wrote {visible(str(draw))}")
    if as_json:
        print_json(asdict(explanation))
    else:
        _print_explanation(explanation)


def _print_explanation(explanation: Explanation) -> None:
    fact, label = explanation.suggestion, explanation.label
    out.print(f"{visible(label(fact.head))} → {visible(label(fact.tail))}", style="bold")
    low = ", low evidence" if fact.low_evidence else ""
    place = f"rank {fact.rank:,} among the tails of {visible(label(fact.head))}"
    out.print(f"probability {fact.probability:.1%}{low}, {place}, score {fact.score:.3f}")
    for warning in fact.warnings:
        out.print(f"! {visible(warning)}", style="yellow")
    if fact.because:
        out.print("\nBecause", style="bold")
    for sentence in fact.because:
        out.print(f"- {visible(sentence)}")
    table = new_table("\nExamples it resembles", "head", "tail", "weight")
    for example in explanation.examples[:5]:
        table.add_row(shown(label(example.head)), shown(label(example.tail)), f"{example.weight:.2f}")
    out.print(table)
    for title, around in (
        (f"What counts about {label(fact.head)}", explanation.head_neighbours),
        (f"What counts about {label(fact.tail)}", explanation.tail_neighbours),
    ):
        if around:
            table = new_table(f"\n{visible(title)}", "fact", "weight")
            for one in around:
                arrow = f"— {label(one.relation)} →" if one.forward else f"← {label(one.relation)} —"
                table.add_row(shown(f"{arrow} {label(one.entity)}"), f"{one.weight:.2f}")
            out.print(table)
    if explanation.evidence:
        table = new_table("\nEvidence", "what it says", "value", "adds")
        for piece in explanation.evidence[:10]:
            table.add_row(shown(piece.sentence), f"{piece.value:.3f}", f"{piece.contribution:+.3f}")
        out.print(table)
