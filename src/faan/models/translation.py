"""Mean translation: a relation is the mean way from head to tail of its references, t ~ h + mean(t_k - h_k).

It needs TransE vectors of the background graph and no few-shot training at all (after Bordes et al., NIPS 2013).
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from faan.base import InputError, Ints
from faan.embed import Embeddings
from faan.models.interface import to_tensor
from faan.models.register import MethodConfig, Row
from faan.tasks import Task


class TranslationConfig(MethodConfig):
    """Mean translation as a method; its settings are those of its TransE vectors (`EmbedConfig`)."""

    kind = "translation"
    order: ClassVar[int] = 70
    rows: ClassVar[tuple[Row, ...]] = (Row("Translation", "embed-transe"),)

    method: Literal["translation"] = "translation"
    """Which method."""


class MeanTranslation:
    """Scores a pair by -||h + r - t|| with r the mean of t_k - h_k, in the norm of the vectors' own model."""

    def __init__(self, embeddings: Embeddings) -> None:
        if embeddings.config.model != "transe":
            raise InputError(f"mean translation needs TransE vectors, found {embeddings.config.model}")
        self.embeddings = embeddings

    def prepare(self, task: Task, references: Ints) -> _TranslationScorer:
        """Average the references' translations."""
        pairs = self.embeddings.entities[to_tensor(references)]  # (K, 2, d)
        return _TranslationScorer(self.embeddings, (pairs[:, 1] - pairs[:, 0]).mean(0))


class _TranslationScorer:
    def __init__(self, embeddings: Embeddings, translation: Tensor) -> None:
        self._embeddings, self._translation = embeddings, translation  # (d,)

    @torch.no_grad()
    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        entities, model = self._embeddings.entities, self._embeddings.model
        moved = model.tail_query(entities[to_tensor(heads)], self._translation)  # (H, d)
        return model.similarity.matrix(moved, entities[to_tensor(candidates)]).numpy()  # (H, C)
