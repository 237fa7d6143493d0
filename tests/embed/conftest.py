from __future__ import annotations

import numpy as np
import pytest

from faan.base import OnProgress
from faan.embed import EmbedConfig

MODELS = ("transe", "distmult", "complex", "simple", "rotate")


def small(model: str = "transe", **changes: object) -> EmbedConfig:
    """A configuration for graphs of a few dozen entities."""
    sizes = {"dimension": 8, "batch_size": 64, "chunk_size": 8, "negatives": 6, "epochs": 4, "evaluate_every": 2}
    margin = 2.0 if model in ("transe", "rotate") else 0.0
    return EmbedConfig.model_validate({"model": model, "margin": margin} | sizes | changes)


def kill_at(number: int) -> OnProgress:
    """A progress callback that interrupts the training at its n-th call."""
    told = 0

    def kill(what: str, share: float) -> None:
        nonlocal told
        told += 1
        assert 0 < share <= 1
        if told == number:
            raise KeyboardInterrupt

    return kill


def random_triples(rng: np.random.Generator, n: int, num_entities: int, num_relations: int) -> np.ndarray:
    return np.stack(
        [rng.integers(0, num_entities, n), rng.integers(0, num_relations, n), rng.integers(0, num_entities, n)], axis=1
    )


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(7)


@pytest.fixture
def line() -> np.ndarray:
    """A graph with a rule: 40 places in a row, relation r leads r + 1 places ahead."""
    return np.array([(h, r, h + r + 1) for h in range(40) for r in range(4) if h + r + 1 < 40])
