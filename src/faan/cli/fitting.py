"""What the commands of a graph engineer do and print, apart from their options because it loads torch."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from faan.base import InputError, counted
from faan.cli.printing import busy, new_table, out, print_json, shown, talk, visible
from faan.complete import (
    DEFAULT,
    About,
    Completer,
    Examples,
    Explanation,
    OnProgress,
    check_place,
    parse_pair,
    parse_pairs,
    read_about,
    write_drawing,
)
from faan.complete import fit as fit_completer
from faan.graph import Graph

__all__ = ["Wanted", "bars", "check_place", "read_lines", "run_explain", "run_fit", "run_info"]


@dataclass(frozen=True)
class Wanted:
    """Which relation of which model: one of the three ways to say it."""

    model: Path
    relation: str | None
    examples_file: str | None
    pairs: Sequence[str]

    def open(self) -> tuple[Completer, Examples]:
        """Load the model and look up the examples."""
        with busy("loading"):
            completer = Completer.load(self.model)
        return completer, self._examples(completer.graph)

    def _examples(self, graph: Graph) -> Examples:
        if self.relation is not None:
            return self.relation
        if self.examples_file == "-":
            return parse_pairs(graph, _decoded(sys.stdin.buffer.read(), "standard input"), "standard input")
        if self.examples_file is not None:
            return parse_pairs(graph, read_lines(Path(self.examples_file)), self.examples_file)
        return [parse_pair(graph, pair) for pair in self.pairs]


def run_fit(graph: Graph, folder: Path, method: str | None, without: Sequence[str], seed: int, as_json: bool) -> None:
    """Fit and save a model, and say what to expect of it."""
    try:
        with _stages() as on_progress:
            name = method or DEFAULT
            completer = fit_completer(graph, method=name, without=without, seed=seed, on_progress=on_progress)
        completer.save(folder)
    except KeyboardInterrupt:
        talk.print("interrupted; nothing was kept, and `faan fit` begins anew")
        raise
    talk.print(f"wrote {visible(str(folder))}")
    _print_about(completer.about, as_json)


def run_info(folder: Path, as_json: bool) -> None:
    """Say what a model is."""
    _print_about(read_about(folder), as_json)


def run_explain(wanted: Wanted, head: str, tail: str, picture: Path | None, as_json: bool) -> None:
    """Print all that speaks for one fact, and draw it."""
    completer, examples = wanted.open()
    explanation = completer.explain(head, tail, examples)
    if picture is not None:
        write_drawing(explanation.drawing(), picture)
        talk.print(f"wrote {visible(str(picture))}")
    if as_json:
        print_json(asdict(explanation))
    else:
        _print_explanation(explanation)


def read_lines(path: Path) -> list[str]:
    """The lines of a file that a user named."""
    try:
        return _decoded(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path)) from None


def _decoded(raw: bytes, source: str) -> list[str]:
    """The lines of a text; only line feeds end them, because names may hold other breaks (U+2028)."""
    try:
        return raw.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 ({error.reason})", source=source) from None


def _print_about(about: About, as_json: bool) -> None:
    if as_json:
        print_json(about.model_dump())
        return
    source = about.source
    out.print(
        f"{about.method} for {visible(source.name)}: {counted(source.entities, 'entity', 'entities')}, "
        f"{counted(source.relations, 'relation')}, {counted(source.triples, 'triple')}"
    )
    if source.without:
        out.print(f"left out: {visible(', '.join(source.without))}")
    out.print(about.in_words())
    if about.measured is not None:
        out.print(f"held out: {visible(', '.join(about.measured.relations))}")
    for note in about.notes:
        out.print(f"note: {visible(note)}", style="yellow")
    out.print(f"made {about.date} in {sum(about.seconds.values()):,.0f} s", style="dim")


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


@contextmanager
def _stages() -> Iterator[OnProgress]:
    """Bars, one for each thing that goes on, with the time left; a line for each where there is no terminal."""
    with bars() as shown_bars:
        tasks: dict[str, TaskID] = {}

        def on_progress(what: str, share: float) -> None:
            if what not in tasks or shown_bars.tasks[tasks[what]].finished:
                tasks[what] = shown_bars.add_task(what, total=1.0)
                if not talk.is_terminal:
                    talk.print(what)
            shown_bars.update(tasks[what], completed=share)

        yield on_progress


def bars() -> Progress:
    """Bars with the time left, on a terminal."""
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=talk,
        transient=True,
        disable=not talk.is_terminal,
    )
