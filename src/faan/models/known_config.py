"""The settings of trees, and those for relations of the graph: which facts trees learn from, with which vectors."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from faan.base import Settings, distinct
from faan.embed import MIN_EPOCHS, EmbedConfig, can_be_joined, triples_of
from faan.graph import Graph

TreeCount = Annotated[int, Field(ge=1, description="How many trees there are.")]
Leaves = Annotated[int, Field(ge=2, description="Leaves of each tree; more over-fit where there are few tasks.")]
LearningRate = Annotated[float, Field(gt=0.0, le=1.0, description="How much of each tree is taken.")]
MinRows = Annotated[int, Field(ge=1, description="Pairs that a leaf must hold at least.")]
Penalty = Annotated[float, Field(ge=0.0, description="L2 penalty on the values of leaves.")]
ColumnShare = Annotated[
    float, Field(gt=0.0, le=1.0, description="The share of the columns that each tree may look at, drawn at random.")
]

STRONGER = (0.02, 0.05, 0.1)
"""Weights of the penalty that sparse graphs need."""

QUICK = EmbedConfig(
    model="complex",
    dimension=100,
    inverse_relations=True,
    epochs=40,
    budget=4_000_000,
    batch_size=512,
    negatives=500,
    loss="softmax",
    regularization=0.005,
    regularization_choices=STRONGER,
    partitions="auto",
)
"""Vectors whose training takes the same time on any large graph."""

THOROUGH = EmbedConfig(
    model="complex",
    dimension=256,
    inverse_relations=True,
    epochs=16,
    batch_size=512,
    negatives="all",
    whole_questions=True,
    loss="softmax",
    regularization=0.005,
    regularization_choices=STRONGER,
)
"""Vectors that are trained against all entities."""


class KnownConfig(Settings):
    """How ``faan fit`` learns to complete the relations of the graph itself."""

    vectors: EmbedConfig = QUICK
    """The vectors that know these relations."""
    thorough: EmbedConfig = THOROUGH
    """The same for small graphs."""
    members: int = Field(2, ge=1)
    """A graph gets this many sets of vectors, with different seeds; the mean of their scores counts. Sets of
    ``vectors`` share its epochs: if each would have less than five, there is one set, and so for models whose score is
    a distance."""
    work: float = Field(2e11, ge=0.0)
    """A graph is small if ``thorough`` makes at most this many products of numbers: questions x entities x dimension
    x epochs x members; 1e11 take about half a minute of one core."""
    own_weight: float = Field(1.0, ge=0.0)
    """What the log-softmax of the vectors' score counts beside the trees, which see it only in steps."""

    share: float = Field(0.1, gt=0.0, lt=1.0)
    """The share of each relation's facts that is held out to learn from."""
    most: int = Field(100, ge=1)
    """At most this many facts of a relation are held out."""
    pairs: int = Field(6_000_000, ge=1)
    """Pairs of a head and a candidate that are looked at in all, which bounds the time; where relations have so many
    candidates that this is not enough for all of them, some are learnt from."""
    heads: int = Field(100, ge=2)
    """Heads that are asked for in each relation and direction, at most."""
    hard: int = Field(40, ge=0)
    """Wrong tails that each of some pieces of evidence like best."""
    random: int = Field(150, ge=1)
    """Wrong tails drawn at random."""

    trees: TreeCount = 300
    leaves: Leaves = 31
    learning_rate: LearningRate = 0.05
    min_rows: MinRows = 100
    penalty: Penalty = 10.0
    columns: ColumnShare = 0.5

    def vectors_for(self, graph: Graph) -> list[EmbedConfig]:
        """The settings of the vectors of a graph, by its size; those of several seeds are to be joined."""
        heads, relations, tails = triples_of(graph).T.astype(np.int64)
        questions = sum(len(distinct(given * graph.num_relations + relations)) for given in (heads, tails))
        products = questions // 2 * graph.num_entities * self.thorough.dimension * self.thorough.epochs * self.members
        if products <= self.work:
            return self._several(self.thorough)
        epochs = self.vectors.for_graph(graph.num_triples, graph.num_entities).epochs // self.members
        if epochs < MIN_EPOCHS:
            return [self.vectors]
        return self._several(self.vectors, epochs=epochs, budget=0)

    def _several(self, vectors: EmbedConfig, **changes: int) -> list[EmbedConfig]:
        if not can_be_joined(vectors):
            return [vectors]
        seeds = range(vectors.seed, vectors.seed + self.members)
        return [vectors.model_copy(update=changes | {"seed": seed}) for seed in seeds]
