"""A learnt linear map of mean translation: the smallest few-shot model that learns from tasks.

score(h, t) = -||M (h + r - t)||_1  with r the mean of t_k - h_k over the references. M, d x d, starts as the identity,
so before training this is mean translation in TransE-L1; training learns which directions of the space matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn

from faan.graph.ragged import Ints
from faan.models.background import Background
from faan.models.interface import FewShotModel, MethodConfig, to_tensor
from faan.tasks import Episode, Task


class ProjectionConfig(MethodConfig):
    """The settings of projected mean translation."""

    display_name: ClassVar[str] = "Projection"

    method: Literal["projection"] = "projection"
    """Which few-shot model."""
    margin: float = Field(1.0, gt=0.0)
    """By how much a true tail has to win against a wrong one."""
    dropout: float = Field(0.0, ge=0.0, lt=1.0)
    """The share of the coordinates of h + r - t that is zeroed at random in training."""

    def build(self, background: Background) -> Projection:
        """The model with M the identity."""
        return Projection(background.entities, self)


class Projection(FewShotModel):
    """Scores a pair by how near M h + M r is to M t."""

    entities: Tensor

    def __init__(self, entities: Tensor, config: ProjectionConfig) -> None:
        super().__init__()
        self.register_buffer("entities", entities, persistent=False)  # (entities, d), frozen
        self.map = nn.Parameter(torch.eye(entities.shape[1]))
        self.margin, self.dropout = config.margin, nn.Dropout(config.dropout)

    def loss(self, episodes: Sequence[Episode]) -> Tensor:
        """The mean of relu(margin - (score of a true tail - score of a wrong one))."""
        return torch.stack([self._episode_loss(episode) for episode in episodes]).mean()

    def _episode_loss(self, episode: Episode) -> Tensor:
        heads, tails = self._vectors(episode.queries).unbind(1)  # (Q, d)
        moved = (heads + self.translation(episode.references))[:, None]  # (Q, 1, d)
        choices = torch.cat([tails[:, None], self._vectors(episode.negatives)], dim=1)  # (Q, 1 + N, d)
        scores = -(self.dropout(moved - choices) @ self.map.T).abs().sum(-1)  # (Q, 1 + N)
        return torch.relu(self.margin - (scores[:, :1] - scores[:, 1:])).mean()

    @torch.no_grad()
    def prepare(self, task: Task, references: Ints) -> _ProjectionScorer:
        """Average the references' translations."""
        return _ProjectionScorer(self, self.translation(references))

    def translation(self, references: Ints) -> Tensor:
        """The mean way from head to tail, (d,)."""
        pairs = self._vectors(references)  # (K, 2, d)
        return (pairs[:, 1] - pairs[:, 0]).mean(0)

    def _vectors(self, ids: Ints) -> Tensor:
        return self.entities[to_tensor(ids)]


class _ProjectionScorer:
    def __init__(self, model: Projection, translation: Tensor) -> None:
        self._model, self._translation = model, translation

    @torch.no_grad()
    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        vectors, map = self._model.entities, self._model.map
        moved = (vectors[to_tensor(heads)] + self._translation) @ map.T  # (H, d)
        tails = vectors[to_tensor(candidates)] @ map.T  # (C, d)
        return (-torch.cdist(moved, tails, p=1)).numpy()  # (H, C)
