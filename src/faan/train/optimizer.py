"""How weights move: AdamW, a learning rate that depends on the step alone, a moving average."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from faan.train.config import TrainConfig


def learning_rate(config: TrainConfig, step: int) -> float:
    """The learning rate of a step, counted from 0."""
    if step < config.warmup_steps:
        return config.learning_rate * (step + 1) / config.warmup_steps
    if config.schedule == "constant":
        return config.learning_rate
    return config.learning_rate * (config.steps - step) / (config.steps - config.warmup_steps)


class Optimizer:
    """AdamW (Loshchilov and Hutter, 2019) with clipped gradients and a state that is a dictionary of tensors."""

    def __init__(self, model: nn.Module, config: TrainConfig) -> None:
        self.config = config
        self.parameters = {name: p for name, p in model.named_parameters() if p.requires_grad}
        matrices = [p for p in self.parameters.values() if p.ndim > 1]
        vectors = [p for p in self.parameters.values() if p.ndim <= 1]  # biases, norms: no weight decay
        groups = [
            {"params": matrices, "weight_decay": config.weight_decay},
            {"params": vectors, "weight_decay": 0.0},
        ]
        # Fused: one pass over memory. Where all vectors of a graph are trained, an update takes a quarter of the time.
        self.adam = torch.optim.AdamW([group for group in groups if group["params"]], fused=True)

    def update(self, loss: Tensor, step: int) -> float:
        """Move the weights against the gradient of a loss; the gradient's length before it was clipped.

        A gradient that is not finite moves nothing.
        """
        self.adam.zero_grad()
        loss.backward()
        norm = float(nn.utils.clip_grad_norm_(self.parameters.values(), self.config.clip))
        if norm < float("inf"):  # not so for NaN either
            for group in self.adam.param_groups:
                group["lr"] = learning_rate(self.config, step)
            self.adam.step()
        return norm

    @property
    def state(self) -> dict[str, Tensor]:
        """What to save: the moments of each parameter that has moved."""
        return {
            f"{name}/{key}": tensor
            for name, parameter in self.parameters.items()
            for key, tensor in self.adam.state[parameter].items()
        }

    @state.setter
    def state(self, saved: Mapping[str, Tensor]) -> None:
        for path, tensor in saved.items():
            name, key = path.rsplit("/", 1)
            self.adam.state[self.parameters[name]][key] = tensor


@torch.no_grad()
def move_average(average: Mapping[str, Tensor], weights: Mapping[str, Tensor], decay: float, step: int) -> None:
    """Move an average towards the weights after a step, counted from 0.

    At first it follows them faster than the decay says: the first weights are random and should soon be forgotten.
    """
    share = 1 - min(decay, (step + 1) / (step + 10))
    for name, tensor in average.items():
        if tensor.is_floating_point():
            tensor.lerp_(weights[name].to(tensor.dtype), share)
        else:
            tensor.copy_(weights[name])
