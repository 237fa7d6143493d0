"""From ranks to figures."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

METRICS = {"mrr": "MRR", "hits@10": "Hits@10", "hits@5": "Hits@5", "hits@1": "Hits@1"}
"""The metrics: what result files call them, and what tables call them."""


def summarise_ranks(ranks: NDArray[np.float64]) -> dict[str, float]:
    """MRR is the mean of 1/rank, Hits@N the share of ranks <= N."""
    return {
        "mrr": float(np.mean(1 / ranks)),
        "hits@10": float(np.mean(ranks <= 10)),
        "hits@5": float(np.mean(ranks <= 5)),
        "hits@1": float(np.mean(ranks <= 1)),
    }


@dataclass(frozen=True)
class Interval:
    """Where a mean lies with 95 % confidence."""

    low: float
    high: float


def bootstrap(values: NDArray[np.float64], samples: int = 1000, seed: int = 0) -> Interval:
    """The 95 % interval of the mean of some queries' values, by drawing queries with replacement."""
    random = np.random.default_rng(seed)
    means = [values[random.integers(0, len(values), len(values))].mean() for _ in range(samples)]
    low, high = np.quantile(means, [0.025, 0.975])
    return Interval(float(low), float(high))
