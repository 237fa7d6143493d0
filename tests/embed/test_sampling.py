from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from faan.embed.sampling import BatchPlan, make_batch

from .conftest import random_triples, small


@given(st.integers(2, 3000), st.sampled_from([(64, 8), (512, 256), (16, 1)]), st.integers(0, 5))
def test_an_epoch_sees_every_triple(num_triples: int, sizes: tuple[int, int], epoch: int) -> None:
    config = small(batch_size=sizes[0], chunk_size=sizes[1])
    plan = BatchPlan.of(num_triples, config)
    order = plan.order(num_triples, 3, epoch)
    assert order.shape == (plan.updates, plan.chunks * plan.chunk_size)
    assert set(order.ravel()) == set(range(num_triples))
    assert plan.chunks % 2 == 0
    assert order.size < num_triples + order.shape[1], "only the last batch is filled up"
    assert plan.updates >= min(10, num_triples // 2)


def test_half_of_a_batch_asks_for_tails_and_half_for_heads(rng: np.random.Generator) -> None:
    triples = random_triples(rng, 64, 50, 6)
    batch = make_batch(triples, BatchPlan.of(640, small()), 50, small(), 0)
    forward = np.stack([batch.given, batch.relations, batch.answers], -1)[:4].reshape(-1, 3)
    backward = np.stack([batch.answers, batch.relations, batch.given], -1)[4:].reshape(-1, 3)
    assert np.array_equal(np.concatenate([forward, backward]), triples)


def test_random_choices_follow_from_the_seed_and_the_update_alone(rng: np.random.Generator) -> None:
    triples, plan = random_triples(rng, 64, 50, 6), BatchPlan.of(640, small())

    def negatives(seed: int, number: int) -> np.ndarray:
        drawn = make_batch(triples, plan, 50, small(seed=seed), number).negatives
        assert drawn is not None
        return drawn

    assert np.array_equal(negatives(1, 5), negatives(1, 5))
    assert not np.array_equal(negatives(1, 5), negatives(1, 6))
    assert not np.array_equal(negatives(1, 5), negatives(2, 5))
    assert not np.array_equal(plan.order(640, 1, 0), plan.order(640, 1, 1))


def test_in_batch_negatives_are_answers_of_their_chunk(rng: np.random.Generator) -> None:
    config = small(in_batch_negatives=0.5)
    batch = make_batch(random_triples(rng, 64, 10_000, 6), BatchPlan.of(640, config), 10_000, config, 0)
    assert batch.negatives is not None
    for answers, negatives in zip(batch.answers, batch.negatives, strict=True):
        assert set(negatives[:3]) <= set(answers)
        assert not set(negatives[3:]) <= set(answers)
