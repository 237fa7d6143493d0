"""Optimisers that know only the rows of a batch: a step costs the same on any number of entities."""

from __future__ import annotations

import torch
from torch import Tensor

from faan.embed import kernels
from faan.embed.config import EmbedConfig


class RowTable:
    """Vectors, one a row, with the optimiser's state for each; ``update`` reads and writes only the rows it is given.

    Adagrad: Duchi et al., 2011. Adam: Kingma and Ba, 2015; a row's means decay only when the row is touched, as in
    ``torch.optim.SparseAdam``. The equations stand in ``kernels.py``.
    """

    def __init__(self, rows: Tensor, config: EmbedConfig, state: dict[str, Tensor] | None = None) -> None:
        names = {"adagrad": ("squares",), "adam": ("means", "squares")}[config.optimizer]
        self.rows = rows  # (n, w)
        self.state = state if state is not None else {name: torch.zeros_like(rows) for name in names}
        self.config = config

    def update(self, ids: Tensor, gradient: Tensor, step: int, unit_norm: bool = False) -> None:
        """Move the rows ``ids`` (distinct) against their gradient (U, w) in update ``step`` = 1, 2, ..."""
        rows, squares, rate = self.rows.numpy(), self.state["squares"].numpy(), self.config.learning_rate
        if self.config.optimizer == "adam":
            means = self.state["means"].numpy()
            kernels.adam(rows, means, squares, ids.numpy(), gradient.numpy(), rate, step)
        else:
            kernels.adagrad(rows, squares, ids.numpy(), gradient.numpy(), rate)
        if unit_norm:
            kernels.normalize(rows, ids.numpy())
