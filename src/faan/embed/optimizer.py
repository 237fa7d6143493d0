"""Optimisers that know only the rows of a batch: a step costs the same on any number of entities."""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 - the name everybody knows
from torch import Tensor

from faan.embed.config import EmbedConfig

EPSILON = 1e-10
ADAM_DECAY = (0.9, 0.999)


class Table:
    """Vectors, one a row, with the optimiser's state for each; ``update`` reads and writes only the rows it is given.

    Adagrad (Duchi et al., 2011):  G += g^2;  x -= rate * g / sqrt(G).
    Adam (Kingma and Ba, 2015):    m, v = decayed means of g, g^2;  x -= rate * m' / sqrt(v'), m', v' corrected for
    their start at zero. A row's means decay only when the row is touched, as in ``torch.optim.SparseAdam``.
    """

    def __init__(self, rows: Tensor, config: EmbedConfig, state: dict[str, Tensor] | None = None) -> None:
        names = {"adagrad": ("squares",), "adam": ("mean", "squares")}[config.optimizer]
        self.rows = rows  # (n, w)
        self.state = state if state is not None else {name: torch.zeros_like(rows) for name in names}
        self.rate = config.learning_rate

    def update(self, ids: Tensor, gradient: Tensor, step: int, unit_norm: bool = False) -> None:
        """Move the rows ``ids`` (distinct) against their gradient (U, w) in update ``step`` = 1, 2, ..."""
        squares = self.state["squares"].index_select(0, ids)  # (U, w)
        if "mean" in self.state:
            b1, b2 = ADAM_DECAY
            mean = self.state["mean"].index_select(0, ids).lerp_(gradient, 1 - b1)  # (U, w)
            squares.mul_(b2).addcmul_(gradient, gradient, value=1 - b2)
            self.state["mean"].index_copy_(0, ids, mean)
            direction = mean / (1 - b1**step)
            size = (squares / (1 - b2**step)).sqrt_()
        else:
            squares.addcmul_(gradient, gradient)
            direction = gradient
            size = squares.sqrt()
        self.state["squares"].index_copy_(0, ids, squares)
        rows = self.rows.index_select(0, ids).addcdiv_(direction, size.add_(EPSILON), value=-self.rate)
        self.rows.index_copy_(0, ids, F.normalize(rows, dim=-1) if unit_norm else rows)
