"""What a block does to the places of pairs beside its matrix products, differentiable.

Three places are so few that attention between them by torch's products of matrices, or by sums over products, is mostly
overhead.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from faan.models import place_kernels as kernels
from faan.models.dropout import Dropout
from faan.models.threads import for_rows


def attend(queries_keys_values: Tensor, scale: float, factors: Tensor) -> Tensor:
    """softmax(scale * q k') v between three places, apart for each pair and head, with factors of the weights.

    Queries, keys and values (3, heads, s, 3, n), factors (n, 3, heads, 3) or none, to (heads, s, 3, n).
    """
    given = _wide(queries_keys_values).contiguous()
    found: Tensor = _Attend.apply(given, factors, scale)  # type: ignore[no-untyped-call]
    return found


def attend_inputs(asked: Tensor, x: Tensor, scale: float, factors: Tensor) -> tuple[Tensor, Tensor]:
    """Attention of one asker to three places that are their own keys and values: softmax(scale * asked x') x.

    Asked (heads, n, w), x (3, n, w), factors of the weights (n, heads, 3) or none, to (heads, n, w), and, as factors
    change it, the sum of the weights, (heads, n).
    """
    given = _wide(asked).contiguous(), x.contiguous(), factors
    found: tuple[Tensor, Tensor] = _AttendInputs.apply(*given, scale)  # type: ignore[no-untyped-call]
    return found


def add_and_norm(x: Tensor, added: Tensor, dropout: Dropout, norm: nn.LayerNorm) -> Tensor:
    """LayerNorm(x + dropout(added)) of vectors (places, n, w)."""
    places, pairs, width = x.shape
    factors = dropout.factors((pairs, places, width))
    given = x.contiguous(), _wide(added).contiguous(), factors, norm.weight, norm.bias
    found: Tensor = _AddAndNorm.apply(*given, norm.eps)  # type: ignore[no-untyped-call]
    return found


def _wide(product: Tensor) -> Tensor:
    """A product of matrices as the compiled loops want it: what came in 16 bits in 32."""
    return product.float() if product.dtype == torch.bfloat16 else product


class _Attend(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, given: Tensor, factors: Tensor, scale: float) -> Tensor:
        _, heads, size, places, pairs = given.shape
        weights, kept = given.new_empty(2, heads, places, places, pairs)
        mixed = given.new_empty(heads, size, places, pairs)
        (q, k, v), f, w, kept_, m = (each.detach().numpy() for each in (given, factors, weights, kept, mixed))
        for_rows(pairs, lambda rows: kernels.attend(q, k, v, f, scale, rows.start, rows.stop, w, kept_, m))
        ctx.save_for_backward(given, weights, kept)
        ctx.scale = scale
        return mixed

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        found = torch.empty_like(ctx.saved_tensors[0])
        given = (*ctx.saved_tensors, gradients[0].contiguous(), found)
        (q, k, v), w, kept, g, (to_q, to_k, to_v) = (each.detach().numpy() for each in given)
        kernels.attend_gradients(q, k, v, ctx.scale, w, kept, g, to_q, to_k, to_v)
        return found, None, None


class _AttendInputs(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, asked: Tensor, x: Tensor, factors: Tensor, scale: float) -> tuple[Tensor, Tensor]:
        heads, pairs, _ = asked.shape
        weights, seen, shares = asked.new_empty(heads, pairs, 3), torch.empty_like(asked), asked.new_empty(heads, pairs)
        a, x_, f, w, s, t = (each.detach().numpy() for each in (asked, x, factors, weights, seen, shares))
        for_rows(pairs, lambda rows: kernels.attend_inputs(a, x_, f, scale, rows.start, rows.stop, w, s, t))
        ctx.save_for_backward(asked, x, factors, weights)
        ctx.scale = scale
        return seen, shares

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None, None]:
        asked, x, factors, weights = (each.detach() for each in ctx.saved_tensors)
        to_asked, to_x = torch.empty_like(asked), torch.zeros_like(x)
        given = (asked, x, factors, weights, *(each.contiguous() for each in gradients), to_asked, to_x)
        kernels.attend_inputs_gradients(ctx.scale, *(each.numpy() for each in given))
        return to_asked, to_x, None, None


class _AddAndNorm(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, added: Tensor, factors: Tensor, weight: Tensor, bias: Tensor, epsilon: float
    ) -> Tensor:
        normed, found, scales = torch.empty_like(x), torch.empty_like(x), x.new_empty(x.shape[:2])
        given = (x, added, factors, weight, bias, normed, scales, found)
        kernels.add_and_norm(epsilon, *(each.detach().numpy() for each in given))
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
