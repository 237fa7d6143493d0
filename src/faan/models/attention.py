"""Attention between the three places of a pair, differentiable.

Three places are so few that torch's products of matrices, or sums over products, are mostly overhead.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from faan.models import kernels
from faan.models.dropout import Dropout


def attend(queries: Tensor, keys_values: Tensor, scale: float, dropout: Dropout) -> Tensor:
    """softmax(scale * q k') v, apart for each pair and head, with dropout of the weights.

    Queries (n, asking, heads, s), keys and values (n, 3, 2, heads, s), to (n, asking, heads, s).
    """
    factors = dropout.factors((*queries.shape[:-1], 3))
    found: Tensor = _Attend.apply(queries.contiguous(), keys_values.contiguous(), factors, scale)
    return found


class _Attend(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, queries: Tensor, keys_values: Tensor, factors: Tensor, scale: float) -> Tensor:
        weights, mixed = torch.empty_like(factors), torch.empty_like(queries)
        given = (each.detach().numpy() for each in (queries, keys_values, factors))
        kernels.attend(*given, scale, weights.numpy(), mixed.numpy())
        ctx.save_for_backward(queries, keys_values, factors, weights)
        ctx.scale = scale
        return mixed

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None]:
        queries, keys_values, factors, weights = (each.detach() for each in ctx.saved_tensors)
        to_queries, to_keys_values = torch.empty_like(queries), torch.zeros_like(keys_values)
        kernels.attend_gradients(
            *(each.numpy() for each in (queries, keys_values, factors)),
            ctx.scale,
            weights.numpy(),
            gradients[0].contiguous().numpy(),
            to_queries.numpy(),
            to_keys_values.numpy(),
        )
        return to_queries, to_keys_values, None, None
