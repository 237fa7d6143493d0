"""The command `suggest`: who is asked about, and where the suggestions go."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from faan.base import InputError, counted, read_lines
from faan.cli.bulk import (
    AddressOption,
    BulkOptions,
    EngineOption,
    WorkersOption,
    suggest_all_heads,
    suggest_all_relations,
)
from faan.cli.examples import Example, ExamplesFile, ModelArgument, NotLike, Relation, Wanted, called, wanted
from faan.cli.options import Base, Force, KnowledgeSource, RelationBase, check_new_file, format_of, refuse
from faan.cli.printing import busy, out, print_expected, shown, talk, visible
from faan.complete import (
    ENDINGS,
    NAMED,
    Examples,
    Line,
    Suggestion,
    cut,
    expected_above,
    header,
    last_asked,
    line_writer,
    trimmed,
)
from faan.complete import surest as surest_of
from faan.graph import DEFAULT_BASE, Graph, Terms, checked_source

if TYPE_CHECKING:
    from faan.complete import Completer

_HEADS_IN_A_TABLE = 10
_NAMED = {**NAMED, "parquet": "Parquet files"}


def suggest(
    model: ModelArgument,
    relation: Relation = None,
    all_relations: Annotated[
        bool,
        typer.Option(
            "--all-relations",
            help="Complete the graph: every relation, every head that looks like one of its heads and lacks the fact, "
            "as Parquet files in a folder (-o).",
        ),
    ] = False,
    examples: ExamplesFile = None,
    example: Example = None,
    not_like: NotLike = None,
    head: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Suggest tails of this head; may be given several times.")
    ] = None,
    heads_file: Annotated[Path | None, typer.Option(metavar="FILE", help="A file of heads, one name a line.")] = None,
    tail: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only these tails; without heads: suggest heads for these tails."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Suggestions for each head.")] = 10,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="Without heads and tails: the number of heads to ask for.  [default: 10 in a table, else all]"
        ),
    ] = None,
    min_probability: Annotated[
        float,
        typer.Option(metavar="P", min=0, max=1, help="Only suggestions with at least this probability, e.g. 0.9."),
    ] = 0.0,
    surest: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Only the N most likely suggestions of all heads, the surest first. All heads are ranked before the "
            "first line is written.",
        ),
    ] = None,
    summary: Annotated[
        bool,
        typer.Option(
            "--summary",
            help="Print how many facts to expect at each probability, instead of the facts; with --json too.",
        ),
    ] = False,
    known: Annotated[
        bool, typer.Option("--known", help="Also show facts of these heads or tails that the graph already has.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print the reasons below each suggestion (tables only).")
    ] = False,
    strict_schema: Annotated[
        bool,
        typer.Option(
            "--strict-schema", help="Suggest nothing that breaks a rule of the schema, instead of warning of it."
        ),
    ] = False,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="table, tsv, csv, jsonl, nt (N-Triples), kgx (its edges as TSV), kgx-jsonl (as JSON Lines) or parquet "
            "(a folder of files, of all heads that lack the fact).  [default: by the file's ending, else table]",
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The name in N-Triples, KGX or Parquet of a relation given by examples."),
    ] = None,
    knowledge_source: KnowledgeSource = None,
    base: Base = DEFAULT_BASE,
    relation_base: RelationBase = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write to a file instead; Parquet needs a folder."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue an interrupted job in that file or folder.")
    ] = False,
    engine: EngineOption = None,
    address: AddressOption = None,
    workers: WorkersOption = None,
    force: Force = False,
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format jsonl.")] = False,
) -> None:
    """Suggest missing facts of a relation: for given heads, or for the entities that most likely lack the fact."""
    if as_json and form not in (None, "jsonl"):
        raise typer.BadParameter(f"--json means jsonl, not {form}: give one of the two", param_hint="--json")
    if all_relations:
        refuse("one relation", {"--relation": relation, "--examples": examples, "--example": example, "--name": name})
        form = form or "parquet"
        if form != "parquet":
            raise typer.BadParameter("all relations are written as parquet", param_hint="--format")
    chosen = format_of("jsonl" if as_json else form, output, {**ENDINGS, ".parquet": "parquet"}, default="table")
    bulk = BulkOptions(output, top, min_probability, strict_schema, resume, engine, address, workers)
    if chosen == "parquet":
        single = {"--head": head, "--heads-file": heads_file, "--tail": tail, "--limit": limit, "--surest": surest}
        shape = {"--summary": summary, "--known": known, "--explain": explain, "--force": force}
        refuse("formats other than parquet", {**single, **shape})
    else:
        refuse("parquet", {"--engine": engine, "--address": address, "--workers": workers})
    if all_relations:
        suggest_all_relations(model, bulk)
        return
    if output is not None and chosen == "table":
        raise typer.BadParameter("a table is for the screen: write a file in another format", param_hint="--format")
    if resume and output is None:
        raise typer.BadParameter("only with -o: there is no file to go on with", param_hint="--resume")
    if known and not (head or heads_file or tail):
        raise typer.BadParameter(
            "say whose: without --head, --heads-file or --tail only entities that lack the fact are asked about",
            param_hint="--known",
        )
    if chosen in _NAMED and relation is None and name is None:
        raise typer.BadParameter(
            f"say what {_NAMED[chosen]} are to call the new relation: an IRI or a name", param_hint="--name"
        )
    if chosen not in _NAMED or relation is not None:
        refuse("a new relation in N-Triples, KGX or Parquet", {"--name": name})
    if not chosen.startswith("kgx"):
        refuse("KGX", {"--knowledge-source": knowledge_source})
    if chosen != "nt":
        refuse("N-Triples", {"--base": base != DEFAULT_BASE, "--relation-base": relation_base})
    if chosen != "table":
        refuse("a table", {"--explain": explain})
    if surest or summary:
        refuse("suggestions that are written head by head", {"--resume": resume})
    if summary:
        if chosen not in ("table", "jsonl") or output is not None:
            raise typer.BadParameter("a summary is a table or JSON (--json) on the screen", param_hint="--summary")
        options = {"--explain": explain, "--min-probability": min_probability, "--surest": surest}
        refuse("suggestions, not their summary", options)
    if output is None or resume:
        refuse("a file that is begun anew (-o without --resume)", {"--force": force})
    if head or heads_file or tail:
        refuse("a question without heads and tails", {"--limit": limit})
    terms = Terms(base, relation_base)
    asked_for = wanted(model, relation, examples, example, not_like)
    if chosen == "parquet":
        suggest_all_heads(asked_for, name, bulk)
        return
    _suggest(
        asked_for,
        _Asked(head or [], heads_file, tail or [], top, limit, known, min_probability, surest, summary, strict_schema),
        _Target(chosen, output, resume, force, explain, name, terms, checked_source(knowledge_source)),
    )


@dataclass(frozen=True)
class _Asked:
    """Whose facts are wanted: of some heads, of some tails, or of heads that lack the fact; how many, how likely."""

    heads: list[str]
    heads_file: Path | None
    tails: list[str]
    top: int
    limit: int | None
    known: bool
    least: float  # probability
    surest: int | None  # how many over all heads
    summary: bool  # only say what to expect
    strict: bool  # nothing that breaks a rule of the schema

    @property
    def of_all(self) -> bool:
        """Whether all heads must be asked before there is anything to show."""
        return self.surest is not None or self.summary

    @property
    def by_tail(self) -> bool:
        """Whether heads are wanted for given tails."""
        return bool(self.tails) and not self.heads and self.heads_file is None


@dataclass(frozen=True)
class _Target:
    """Where suggestions go and how they are written; N-Triples and KGX need a name for a new relation."""

    form: str
    output: Path | None
    resume: bool
    force: bool
    explained: bool
    name: str | None
    terms: Terms
    source: str | None  # KGX's primary_knowledge_source


def _suggest(wanted: Wanted, asked: _Asked, target: _Target) -> None:
    """Suggest facts, to a table or to lines."""
    if target.output is not None and not target.resume:
        check_new_file(target.output, target.force, "go on with it (--resume), ")
    completer, examples = wanted.open()
    from faan.complete import entities

    before = _size(target.output)
    named = asked.tails if asked.by_tail else _heads(completer, examples, asked, target.form == "table")
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
        names if asked.by_tail else asked.tails or None,
        asked.top,
        "show" if asked.known else "skip",
        strict=asked.strict,
        min_probability=asked.least,
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
        _print_table(found, asked, target.explained, completer.graph, has_examples=not suggested.as_if_like)
    else:
        relation = called(examples, completer.graph) or target.name or ""
        count = _write(found, target, line_writer(target.form, relation, target.terms, target.source))
        _print_written(count, target, before)


def _heads(completer: Completer, examples: Examples, asked: _Asked, in_a_table: bool) -> list[str]:
    """The heads that were named, or those that look like heads of the relation and lack the fact."""
    if asked.heads_file is not None:
        lines = (line for line in read_lines(asked.heads_file) if line.strip())
        heads = [*asked.heads, *(trimmed(completer.graph, line.strip("\r\n")) for line in lines)]
        if not heads:
            raise InputError("holds no name of a head", source=str(asked.heads_file))
        return heads
    if asked.heads:
        return asked.heads
    heads = completer.heads_lacking(examples, strict=asked.strict)
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
    """What an interrupted job has still to ask; its file is cut back to the entities that it was done with."""
    last, size = last_asked(output, form, by_tail)
    if last is not None:
        if last not in asked:
            raise InputError(f"{last!r}, the last in the file, is not among what is asked now")
        asked = asked[asked.index(last) :]
    cut(output, size)
    return asked


def _at_least_one(found: Iterator[Suggestion], asked: _Asked) -> Iterator[Suggestion]:
    """The same suggestions; a word about it where there are none."""
    first = next(found, None)
    if first is None and asked.least:
        talk.print(f"no suggestion has a probability of {asked.least:g} or more (--summary shows what to expect)")
        return iter(())
    if first is None and asked.strict:
        talk.print("no suggestions: all that fits is known already or breaks a rule of the schema (--strict-schema)")
        return iter(())
    if first is None:
        talk.print("no suggestions: all that fits is known already (--known shows it)")
        return iter(())
    return chain([first], found)


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


def _write(found: Iterable[Suggestion], target: _Target, line: Line) -> int:
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


def _print_written(count: int, target: _Target, before: int) -> None:
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


def _print_table(
    found: Iterable[Suggestion], asked: _Asked, explained: bool, graph: Graph, *, has_examples: bool
) -> None:
    """Print suggestions under the entity that was asked about; the surest of all in one list."""

    def label(name: str) -> str:
        return graph.entity_label(graph.entity(name))

    last = None
    for suggestion in found:
        entity, answer = (suggestion.tail, suggestion.head) if asked.by_tail else (suggestion.head, suggestion.tail)
        if suggestion.low_evidence and last is None:
            what = "two examples or fewer are little to go by" if has_examples else "there is no example to go by"
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
