"""Metrics for TensorBoard, where it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from faan.base import InputError
from faan.train.checkpoint import OnMetrics


@contextmanager
def tensorboard(folder: Path) -> Iterator[OnMetrics]:
    """Give a listener for a run's metrics that writes them for TensorBoard.

    A resumed run writes its old metrics again; TensorBoard shows these in place of those before the interruption.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        raise InputError("TensorBoard is not installed: pip install 'faan[tensorboard]'") from None
    writer: SummaryWriter | None = None

    def on_metrics(line: dict[str, Any]) -> None:
        nonlocal writer
        writer = writer or SummaryWriter(str(folder), purge_step=0)  # not sooner: a new run's folder must be empty
        values: dict[str, float] = {name: line[name] for name in ("loss", "grad_norm", "learning_rate") if name in line}
        values |= {f"dev/{name}": value for name, value in line.get("dev", {}).items() if isinstance(value, float)}
        values |= {f"relations/{name}": value for name, value in line.get("relations", {}).items()}
        for name, value in values.items():
            writer.add_scalar(name, value, line["step"])

    try:
        yield on_metrics
    finally:
        if writer is not None:
            writer.close()
