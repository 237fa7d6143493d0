"""What commands show: tables and pictures for people, JSON for programs; results on stdout, talk on stderr."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from faan.graph.summary import RARE, RelationSummary, Summary
from faan.tasks import SPLITS, Benchmark, find_leakage
from faan.tasks.benchmark import num_pairs

# Results; where they do not go to a terminal, wide enough for tables.
out = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 120)
talk = Console(stderr=True, highlight=False, soft_wrap=True)  # everything else


@contextmanager
def busy(what: str) -> Iterator[Callable[[float], None]]:
    """Show on a terminal that something is going on, and how far it is where that is known."""
    bar = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        console=talk,
        transient=True,
        disable=not talk.is_terminal,
    )
    with bar:
        task = bar.add_task(what, total=None)

        def progress(fraction: float) -> None:
            bar.update(task, total=1.0, completed=fraction)

        yield progress


def print_json(content: dict[str, Any]) -> None:
    """Print for programs."""
    sys.stdout.write(json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def print_summary(summary: Summary, top: int) -> None:
    """Print what is in a graph, with a picture of its relations' frequencies."""
    out.print(
        f"{summary.entities:,} entities, {len(summary.relations):,} relations, {summary.triples:,} triples "
        f"({summary.read.format} from {summary.read.source})"
    )
    out.print(
        f"edges per entity: mean {summary.mean_degree:.1f}, median {summary.median_degree:.0f}, "
        f"most {summary.max_degree:,} ({summary.hub})",
        markup=False,
    )
    labels = f"{summary.labelled:,} entities have a label" if summary.labelled else "no labels"
    types = f"{summary.typed:,} have a type, of {summary.types:,} types" if summary.typed else "no types"
    out.print(f"{labels}; {types}")
    for note in summary.read.notes:
        out.print(Text(f"note: {note}", style="dim"))

    out.print("\nHow many triples the relations have", style="bold")
    most = max(count for _, _, count in summary.frequencies)
    used = [i for i, (_, _, count) in enumerate(summary.frequencies) if count]
    for low, high, count in summary.frequencies[used[0] : used[-1] + 1]:
        span = f"{low:,}" if low == high else f"{low:,} to {high:,}" if high > 0 else f"{low:,} or more"
        bar = "█" * max(round(40 * count / most), 1 if count else 0)
        mark = "  ← rare: what few-shot completion is for" if low == RARE[0] and count else ""
        out.print(Text(f"{span:>22}  {bar} {count:,}{mark}", style="green" if mark else ""))

    rare = summary.rare
    rare_names = {relation.name for relation in rare}
    frequent = [relation for relation in summary.relations if relation.name not in rare_names]
    out.print(
        _relation_table(f"Frequent relations ({min(top, len(frequent))} of {len(frequent)} others)", frequent[:top])
    )
    if rare:
        out.print(_relation_table(f"Rare relations ({min(top, len(rare))} of {len(rare)})", list(rare)[:top]))
    problems = summary.problems
    out.print("\nProblems" if problems else "\nNo problems found.", style="bold")
    for problem in problems[:20]:
        out.print(Text(f"- {problem}"))
    if len(problems) > 20:
        out.print(f"- and {len(problems) - 20} more (--json lists all)")


def _relation_table(title: str, relations: list[RelationSummary]) -> Table:
    table = Table(title=f"\n{title}", title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("relation", overflow="fold")
    for column in ("triples", "heads", "tails"):
        table.add_column(column, justify="right")
    for relation in relations:
        table.add_row(Text(relation.name), f"{relation.triples:,}", f"{relation.heads:,}", f"{relation.tails:,}")
    return table


def print_benchmark(benchmark: Benchmark, as_json: bool, about: dict[str, Any] | None = None) -> None:
    """Print what is in a benchmark; `about` tells how it was built."""
    leakage = {found.relation: found for found in find_leakage(benchmark.graph, benchmark.tasks)}
    graph = benchmark.graph
    if as_json:
        print_json(
            {
                "name": benchmark.name,
                "entities": graph.num_entities,
                "relations": graph.num_relations,
                "triples": graph.num_triples,
                "notes": list(benchmark.notes),
                "tasks": {
                    split: [
                        dataclasses.asdict(leakage[task.relation]) | {"candidates": len(task.candidates)}
                        for task in benchmark.splits[split]
                    ]
                    for split in SPLITS
                },
                "build": about,
            }
        )
        return
    out.print(
        f"{benchmark.name}: background of {graph.num_entities:,} entities, {graph.num_relations:,} relations, "
        f"{graph.num_triples:,} triples"
    )
    for note in benchmark.notes:
        out.print(Text(f"note: {note}", style="dim"))
    if about:
        recall = list(about["recall"].values())
        out.print(
            f"candidates by {about['candidates']}: the rule finds {sum(recall) / len(recall):.1%} of the true tails"
        )
        if about["dropped_triples"]:
            out.print(f"{about['dropped_triples']:,} task triples dropped: an entity of theirs occurs nowhere else")
    for split in SPLITS:
        tasks = benchmark.splits[split]
        title = f"\n{split}: {len(tasks)} tasks, {num_pairs(tasks):,} triples"
        table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
        table.add_column("relation", overflow="fold")
        for column in ("triples", "candidates", "linked", "either way"):
            table.add_column(column, justify="right")
        table.add_column("linked most by", overflow="fold")
        for task in tasks:
            leak = leakage[task.relation]
            table.add_row(
                Text(task.relation),
                f"{len(task.pairs):,}",
                f"{len(task.candidates):,}",
                f"{leak.forward:,}",
                f"{leak.either:,}",
                Text(f"{leak.links[0][0]} ({leak.links[0][1]:,})" if leak.links else ""),
            )
        out.print(table)
    total = {split: [leakage[task.relation] for task in benchmark.splits[split]] for split in SPLITS}
    out.print("")
    for split, leaks in total.items():
        pairs = sum(leak.pairs for leak in leaks)
        forward, either = sum(leak.forward for leak in leaks), sum(leak.either for leak in leaks)
        out.print(
            f"{split}: {forward:,} of {pairs:,} pairs are linked head to tail in the background, {either:,} either way"
        )
    for leak in leakage.values():
        for name in leak.duplicates:
            out.print(Text(f"warning: {leak.relation} has exactly the pairs of {name}", style="yellow"))
