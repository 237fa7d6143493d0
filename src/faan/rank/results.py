"""Result files: one JSON file for each run, all methods alike, with what is needed to run it again."""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from faan.rank.metrics import METRICS, bootstrap, summarise_ranks
from faan.rank.ranker import TaskRanks

_PACKAGES = ("faan", "torch", "numpy", "polars")


class ResultFile(BaseModel):
    """What was measured, and how to measure it again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: str
    variant: str | None = None
    dataset: str
    protocol: Literal["strict", "open"] = "strict"
    shots: int
    seed: int
    dev: dict[str, Any]
    test: dict[str, Any]
    relations: dict[str, dict[str, float]]
    seconds: dict[str, float]
    steps: int
    config: str
    command: str
    versions: dict[str, str] = Field(
        default_factory=lambda: {"python": platform.python_version()} | {name: version(name) for name in _PACKAGES}
    )
    date: str = Field(default_factory=lambda: datetime.now(timezone.utc).date().isoformat())

    def write(self, path: Path) -> None:
        """Write it as JSON."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self.model_dump(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def split_metrics(found: Sequence[TaskRanks]) -> dict[str, Any]:
    """The figures of a split: averages over queries (micro), over relations (macro), and an interval for MRR."""
    ranks = np.concatenate([task.ranks for task in found])
    by_relation = [summarise_ranks(task.ranks) for task in found]
    interval = bootstrap(1 / ranks)
    return {
        **summarise_ranks(ranks),
        **{f"macro_{metric}": float(np.mean([one[metric] for one in by_relation])) for metric in METRICS},
        "mrr_interval": [interval.low, interval.high],
    }


def relation_metrics(found: Sequence[TaskRanks]) -> dict[str, dict[str, float]]:
    """The figures of each relation."""
    return {
        one.task.relation: {
            "queries": len(one.ranks),
            "candidates": len(one.task.candidates),
            **summarise_ranks(one.ranks),
        }
        for one in found
    }
