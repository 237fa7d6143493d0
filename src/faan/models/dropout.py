"""Dropout whose random bits were drawn beforehand: drawing them anew was half of the time of a training step."""

from __future__ import annotations

import math
from collections.abc import Sequence
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

    @property
    def is_on(self) -> bool:
        """Whether anything is zeroed now."""
        return self.training and self.share > 0

    def forward(self, x: Tensor) -> Tensor:
        """Zero some of the numbers of `x`, any shape, while training."""
        return x * self.factors(x.shape) if self.is_on else x

    def factors(self, shape: Sequence[int]) -> Tensor:
        """What to multiply so many numbers with: 0 or 1 / (1 - share), or 1 after training."""
        if not self.is_on:
            return torch.ones(shape)
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
