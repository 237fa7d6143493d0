"""A training run on disk: after an interruption, a resumed run ends with the same numbers, bit for bit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from faan.base import InputError, load_checkpoint, read_small, read_tensors, sync, write_text
from faan.train.config import TrainConfig

BEST_FILE = "best.safetensors"
_BROKEN_FILE = "broken.txt"
_COPY_OR_AGAIN = "put a copy of the file there if you have one, else begin the run again"

Weights = dict[str, Tensor]


@dataclass
class StepProgress:
    """How far a run is. Random numbers need no place here: they follow from the seed and the step."""

    step: int = 0  # finished steps
    best_step: int | None = None  # of the weights that are kept
    best_mrr: float | None = None
    stale: int = 0  # evaluations since the best one
    loss: float = 0.0  # sums over the steps since the last line of metrics
    grad_norm: float = 0.0
    logged: int = 0  # the step of that line
    metrics: int = 0  # bytes of metrics that belong to these steps

    def is_over(self, config: TrainConfig) -> bool:
        """Whether all steps are done, or patience is at its end."""
        return self.step >= config.steps or 0 < config.patience <= self.stale


def weights_of(model: nn.Module) -> Weights:
    """Trainable parameters and persistent buffers: what a checkpoint holds. They are the model's own, not copies."""
    frozen = {name for name, parameter in model.named_parameters() if not parameter.requires_grad}
    return {name: tensor for name, tensor in model.state_dict().items() if name not in frozen}


def set_weights(model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    """Copy weights into a model."""
    own = weights_of(model)
    if {name: tensor.shape for name, tensor in own.items()} != {name: tensor.shape for name, tensor in weights.items()}:
        raise InputError("the saved weights belong to another model; begin the run again")
    for name, tensor in own.items():
        tensor.copy_(weights[name])


def copied(weights: Mapping[str, Tensor]) -> Weights:
    """The same values in memory of their own."""
    return {name: tensor.detach().clone().contiguous() for name, tensor in weights.items()}


def are_finite(weights: Mapping[str, Tensor]) -> bool:
    """Whether there is no NaN and no infinity among the values."""
    return all(bool(torch.isfinite(tensor).all()) for tensor in weights.values())


def load_steps(folder: Path) -> tuple[dict[str, Weights], StepProgress]:
    """Read the checkpoint of a model: its weights, the optimiser's state and the average, by part; and the progress."""
    parts, progress = load_checkpoint(folder, lambda notes: StepProgress(**notes))
    return {part: parts.get(part, {}) for part in ("weights", "optimizer", "average")}, progress


def load_best(model: nn.Module, folder: Path) -> None:
    """Give a model the weights that a run kept."""
    path = folder / BEST_FILE
    if not path.is_file():
        raise InputError("the run's best weights are missing; begin the run again", source=str(path))
    try:
        weights = read_tensors(path)[0]
    except InputError:
        raise InputError(f"the run's best weights are damaged; {_COPY_OR_AGAIN}", source=str(path)) from None
    set_weights(model, weights)


def note_broken(folder: Path, why: str | None) -> None:
    """Record why the training in a folder stopped, or that it restarted."""
    if why is None:
        (folder / _BROKEN_FILE).unlink(missing_ok=True)
    else:
        write_text(folder / _BROKEN_FILE, why + "\n")


def why_broken(folder: Path) -> str | None:
    """Why the training in a folder stopped early; None if it did not."""
    path = folder / _BROKEN_FILE
    return read_small(path).strip() if path.is_file() else None


OnMetrics = Callable[[dict[str, Any]], None]
"""Called with every line of metrics, after a resume with the old ones first."""


def metrics_of(path: Path, content: bytes) -> list[dict[str, Any]]:
    """The lines of a file of metrics."""
    found = []
    for number, line in enumerate(content.splitlines(), start=1):
        try:
            found.append(json.loads(line))
        except ValueError:
            raise InputError(f"the metrics are damaged; {_COPY_OR_AGAIN}", source=str(path), line=number) from None
    return found


class MetricsFile:
    """A file of JSON lines that only grows; a resumed run cuts it back to what its checkpoint covers."""

    def __init__(self, path: Path, covered: int, on_line: OnMetrics | None) -> None:
        self.path, self.on_line = path, on_line
        path.touch()
        content = path.read_bytes()
        if len(content) < covered:
            raise InputError(
                f"has {len(content)} bytes, but its checkpoint knows {covered}: lines are missing; {_COPY_OR_AGAIN}",
                source=str(path),
            )
        lines = metrics_of(path, content[:covered])
        self.file = path.open("r+b")
        self.file.truncate(covered)
        self.file.seek(covered)
        if on_line is not None:
            for line in lines:
                on_line(line)

    def write(self, line: dict[str, Any]) -> None:
        """Add a line."""
        self.file.write(json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n")
        self.file.flush()
        if self.on_line is not None:
            self.on_line(line)

    def sync(self) -> int:
        """Wait until all lines are on the disk; how many bytes they are."""
        sync(self.path)
        return self.file.tell()

    def close(self) -> None:
        """Close the file."""
        self.file.close()
