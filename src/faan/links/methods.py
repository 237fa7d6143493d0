"""The rows of the link prediction table: what each learns from the graph, and how it ranks."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from faan.base import InputError, OnProgress
from faan.complete import fit
from faan.embed import EmbedConfig, ModelName, train, triples_of
from faan.graph import Graph
from faan.links.calibration import calibration_figures, first_suggestions
from faan.links.hiding import LinkSplit
from faan.links.ranking import LinkRanks, rank_embeddings, rank_questions
from faan.models import NAMES, PathRules, TailCounts
from faan.rank import settings_hash, summarise_ranks
from faan.tasks import Method


@dataclass(frozen=True)
class Outcome:
    """What a method made of a split."""

    ranks: LinkRanks
    dev: Mapping[str, float] = field(default_factory=dict)  # figures of the facts that settings may be chosen by
    config: str = ""
    settings: str | None = None  # `settings_hash`
    steps: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)
    calibration: dict[str, Any] | None = None  # where a method gives probabilities


Evaluate: TypeAlias = Callable[[LinkSplit, int, OnProgress], Outcome]
"""Lets a method learn from the graph of a split, with a random seed, and ranks the facts that are asked for."""


def _evidence(split: LinkSplit, seed: int, on_progress: OnProgress) -> Outcome:
    """What `faan fit` makes of the graph, asked by the relation's name."""
    start = time.perf_counter()
    completer = fit(split.graph, seed=seed, on_progress=on_progress)
    fitted = time.perf_counter()
    ranks = rank_questions(completer.fitted.method, split, on_progress)
    ranked = time.perf_counter()
    calibration = calibration_figures(first_suggestions(completer, split, on_progress))
    seconds = {
        "fit": fitted - start,
        "evaluate": ranked - fitted,
        "calibration": time.perf_counter() - ranked,
    }
    return Outcome(ranks, config=completer.about.config, seconds=seconds, calibration=calibration)


def _embedding(model: ModelName) -> Evaluate:
    def evaluate(split: LinkSplit, seed: int, on_progress: OnProgress) -> Outcome:
        """Vectors with the settings for link prediction."""
        valid = split.valid if len(split.valid) else None
        config = EmbedConfig.for_completion(model, has_valid=valid is not None).changed([f"seed={seed}"])
        start, graph = time.perf_counter(), split.graph
        sizes = graph.num_entities, graph.num_relations
        run = train(triples_of(graph), *sizes, config, valid=valid, on_progress=on_progress)
        trained = time.perf_counter()
        ranks = rank_embeddings(run.embeddings, split)
        dev: dict[str, float] = {}
        if valid is not None:
            dev = summarise_ranks(rank_embeddings(run.embeddings, split.for_choosing()).both)
        seconds = {"embed": trained - start, "evaluate": time.perf_counter() - trained}
        name = f"embed-{model}-completion"
        return Outcome(ranks, dev, config=name, settings=settings_hash(config), steps=run.steps, seconds=seconds)

    return evaluate


def _untrained(method: Callable[[Graph], Method], *, all_references: bool = False) -> Evaluate:
    """A method without training, with the references of a question by name, or with all known facts as references."""

    def evaluate(split: LinkSplit, seed: int, on_progress: OnProgress) -> Outcome:
        start = time.perf_counter()
        ranks = rank_questions(method(split.graph), split, on_progress, all_references=all_references)
        return Outcome(ranks, seconds={"evaluate": time.perf_counter() - start})

    return evaluate


LINK_METHODS: dict[str, Evaluate] = {
    "Evidence": _evidence,
    **{NAMES[model]: _embedding(model) for model in ("complex", "transe", "rotate", "distmult")},
    "Rules": _untrained(PathRules),
    "MostFrequent": _untrained(TailCounts, all_references=True),
}
"""The rows by their names in tables."""

DEFAULT_METHODS = ("Evidence", "ComplEx", "TransE", "Rules", "MostFrequent")


def method_called(name: str) -> str:
    """A row by its name, in any case."""
    for known in LINK_METHODS:
        if known.lower() == name.strip().lower():
            return known
    raise InputError(f"no method is called {name!r} here; expected one of {', '.join(LINK_METHODS)}")
