"""What `faan suggest` does: who is asked about, and where the suggestions go."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from faan.base import InputError, counted
from faan.cli.fitting import Wanted, bars, read_lines
from faan.cli.options import check_new_file
from faan.cli.printing import out, shown, talk, visible
from faan.complete import Completer, Examples, Line, Suggestion, cut, entities, header, last_asked, line_writer, trimmed
from faan.graph import Graph, Terms

_HEADS_IN_A_TABLE = 10


@dataclass(frozen=True)
class Asked:
    """Whose facts are wanted: of some heads, of some tails, or of heads that lack the fact; and how many."""

    heads: list[str]
    heads_file: Path | None
    tails: list[str]
    top: int
    limit: int | None
    known: bool

    @property
    def by_tail(self) -> bool:
        """Whether heads are wanted for given tails."""
        return bool(self.tails) and not self.heads and self.heads_file is None


@dataclass(frozen=True)
class Target:
    """Where suggestions go and how they are written; only N-Triples need a name for a new relation and a base."""

    form: str
    output: Path | None
    resume: bool
    force: bool
    explained: bool
    name: str | None
    base: str


def run_suggest(wanted: Wanted, asked: Asked, target: Target) -> None:
    """Suggest facts, to a table or to lines."""
    if target.output is not None and not target.resume:
        check_new_file(target.output, target.force, "go on with it (--resume), ")
    terms = Terms(target.base)  # a wrong base is told before anything is loaded
    completer, examples = wanted.open()
    before = _size(target.output)
    named = asked.tails if asked.by_tail else _heads(completer, examples, asked, target.form == "table")
    names = [completer.graph.entity_names[number] for number in entities(completer.graph, named).tolist()]
    if target.output is not None and target.resume:
        names = _left(names, target.output, target.form, asked.by_tail)
    if not names:
        talk.print("there is nothing left to ask")
        return
    if asked.by_tail and not asked.known and completer.looks_functional(examples):
        talk.print("heads of this relation have one tail: those that have it are left out (--known shows them)")
    found = completer.suggest(
        examples,
        None if asked.by_tail else names,
        names if asked.by_tail else asked.tails or None,
        asked.top,
        "show" if asked.known else "skip",
    )
    found = _at_least_one(_watched(found, len(names), asked.by_tail))
    if target.form == "table":
        _print_table(found, asked.by_tail, target.explained, completer.graph)
    else:
        graph = completer.graph
        relation = graph.relation_names[graph.relation(examples)] if isinstance(examples, str) else target.name or ""
        count = _write(found, target, line_writer(target.form, relation, terms))
        _print_written(count, target, before)


def _heads(completer: Completer, examples: Examples, asked: Asked, in_a_table: bool) -> list[str]:
    """The heads that were named, or those that look like heads of the relation and lack the fact."""
    if asked.heads_file is not None:
        lines = (line for line in read_lines(asked.heads_file) if line.strip())
        heads = [*asked.heads, *(trimmed(completer.graph, line.strip("\r\n")) for line in lines)]
        if not heads:
            raise InputError("holds no name of a head", source=str(asked.heads_file))
        return heads
    if asked.heads:
        return asked.heads
    heads = completer.heads_lacking(examples)
    limit = asked.limit or (_HEADS_IN_A_TABLE if in_a_table else len(heads))
    more = f"; these are the first {limit} (--limit for more)" if limit < len(heads) else ""
    talk.print(f"{len(heads):,} entities look like heads of the relation and lack the fact{more}")
    return heads[:limit]


def _left(asked: list[str], output: Path, form: str, by_tail: bool) -> list[str]:
    """What an interrupted job has still to ask; its file is cut back to the entities that it was done with."""
    last, size = last_asked(output, form, by_tail)
    if last is not None:
        if last not in asked:
            raise InputError(f"{last!r}, the last in the file, is not among what is asked now")
        asked = asked[asked.index(last) :]
    cut(output, size)
    return asked


def _at_least_one(found: Iterator[Suggestion]) -> Iterator[Suggestion]:
    """The same suggestions; a word about it where there are none."""
    first = next(found, None)
    if first is None:
        talk.print("no suggestions: all that fits is known already (--known shows it)")
        return iter(())
    return chain([first], found)


def _watched(found: Iterable[Suggestion], total: int, by_tail: bool) -> Iterator[Suggestion]:
    """Show how many of the entities asked about are done."""
    with bars() as shown_bars:
        task, last, done = shown_bars.add_task("suggesting", total=total), None, 0
        for suggestion in found:
            asked = suggestion.tail if by_tail else suggestion.head
            if asked != last:
                shown_bars.update(task, completed=done)
                last, done = asked, done + 1
            yield suggestion


def _write(found: Iterable[Suggestion], target: Target, line: Line) -> int:
    """Write suggestions and say how many they are."""
    output, count = target.output, 0
    is_begun = target.resume and output is not None and output.exists()
    mode = "a" if target.resume else "w"
    opened = nullcontext(sys.stdout) if output is None else output.open(mode, encoding="utf-8", newline="\n")
    with opened as file:
        file.write("" if is_begun else header(target.form))
        for suggestion in found:
            file.write(line(suggestion))
            count += 1
    return count


def _print_written(count: int, target: Target, before: int) -> None:
    """Say what was written; a job that goes on does its last entity again, and so finds out whether it was over."""
    if target.output is None:
        return
    place = visible(str(target.output))
    if target.resume and _size(target.output) == before:
        talk.print(f"nothing was left to do: {place} is complete")
    else:
        talk.print(f"wrote {counted(count, 'suggestion')} to {place}")


def _size(path: Path | None) -> int:
    return path.stat().st_size if path is not None and path.is_file() else 0


def _print_table(found: Iterable[Suggestion], by_tail: bool, explained: bool, graph: Graph) -> None:
    def label(name: str) -> str:
        return graph.entity_label(graph.entity(name))

    last = None
    for suggestion in found:
        asked, answer = (suggestion.tail, suggestion.head) if by_tail else (suggestion.head, suggestion.tail)
        if asked != last:
            if suggestion.low_evidence and last is None:
                out.print("low evidence: one or two examples are little to go by", style="yellow")
            out.print(shown(label(asked)), style="bold")
            last = asked
        marks = f"  ! {visible(suggestion.warnings[0])}" if suggestion.warnings else ""
        out.print(f"  {suggestion.rank:>3}  {suggestion.probability:>6.1%}  {shown(label(answer))}{marks}")
        for sentence in suggestion.because if explained else ():
            out.print(f"               {visible(sentence)}", style="dim")
