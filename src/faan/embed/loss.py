"""How wrong scores are: one true triple against its negatives, three ways.

A negative that is the true answer itself has score -inf: it then weighs nothing in any of the three.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 - the name everybody knows
from torch import Tensor

from faan.embed.config import EmbedConfig


def summed_loss(positive: Tensor, negative: Tensor, config: EmbedConfig) -> Tensor:
    """The losses of some true triples, summed: their scores (K, C) and those of their negatives (K, C, N).

    With s the true score, s_j those of the negatives, g the margin and w_j the weights:

    margin:   sum_j w_j max(0, g - s + s_j)                              Bordes et al., 2013
    logistic: (-log sigma(g + s) - sum_j w_j log sigma(-g - s_j)) / 2    Trouillon et al., 2016; Sun et al., 2019
    softmax:  -log( exp(s) / (exp(s) + sum_j exp(s_j)) )                 Lacroix et al., 2018
    """
    if config.loss == "softmax":
        return (torch.logaddexp(positive, negative.logsumexp(-1)) - positive).sum()
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
