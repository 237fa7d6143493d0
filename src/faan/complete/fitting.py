"""Making a completer from a graph: choose tasks among its relations, train, measure."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from datetime import datetime, timezone
from importlib.metadata import version
from itertools import product
from typing import Any

from faan.base import InputError, OnProgress, check_flags, check_function, check_whole, counted, progress_bars
from faan.complete.about import About, GraphSource
from faan.complete.calibration import UNMEASURED, Calibrations
from faan.complete.completer import Completer
from faan.complete.given import NamesLike, as_names
from faan.complete.measuring import measure
from faan.complete.methods import Recipe
from faan.complete.registry import FALLBACK, fitted_by, recipe_of
from faan.complete.selftest import measure_known, reserved_rows
from faan.graph import Graph, read_graph, summarise_schema
from faan.tasks import SPLITS, Benchmark, BuildSettings, build_benchmark, without_relations, without_rows

_MIN_TRIPLES = 2
_LIBRARIES = ("faan", "numpy", "torch")
_RANGES = (50, 500), (20, 2_000), (10, 10_000)  # facts of a task: rare relations first, wider where these are too few
_ENOUGH = 12  # with so many relations in a range, the next range is not tried
_MOST = 60  # tasks
_SHARE = 3  # a third of the relations at most: what is left should look like the whole graph
_ATTEMPTS = 8  # tries on a small graph, where one choice may leave the other tasks without known entities
_SMALL = 100_000  # triples
_DEV, _TEST = 0.1, 0.25  # the share to choose by and the share to measure with


def fit(
    graph: Any,
    *,
    method: str | None = None,
    config: str | None = None,
    without: NamesLike = (),
    seed: int = 0,
    progress: bool = True,
    on_progress: OnProgress | None = None,
) -> Completer:
    """Make a completer of a graph: choose tasks, train, and measure how good it is.

    The figures in `completer.about` are measured on relations that the measured model has never seen. The completer
    that is returned knows the whole graph. It has learnt from all tasks if the method is quick enough to be measured by
    cross-validation.

    Args:
        graph: A `Graph`, or anything that `faan.read_graph` reads: the path of a file, a polars or pandas frame, a list
            of triples, ...; call `read_graph` first to set how it is read.
        method: One of those that `faan fit --help` lists, the evidence ranker by default; `"rules"` needs no training.
        config: A configuration of `faan train`, by name or file, in place of the method's own.
        without: Relations to leave out, as if the graph had none of their facts.
        seed: The random seed, which also decides which relations are held out.
        progress: Show progress bars in terminals and notebooks; elsewhere the logger `faan` reports.
        on_progress: A function that is called with what is going on and its share, instead of bars.

    Returns:
        A completer, ready for `suggest`, `score`, `explain` and `save`.

    Raises:
        InputError: The graph cannot be read or is too small, or there is no such method or relation.

    >>> import faan
    >>> facts = [("Lima", "in", "Peru"), ("Cusco", "in", "Peru"), ("Kyoto", "in", "Japan"), ("Osaka", "in", "Japan")]
    >>> completer = faan.fit(facts, method="rules", progress=False)
    >>> completer.about.source.triples
    4
    """
    recipe = recipe_of(method, config)
    left_out = as_names(without, "without")
    check_whole("seed", seed, 0)
    check_flags(progress=progress)
    check_function("on_progress", on_progress)
    with progress_bars(wanted=progress) if on_progress is None else nullcontext(on_progress) as told:
        return _fit(read_graph(graph, on_progress=told), recipe, left_out, seed, told)


def _fit(graph: Graph, recipe: Recipe, without: Sequence[str], seed: int, on_progress: OnProgress) -> Completer:
    graph = without_relations(graph, [graph.relation(name) for name in without])
    if graph.num_triples < _MIN_TRIPLES:
        few = counted(graph.num_triples, "triple is", "triples are")
        raise InputError(f"{few} too few to learn from", source=graph.report.source)
    seconds: dict[str, float] = {}
    with _timing(seconds, "choose"):
        reserved = reserved_rows(graph, seed)
        seen = without_rows(graph, reserved) if fitted_by(recipe).is_trained else graph
        tasks = choose_tasks(seen, seed)
    recipe, notes = _suitable(recipe, tasks, seen, seed)
    schema = summarise_schema(graph)
    notes += () if schema is None else schema.contradictions
    measured, calibration = None, UNMEASURED
    with _timing(seconds, "learn"):
        fitted = fitted_by(recipe).fit(
            recipe, tasks or Benchmark("whole graph", seen, dict.fromkeys(SPLITS, ())), seed, on_progress
        )
    if tasks is not None:
        with _timing(seconds, "measure"):
            measured, calibration = measure(fitted.unseen(tasks, seed, on_progress), tasks.graph, on_progress, seed)
    with _timing(seconds, "finish"):
        fitted = fitted.on(graph, seen, on_progress)
    with _timing(seconds, "measure known"):
        known = measure_known(graph, fitted.method, reserved, on_progress, seed)
    about = About(
        method=recipe.method,
        config=recipe.config,
        source=GraphSource.of(graph, without),
        measured=measured,
        known=known and known[0],
        notes=tuple(notes),
        seconds=seconds,
        seed=seed,
        versions={name: version(name) for name in _LIBRARIES} | {"python": platform.python_version()},
        date=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )
    return Completer(graph, fitted, Calibrations(new=calibration, known=known[1] if known else None), about)


def choose_tasks(graph: Graph, seed: int) -> Benchmark | None:
    """Tasks of a graph and what is left of it, with the same ids; None where too few relations can be tasks."""
    most = min(_MOST, len(graph.used_relations) // _SHARE)
    if most < len(SPLITS):
        return None
    best: Benchmark | None = None
    attempts = _ATTEMPTS if graph.num_triples < _SMALL else 1
    for (low, high), attempt in product(_RANGES, range(attempts)):
        settings = BuildSettings(
            min_triples=low,
            max_triples=high,
            max_tasks=most,
            dev_share=_DEV,
            test_share=_TEST,
            seed=seed + attempt,
        )
        try:
            found, _ = build_benchmark(graph, settings, name="tasks", keep_ids=True)
        except InputError:  # fewer than three
            continue
        if best is None or len(found.tasks) > len(best.tasks):
            best = found
        if len(best.tasks) >= min(_ENOUGH, most):
            break
    return best


def _suitable(recipe: Recipe, tasks: Benchmark | None, graph: Graph, seed: int) -> tuple[Recipe, list[str]]:
    """The chosen method, or one that needs no tasks, and notes about it."""
    notes = []
    if tasks is None:
        notes.append(
            "Too few relations of the graph can be held out (their entities must occur in other relations too): new "
            "relations were not measured, and their probabilities are those of another graph."
        )
    wanted = fitted_by(recipe)
    there = wanted.num_tasks(tasks) if tasks is not None else 0
    if there >= wanted.min_tasks:
        return recipe, notes
    lacking = (
        f"Too few relations to train {recipe.method}: it needs {wanted.min_tasks} beside those held out to measure it, "
        f"and the graph has {there or 'none'} left. "
    )
    if wanted.can_learn_from(tasks.graph if tasks else graph, seed):
        return recipe, [*notes, f"{lacking}The method {FALLBACK} is used for new relations."]
    return recipe_of(FALLBACK), [*notes, f"{lacking}The method {FALLBACK} is used instead."]


@contextmanager
def _timing(seconds: dict[str, float], what: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[what] = round(time.perf_counter() - start, 1)
