"""What a block does to the places of pairs beside its matrix products, differentiable.

Three places are so few that attention between them by torch's products of matrices, or by sums over products, is mostly
overhead.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from faan.models import kernels
from faan.models.dropout import Dropout
from faan.models.threads import for_rows


def attend(queries: Tensor, keys_values: Tensor, scale: float, dropout: Dropout) -> Tensor:
    """softmax(scale * q k') v, apart for each pair and head, with dropout of the weights.

    Queries (n, asking, heads, s), keys and values (n, 3, 2, heads, s), to (n, asking, heads, s).
    """
    factors = dropout.factors((*queries.shape[:-1], 3))
    given = queries.contiguous(), keys_values.contiguous(), factors
    found: Tensor = _Attend.apply(*given, scale)  # type: ignore[no-untyped-call]
    return found


def add_and_norm(x: Tensor, added: Tensor, dropout: Dropout, norm: nn.LayerNorm) -> Tensor:
    """LayerNorm(x + dropout(added)) of rows (n, w), to (n, w)."""
    factors = dropout.factors(x.shape)
    given = x.contiguous(), added.contiguous(), factors, norm.weight, norm.bias
    found: Tensor = _AddAndNorm.apply(*given, norm.eps)  # type: ignore[no-untyped-call]
    return found


class _Attend(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, queries: Tensor, keys_values: Tensor, factors: Tensor, scale: float) -> Tensor:
        weights, mixed = queries.new_empty(*queries.shape[:-1], 3), torch.empty_like(queries)
        q, kv, f, w, m = (each.detach().numpy() for each in (queries, keys_values, factors, weights, mixed))
        for_rows(len(q), lambda rows: kernels.attend(q[rows], kv[rows], f[rows], scale, w[rows], m[rows]))
        ctx.save_for_backward(queries, keys_values, factors, weights)
        ctx.scale = scale
        return mixed

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None]:
        queries, keys_values, *_ = ctx.saved_tensors
        to_queries, to_keys_values = torch.empty_like(queries), torch.zeros_like(keys_values)
        q, kv, f, w = (each.detach().numpy() for each in ctx.saved_tensors)
        g, to_q, to_kv = (each.numpy() for each in (gradients[0].contiguous(), to_queries, to_keys_values))
        for_rows(
            len(q),
            lambda rows: kernels.attend_gradients(
                q[rows], kv[rows], f[rows], ctx.scale, w[rows], g[rows], to_q[rows], to_kv[rows]
            ),
        )
        return to_queries, to_keys_values, None, None


class _AddAndNorm(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, added: Tensor, factors: Tensor, weight: Tensor, bias: Tensor, epsilon: float
    ) -> Tensor:
        normed, found, scales = torch.empty_like(x), torch.empty_like(x), x.new_empty(len(x))
        x_, a, f, w, b, n, s, out = (
            each.detach().numpy() for each in (x, added, factors, weight, bias, normed, scales, found)
        )
        kernels.add_and_norm(x_, a, f, w, b, n, s, out, epsilon)
        ctx.save_for_backward(factors, weight, normed, scales)
        return found

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        factors, weight, normed, scales = (each.detach() for each in ctx.saved_tensors)
        to_x, to_added = torch.empty_like(normed), torch.empty_like(normed)
        to_weight, to_bias = torch.zeros_like(weight), torch.zeros_like(weight)
        given = (factors, weight, normed, scales, gradients[0].contiguous(), to_x, to_added, to_weight, to_bias)
        kernels.add_and_norm_gradients(*(each.numpy() for each in given))
        return to_x, to_added, None, to_weight, to_bias, None
