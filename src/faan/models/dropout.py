"""Dropout whose random bits were drawn beforehand: drawing them anew was half of the time of a training step."""

from __future__ import annotations

from functools import cache

import torch
from torch import Tensor, nn
from torch.nn import functional

_POOL = 1 << 23  # masks are stretches of a pool of so many numbers


class Dropout(nn.Module):
    """Zeroes a share of the numbers in training and scales the others up, as `torch.nn.Dropout`.

    The mask is a stretch of a fixed pool that begins at a random place, so a call draws one random number.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, x: Tensor) -> Tensor:
        """Zero some of the numbers of `x`, any shape, while training."""
        if not self.training or self.share == 0:
            return x
        free = _POOL - x.numel()
        if free <= 0:
            return functional.dropout(x, self.share)
        start = int(torch.randint(free, ()))
        return x * _pool(self.share)[start : start + x.numel()].view(x.shape)


@cache
def _pool(share: float) -> Tensor:
    """Factors 0 and 1 / (1 - share), the same in every process."""
    chance = torch.rand(_POOL, generator=torch.Generator().manual_seed(0))
    return (chance >= share) / (1 - share)
