"""FAAN's third part: a query is compared with the references that it resembles (eq. 8 to 10), and the alternatives."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn


class Matching(nn.Module, ABC):
    """Compares pairs with references: queries (n, D) and references (K, D) to scores (n,)."""

    @abstractmethod
    def weights(self, queries: Tensor, references: Tensor) -> Tensor:
        """How much each reference counts for each query, (n, K)."""

    def forward(self, queries: Tensor, references: Tensor) -> Tensor:
        """phi = q . g with g the weighted sum of the references  (eq. 9 and 10)."""
        return (self.weights(queries, references) * (queries @ references.T)).sum(-1)


class AdaptiveMatching(Matching):
    """beta = softmax over the references of q . s_k / sqrt(D)  (eq. 8)."""

    def weights(self, queries: Tensor, references: Tensor) -> Tensor:
        """How much each reference counts for each query, (n, K)."""
        return (queries @ references.T / math.sqrt(queries.shape[-1])).softmax(-1)


class MeanMatching(Matching):
    """All references count alike."""

    def weights(self, queries: Tensor, references: Tensor) -> Tensor:
        """How much each reference counts for each query, (n, K)."""
        return queries.new_full((len(queries), len(references)), 1 / len(references))


class NearestMatching(Matching):
    """Only the most similar reference counts."""

    def weights(self, queries: Tensor, references: Tensor) -> Tensor:
        """How much each reference counts for each query, (n, K)."""
        nearest = (queries @ references.T).argmax(-1)
        return nn.functional.one_hot(nearest, len(references)).to(queries.dtype)


class LstmMatching(Matching):
    """GMatching's matching network: an LSTM cell reads the references a few times before it answers.

    The cell's input is the query each time; of its state the first half, plus the query, is the answer so far, with
    which the references are attended to; what is read is the second half of the next state. The score is the answer's
    product with the mean of the references.
    Xiong et al.: One-Shot Relational Learning for Knowledge Graphs. EMNLP 2018.
    """

    def __init__(self, width: int, steps: int = 2) -> None:
        super().__init__()
        self.cell = nn.LSTMCell(width, 2 * width)
        self.steps = steps

    def weights(self, queries: Tensor, references: Tensor) -> Tensor:
        """How much each reference counts in the last reading, (n, K)."""
        return (self.answer(queries, references) @ references.T).softmax(-1)

    def answer(self, queries: Tensor, references: Tensor) -> Tensor:
        """What the cell makes of queries (n, D) given references (K, D): (n, D); for S sets (S, K, D) (S, n, D).

        Nothing looks at the second half of what the cell puts out, so it is not computed; the product of the query with
        the weights is the same in every step, and those of what is read are mixtures of the references' products.
        """
        width, cell = queries.shape[-1], self.cell
        by_input, by_state, bias = (
            each.unflatten(0, (4, 2 * width))[:, :width].flatten(0, 1)  # of each gate's units the first half
            for each in (cell.weight_ih, cell.weight_hh, cell.bias_ih + cell.bias_hh)
        )
        given = queries @ by_input.T + bias  # (n, 4 D)
        readable = references @ by_state[:, width:].T  # (K, 4 D)
        answer, memory = queries, torch.zeros_like(queries)
        for step in range(self.steps):
            gates = given
            if step > 0:
                attention = (answer @ references.mT).softmax(-1)  # (n, K)
                gates = given + answer @ by_state[:, :width].T + attention @ readable
            take, keep, new, show = gates.chunk(4, -1)
            memory = keep.sigmoid() * memory + take.sigmoid() * new.tanh()
            answer = queries + show.sigmoid() * memory.tanh()
        return answer

    def forward(self, queries: Tensor, references: Tensor) -> Tensor:
        """The answer's product with the mean of the references, (n,)."""
        return self.answer(queries, references) @ references.mean(0)
