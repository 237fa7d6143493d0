"""A run on disk: enough to go on after any interruption as if there had been none."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from faan.base import InputError, damaged_checkpoint, read_notes, read_tensors, write_tensors
from faan.embed.config import EmbedConfig
from faan.embed.optimizer import Table

CHECKPOINT_FILE = "checkpoint.safetensors"


class TrainingError(InputError):
    """Training cannot go on; the message says what to change."""


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

    @property
    def best(self) -> EpochReport | None:
        """The evaluation with the best held-out MRR, the earliest of equals."""
        return max((r for r in self.history if r.mrr is not None), key=lambda r: r.mrr or 0.0, default=None)

    def is_over(self, config: EmbedConfig) -> bool:
        """Whether all epochs are done, or patience is at its end."""
        late = [r for r in self.history if r.mrr is not None and self.best and r.epoch > self.best.epoch]
        return self.epoch >= config.epochs or 0 < config.patience <= len(late)


def fingerprint(*arrays: np.ndarray) -> str:
    """A short name for the data, which changes when the data does."""
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(str(array.shape).encode())
        digest.update(np.ascontiguousarray(array, dtype=np.int64).data)
    return digest.hexdigest()[:16]


def save_checkpoint(folder: Path, entities: Table, relations: Table, progress: EpochProgress) -> None:
    """Write vectors, optimiser state and progress; values that are not finite never replace good ones."""
    tables = {"entities": entities, "relations": relations}
    for table in tables.values():
        if not torch.isfinite(table.rows.sum()):
            raise TrainingError(f"a vector is not finite after epoch {progress.epoch}. {ADVICE}")
    tensors = {f"{name}.rows": table.rows for name, table in tables.items()}
    for name, table in tables.items():
        tensors |= {f"{name}.{key}": value for key, value in table.state.items()}
    write_tensors(folder / CHECKPOINT_FILE, tensors, asdict(progress))


def load_checkpoint(folder: Path, config: EmbedConfig) -> tuple[Table, Table, EpochProgress]:
    """Read what ``save_checkpoint`` wrote."""
    path = folder / CHECKPOINT_FILE
    if not path.is_file():
        raise InputError(f"{folder} holds no run to resume: {CHECKPOINT_FILE} is missing")
    tensors, notes = read_tensors(path)
    tables = []
    for prefix in ("entities.", "relations."):
        mine = {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
        tables.append(Table(mine.pop("rows"), config, mine))
    return tables[0], tables[1], _progress(notes, path)


def read_progress(folder: Path) -> EpochProgress:
    """How far a run is, without its vectors."""
    path = folder / CHECKPOINT_FILE
    return _progress(read_notes(path), path)


def _progress(notes: Any, path: Path) -> EpochProgress:
    try:
        return EpochProgress(**{**notes, "history": [EpochReport(**report) for report in notes["history"]]})
    except (KeyError, TypeError) as error:
        raise damaged_checkpoint(path, error) from None


ADVICE = (
    "Lower learning_rate (a tenth is a good next try), or use unit_norm, a smaller init_scale or some regularization;"
    " the last good checkpoint is untouched."
)
