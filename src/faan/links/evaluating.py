"""Evaluating a method at completing a graph, as a result file."""

from __future__ import annotations

import bisect
from typing import Any

import numpy as np
from numpy.typing import NDArray

from faan.base import OnProgress, ignore_progress
from faan.links.hiding import LinkSplit
from faan.links.methods import LINK_METHODS, Outcome
from faan.links.ranking import LinkRanks
from faan.rank import ResultFile, summarise_ranks, summarise_split

_KNOWN = (1, 10, 30, 100, 300, 1000, 3000, 10_000)  # numbers of known facts at which a new group of relations begins


def evaluate_links(
    method: str, split: LinkSplit, command: str, *, seed: int = 0, on_progress: OnProgress = ignore_progress
) -> ResultFile:
    """Let a method, one of `LINK_METHODS`, learn from the graph and rank the facts that are asked for."""
    return result_of(LINK_METHODS[method](split, seed, on_progress), split, method, command=command, seed=seed)


def result_of(
    outcome: Outcome, split: LinkSplit, method: str, variant: str | None = None, *, command: str, seed: int
) -> ResultFile:
    """What a method made of a split, as a result file."""
    return ResultFile(
        method=method,
        variant=variant,
        dataset=split.name,
        protocol="completion",
        shots=0,
        seed=seed,
        dev=dict(outcome.dev),
        test=_figures(outcome.ranks),
        relations=_by_relation(outcome.ranks),
        by_known=_by_known(outcome.ranks),
        calibration=outcome.calibration,
        notes=split.notes,
        seconds=dict(outcome.seconds),
        steps=outcome.steps,
        config=outcome.config,
        settings=outcome.settings,
        command=command,
    )


def _summary(ranks: NDArray[np.float64]) -> dict[str, float]:
    return summarise_ranks(ranks) | {"hits@3": float(np.mean(ranks <= 3))}


def _figures(ranks: LinkRanks) -> dict[str, Any]:
    """Averages over queries, over relations, for tails and for heads alone; and an interval for MRR."""
    both = ranks.both
    return {
        "queries": len(both),
        **_summary(both),
        **summarise_split(both, list(ranks.by_relation.values())),
        "tails": _summary(ranks.tails),
        "heads": _summary(ranks.heads),
    }


def _by_relation(ranks: LinkRanks) -> dict[str, dict[str, float]]:
    graph = ranks.split.graph
    return {
        graph.relation_names[relation]: {
            "queries": len(own),
            "candidates": graph.num_entities,
            "known": int(graph.relation_counts[relation]),
            **_summary(own),
        }
        for relation, own in ranks.by_relation.items()
    }


def _by_known(ranks: LinkRanks) -> list[dict[str, Any]]:
    """The figures of relations with about as many known facts, fewest first."""
    counts = ranks.split.graph.relation_counts
    groups: dict[int, list[NDArray[np.float64]]] = {}
    for relation, own in ranks.by_relation.items():
        groups.setdefault(bisect.bisect_right(_KNOWN, int(counts[relation])) - 1, []).append(own)
    return [
        {
            "from": _KNOWN[place],
            "to": _KNOWN[place + 1] - 1 if place + 1 < len(_KNOWN) else None,
            "relations": len(groups[place]),
            "queries": sum(map(len, groups[place])),
            **_summary(np.concatenate(groups[place])),
        }
        for place in sorted(groups)
        if place >= 0
    ]
