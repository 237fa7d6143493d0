"""Which triples and which negatives an update sees: pure functions of the seed and the update's number.

Nothing here has a state, so a run that is resumed at any update draws what it would have drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from faan.embed.config import EmbedConfig

UPDATES_PER_EPOCH = 10
"""On a small graph batches shrink, so that an epoch is at least this many updates."""

ORDER, NEGATIVES, DROPOUT, FIRST_VALUES, HELD_OUT, PARTITIONS, BUCKETS = range(7)
"""What a random stream is for; streams of different purpose are independent."""


def random_stream(seed: int, purpose: int, *moment: int) -> np.random.Generator:
    """The random numbers for one purpose at one moment of a run."""
    return np.random.default_rng([seed, purpose, *moment])


@dataclass(frozen=True)
class Batch:
    """Queries in chunks that share negatives; the first half of the chunks asks for tails, the second for heads."""

    given: np.ndarray  # (K, C) the entity of the triple that is known
    relations: np.ndarray  # (K, C)
    answers: np.ndarray  # (K, C) the entity of the triple that is asked for
    negatives: np.ndarray  # (K, N)


@dataclass(frozen=True)
class BatchPlan:
    """How a graph is cut into batches."""

    chunks: int
    chunk_size: int
    updates: int  # in an epoch

    @classmethod
    def of(cls, num_triples: int, config: EmbedConfig) -> BatchPlan:
        """The configured sizes, or smaller ones on a small graph."""
        size = min(config.batch_size, max(2, num_triples // UPDATES_PER_EPOCH))
        chunk_size = size // 2 if config.negatives == "all" else min(config.chunk_size, size // 2)
        chunks = size // chunk_size // 2 * 2
        return cls(chunks, chunk_size, -(-num_triples // (chunks * chunk_size)))

    def order(self, num_triples: int, seed: int, *moment: int) -> np.ndarray:
        """Which triples are in which batch: (updates, K * C); the last batch is filled up from the first."""
        shuffled = random_stream(seed, ORDER, *moment).permutation(num_triples)
        return np.resize(shuffled, (self.updates, self.chunks * self.chunk_size))


def make_batch(triples: np.ndarray, plan: BatchPlan, num_entities: int, config: EmbedConfig, update: int) -> Batch:
    """Ask for the tails of the first half of the triples (K * C, 3) and for the heads of the second half."""
    heads, relations, tails = triples.T.astype(np.int64).reshape(3, plan.chunks, plan.chunk_size)
    half = plan.chunks // 2
    given = np.concatenate([heads[:half], tails[half:]])
    answers = np.concatenate([tails[:half], heads[half:]])
    if config.negatives == "all":
        everyone = np.tile(np.arange(num_entities), (plan.chunks, 1))
        return Batch(given, relations, answers, everyone)
    rng = random_stream(config.seed, NEGATIVES, update)
    negatives = rng.integers(0, num_entities, (plan.chunks, config.negatives))
    in_batch = round(config.in_batch_negatives * config.negatives)
    if in_batch:
        chosen = rng.integers(0, plan.chunk_size, (plan.chunks, in_batch))
        negatives[:, :in_batch] = np.take_along_axis(answers, chosen, axis=1)
    return Batch(given, relations, answers, negatives)
