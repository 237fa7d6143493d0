"""Building a few-shot benchmark from any graph."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from faan.base import InputError, Ints, Purpose, Stream, check_kind, places_of
from faan.graph import Graph, Names, Types, read_graph
from faan.tasks.benchmark import SPLITS, Benchmark, PairSet, Task, check_distinct
from faan.tasks.candidates import CUTOFF, FoundCandidates, find_candidates
from faan.tasks.holdout import without_relations

_ROUNDS = 20  # of drawing tasks until none of them goes back to the background
Share = Annotated[float, Field(ge=0, lt=1)]


class BuildSettings(BaseModel):
    """How to build a benchmark.

    Attributes:
        min_triples: A relation with fewer triples is background.
        max_triples: A relation with more triples is background.
        dev_share: The share of the rare relations that become dev tasks, at least one.
        test_share: The share that become test tasks, at least one.
        max_tasks: If more relations are rare, so many are drawn; the others are background.
        range_cutoff: The share of tails that must play a role before it makes candidates, in graphs without types.
        seed: Decides what is drawn.

    >>> import faan
    >>> faan.BuildSettings(min_triples=20).max_triples
    500
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_triples: int = Field(50, ge=2)
    max_triples: int = Field(500, ge=2)
    dev_share: Share = 0.1
    test_share: Share = 0.2
    max_tasks: int | None = Field(None, ge=3)
    range_cutoff: float = Field(CUTOFF, gt=0, le=1)
    seed: int = Field(0, ge=0, lt=2**64)

    @model_validator(mode="after")
    def _check(self) -> BuildSettings:
        if self.max_triples < self.min_triples:
            raise ValueError(f"max_triples ({self.max_triples}) is below min_triples ({self.min_triples})")
        if self.dev_share + self.test_share >= 1:
            raise ValueError("dev_share and test_share leave nothing to train on")
        return self


@dataclass(frozen=True)
class BuildReport:
    """What was dropped and found while a benchmark was built."""

    rules: Mapping[str, str]  # relation -> how its candidates were found: "types", "ranges" or both
    recall: Mapping[str, float]  # relation -> share of its tails that the rule found by itself
    dropped_triples: int  # of tasks, because an entity occurs nowhere in the background
    returned_relations: tuple[str, ...]  # to the background, because too few triples were left
    left_out_entities: int  # that occur only in dropped triples


def build_benchmark(
    graph: Any,
    settings: BuildSettings | None = None,
    split: Mapping[str, Sequence[str]] | None = None,
    name: str = "benchmark",
    source: str | None = None,
    keep_ids: bool = False,
) -> tuple[Benchmark, BuildReport]:
    """Make the rare relations of a graph into tasks; the rest is the background.

    The triples of a task come in random order, so that its first K are a fair draw of references.

    Args:
        graph: A `Graph`, or anything that `faan.read_graph` reads.
        settings: Which relations are rare, and how they are split.
        split: The relations of train, dev and test by name, instead of a random split.
        name: What to call the benchmark.
        source: What to call the graph in the benchmark's own account of how it was built.
        keep_ids: Keep all names of the graph in the background, so that ids mean the same in both; such a benchmark
            cannot be written.

    Returns:
        The benchmark, and a report of how it was built.

    >>> import faan
    >>> facts = [(f"a{i}", f"r{i % 6}", f"b{i % 7}") for i in range(60)]
    >>> settings = faan.BuildSettings(min_triples=5, max_triples=20, max_tasks=3)
    >>> benchmark, report = faan.build_benchmark(facts + [(a, "near", b) for a, _, b in facts], settings)
    >>> len(benchmark.tasks)
    3
    """
    check_kind("settings", settings, BuildSettings | None, "BuildSettings")
    graph = read_graph(graph)
    settings = settings or BuildSettings()
    chosen = _rare(graph, settings) if split is None else _explicit(graph, split)
    rare, known, returned = _with_known_entities(graph, chosen, settings, keep_all=split is not None)
    if len(rare) < 3:
        raise InputError(
            f"{len(rare)} relations have {settings.min_triples} to {settings.max_triples} triples between entities of "
            "the background; at least 3 are needed, one each to train, choose and test. Widen the range.",
            source=graph.report.source,
        )
    by_split = chosen if split is not None else _draw_split(rare, settings)
    if keep_ids:
        background = without_relations(graph, rare)
        new_entity = np.where(known, np.arange(len(known)), -1).astype(np.int32)
    else:
        background, new_entity = _background(graph, rare, known)

    found = {s: [_task(graph, relation, background, new_entity, settings) for relation in by_split[s]] for s in SPLITS}
    every = [made for some in found.values() for made in some]
    report = BuildReport(
        {task.relation: candidates.rule for task, candidates, _ in every},
        {task.relation: candidates.recall for task, candidates, _ in every},
        sum(dropped for _, _, dropped in every),
        tuple(graph.relation_names[r] for r in returned),
        graph.num_entities - background.num_entities,
    )
    tasks = {s: tuple(task for task, _, _ in some) for s, some in found.items()}
    about = {
        "source": source or graph.report.source,
        "settings": settings.model_dump(),
        "explicit_split": split is not None,
        "split": {s: [task.relation for task in tasks[s]] for s in SPLITS},
        **asdict(report),
    }
    return Benchmark(name, background, tasks, about=about), report


