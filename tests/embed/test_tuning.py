"""Choosing the weight of the penalty by short runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from faan.base import ignore_progress
from faan.embed import EmbedConfig, Embeddings, embed_graph, train
from faan.embed.tuning import choose_regularization
from faan.graph import read_graph

ENTITIES = 60
CONFIG = EmbedConfig(model="complex", dimension=4, epochs=16, loss="softmax", regularization=0.005)
RING = np.array([(i, 0, (i + 1) % ENTITIES) for i in range(ENTITIES)])


class Trainer:
    """Makes vectors that know `right` of the triples of a ring, by the weight of the penalty."""

    def __init__(self, right: dict[float, int]) -> None:
        self.right, self.asked = right, list[tuple[int, EmbedConfig]]()

    def __call__(self, triples: np.ndarray, config: EmbedConfig, _: object) -> Embeddings:
        self.asked.append((len(triples), config))
        vectors = Embeddings.first(ENTITIES, 1, config.model_copy(update={"dimension": ENTITIES}))
        vectors.entities.zero_()
        for place in range(ENTITIES):  # real parts: places on the ring
            vectors.entities[place, place] = 1
        vectors.relations.zero_()
        vectors.relations[0, : self.right[config.regularization]] = 1
        return vectors


def chosen(right: dict[float, int], config: EmbedConfig, valid: np.ndarray = RING[:0]) -> tuple[EmbedConfig, Trainer]:
    trainer = Trainer(right)
    return choose_regularization(RING, valid, ENTITIES, config, trainer, ignore_progress), trainer


def choices(*weights: float) -> EmbedConfig:
    return CONFIG.model_copy(update={"regularization_choices": weights})


LOOPS = np.array([(i, 0, i) for i in range(ENTITIES)])  # what the vectors of the trainer say


def test_weights_rise_as_long_as_ranks_do() -> None:
    config, trainer = chosen({0.005: 10, 0.02: 50, 0.05: 30}, choices(0.02, 0.05, 0.1), LOOPS)
    assert config == CONFIG.model_copy(update={"regularization": 0.02})
    assert [one.regularization for _, one in trainer.asked] == [0.005, 0.02, 0.05]
    assert {one.epochs for _, one in trainer.asked} == {4}


def test_the_configured_weight_stays_unless_another_is_clearly_better() -> None:
    config, trainer = chosen({0.005: 30, 0.02: 31}, choices(0.02, 0.05), LOOPS)
    assert config == CONFIG
    assert len(trainer.asked) == 2


def test_without_validation_triples_some_are_held_out_of_the_short_runs_alone() -> None:
    _, trainer = chosen({0.005: 30, 0.02: 31}, choices(0.02))
    assert [count for count, _ in trainer.asked] == [ENTITIES - ENTITIES // 20] * 2


@pytest.mark.parametrize("change", [{"regularization_choices": ()}, {"epochs": 4}, {"partitions": 4}], ids=str)
def test_nothing_is_tried_without_choices_in_few_epochs_or_on_disk(change: dict[str, object]) -> None:
    config, trainer = chosen({}, choices(0.02).model_copy(update=change))
    assert not trainer.asked
    assert config == CONFIG.model_copy(update=change | {"regularization_choices": ()})


def test_short_runs_have_four_epochs_at_least() -> None:
    _, trainer = chosen({0.005: 30, 0.02: 31}, choices(0.02).model_copy(update={"epochs": 6}), LOOPS)
    assert {one.epochs for _, one in trainer.asked} == {4}


def test_nothing_is_tried_on_a_graph_whose_short_runs_would_be_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faan.embed.tuning._MOST_SEEN", 4 * ENTITIES - 1)
    config, trainer = chosen({}, choices(0.02), LOOPS)
    assert not trainer.asked
    assert config == CONFIG


def test_training_takes_the_chosen_weight_and_a_run_folder_remembers_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    facts = np.unique(
        np.stack([rng.integers(40, size=300), rng.integers(3, size=300), rng.integers(40, size=300)], 1), axis=0
    )
    config = choices(0.5).model_copy(update={"regularization": 0.0, "batch_size": 512, "negatives": "all"})
    vectors = train(facts, 40, 3, config).embeddings
    assert vectors.config.regularization in (0.0, 0.5)
    assert not vectors.config.regularization_choices
    same = train(facts, 40, 3, vectors.config).embeddings
    assert np.array_equal(vectors.entities.numpy(), same.entities.numpy())
    graph = read_graph([(f"e{h}", f"r{r}", f"e{t}") for h, r, t in facts.tolist()])
    told: list[str] = []
    run = embed_graph(graph, config, tmp_path / "run", on_progress=lambda what, _: told.append(what))
    assert not run.embeddings.config.regularization_choices
    assert told[0] == "choosing the penalty"
    assert told[-1] != told[0]
