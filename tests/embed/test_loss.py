"""The loss of an update, and the gradients that are written out for speed."""

import pytest
import torch
from torch import Tensor

from faan.embed.config import EmbedConfig
from faan.embed.loss import summed_loss
from faan.embed.models import moduli

SOFTMAX = EmbedConfig.recommended("complex", loss="softmax")


@pytest.fixture
def scores() -> tuple[Tensor, Tensor, Tensor]:
    """Scores of true triples (2, 3) and of their negatives (2, 3, 5), and which of these are the answer itself."""
    torch.manual_seed(0)
    positive = torch.randn(2, 3, dtype=torch.float64) * 3
    negative = torch.randn(2, 3, 5, dtype=torch.float64) * 3
    is_answer = torch.zeros(2, 3, 5, dtype=torch.bool)
    is_answer[0, 1, 2] = is_answer[1, 2, 0] = True
    return positive.requires_grad_(), negative.requires_grad_(), is_answer


def test_softmax_loss_and_its_gradients_are_those_of_cross_entropy(scores: tuple[Tensor, Tensor, Tensor]) -> None:
    positive, negative, is_answer = scores
    masked = torch.cat([positive.unsqueeze(-1), negative.masked_fill(is_answer, -torch.inf)], -1)  # (2, 3, 6)
    expected = -masked.log_softmax(-1)[..., 0].sum()
    loss = summed_loss(positive, negative, is_answer, SOFTMAX)
    torch.testing.assert_close(loss, expected)
    found = torch.autograd.grad(3 * loss, [positive, negative])
    torch.testing.assert_close(found, torch.autograd.grad(3 * expected, [positive, negative]))


@pytest.mark.parametrize("high", [1e4, -1e4])
def test_softmax_loss_of_far_scores_is_finite(scores: tuple[Tensor, Tensor, Tensor], high: float) -> None:
    positive, negative, is_answer = scores
    loss = summed_loss(positive + high, negative, is_answer, SOFTMAX)
    assert all(gradient.isfinite().all() for gradient in (loss, *torch.autograd.grad(loss, [positive, negative])))


@pytest.mark.parametrize("loss", ["margin", "logistic", "softmax"])
def test_a_negative_that_is_the_answer_weighs_nothing(scores: tuple[Tensor, Tensor, Tensor], loss: str) -> None:
    positive, negative, is_answer = scores
    config = EmbedConfig.recommended("transe", loss=loss, margin=1.0, adversarial_temperature=0.0)
    found = summed_loss(positive, negative.clone(), is_answer, config)
    torch.testing.assert_close(found, summed_loss(positive, negative + 7 * is_answer, is_answer, config))
    gradient = torch.autograd.grad(found, negative)[0]
    assert (gradient[is_answer] == 0).all() and (gradient[~is_answer] != 0).any()


def test_moduli_are_lengths_with_a_gradient_that_is_zero_at_zero() -> None:
    torch.manual_seed(0)
    rows = torch.randn(4, 6, dtype=torch.float64, requires_grad=True)  # three complex coordinates
    expected = torch.hypot(*rows.chunk(2, -1))
    torch.testing.assert_close(moduli(rows), expected)
    weights = torch.randn(4, 3, dtype=torch.float64)
    found = torch.autograd.grad((weights * moduli(rows) ** 3).sum(), rows)
    torch.testing.assert_close(found, torch.autograd.grad((weights * expected**3).sum(), rows))
    zero = torch.zeros(2, 6, requires_grad=True)
    assert (torch.autograd.grad(moduli(zero).sum(), zero)[0] == 0).all()
