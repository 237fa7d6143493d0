"""From ranks to figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

METRICS = {"mrr": "MRR", "hits@10": "Hits@10", "hits@5": "Hits@5", "hits@1": "Hits@1"}
"""The metrics: what result files call them, and what tables call them."""
_SAMPLES = 1000  # of queries, that an interval is drawn from


def summarise_ranks(ranks: NDArray[np.float64]) -> dict[str, float]:
    """MRR is the mean of 1/rank, Hits@N the share of ranks <= N."""
    return {
        "mrr": float(np.mean(1 / ranks)),
        "hits@10": float(np.mean(ranks <= 10)),
        "hits@5": float(np.mean(ranks <= 5)),
        "hits@1": float(np.mean(ranks <= 1)),
    }


def summarise_split(ranks: NDArray[np.float64], relations: Sequence[NDArray[np.float64]]) -> dict[str, Any]:
    """The figures of many relations: averages over all queries, over relations (macro), and an interval for MRR."""
    by_relation = [summarise_ranks(own) for own in relations]
    interval = bootstrap(1 / ranks)
    return {
        **summarise_ranks(ranks),
        **{f"macro_{metric}": float(np.mean([one[metric] for one in by_relation])) for metric in METRICS},
        "mrr_interval": [interval.low, interval.high],
    }


@dataclass(frozen=True)
class Interval:
    """Where a mean lies with 95 % confidence."""

    low: float
    high: float


def bootstrap(values: NDArray[np.float64]) -> Interval:
    """The 95 % interval of the mean of some queries' values, by drawing queries with replacement."""
    random = np.random.default_rng(0)
    means = [values[random.integers(0, len(values), len(values))].mean() for _ in range(_SAMPLES)]
    low, high = np.quantile(means, [0.025, 0.975])
    return Interval(float(low), float(high))
