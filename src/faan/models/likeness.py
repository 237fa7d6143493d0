"""Likeness of tails: scores a tail by its similarity to the references' tails. A baseline for methods that match pairs.

It needs vectors of the background graph and no few-shot training, and does not look at the head at all.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import torch
from torch.nn import functional

from faan.base import Ints
from faan.embed import Embeddings
from faan.models.interface import TailScorer, to_tensor
from faan.models.register import MethodConfig, Row
from faan.tasks import Task


class TailLikenessConfig(MethodConfig):
    """Likeness of tails as a method; its settings are those of its vectors (`EmbedConfig`)."""

    kind = "likeness"
    order: ClassVar[int] = 75
    rows: ClassVar[tuple[Row, ...]] = (Row("TailLikeness", "embed-transe"),)

    method: Literal["tail-likeness"] = "tail-likeness"
    """Which method."""


class TailLikeness:
    """Scores a pair by the mean cosine of its tail's vector with those of the references' tails."""

    def __init__(self, embeddings: Embeddings) -> None:
        self._directions = functional.normalize(embeddings.entities, dim=1)  # (entities, d)

    def prepare(self, task: Task, references: Ints) -> TailScorer:
        """Compare every entity with the references' tails."""
        wanted = self._directions[to_tensor(references[:, 1])].mean(0)  # (d,)
        with torch.no_grad():
            return TailScorer((self._directions @ wanted).numpy())