def _task(
    graph: Graph, relation: int, background: Graph, new_entity: Ints, settings: BuildSettings
) -> tuple[Task, FoundCandidates, int]:
    """A relation as a task, its pairs in random order; its candidates; how many of its triples were dropped."""
    pairs = new_entity[graph.pairs_of(relation)]
    usable = (pairs >= 0).all(axis=1)
    pairs = pairs[usable]
    pairs = pairs[Stream(settings.seed, Purpose.TASK_PAIRS, relation).permutation(len(pairs))]
    found = find_candidates(background, pairs[:, 1], settings.range_cutoff)
    truths = PairSet.of(pairs, background.num_entities)
    return Task(graph.relation_names[relation], pairs, found.entities, truths), found, int((~usable).sum())


def _explicit(graph: Graph, split: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
    if set(split) != set(SPLITS):
        raise InputError(f"a split has the keys {', '.join(SPLITS)}, found {', '.join(split) or 'none'}")
    empty = [s for s in SPLITS if not split[s]]
    if empty:
        raise InputError(f"the split names no relation for {', '.join(empty)}")
    ids = {s: [graph.relation(relation) for relation in split[s]] for s in SPLITS}
    check_distinct([graph.relation_names[relation] for s in SPLITS for relation in ids[s]])
    return ids


def _rare(graph: Graph, settings: BuildSettings) -> dict[str, list[int]]:
    counts = graph.relation_counts
    rare = np.flatnonzero((counts >= settings.min_triples) & (counts <= settings.max_triples))
    if settings.max_tasks is None or len(rare) <= settings.max_tasks:
        return {"rare": rare.tolist()}
    order = rare[Stream(settings.seed, Purpose.TASK_CHOICE).permutation(len(rare))].tolist()
    for _ in range(_ROUNDS):  # those that would go back to the background make room for others
        _, _, returned = _with_known_entities(graph, {"rare": order[: settings.max_tasks]}, settings, keep_all=False)
        if not returned:
            break
        order = [relation for relation in order if relation not in returned]
    return {"rare": order[: settings.max_tasks]}


def _with_known_entities(
    graph: Graph, chosen: Mapping[str, Sequence[int]], settings: BuildSettings, keep_all: bool
) -> tuple[list[int], NDArray[np.bool_], list[int]]:
    """The tasks that keep enough triples whose entities occur in the background, and those entities.

    A relation that keeps too few goes back to the background, which may make entities known to it that another task
    needs: so until nothing changes. With `keep_all` (an explicit split) too few is an error instead.
    """
    rare = sorted(r for relations in chosen.values() for r in relations)
    returned: list[int] = []
    while True:
        is_task = np.isin(graph.relations, rare)
        known = np.zeros(graph.num_entities, dtype=bool)
        known[graph.heads[~is_task]] = True
        known[graph.tails[~is_task]] = True
        usable = is_task & known[graph.heads] & known[graph.tails]
        kept = np.bincount(graph.relations[usable], minlength=graph.num_relations)
        poor = [r for r in rare if kept[r] < (2 if keep_all else settings.min_triples)]
        if poor and keep_all:
            raise InputError(
                f"relation {graph.relation_names[poor[0]]!r} of the split has {kept[poor[0]]} triples between entities "
                "that occur in the background; at least 2 are needed"
            )
        if not poor:
            return rare, known, returned
        returned += poor
        rare = [r for r in rare if r not in poor]


def _draw_split(rare: Sequence[int], settings: BuildSettings) -> dict[str, list[int]]:
    order = [rare[i] for i in Stream(settings.seed, Purpose.TASK_SPLIT).permutation(len(rare))]
    test = max(1, math.floor(len(rare) * settings.test_share + 0.5))
    dev = max(1, math.floor(len(rare) * settings.dev_share + 0.5))
    dev, test = min(dev, len(rare) - 2), min(test, len(rare) - 1 - min(dev, len(rare) - 2))
    return {"test": order[:test], "dev": order[test : test + dev], "train": order[test + dev :]}


def _background(graph: Graph, rare: Sequence[int], known: NDArray[np.bool_]) -> tuple[Graph, NDArray[np.int32]]:
    """The graph without the task relations and without entities that then have no edge; old entity id -> new or -1."""
    new_entity = np.where(known, np.cumsum(known) - 1, -1).astype(np.int32)
    is_background = np.ones(graph.num_relations, dtype=bool)
    is_background[list(rare)] = False
    new_relation = np.where(is_background, np.cumsum(is_background) - 1, -1).astype(np.int32)
    rows = is_background[graph.relations]
    entities, relations = np.flatnonzero(known), np.flatnonzero(is_background)
    background = replace(
        graph,
        entity_names=_take(graph.entity_names, entities),
        relation_names=_take(graph.relation_names, relations),
        heads=new_entity[graph.heads[rows]],
        relations=new_relation[graph.relations[rows]],
        tails=new_entity[graph.tails[rows]],
        entity_labels=_take_some(graph.entity_labels, entities),
        relation_labels=_take_some(graph.relation_labels, relations),
        entity_descriptions=_take_some(graph.entity_descriptions, entities),
        types=None if graph.types is None else _take_types(graph.types, entities),
    )
    return background, new_entity


def _take_some(texts: Names | None, ids: Ints) -> Names | None:
    return None if texts is None else _take(texts, ids)


def _take(names: Names, ids: Ints) -> Names:
    return Names.from_strings(names.to_series().gather(ids))


def _take_types(types: Types, entities: Ints) -> Types:
    places, offsets = places_of(types.offsets[entities], np.diff(types.offsets)[entities])
    return Types(types.names, offsets, types.ids[places], types.labels)
