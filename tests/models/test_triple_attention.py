"""Attention between three places is what its definition says, with and without dropout of weights."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from faan.models.dropout import Dropout
from faan.models.pairs import add_and_norm
from faan.models.triple_attention import attend, attend_inputs

PAIRS, HEADS, SCALE = 4, 2, 0.3
shares = pytest.mark.parametrize("share", [0.0, 0.4])


def factors_of(share: float, *shape: int) -> Tensor:
    torch.manual_seed(1)
    return Dropout(share).factors(shape)


@shares
def test_every_place_looks_at_all_three(share: float) -> None:
    given, factors = torch.randn(3, HEADS, 5, 3, PAIRS), factors_of(share, PAIRS, 3, HEADS, 3)
    found = attend(given, SCALE, factors)
    for pair in range(PAIRS):
        for head in range(HEADS):
            q, k, v = given[:, head, :, :, pair].mT  # (3 places, s) each
            weights = (SCALE * q @ k.T).softmax(-1)
            weights = weights * factors[pair, :, head] if share else weights
            assert torch.allclose(found[head, :, :, pair], (weights @ v).T, atol=1e-6)


@shares
def test_one_place_looks_at_bare_inputs(share: float) -> None:
    asked, x, factors = torch.randn(HEADS, PAIRS, 9), torch.randn(3, PAIRS, 9), factors_of(share, PAIRS, HEADS, 3)
    seen, sums = attend_inputs(asked, x, SCALE, factors)
    for pair in range(PAIRS):
        weights = (SCALE * asked[:, pair] @ x[:, pair].T).softmax(-1)  # (heads, 3)
        weights = weights * factors[pair] if share else weights
        assert torch.allclose(seen[:, pair], weights @ x[:, pair], atol=1e-6)
        assert torch.allclose(sums[:, pair], weights.sum(-1))


def test_a_sum_drops_only_what_is_added() -> None:
    dropout, norm = Dropout(0.5), torch.nn.LayerNorm(3)
    x, added = torch.randn(2, PAIRS, 3), torch.randn(2, PAIRS, 3)
    torch.manual_seed(1)
    found = add_and_norm(x, added, dropout, norm)
    torch.manual_seed(1)
    factors = dropout.factors((PAIRS, 2, 3)).transpose(0, 1)  # the bits of a pair are side by side
    assert {0.0, 2.0} == set(factors.unique().tolist())
    assert torch.allclose(found, norm(x + factors * added), atol=1e-6)
