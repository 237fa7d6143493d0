"""Attention between the three places of a pair, in the layout that is fast for it.

Three places are so few that batched products of small matrices are mostly overhead. So `attend` multiplies element by
element and adds up, with the pairs last: its operations run over long rows, though a head's slice is short.
"""

from __future__ import annotations

import torch
from torch import Tensor

from faan.models.precision import products_in


def attend(queries_keys_values: Tensor, scale: float, factors: Tensor) -> Tensor:
    """softmax(scale * q k') v between three places, apart for each pair and head, with factors of the weights.

    Queries, keys and values (3, heads, s, 3, n), factors (n, 3, heads, 3) or none, to (heads, s, 3, n).
    """
    queries, keys, values = in_32_bits(queries_keys_values)
    weights = (scale * (queries[:, :, :, None] * keys[:, :, None]).sum(1)).softmax(2)  # (heads, 3, 3, n)
    if len(factors):
        weights = weights * factors.permute(2, 1, 3, 0)
    mixed: Tensor = (weights[:, None] * values[:, :, None]).sum(3)
    return mixed


def attend_inputs(asked: Tensor, x: Tensor, scale: float, factors: Tensor) -> tuple[Tensor, Tensor]:
    """Attention of one asker to three places that are their own keys and values: softmax(scale * asked x') x.

    Asked (heads, n, w), x (3, n, w), factors of the weights (n, heads, 3) or none, to (heads, n, w), and, as factors
    change it, the sum of the weights, (heads, n).
    """
    with products_in("float32"):
        weights = (scale * torch.einsum("hnw,pnw->hnp", in_32_bits(asked), x)).softmax(-1)
        if len(factors):
            weights = weights * factors.transpose(0, 1)
        return torch.einsum("hnp,pnw->hnw", weights, x), weights.sum(-1)


def in_32_bits(product: Tensor) -> Tensor:
    """A product of matrices that may have come in 16 bits: sums, norms and softmax keep 32."""
    return product.float() if product.dtype == torch.bfloat16 else product
