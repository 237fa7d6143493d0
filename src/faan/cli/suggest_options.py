"""The options of `suggest`: which facts to suggest, where to write them, and which options exclude each other."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from faan.cli.engine import EngineOptions
from faan.cli.options import Base, Force, KnowledgeSource, RelationBase, format_of, refuse
from faan.complete import ENDINGS, NAMED
from faan.graph import DEFAULT_BASE, Terms, checked_source

_NAMED = {**NAMED, "parquet": "Parquet files"}


@dataclass(frozen=True)
class AskedOptions:
    """Which facts to suggest: of some heads, of some tails, or of heads that lack the fact; how many, how likely."""

    head: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Suggest tails of this head; may be given several times.")
    ] = None
    heads_file: Annotated[Path | None, typer.Option(metavar="FILE", help="A file of heads, one name a line.")] = None
    tail: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only these tails; without heads: suggest heads for these tails."),
    ] = None
    top: Annotated[int, typer.Option(min=1, help="Suggestions for each head.")] = 10
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="Without heads and tails: the number of heads to ask for.  [default: 10 in a table, else all]"
        ),
    ] = None
    min_probability: Annotated[
        float,
        typer.Option(metavar="P", min=0, max=1, help="Only suggestions with at least this probability, e.g. 0.9."),
    ] = 0.0
    surest: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Only the N most likely suggestions of all heads, the surest first. All heads are ranked before the "
            "first line is written.",
        ),
    ] = None
    summary: Annotated[
        bool,
        typer.Option(
            "--summary",
            help="Print how many facts to expect at each probability, instead of the facts; with --json too.",
        ),
    ] = False
    known: Annotated[
        bool, typer.Option("--known", help="Also show facts of these heads or tails that the graph already has.")
    ] = False
    strict_schema: Annotated[
        bool,
        typer.Option(
            "--strict-schema", help="Skip suggestions that break a rule of the schema, instead of only warning."
        ),
    ] = False

    @property
    def of_all(self) -> bool:
        """Whether all heads must be ranked before anything can be shown."""
        return self.surest is not None or self.summary

    @property
    def by_tail(self) -> bool:
        """Whether to suggest heads for given tails."""
        return bool(self.tail) and not self.head and self.heads_file is None

    @property
    def is_named(self) -> bool:
        """Whether heads or tails were given."""
        return bool(self.head or self.heads_file or self.tail)


@dataclass(frozen=True)
class TargetOptions:
    """Where suggestions are written, and in which format; N-Triples, KGX and Parquet need a name for a new relation."""

    explain: Annotated[
        bool, typer.Option("--explain", help="Print the reasons below each suggestion (tables only).")
    ] = False
    format: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            help="table, tsv, csv, jsonl, nt (N-Triples), kgx (its edges as TSV), kgx-jsonl (as JSON Lines) or parquet "
            "(a folder of files, of all heads that lack the fact).  [default: by the file's ending, else table]",
        ),
    ] = None
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The name in N-Triples, KGX or Parquet of a relation given by examples."),
    ] = None
    knowledge_source: KnowledgeSource = None
    base: Base = DEFAULT_BASE
    relation_base: RelationBase = None
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Write to a file instead; Parquet needs a folder."),
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted job in that file or folder.")] = (
        False
    )
    force: Force = False
    as_json: Annotated[bool, typer.Option("--json", help="The same as --format jsonl.")] = False

    @property
    def form(self) -> str:
        """The chosen format."""
        if self.as_json and self.format not in (None, "jsonl"):
            raise typer.BadParameter(f"--json means jsonl, not {self.format}: give one of the two", param_hint="--json")
        given = "jsonl" if self.as_json else self.format
        return format_of(given, self.output, {**ENDINGS, ".parquet": "parquet"}, default="table")

    @property
    def terms(self) -> Terms:
        """The prefixes that turn names into IRIs."""
        return Terms(self.base, self.relation_base)

    @property
    def source(self) -> str | None:
        """KGX's primary_knowledge_source."""
        return checked_source(self.knowledge_source)


def check_bulk(asked: AskedOptions, target: TargetOptions) -> None:
    """Refuse options that make no sense when all heads are ranked into Parquet files."""
    asking = {"--head": asked.head, "--heads-file": asked.heads_file, "--tail": asked.tail, "--limit": asked.limit}
    showing = {"--surest": asked.surest, "--summary": asked.summary, "--known": asked.known}
    writing = {"--explain": target.explain, "--force": target.force}
    refuse("formats other than parquet", {**asking, **showing, **writing})
    if target.output is None:
        raise typer.BadParameter("Parquet files need a folder: -o FOLDER", param_hint="--output")


def check_single(asked: AskedOptions, target: TargetOptions, engine: EngineOptions) -> None:
    """Refuse options that make no sense when suggestions go to the screen or into one file."""
    form, output = target.form, target.output
    refuse("parquet", engine.given)
    if output is not None and form == "table":
        raise typer.BadParameter("a table is for the screen: write a file in another format", param_hint="--format")
    if target.resume and output is None:
        raise typer.BadParameter("only with -o: there is no file to resume", param_hint="--resume")
    if asked.known and not asked.is_named:
        raise typer.BadParameter(
            "needs --head, --heads-file or --tail: without them, faan asks only about entities that lack the fact",
            param_hint="--known",
        )
    if form != "table":
        refuse("a table", {"--explain": target.explain})
    if asked.of_all:
        refuse("suggestions that are written head by head", {"--resume": target.resume})
    if asked.summary:
        if form not in ("table", "jsonl") or output is not None:
            raise typer.BadParameter("a summary is a table or JSON (--json) on the screen", param_hint="--summary")
        options = {"--explain": target.explain, "--min-probability": asked.min_probability, "--surest": asked.surest}
        refuse("suggestions, not their summary", options)
    if output is None or target.resume:
        refuse("a new file (-o without --resume)", {"--force": target.force})
    if asked.is_named:
        refuse("a question without heads and tails", {"--limit": asked.limit})


def check_names(relation: str | None, target: TargetOptions) -> None:
    """Refuse a name that has no effect, and a missing name that the format needs."""
    form = target.form
    if form in _NAMED and relation is None and target.name is None:
        raise typer.BadParameter(
            f"required: an IRI or a name of the new relation, for {_NAMED[form]}", param_hint="--name"
        )
    if form not in _NAMED or relation is not None:
        refuse("a new relation in N-Triples, KGX or Parquet", {"--name": target.name})
    if not form.startswith("kgx"):
        refuse("KGX", {"--knowledge-source": target.knowledge_source})
    if form != "nt":
        bases = {"--base": target.base != DEFAULT_BASE, "--relation-base": target.relation_base}
        refuse("N-Triples", bases)
