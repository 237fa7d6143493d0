"""Prints tables and pictures for people, JSON for programs; results on stdout, messages on stderr."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from faan.base import OnProgress, counted, ignore_progress, progress_bars, shorten
from faan.base import visible as visible
from faan.complete import Expected
from faan.graph import RARE, RelationSummary, SchemaSummary, Summary
from faan.rank import Table as ResultTable
from faan.tasks import SPLITS, Benchmark, Leakage, Task, find_leakage, num_pairs

_PLAIN: dict[str, Any] = {"highlight": False, "soft_wrap": True, "markup": False, "emoji": False}
# Results; outside a terminal, lines are not wrapped.
out = Console(**_PLAIN, width=None if sys.stdout.isatty() else 1000)
talk = Console(**_PLAIN, stderr=True)  # everything else


def shown(name: str) -> Text:
    """A name for a table or a sentence."""
    return Text(shorten(visible(name), 100))


def new_table(title: str, first: str, *numbers: str) -> Table:
    """A plain table: a column of names, then columns of numbers."""
    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column(first, overflow="fold")
    for column in numbers:
        table.add_column(column, justify="right")
    return table


@contextmanager
def busy(what: str) -> Iterator[OnProgress]:
    """Show a progress bar on a terminal."""
    with progress_bars(talk, ignore_progress) as on_progress:
        on_progress(what, 0.0)
        yield on_progress


@contextmanager
def stages() -> Iterator[OnProgress]:
    """Show progress bars on a terminal; elsewhere print a line when each step begins."""
    last = None

    def begun(what: str, share: float) -> None:
        nonlocal last
        if what != last:
            talk.print(visible(what))
            last = what

    with progress_bars(talk, begun) as on_progress:
        yield on_progress


def print_json(content: dict[str, Any]) -> None:
    """Print for programs."""
    sys.stdout.write(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def print_table(table: ResultTable) -> None:
    """Print a table of results and its notes."""
    shape = new_table(f"\n{table.title}", *table.columns)
    for row in table.rows:
        shape.add_row(*(shown(cell) for cell in row))
    out.print(shape)
    for note in table.notes:
        out.print(visible(note), style="dim")


def print_expected(rows: Sequence[Expected], asked: int, *, as_json: bool) -> None:
    """Print how many facts to expect above each probability."""
    if as_json:
        print_json({"asked": asked, "expected": [dataclasses.asdict(row) for row in rows]})
        return
    table = new_table("What to expect", "probability at least", "suggestions", "for heads", "expected true", "wrong")
    for row in rows:
        share = f"{row.heads:,} of {asked:,}"
        table.add_row(f"{row.least:.0%}", f"{row.suggestions:,}", share, f"{row.true:,.1f}", f"{row.wrong:,.1f}")
    out.print(table)


def print_summary(summary: Summary, top: int) -> None:
    """Print what is in a graph, with a picture of its relations' frequencies."""
    out.print(
        f"{counted(summary.entities, 'entity', 'entities')}, {counted(len(summary.relations), 'relation')}, "
        f"{counted(summary.triples, 'triple')} ({summary.read.format} from {visible(summary.read.source)})"
    )
    out.print(
        f"edges per entity: mean {summary.mean_degree:.1f}, median {summary.median_degree:.0f}, "
        f"most {summary.max_degree:,} ({shown(summary.hub)})"
    )
    labels, types = "no labels", "no types"
    if summary.labelled:
        labels = f"{counted(summary.labelled, 'entity has', 'entities have')} a label"
    if summary.typed:
        types = f"{counted(summary.typed, 'has', 'have')} a type, of {counted(summary.types, 'type')}"
    out.print(f"{labels}; {types}")
    _print_notes(summary.read.notes)
    _print_frequencies(summary)

    rare = summary.rare
    rare_names = {relation.name for relation in rare}
    others = [relation for relation in summary.relations if relation.name not in rare_names]
    _print_relations(f"Rare relations ({min(top, len(rare))} of {len(rare)})", rare[:top])
    _print_relations(f"Other relations ({min(top, len(others))} of {len(others)})", others[:top])
    if summary.schema is not None:
        _print_schema(summary.schema, top)
    problems = summary.problems
    out.print("\nProblems" if problems else "\nNo problems found.", style="bold")
    for problem in problems[:20]:
        out.print(f"- {visible(problem)}")
    if len(problems) > 20:
        out.print(f"- and {len(problems) - 20} more (--json lists all)")


def _print_notes(notes: Sequence[str]) -> None:
    for note in notes:
        out.print(f"note: {visible(note)}", style="dim")


def _print_frequencies(summary: Summary) -> None:
    out.print("\nHow many triples the relations have", style="bold")
    most = max(count for _, _, count in summary.frequencies)
    used = [i for i, (_, _, count) in enumerate(summary.frequencies) if count]
    for low, high, count in summary.frequencies[used[0] : used[-1] + 1]:
        span = f"{low:,} or more" if high is None else f"{low:,}" if low == high else f"{low:,} to {high:,}"
        bar = "█" * max(round(40 * count / most), 1 if count else 0)
        mark = "  ← rare: what few-shot completion is for" if low == RARE[0] and count else ""
        out.print(f"{span:>22}  {bar} {count:,}{mark}", style="green" if mark else None)


