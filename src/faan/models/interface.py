"""What every method offers: look at the references of a relation once, then score any heads against any candidates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from faan.base import Ints
from faan.models.background import Background
from faan.models.register import MethodConfig
from faan.tasks import Benchmark, Episode, Method, Scorer, Task

PAIRS_AT_ONCE = 2048  # how many pairs a model scores together: few enough to stay in the processor's cache


class Scorers(Protocol):
    """Scores pairs of one relation by each of several sets of references."""

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        """As `Scorer.score`, for each of S sets: (H,) and (C,) to (S, H, C)."""
        ...


class FewShotModel(nn.Module, ABC):
    """A method whose weights are learnt on episodes of the training tasks; `faan.train` trains any of them.

    What a model draws at random in training (dropout, say) comes from torch's global generator, which the training
    loop seeds anew at each step; so a step depends on the weights, the seed and its number alone.
    """

    @abstractmethod
    def loss(self, episodes: Sequence[Episode]) -> Tensor:
        """The loss of one training step, a scalar: the mean over its episodes."""

    @abstractmethod
    def prepare(self, task: Task, references: Ints) -> Scorer:
        """As `Method.prepare`; scores as in evaluation, without dropout, whatever the module's mode."""


class TailScorer:
    """Scores a pair by its tail alone, whatever the head is."""

    def __init__(self, scores: NDArray[np.floating]) -> None:
        self._scores = scores  # (entities,)

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        """As `Scorer.score`."""
        return np.broadcast_to(self._scores[candidates], (len(heads), len(candidates)))  # (H, C)


class SharingModel(FewShotModel):
    """A model whose work on a pair is, all or most of it, the same whatever the references are."""

    @abstractmethod
    def prepare_sets(self, task: Task, sets: Sequence[Ints]) -> Scorers:
        """As `prepare`, for several sets of references (K, 2) at once."""

    def prepare(self, task: Task, references: Ints) -> Scorer:
        """Look at one set of references."""
        return _Only(self.prepare_sets(task, [references]))


class _Only:
    def __init__(self, scorers: Scorers) -> None:
        self._scorers = scorers

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        (scores,) = self._scorers.score(heads, candidates)
        return scores  # type: ignore[no-any-return]


class Apart:
    """Scorers that share no work."""

    def __init__(self, scorers: Sequence[Scorer]) -> None:
        self._scorers = scorers

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        """As `Scorers.score`."""
        return np.stack([scorer.score(heads, candidates) for scorer in self._scorers])


def prepare_sets(method: Method, task: Task, sets: Sequence[Ints]) -> Scorers:
    """Look at several sets of references of a task, (K, 2) each, and share the work if the method can."""
    if isinstance(method, SharingModel):
        return method.prepare_sets(task, sets)
    return Apart([method.prepare(task, references) for references in sets])


class FewShotConfig(MethodConfig):
    """The settings of a model that learns from episodes."""

    @abstractmethod
    def build(self, background: Background) -> FewShotModel:
        """The model before training; what is random in it comes from torch's global generator."""


class UntrainedConfig(MethodConfig):
    """The settings of a method that needs what is known and no training."""

    kind = "untrained"

    @abstractmethod
    def build(self, benchmark: Benchmark) -> Method:
        """The method, ready for use."""


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """Switch dropout and gradients off within the block, and restore the mode after it."""
    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield
    finally:
        model.train(training)


def to_tensor(ids: Ints) -> Tensor:
    """Ids as torch wants them."""
    return torch.from_numpy(np.ascontiguousarray(ids, dtype=np.int64))


def margin_loss(scores: Tensor, margin: float) -> Tensor:
    """Mean of max(0, margin - true + false) over all negatives; the true tail comes first in a row, (Q, 1 + N)."""
    return functional.relu(margin - (scores[:, :1] - scores[:, 1:])).mean()
