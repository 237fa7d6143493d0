"""A run on disk: after an interruption, a resumed run ends with the same vectors, bit for bit."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from faan.base import TrainingError, load_checkpoint, load_progress, save_checkpoint
from faan.embed.config import EmbedConfig
from faan.embed.optimizer import RowTable

ADVICE = (
    "Lower learning_rate (a tenth is a good next try), or use unit_norm, a smaller init_scale or some regularization;"
    " the last good checkpoint is untouched."
)


@dataclass(frozen=True)
class EpochReport:
    """What was known after an epoch: the mean loss, and the held-out MRR where one was computed."""

    epoch: int  # counted from 1
    loss: float
    mrr: float | None = None


@dataclass
class EpochProgress:
    """How far a run is. Random numbers need no place here: they follow from the seed and the epoch."""

    data: str  # fingerprint of the training and held-out triples
    epoch: int = 0  # finished epochs
    history: list[EpochReport] = field(default_factory=list)
    partitions: list[int] = field(default_factory=list)  # where entities are in several: the version of each,
    num_entities: int = 0  # and how many entities there are

    @classmethod
    def of(cls, notes: Any) -> EpochProgress:
        """From the notes of a checkpoint."""
        return cls(**{**notes, "history": [EpochReport(**report) for report in notes["history"]]})

    @property
    def best(self) -> EpochReport | None:
        """The evaluation with the best held-out MRR, the earliest of equals."""
        return max((r for r in self.history if r.mrr is not None), key=lambda r: r.mrr or 0.0, default=None)

    def is_over(self, config: EmbedConfig) -> bool:
        """Whether all epochs are done, or patience is at its end."""
        best = self.best
        late = [r for r in self.history if best and r.mrr is not None and r.epoch > best.epoch]
        return self.epoch >= config.epochs or 0 < config.patience <= len(late)


def fingerprint(*arrays: np.ndarray) -> str:
    """A short name for the data, which changes when the data does."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(str(array.shape).encode())
        digest.update(np.ascontiguousarray(array, dtype=np.int64).data)
    return digest.hexdigest()[:16]


def save_tables(folder: Path, tables: Mapping[str, RowTable], progress: EpochProgress) -> None:
    """Write vectors, optimiser state and progress; values that are not finite never replace good ones."""
    for table in tables.values():
        if not torch.isfinite(table.rows.sum()):
            raise TrainingError(f"a vector is not finite after epoch {progress.epoch}. {ADVICE}")
    parts = {name: {"rows": table.rows, **table.state} for name, table in tables.items()}
    save_checkpoint(folder, parts, progress)


def load_tables(folder: Path, config: EmbedConfig) -> tuple[dict[str, RowTable], EpochProgress]:
    """Read what `save_tables` wrote."""
    parts, progress = load_checkpoint(folder, EpochProgress.of)
    return {name: RowTable(content.pop("rows"), config, content) for name, content in parts.items()}, progress


def read_progress(folder: Path) -> EpochProgress:
    """How far a run is, without its vectors."""
    return load_progress(folder, EpochProgress.of)
