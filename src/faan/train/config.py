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
    """The highest learning rate. Lower it if training stops because the loss is not finite."""
    warmup_steps: int = Field(0, ge=0)
    """Steps over which the learning rate rises linearly from 0."""
    schedule: Literal["linear", "constant"] = "linear"
    """What the learning rate does after the warm-up: it falls linearly to 0 at the last step, or stays constant."""
    weight_decay: float = Field(0.0, ge=0.0)
    """Weight decay of AdamW. It applies to matrices, not to biases and other vectors."""
    clip: float = Field(5.0, gt=0.0)
    """Gradients are clipped to this norm."""
    average: float = Field(0.0, ge=0.0, lt=1.0)
    """Decay of a moving average of the weights. The average is evaluated and saved; 0 uses the weights themselves."""

    tasks_per_step: int = Field(1, ge=1)
    """Episodes in each step."""
    shots: Count | Annotated[tuple[Count, Count], Field(strict=False)] = 5
    """References of an episode: a number, or a range from which each episode draws its own."""
    queries: int = Field(128, ge=1)
    """Maximum number of queries of an episode; a task with fewer pairs gives fewer."""
    repeat_queries: bool = False
    """Draw queries with replacement if a task has fewer pairs than ``queries``, as the paper's runs do."""
    negatives: int = Field(1, ge=1)
    """Wrong tails for each query."""
    min_candidates: int = Field(21, ge=1)
    """Training skips tasks with fewer candidates."""
    inverse_tasks: bool = False
    """Also train on the training tasks with head and tail swapped."""

    evaluate_every: int = Field(1000, ge=1)
    """Steps between evaluations on the dev tasks. The first evaluation is before training, the last after it."""
    evaluate_heads: int = Field(0, ge=0)
    """Heads of each dev task that are evaluated during training: a fixed sample, which saves time; 0 takes all."""
    patience: int = Field(0, ge=0)
    """Evaluations without a better dev MRR after which training stops; 0 trains to the end."""
    checkpoint_every: int = Field(1000, ge=1)
    """Steps between checkpoints. Each evaluation writes one too."""
    log_every: int = Field(100, ge=1)
    """Steps between two lines with the mean loss in ``metrics.jsonl``."""

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
    """The name of a changed model in tables; empty for the method itself. A variant that the method defines, such as
    FAAN's ``"A1"``, also changes the settings."""
    embed: EmbedConfig = EmbedConfig.recommended("transe")
    """How the vectors of the background graph are trained."""
    vectors: Literal["background", "background+tasks"] = "background"
    """Which triples the vectors are trained on: the background graph, or also the training tasks."""
    max_neighbours: int = Field(50, ge=1)
    """Maximum number of neighbours of an entity that a model sees."""
    shots: int = Field(5, ge=1)
    """K: references of each task in evaluations."""
    train: TrainConfig = TrainConfig()
    """How the model is trained."""
    seed: int = Field(0, ge=0, lt=1 << 64)
    """The same seed and settings give the same weights. It is also the seed of the embeddings, in place of
    ``embed.seed``."""

    @property
    def protocol(self) -> Protocol:
        """Whether anything but the training tasks is learnt from."""
        return self.model.protocol

    def _changes_of_variant(self) -> Mapping[str, Any]:
        known, name, variant = self.model.variants, self.model.display_name, self.variant or ""
        if variant not in known and re.fullmatch("[A-C][1-3]", variant.upper()):
            raise ValueError(f"{name} has no variant {variant!r}; expected {', '.join(known) or 'none'}")
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