def _print_relations(title: str, relations: Sequence[RelationSummary]) -> None:
    if not relations:
        return
    table = new_table(f"\n{title}", "relation", "triples", "heads", "tails")
    for relation in relations:
        table.add_row(shown(relation.name), f"{relation.triples:,}", f"{relation.heads:,}", f"{relation.tails:,}")
    out.print(table)


def _print_schema(schema: SchemaSummary, top: int) -> None:
    """Print what a schema holds, and the rules that facts break."""
    out.print("\nSchema", style="bold")
    held = [counted(count, kind, _MANY.get(kind)) for kind, count in schema.holds.items()]
    out.print(", ".join(held) or "no rule that facts could break")
    out.print(f"it has rules for {counted(schema.ruled, 'relation')} of the graph")
    if not schema.broken:
        return
    table = new_table(f"\nRules that facts break ({min(top, len(schema.broken))} of {len(schema.broken)})", "relation")
    table.add_column("rule", overflow="fold")
    table.add_column("broken by", justify="right")
    table.add_column("such as", overflow="fold")
    for one in schema.broken[:top]:
        facts = f"{one.facts:,} of {one.of:,}"
        table.add_row(shown(one.relation), shown(one.rule), facts, shown(one.examples[0]))
    out.print(table)


_MANY = {"pair of inverse relations": "pairs of inverse relations", "relation below another": "relations below others"}
_MANY |= {"group of disjoint classes": "groups of disjoint classes", "rule of a shape": "rules of shapes"}


def print_benchmark(benchmark: Benchmark, as_json: bool) -> None:
    """Print what is in a benchmark, how it was built if that is known, and what leaks into its background."""
    leakage = {split: find_leakage(benchmark.graph, benchmark.splits[split], benchmark.tasks) for split in SPLITS}
    if as_json:
        print_json(_benchmark_as_json(benchmark, leakage))
        return
    graph = benchmark.graph
    out.print(
        f"{visible(benchmark.name)}: background of {graph.num_entities:,} entities, {graph.num_relations:,} relations, "
        f"{graph.num_triples:,} triples"
    )
    _print_notes(benchmark.notes)
    if benchmark.about:
        _print_about(benchmark.about)
    for split in SPLITS:
        _print_tasks(split, benchmark.splits[split], leakage[split])
    out.print("")
    for split, leaks in leakage.items():
        pairs, forward, either = (sum(getattr(leak, what) for leak in leaks) for what in ("pairs", "forward", "either"))
        out.print(
            f"{split}: {forward:,} of {pairs:,} pairs are linked head to tail in the background, {either:,} either way"
        )
    for leak in (leak for leaks in leakage.values() for leak in leaks):
        for name in leak.duplicates:
            out.print(f"warning: {shown(leak.relation)} has exactly the pairs of {shown(name)}", style="yellow")


def _print_about(about: Mapping[str, Any]) -> None:
    """How a benchmark was built, from the file beside it (which another program may have written)."""
    recall = about.get("recall")
    if isinstance(recall, dict) and recall:
        rules = " or ".join(sorted({str(rule) for rule in about.get("rules", {}).values()}))
        out.print(
            f"candidates by {rules}: on average the rule finds {sum(recall.values()) / len(recall):.1%} of the tails"
        )
    if about.get("dropped_triples"):
        out.print(f"{about['dropped_triples']:,} task triples dropped: an entity of theirs occurs nowhere else")


def _print_tasks(split: str, tasks: Sequence[Task], leakage: Sequence[Leakage]) -> None:
    title = f"\n{split}: {len(tasks)} tasks, {num_pairs(tasks):,} triples"
    table = new_table(title, "relation", "triples", "candidates", "linked", "either way")
    table.add_column("linked most by", overflow="fold")
    for task, leak in zip(tasks, leakage, strict=True):
        most = f"{shown(leak.links[0][0])} ({leak.links[0][1]:,})" if leak.links else ""
        figures = (len(task.pairs), len(task.candidates), leak.forward, leak.either)
        table.add_row(shown(task.relation), *(f"{figure:,}" for figure in figures), most)
    out.print(table)


def _benchmark_as_json(benchmark: Benchmark, leakage: Mapping[str, Sequence[Leakage]]) -> dict[str, Any]:
    return {
        "name": benchmark.name,
        "entities": benchmark.graph.num_entities,
        "relations": benchmark.graph.num_relations,
        "triples": benchmark.graph.num_triples,
        "notes": list(benchmark.notes),
        "tasks": {
            split: [
                dataclasses.asdict(leak) | {"triples": len(task.pairs), "candidates": len(task.candidates)}
                for task, leak in zip(benchmark.splits[split], leakage[split], strict=True)
            ]
            for split in SPLITS
        },
        "build": benchmark.about,
    }
