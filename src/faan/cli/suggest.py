"""The command `suggest`: which heads or tails to ask about, and where to write the suggestions."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faan.base import InputError, counted, read_lines
from faan.cli.bulk import suggest_all_heads, suggest_all_relations
from faan.cli.engine import EngineOptions
from faan.cli.examples import NAMELESS, ModelArgument, RelationOptions, called
from faan.cli.loading import load_model
from faan.cli.options import check_new_file, refuse, with_options
from faan.cli.printing import busy, out, print_expected, shown, talk, visible
from faan.cli.suggest_options import AskedOptions, TargetOptions, check_bulk, check_names, check_single
from faan.complete import (
    Examples,
    Line,
    Suggestion,
    cut,
    entities,
    expected_above,
    header,
    last_asked,
    line_writer,
    trimmed,
)
from faan.complete import surest as surest_of
from faan.graph import Graph

if TYPE_CHECKING:
    from faan.complete import Completer

_HEADS_IN_A_TABLE = 10


@with_options("engine", EngineOptions)
@with_options("target", TargetOptions)
@with_options("asked", AskedOptions)
@with_options("about", RelationOptions)
def suggest(
    model: ModelArgument,
    about: RelationOptions = NAMELESS,
    all_relations: Annotated[
        bool,
        typer.Option(
            "--all-relations",
            help="Complete the graph: every relation, every head that looks like one of its heads and lacks the fact, "
            "as Parquet files in a folder (-o).",
        ),
    ] = False,
    *,
    asked: AskedOptions,
    target: TargetOptions,
    engine: EngineOptions,
) -> None:
    """Suggest missing facts of a relation: for given heads, or for the entities that most likely lack the fact."""
    if all_relations:
        one = {"--relation": about.relation, "--examples": about.examples, "--example": about.example}
        refuse("one relation", {**one, "--not-like": about.not_like, "--name": target.name})
        if target.format not in (None, "parquet") or target.as_json:
            raise typer.BadParameter("all relations are written as parquet", param_hint="--format")
        check_bulk(asked, target)
        suggest_all_relations(model, asked, target, engine)
        return
    is_bulk = target.form == "parquet"
    if is_bulk:
        check_bulk(asked, target)
    else:
        check_single(asked, target, engine)
    check_names(about.relation, target)
    about.check()
    if is_bulk:
        suggest_all_heads(model, about, asked, target, engine)
    else:
        _suggest(model, about, asked, target)


def _suggest(model: Path, about: RelationOptions, asked: AskedOptions, target: TargetOptions) -> None:
    """Suggest facts, to a table or to lines."""
    terms, source = target.terms, target.source  # raises an error before anything is computed
    if target.output is not None and not target.resume:
        check_new_file(target.output, target.force, "continue it (--resume), ")
    completer = load_model(model)
    examples = about.look_up(completer.graph)
    before = _size(target.output)
    named = (asked.tail or []) if asked.by_tail else _heads(completer, examples, asked, target.form == "table")
    names = [completer.graph.entity_names[number] for number in entities(completer.graph, named).tolist()]
    if target.output is not None and target.resume:
        names = _left(names, target.output, target.form, asked.by_tail)
    if not names:
        talk.print("there is nothing left to ask")
        return
    if asked.by_tail and not asked.known and completer.looks_functional(examples):
        talk.print(
            "this relation usually has one tail a head: heads that already have one are skipped (--known shows them)"
        )
    suggested = completer.suggest(
        examples,
        None if asked.by_tail else names,
        names if asked.by_tail else asked.tail or None,
        asked.top,
        "show" if asked.known else "skip",
        strict=asked.strict_schema,
        min_probability=asked.min_probability,
    )
    if suggested.as_if_like:
        talk.print(f"as if like: {visible(', '.join(suggested.as_if_like))} (--not-like NAME leaves one out)")
    found = _watched(suggested.stream(), len(names), asked.by_tail)
    if asked.summary:
        print_expected(expected_above(found, asked.by_tail), len(names), as_json=target.form == "jsonl")
        return
    if asked.surest is not None:
        found = iter(surest_of(found, asked.surest))
    found = _at_least_one(found, asked)
    if target.form == "table":
        _print_table(found, asked, target.explain, completer.graph, has_examples=not suggested.as_if_like)
    else:
        relation = called(examples, completer.graph) or target.name or ""
        count = _write(found, target, line_writer(target.form, relation, terms, source))
        _print_written(count, target, before)


def _heads(completer: Completer, examples: Examples, asked: AskedOptions, in_a_table: bool) -> list[str]:
    """The heads that were named, or those that look like heads of the relation and lack the fact."""
    if asked.heads_file is not None:
        lines = (line for line in read_lines(asked.heads_file) if line.strip())
        heads = [*(asked.head or ()), *(trimmed(completer.graph, line.strip("\r\n")) for line in lines)]
        if not heads:
            raise InputError("holds no name of a head", source=str(asked.heads_file))
        return heads
    if asked.head:
        return asked.head
    heads = completer.heads_lacking(examples, strict=asked.strict_schema)
    limit = asked.limit or (_HEADS_IN_A_TABLE if in_a_table and not asked.of_all else len(heads))
    more = f"; these are the first {limit} (--limit for more)" if limit < len(heads) else ""
    if asked.of_all:
        more += "; all of them are ranked first"
    if not heads:
        more = ": name the heads to ask about (--head, --heads-file)"
    found = counted(len(heads), "entity looks like a head", "entities look like heads")
    lack = "lacks" if len(heads) == 1 else "lack"
    talk.print(f"{found} of the relation and {lack} the fact{more}")
    return heads[:limit]


def _left(asked: list[str], output: Path, form: str, by_tail: bool) -> list[str]:
    """The heads or tails that an interrupted job has not finished; its file is cut back to the finished ones."""
    last, size = last_asked(output, form, by_tail)
    if last is not None:
        if last not in asked:
            raise InputError(
                f"ends with suggestions for {last!r}, which this command does not ask about: repeat the command that "
                "wrote the file, or choose another file",
                source=str(output),
            )
        asked = asked[asked.index(last) :]
    cut(output, size)
    return asked


def _at_least_one(found: Iterator[Suggestion], asked: AskedOptions) -> Iterator[Suggestion]:
    """The same suggestions; prints why if there are none."""
    first = next(found, None)
    if first is not None:
        return chain([first], found)
    if asked.min_probability:
        why = f"no suggestion has a probability of {asked.min_probability:g} or more (--summary shows what to expect)"
    elif asked.strict_schema:
        why = "no suggestions: all candidates are known already or break a rule of the schema (--strict-schema)"
    else:
        why = "no suggestions: all candidates are known already (--known shows them)"
    talk.print(why)
    return iter(())


def _watched(found: Iterable[Suggestion], total: int, by_tail: bool) -> Iterator[Suggestion]:
    """Show how many of the entities asked about are done."""
    with busy("suggesting") as on_progress:
        last, done = None, 0
        for suggestion in found:
            asked = suggestion.tail if by_tail else suggestion.head
            if asked != last:
                on_progress("suggesting", done / total)
                last, done = asked, done + 1
            yield suggestion


def _write(found: Iterable[Suggestion], target: TargetOptions, line: Line) -> int:
    """Write suggestions and print how many."""
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


def _print_written(count: int, target: TargetOptions, before: int) -> None:
    """Print what was written. A resumed job repeats its last entity, so it finds out whether it was complete."""
    if target.output is None:
        return
    place = visible(str(target.output))
    if target.resume and _size(target.output) == before:
        talk.print(f"nothing was left to do: {place} is complete")
    else:
        talk.print(f"wrote {counted(count, 'suggestion')} to {place}")


def _size(path: Path | None) -> int:
    return path.stat().st_size if path is not None and path.is_file() else 0


def _print_table(
    found: Iterable[Suggestion], asked: AskedOptions, explained: bool, graph: Graph, *, has_examples: bool
) -> None:
    """Print suggestions under the entity that was asked about; the surest of all in one list."""

    def label(name: str) -> str:
        return graph.entity_label(graph.entity(name))

    last = None
    for suggestion in found:
        entity, answer = (suggestion.tail, suggestion.head) if asked.by_tail else (suggestion.head, suggestion.tail)
        if suggestion.low_evidence and last is None:
            what = "there are only one or two examples" if has_examples else "there are no examples"
            out.print(f"low evidence: {what}", style="yellow")
        text = shown(label(answer))
        if asked.surest is not None:
            text = shown(f"{label(suggestion.head)} → {label(suggestion.tail)}")
        elif entity != last:
            out.print(shown(label(entity)), style="bold")
        last = entity
        marks = f"  ! {visible(suggestion.warnings[0])}" if suggestion.warnings else ""
        out.print(f"  {suggestion.rank:>3}  {suggestion.probability:>6.1%}  {text}{marks}")
        for sentence in suggestion.because if explained else ():
            out.print(f"               {visible(sentence)}", style="dim")
