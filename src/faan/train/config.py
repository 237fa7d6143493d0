"""The settings of a run of a few-shot model, checked when they are given and explained where they are defined."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from faan.base import Settings
from faan.embed import EmbedConfig
from faan.models import AnyMethod
from faan.tasks import Protocol

Count = Annotated[int, Field(ge=1)]


class TrainConfig(Settings):
    """How a few-shot model is trained on the training tasks."""

    steps: int = Field(10_000, ge=1)
    """Updates of the weights."""
    learning_rate: float = Field(1e-4, gt=0.0, le=1000.0)
    """The size of an update at its highest; lower it when training stops with a loss that is not finite."""
    warmup_steps: int = Field(0, ge=0)
    """Steps in which the learning rate rises in a straight line from 0."""
    schedule: Literal["linear", "constant"] = "linear"
    """After that it falls in a straight line to 0 at the last step, or stays."""
    weight_decay: float = Field(0.0, ge=0.0)
    """Each step shrinks the weights by this times the learning rate (AdamW); biases and other vectors are spared."""
    clip: float = Field(5.0, gt=0.0)
    """A longer gradient is cut to this length."""
    average: float = Field(0.0, ge=0.0, lt=1.0)
    """Decay of a moving average of the weights, which is then what is evaluated and kept; 0 keeps the weights."""

    tasks_per_step: int = Field(1, ge=1)
    """Episodes in each step."""
    shots: Count | Annotated[tuple[Count, Count], Field(strict=False)] = 5
    """References of an episode, or the lowest and highest number of them, drawn anew for each."""
    queries: int = Field(128, ge=1)
    """Queries of an episode at most; fewer where the task has fewer pairs."""
    repeat_queries: bool = False
    """Draw as many queries even there, with replacement, as the paper's runs do."""
    negatives: int = Field(1, ge=1)
    """Wrong tails for each query."""
    min_candidates: int = Field(21, ge=1)
    """Tasks with fewer candidates are left out of training."""
    inverse_tasks: bool = False
    """Train on the training tasks with head and tail swapped too."""

    evaluate_every: int = Field(1000, ge=1)
    """Steps between evaluations on the dev tasks; the first is before training, the last after it."""
    evaluate_heads: int = Field(0, ge=0)
    """In each dev task ask for so many heads at most, a fixed sample, which keeps evaluations cheap; 0 asks for all."""
    patience: int = Field(0, ge=0)
    """Stop after so many evaluations without a better dev MRR; 0 trains to the end."""
    checkpoint_every: int = Field(1000, ge=1)
    """Steps between checkpoints; there is one after each evaluation anyway."""
    log_every: int = Field(100, ge=1)
    """Steps between lines with the mean loss in the metrics."""

    @model_validator(mode="after")
    def _check(self) -> TrainConfig:
        if self.warmup_steps >= self.steps:
            raise ValueError(
                f"warmup_steps ({self.warmup_steps}) must be fewer than steps ({self.steps}): lower it too, say by"
                f" --set train.warmup_steps={self.steps // 10}"
            )
        if isinstance(self.shots, tuple) and self.shots[0] > self.shots[1]:
            raise ValueError(f"the range of shots must rise, not go from {self.shots[0]} to {self.shots[1]}")
        return self


class RunConfig(Settings):
    """All of a run: the embeddings it starts from, the few-shot model, its training."""

    model: AnyMethod
    """The method and its settings; ``method`` says which one (``faan.models.register``)."""
    variant: str | None = None
    """What to call a changed model in tables; without one it is the method itself. A variant that the method
    knows, such as FAAN's ``"A1"``, also makes the changes."""
    embed: EmbedConfig = EmbedConfig.recommended("transe")
    """How the vectors of the background graph are trained."""
    vectors: Literal["background", "background+tasks"] = "background"
    """Which triples they are trained on: the background graph, or those of the training tasks too."""
    max_neighbours: int = Field(50, ge=1)
    """The neighbours of an entity that a model sees at most."""
    shots: int = Field(5, ge=1)
    """K, the references of each task in evaluations."""
    train: TrainConfig = TrainConfig()
    """How the model is trained."""
    seed: int = Field(0, ge=0, lt=1 << 64)
    """The same seed and settings give the same weights; the embeddings have it too, whatever ``embed.seed`` says."""

    @property
    def protocol(self) -> Protocol:
        """Whether anything but the training tasks is learnt from."""
        return self.model.protocol

    def _changes_of_variant(self) -> Mapping[str, Any]:
        known, name, variant = self.model.variants, self.model.display_name, self.variant or ""
        if variant not in known and re.fullmatch("[A-C][1-3]", variant.upper()):
            raise ValueError(f"{name} has no variant {variant!r}, but {', '.join(known) or 'none'}")
        changes = known[variant].changes if variant in known else {}
        for setting, value in changes.items():
            if getattr(self.model, setting) not in (value, type(self.model).model_fields[setting].default):
                raise ValueError(f"variant {variant} changes model.{setting}, which is set too: leave one of them out")
        return changes

    @model_validator(mode="after")
    def _complete(self) -> RunConfig:
        changes = self._changes_of_variant()
        for name, value in (
            ("embed", self.embed.model_copy(update={"seed": self.seed})),
            ("model", self.model.model_copy(update=dict(changes))),
        ):
            object.__setattr__(self, name, value)  # this object is frozen
        return self
