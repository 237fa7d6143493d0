"""GMatching and FSRL are what `slow_entitywise.py` says, and GMatching's three settings are what they are called."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from faan.graph import Graph
from faan.models import Background
from faan.models.entitywise import EntitywiseConfig, EntitywiseModel
from faan.models.fsrl import FsrlConfig
from faan.models.gmatching import GMatching, GMatchingConfig
from faan.tasks import EpisodeSampler, Task

from . import slow_entitywise
from .conftest import LONELY, make_background, perturb
from .test_fewshot import MODELS

CONFIGS = {name: config for name, config in MODELS.items() if isinstance(config, EntitywiseConfig)}


def build(config: EntitywiseConfig, background: Background) -> EntitywiseModel:
    torch.manual_seed(0)
    model = config.build(background)
    assert isinstance(model, EntitywiseModel)
    perturb(model)
    return model


@pytest.fixture(params=CONFIGS)
def model(request: pytest.FixtureRequest, small_background: Background) -> EntitywiseModel:
    return build(CONFIGS[request.param], small_background)


@pytest.mark.parametrize("hidden", [None, 1])
def test_scores_are_those_of_the_definition(model: EntitywiseModel, small_task: Task, hidden: int | None) -> None:
    task, references = replace(small_task, hidden=hidden), small_task.references(5)
    heads, tails = np.array([0, 4, LONELY]), np.array([13, 2, 7, LONELY])
    found = model.prepare(task, references).score(heads, tails)
    for row, head in enumerate(heads.tolist()):
        for column, tail in enumerate(tails.tolist()):
            expected = slow_entitywise.score(model, references, head, tail, hidden)
            assert np.isclose(found[row, column], expected.item(), atol=1e-4)


@pytest.mark.parametrize("hidden", [None, 1])
def test_losses_and_gradients_are_those_of_the_definition(
    model: EntitywiseModel, small_task: Task, hidden: int | None
) -> None:
    model.eval()  # dropout draws different bits
    sampler = EpisodeSampler([small_task], shots=3, queries=3, negatives=2, min_candidates=2)
    episode = replace(sampler.draw(0), task=replace(small_task, hidden=hidden))
    losses, gradients = [], []
    for loss in (model.loss([episode]), slow_entitywise.loss(model, episode)):
        model.zero_grad()
        loss.backward()
        losses.append(loss.item())
        gradients.append({name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None})
    fast, slow = gradients
    assert losses[0] == pytest.approx(losses[1], abs=1e-4)
    assert set(fast) == set(slow)
    for parameter in fast:
        assert torch.allclose(fast[parameter], slow[parameter], atol=1e-4), parameter


def test_references_are_pooled_as_the_settings_say(small_background: Background) -> None:
    references = torch.tensor([[1.0, -2.0], [3.0, -6.0]]).repeat(1, 8)
    found = {}
    for pooling in ("max", "mean", "best"):
        model = build(GMatchingConfig(pooling=pooling), small_background)
        found[pooling] = model.aggregate(references)[0][:, :2].tolist()
    assert found == {"max": [[3, -2]], "mean": [[2, -4]], "best": [[1, -2], [3, -6]]}


def test_matching_each_reference_apart_takes_the_best_of_their_scores(
    small_background: Background, small_task: Task
) -> None:
    model = build(GMatchingConfig(pooling="best"), small_background)
    heads, tails, references = np.arange(4), np.arange(10, 20), small_task.references(4)
    apart = [model.prepare(small_task, references[k : k + 1]).score(heads, tails) for k in range(4)]
    together = model.prepare(small_task, references).score(heads, tails)
    assert np.allclose(together, np.max(apart, axis=0), atol=1e-4)


def test_settings_are_called_as_in_the_literature() -> None:
    names = [GMatchingConfig(pooling=pooling).display_name for pooling in ("max", "mean", "best")]
    assert names == ["GMatching-MaxP", "GMatching-MeanP", "GMatching-Max"]


def test_with_one_reference_the_poolings_are_the_same(small_background: Background, small_task: Task) -> None:
    found = [
        build(GMatchingConfig(pooling=pooling), small_background)
        .prepare(small_task, small_task.references(1))
        .score(np.arange(5), np.arange(9))
        for pooling in ("max", "mean", "best")
    ]
    assert np.allclose(found[0], found[1], atol=1e-5)
    assert np.allclose(found[0], found[2], atol=1e-5)


def test_the_weight_of_the_reconstruction_only_changes_the_loss(small_background: Background, small_task: Task) -> None:
    without, with_it = (build(FsrlConfig(reconstruction=weight), small_background).eval() for weight in (0.0, 0.1))
    episode = EpisodeSampler([small_task], shots=3, queries=3, min_candidates=2).draw(0)
    assert with_it.loss([episode]).item() > without.loss([episode]).item() + 0.01
    one, two = (each.prepare(small_task, episode.references) for each in (without, with_it))
    assert np.array_equal(one.score(np.arange(3), np.arange(9)), two.score(np.arange(3), np.arange(9)))


@pytest.mark.parametrize("vectors", ["rotate", "complex"])
def test_any_vectors_will_do(vectors: str, small_graph: Graph, small_task: Task) -> None:
    for config in (GMatchingConfig(), FsrlConfig()):
        model = build(config, make_background(small_graph, vectors))
        references = small_task.references(2)
        found = model.prepare(small_task, references).score(np.array([2]), np.array([14]))
        assert np.isclose(found.item(), slow_entitywise.score(model, references, 2, 14).item(), atol=1e-4)


def test_vectors_are_frozen_unless_told_otherwise(small_background: Background) -> None:
    for trained in (False, True):
        model = GMatchingConfig(train_vectors=trained).build(small_background)
        assert isinstance(model, GMatching)
        assert ("entities" in dict(model.named_parameters())) == trained
        assert ("relations" in model.state_dict()) == trained
