"""Choosing the weight of the penalty by short runs: how strong it has to be depends on the graph.

Sparse graphs need ten times the penalty of dense ones. The weights that a configuration offers are tried in their order
for a part of the epochs, on the same triples, until one is not clearly better than the one before on held-out triples.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from faan.base import OnProgress, distinct
from faan.embed.config import EmbedConfig
from faan.embed.embeddings import Embeddings
from faan.embed.evaluation import answer_ranks
from faan.embed.sampling import HELD_OUT, random_stream

TrainVectors = Callable[[np.ndarray, EmbedConfig, OnProgress], Embeddings]
"""Trains vectors on triples."""

_CHOOSING = "choosing the penalty"  # as progress calls it

_PART = 4  # a short run has this part of the epochs,
_MIN_EPOCHS = 4  # and at least so many: before that, vectors say little about the penalty
_MOST_SEEN = 4_000_000  # triples that a short run sees in all its epochs: on larger graphs nothing is tried
_MOST_HELD_OUT = 1000  # triples that weights are judged by, if there are no validation triples,
_HELD_OUT_PART = 20  # and at most this part of the triples
_CLEARLY = 2.0  # standard errors by which the next weight has to be better


def choose_regularization(
    triples: np.ndarray,
    valid: np.ndarray,
    num_entities: int,
    config: EmbedConfig,
    train: TrainVectors,
    on_progress: OnProgress,
) -> EmbedConfig:
    """The settings with one weight: the configured one, or the last of its choices that is clearly better than the
    one before.

    Without validation triples some of the training triples are held out for this choice. Nothing is tried where short
    runs would be as long as the training itself, or on very large graphs.
    """
    epochs = max(config.epochs // _PART, _MIN_EPOCHS)
    short = config.model_copy(update={"epochs": epochs, "patience": 0, "regularization_choices": ()})
    settled = config.model_copy(update={"regularization_choices": ()})
    is_short = epochs < config.epochs and epochs * len(triples) <= _MOST_SEEN
    if not config.regularization_choices or not is_short or config.partitions != 1:
        return settled
    stream = random_stream(config.seed, HELD_OUT, 2)
    if not len(valid):
        order = stream.permutation(len(triples))
        count = min(_MOST_HELD_OUT, len(triples) // _HELD_OUT_PART)
        valid, triples = triples[order[:count]], triples[order[count:]]
    asked = valid[stream.permutation(len(valid))[:_MOST_HELD_OUT]]
    if len(asked) < 2:
        return settled
    candidates = None
    if num_entities > config.evaluate_candidates:
        drawn = stream.choice(num_entities, config.evaluate_candidates, replace=False)
        candidates = distinct(drawn, asked[:, 0], asked[:, 2])
    known, weights = np.concatenate([triples, valid]), (config.regularization, *config.regularization_choices)

    def reciprocal_ranks(number: int) -> np.ndarray:
        def tell(_: str, share: float) -> None:
            on_progress(_CHOOSING, (number + share) / len(weights))

        vectors = train(triples, short.model_copy(update={"regularization": weights[number]}), tell)
        return np.concatenate([1 / answer_ranks(vectors, asked, known, side, candidates) for side in ("tail", "head")])

    best, ranks = 0, reciprocal_ranks(0)
    for number in range(1, len(weights)):
        others = reciprocal_ranks(number)
        gain = others - ranks
        if gain.mean() <= _CLEARLY * gain.std(ddof=1) / np.sqrt(len(gain)):
            break
        best, ranks = number, others
    on_progress(_CHOOSING, 1.0)
    return settled.model_copy(update={"regularization": weights[best]})
