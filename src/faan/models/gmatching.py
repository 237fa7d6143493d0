"""GMatching: an entity is the mean of its neighbours, and a matching network compares a pair with the references.

Xiong, Yu, Chang, Guo, Wang: One-Shot Relational Learning for Knowledge Graphs. EMNLP 2018.
For more than one reference FAAN's paper tells three settings apart, by how the references are pooled.

Where this differs from the paper, and why:
- All edges of an entity count (at most as many as were sampled such that relations survive), not the first in the file.
- W and b are applied once to the mean of the neighbours, which is the same as the mean over neighbours of W [r; e] + b.
  An entity without neighbours is tanh(b).
- Vectors are scaled to a common length first, so that settings do not depend on the embeddings; they stay as they are
  unless `train_vectors` is set: on large graphs an update of all of them would be most of the work.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import torch
from torch import Tensor, nn

from faan.models.background import Background
from faan.models.entitywise import EntitywiseConfig, EntitywiseModel
from faan.models.interface import to_tensor
from faan.models.ragged_attention import Edges, weighted_sum
from faan.models.register import Row


class GMatchingConfig(EntitywiseConfig):
    """The settings of GMatching; the defaults are the paper's."""

    order: ClassVar[int] = 20
    rows: ClassVar[tuple[Row, ...]] = (
        Row("GMatching-MaxP", "gmatching-maxp", tables=("main", "shots")),
        Row("GMatching-MeanP", "gmatching-meanp"),
        Row("GMatching-Max", "gmatching-max"),
    )
    fit_config: ClassVar[str | None] = "gmatching-maxp"
    samples: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "mean": {"pooling": "mean", "margin": 1.0},
        "best": {"pooling": "best", "margin": 1.0, "train_vectors": True},
    }

    method: Literal["gmatching"] = "gmatching"
    """Which few-shot model."""
    pooling: Literal["max", "mean", "best"] = "max"
    """How references are pooled: by maximum, by mean, or not at all, and then the best score counts."""

    @property
    def display_name(self) -> str:
        """The method's name in the tables of the literature."""
        return {"max": "GMatching-MaxP", "mean": "GMatching-MeanP", "best": "GMatching-Max"}[self.pooling]

    def build(self, background: Background) -> GMatching:
        """The model before training."""
        return GMatching(background, self)


class GMatching(EntitywiseModel):
    """Matches pairs with references that are pooled, or with each of them."""

    def __init__(self, background: Background, config: GMatchingConfig) -> None:
        super().__init__(background, config)
        self.pooling = config.pooling
        d, d_relation = background.dimension, background.relations.shape[1]
        self.context = nn.Linear(d_relation + d, d)  # W, b

    def encode(self, edges: Edges) -> Tensor:
        """f(e) = tanh(mean over e's neighbours of W [r; e_nbr] + b), (n, d)."""
        degrees = to_tensor(edges.degrees)
        weights = (1 / degrees).repeat_interleave(degrees)  # (e,)
        mean = torch.cat(
            [
                weighted_sum(edges, rows, table, weights, self.neighbour_dropout)
                for rows, table in ((edges.relations, self.relations), (edges.entities, self.entities))
            ],
            -1,
        )  # (n, d_relation + d)
        encoded: Tensor = self.context(mean).tanh()
        return encoded

    def aggregate(self, references: Tensor) -> tuple[Tensor, Tensor]:
        """Pool references (K, D) to (1, D), or leave them apart."""
        nothing = references.new_zeros(())
        if self.pooling == "best":
            return references, nothing
        return (references.amax(0) if self.pooling == "max" else references.mean(0))[None], nothing
