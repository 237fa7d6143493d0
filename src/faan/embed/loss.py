"""How wrong the scores of a chunk are: one true triple against its negatives, three ways.

A negative that is the true answer itself has score -inf: it then weighs nothing in any of the three.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812 - the name everybody knows
from torch import Tensor

from faan.embed.config import EmbedConfig


def chunk_loss(positive: Tensor, negative: Tensor, config: EmbedConfig) -> Tensor:
    """Mean loss of a chunk: scores of its true triples (C,) and of their negatives (C, N).

    With s the true score, s_j those of the negatives, g the margin and w_j the weights:

    margin:   sum_j w_j max(0, g - s + s_j)                              Bordes et al., 2013
    logistic: (-log sigma(g + s) - sum_j w_j log sigma(-g - s_j)) / 2    Trouillon et al., 2016; Sun et al., 2019
    softmax:  -log( exp(s) / (exp(s) + sum_j exp(s_j)) )                 Lacroix et al., 2018
    """
    if config.loss == "softmax":
        return (torch.logaddexp(positive, negative.logsumexp(-1)) - positive).mean()
    weight = negative_weights(negative.detach(), config.adversarial_temperature)  # (C, N)
    if config.loss == "margin":
        return (weight * F.relu(config.margin - positive.unsqueeze(-1) + negative)).sum(-1).mean()
    wrong = (weight * F.softplus(config.margin + negative)).sum(-1)  # (C,)
    return ((F.softplus(-config.margin - positive) + wrong) / 2).mean()


def negative_weights(negative: Tensor, temperature: float) -> Tensor:
    """Weights that sum to 1 for each true triple: w_j = softmax_j(temperature * s_j), eq. 5 of Sun et al., 2019."""
    if temperature == 0.0:
        return torch.full_like(negative, 1.0 / negative.shape[-1])
    return torch.softmax(temperature * negative, -1)
