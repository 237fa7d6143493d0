"""Making a completer from a graph."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from importlib.metadata import version

from faan.base import InputError, OnProgress, counted, ignore_progress
from faan.complete.about import About, Source
from faan.complete.calibration import UNMEASURED
from faan.complete.choosing import choose_tasks
from faan.complete.completer import Completer
from faan.complete.measuring import measure
from faan.complete.methods import Recipe
from faan.complete.registry import FALLBACK, fitted_by, recipe_of
from faan.graph import Graph
from faan.tasks import SPLITS, Benchmark, without_relations

_MIN_TRIPLES = 2
_LIBRARIES = ("faan", "numpy", "torch")


def fit(
    graph: Graph,
    *,
    method: str | None = None,
    config: str | None = None,
    without: Sequence[str] = (),
    seed: int = 0,
    on_progress: OnProgress = ignore_progress,
) -> Completer:
    """Make a completer: choose tasks, train embeddings, learn from some tasks, measure with the others.

    What is measured never saw the relations that it is measured on. What is given back knows the whole graph, and has
    learnt from all tasks where the method is quick enough to be measured by cross-validation. `without` names relations
    to leave out, as if the graph had none of their facts. `config` is a configuration of `faan train`, by name or file,
    in place of the method's own.
    """
    recipe = recipe_of(method, config)
    graph = without_relations(graph, [graph.relation(name) for name in without])
    if graph.num_triples < _MIN_TRIPLES:
        few = counted(graph.num_triples, "triple is", "triples are")
        raise InputError(f"{few} too few to learn from", source=graph.report.source)
    seconds: dict[str, float] = {}
    with _timing(seconds, "choose"):
        tasks = choose_tasks(graph, seed)
    recipe, notes = _suitable(recipe, tasks)
    measured, calibration = None, UNMEASURED
    with _timing(seconds, "learn"):
        fitted = fitted_by(recipe).fit(
            recipe, tasks or Benchmark("whole graph", graph, dict.fromkeys(SPLITS, ())), seed, on_progress
        )
    if tasks is not None:
        with _timing(seconds, "measure"):
            measured, calibration = measure(fitted.unseen(tasks, seed, on_progress), tasks.graph, on_progress, seed)
        with _timing(seconds, "finish"):
            fitted = fitted.on(graph, seed, on_progress)
    about = About(
        method=recipe.method,
        config=recipe.config,
        source=_source(graph, without),
        measured=measured,
        notes=tuple(notes),
        seconds=seconds,
        seed=seed,
        versions={name: version(name) for name in _LIBRARIES} | {"python": platform.python_version()},
        date=datetime.now(timezone.utc).isoformat(timespec="seconds"),
    )
    return Completer(graph, fitted, calibration, about)


def _suitable(recipe: Recipe, tasks: Benchmark | None) -> tuple[Recipe, list[str]]:
    """The method that was asked for, or one that needs no tasks; and what to say about it."""
    notes = []
    if tasks is None:
        notes.append(
            "The graph has too few relations to hold some out: nothing was measured, and probabilities are those of "
            "another graph."
        )
    wanted = fitted_by(recipe)
    there = wanted.num_tasks(tasks) if tasks is not None else 0
    if there >= wanted.min_tasks:
        return recipe, notes
    notes.append(
        f"{recipe.method} needs {wanted.min_tasks} relations to learn from beside those that it is measured on, and "
        f"the graph has {there}: {FALLBACK} is used instead."
    )
    return recipe_of(FALLBACK), notes


def _source(graph: Graph, without: Sequence[str]) -> Source:
    return Source(
        name=graph.report.source,
        entities=graph.num_entities,
        relations=len(graph.used_relations),
        triples=graph.num_triples,
        without=tuple(without),
    )


@contextmanager
def _timing(seconds: dict[str, float], what: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    seconds[what] = round(time.perf_counter() - start, 1)
