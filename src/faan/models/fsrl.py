"""FSRL: attention over an entity's neighbours, and a recurrent auto-encoder that sums the references up.

Zhang, Yao, Huang, Jiang, Li, Chawla: Few-Shot Knowledge Graph Completion. AAAI 2020. Equation numbers are the paper's.

Where this differs from the paper, and why:
- The recurrent encoder depends on the order in which it reads the references, but a set of examples has none, and a
  user's suggestions must not change because two lines of a file are swapped. So references are read in the order of
  their ids, in training and after it.
- Attentions are softmaxes of u' tanh(W x + b): without the tanh, u' and W would be a single vector.
- Pairs pass GMatching's encoder of pairs before they are matched: its matching network is taken over as a whole.
- Vectors are scaled to a common length first, so that settings do not depend on the embeddings.
"""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field
from torch import Tensor, nn

from faan.base import Ints
from faan.models.background import Background
from faan.models.entitywise import EntitywiseConfig, EntitywiseModel
from faan.models.neighbours import BackgroundVectors, psi_of_neighbours
from faan.models.ragged_attention import Edges, softmax_of_edges, weighted_sum
from faan.models.register import Row


class FsrlConfig(EntitywiseConfig):
    """The settings of FSRL; the defaults are the paper's."""

    order: ClassVar[int] = 30
    rows: ClassVar[tuple[Row, ...]] = (Row("FSRL", "fsrl", tables=("main", "shots")),)
    fit_config: ClassVar[str | None] = "fsrl"

    method: Literal["fsrl"] = "fsrl"
    """Which few-shot model."""
    reconstruction: float = Field(1e-5, ge=0.0)
    """Weight of the auto-encoder's reconstruction error in the loss."""

    def build(self, background: Background) -> Fsrl:
        """The model before training."""
        return Fsrl(background, self)


class Fsrl(EntitywiseModel):
    """Matches pairs with one vector, into which a recurrent network sums up the references."""

    def __init__(self, background: Background, config: FsrlConfig) -> None:
        super().__init__(background, config)
        self.reconstruction = config.reconstruction
        d, d_relation = background.dimension, background.relations.shape[1]
        width = 2 * d
        self.look, self.judge = nn.Linear(d_relation + d, d), nn.Linear(d, 1, bias=False)  # W, b and u of neighbours
        self.encoder, self.decoder = nn.LSTM(width, width), nn.LSTMCell(width, width)
        self.look_reference, self.judge_reference = nn.Linear(width, width), nn.Linear(width, 1, bias=False)

    def encode(self, edges: Edges) -> Tensor:
        """f(e) = tanh(sum of alpha e_nbr), alpha = softmax of u' tanh(W [r; e_nbr] + b)  (eq. 1 and 2), (n, d)."""
        vectors = BackgroundVectors(self.entities, self.relations)
        weights = softmax_of_edges(edges, psi_of_neighbours(edges, vectors, self.look, self.judge))  # (e,)
        return weighted_sum(edges, edges.entities, self.entities, weights, self.neighbour_dropout).tanh()

    def reference_pairs(self, references: Ints, hidden: int | None) -> Tensor:
        """Represent reference pairs, in the order of their ids: (K, 2) to (K, D)."""
        return super().reference_pairs(references[np.lexsort(references.T[::-1])], hidden)

    def aggregate(self, references: Tensor) -> tuple[Tensor, Tensor]:
        """Attend to the encoder's states (eq. 5 and 6), (K, D) to (1, D); and the decoder's error  (eq. 3 and 4)."""
        states, last = self.encoder(references)  # m: (K, D)
        states_and_pairs = states + references  # m'
        beta = self.judge_reference(self.look_reference(states_and_pairs).tanh()).softmax(0)  # (K, 1)
        known = (beta * states_and_pairs).sum(0, keepdim=True)
        hidden, memory = last  # (1, D) each; the decoder goes on from there, and says the references backwards
        error = references.new_zeros(())
        for reference in references.flip(0):
            hidden, memory = self.decoder(hidden, (hidden, memory))
            error = error + (hidden[0] - reference).square().sum()
        return known, self.reconstruction * error
