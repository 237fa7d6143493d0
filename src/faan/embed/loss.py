"""How wrong scores are: one true triple against its negatives, three ways.

A negative that is the true answer itself weighs nothing in any of the three.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812 - the name everybody knows
from torch import Tensor

from faan.embed.config import EmbedConfig


def summed_loss(positive: Tensor, negative: Tensor, is_answer: Tensor, config: EmbedConfig) -> Tensor:
    """The losses of some true triples, summed: their scores (K, C) and those of their negatives (K, C, N), some of
    which are the answer itself.

    With s the true score, s_j those of the negatives, g the margin and w_j the weights:

    margin:   sum_j w_j max(0, g - s + s_j)                              Bordes et al., 2013
    logistic: (-log sigma(g + s) - sum_j w_j log sigma(-g - s_j)) / 2    Trouillon et al., 2016; Sun et al., 2019
    softmax:  -log( exp(s) / (exp(s) + sum_j exp(s_j)) )                 Lacroix et al., 2018
    """
    if config.loss == "softmax":
        summed: Tensor = _SoftmaxLoss.apply(positive, negative, is_answer)  # type: ignore[no-untyped-call]
        return summed
    negative = negative.masked_fill_(is_answer, -torch.inf)
    if config.loss == "margin":
        wrong = F.relu(config.margin - positive.unsqueeze(-1) + negative)  # (K, C, N)
        return weighted_sum(wrong, negative, config.adversarial_temperature)
    wrong = F.softplus(config.margin + negative)  # (K, C, N)
    right = F.softplus(-config.margin - positive).sum()
    return (right + weighted_sum(wrong, negative, config.adversarial_temperature)) / 2


def weighted_sum(values: Tensor, negative: Tensor, temperature: float) -> Tensor:
    """Sum over triples of sum_j w_j values_j, w_j = softmax_j(temperature * s_j), eq. 5 of Sun et al., 2019."""
    if temperature == 0.0:
        return values.sum() / values.shape[-1]
    weights = torch.softmax(temperature * negative.detach(), -1)  # (K, C, N)
    return (weights * values).sum()


class _SoftmaxLoss(torch.autograd.Function):
    """With the chances p = softmax(s, s_1, ..., s_N): the loss is -log p_0, its gradient p_j, and p_0 - 1 for s."""

    @staticmethod
    def forward(ctx: Any, positive: Tensor, negative: Tensor, is_answer: Tensor) -> Tensor:
        top = torch.maximum(positive, negative.amax(-1))
        chances = (negative - top.unsqueeze(-1)).exp_().masked_fill_(is_answer, 0.0)  # (K, C, N)
        right = (positive - top).exp_()
        total = chances.sum(-1).add_(right)
        ctx.save_for_backward(chances.div_(total.unsqueeze(-1)), right.div_(total).sub_(1.0))
        return (total.log_() + top - positive).sum()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        chances, right = ctx.saved_tensors
        return right * gradients[0], chances * gradients[0], None
