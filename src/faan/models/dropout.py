"""Dropout with precomputed random masks: drawing new ones took half of the time of a training step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import torch
from torch import Tensor, nn
from torch.nn import functional

_POOL = 1 << 23  # numbers in the pool that masks are slices of


class Dropout(nn.Module):
    """Zeroes a share of the numbers in training and scales the others up, as `torch.nn.Dropout`.

    The mask is a stretch of a fixed pool that begins at a random place, so a call draws one random number.
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, x: Tensor) -> Tensor:
        """Zero some of the numbers of `x`, any shape, while training."""
        factors = self.factors(x.shape)
        return x * factors if len(factors) else x

    def factors(self, shape: Sequence[int]) -> Tensor:
        """What to multiply numbers with, 0 or 1 / (1 - share); empty, (0, ...), where they stay as they are."""
        if not self.training or self.share == 0:
            return torch.empty(0, *shape[1:])
        count = math.prod(shape)
        free = _POOL - count
        if free <= 0:
            return functional.dropout(torch.ones(shape), self.share)
        start = int(torch.randint(free, ()))
        return _pool(self.share)[start : start + count].view(shape)


@cache
def _pool(share: float) -> Tensor:
    """Factors 0 and 1 / (1 - share), the same in every process."""
    chance = torch.rand(_POOL, generator=torch.Generator().manual_seed(0))
    return (chance >= share) / (1 - share)
