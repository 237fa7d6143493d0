from __future__ import annotations

import pytest
import torch
from torch import nn

from faan.train import TrainConfig
from faan.train.optimizer import Optimizer, learning_rate, move_average


def test_the_learning_rate_rises_and_falls_in_straight_lines() -> None:
    config = TrainConfig(steps=10, warmup_steps=4, learning_rate=0.8)
    rates = [learning_rate(config, step) for step in range(11)]
    assert rates == pytest.approx([0.2, 0.4, 0.6, 0.8, *(0.8 * left / 6 for left in (6, 5, 4, 3, 2, 1, 0))])


def test_a_constant_learning_rate_stays_after_its_rise() -> None:
    config = TrainConfig(steps=10, warmup_steps=2, learning_rate=0.8, schedule="constant")
    assert [learning_rate(config, step) for step in (0, 1, 2, 9)] == [0.4, 0.8, 0.8, 0.8]


def test_a_long_gradient_is_cut_and_its_length_told() -> None:
    layer = nn.Linear(3, 2)
    optimizer = Optimizer(layer, TrainConfig(clip=0.5))
    norm = optimizer.update(100 * layer(torch.ones(3)).sum(), 0)
    assert norm == pytest.approx(100 * (6 + 2) ** 0.5)
    grads = torch.cat([p.grad.flatten() for p in layer.parameters() if p.grad is not None])
    assert grads.norm().item() == pytest.approx(0.5, rel=1e-4)


def test_a_gradient_that_is_not_finite_moves_nothing() -> None:
    layer = nn.Linear(3, 2)
    before = layer.weight.detach().clone()
    assert not Optimizer(layer, TrainConfig()).update((layer.weight * float("inf")).sum(), 0) < float("inf")
    assert torch.equal(layer.weight, before)


def test_weight_decay_shrinks_matrices_and_spares_vectors() -> None:
    layer = nn.Linear(3, 2)
    weight, bias = layer.weight.detach().clone(), layer.bias.detach().clone()
    config = TrainConfig(weight_decay=0.5, learning_rate=0.1, schedule="constant")
    Optimizer(layer, config).update(0 * (layer.weight.sum() + layer.bias.sum()), 0)
    assert torch.allclose(layer.weight, weight * (1 - 0.1 * 0.5))
    assert torch.equal(layer.bias, bias)


def test_a_saved_state_goes_on_as_if_nothing_had_happened() -> None:
    config = TrainConfig(learning_rate=0.1, weight_decay=0.1)

    def step(layer: nn.Linear, optimizer: Optimizer, number: int) -> None:
        optimizer.update(layer(torch.arange(3.0) + number).pow(2).sum(), number)

    torch.manual_seed(0)
    layer = nn.Linear(3, 2)
    optimizer = Optimizer(layer, config)
    for number in range(3):
        step(layer, optimizer, number)
    again = nn.Linear(3, 2)
    again.load_state_dict(layer.state_dict())
    resumed = Optimizer(again, config)
    resumed.state = {name: tensor.clone() for name, tensor in optimizer.state.items()}
    for number in range(3, 6):
        step(layer, optimizer, number)
        step(again, resumed, number)
    assert torch.equal(layer.weight, again.weight)
    assert torch.equal(layer.bias, again.bias)


def test_counts_are_copied_into_an_average_not_averaged() -> None:
    average = {"seen": torch.tensor(3), "mean": torch.tensor(0.0)}
    move_average(average, {"seen": torch.tensor(9), "mean": torch.tensor(1.0)}, 0.75, step=1000)
    assert (int(average["seen"]), float(average["mean"])) == (9, 0.25)
