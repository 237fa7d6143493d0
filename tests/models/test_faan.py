"""FAAN is what `slow_faan.py` says: scores, gradients, ranks, attentions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

from faan.base import InputError
from faan.graph import Graph
from faan.models import Background, precision
from faan.models.dropout import Dropout
from faan.models.faan import Faan, FaanConfig
from faan.rank import rank_task
from faan.rank.ranker import mean_ranks
from faan.tasks import EpisodeSampler, Task

from . import slow_faan
from .conftest import ENTITIES, LONELY, make_background, perturb
from .test_fewshot import MODELS

CONFIGS = {name: config for name, config in MODELS.items() if isinstance(config, FaanConfig)}


def build(config: FaanConfig, background: Background) -> Faan:
    torch.manual_seed(0)
    model = config.build(background)
    perturb(model)
    return model


@pytest.fixture(params=CONFIGS)
def model(request: pytest.FixtureRequest, small_background: Background) -> Faan:
    return build(CONFIGS[request.param], small_background)


def test_scores_are_those_of_the_definition(model: Faan, small_task: Task) -> None:
    references = small_task.references(5)
    heads, tails = np.array([0, 4, LONELY, 3]), np.array([13, 2, 7, LONELY])
    found = model.prepare(small_task, references).score(heads, tails)
    expected = slow_faan.score(model, references, np.repeat(heads, 4), np.tile(tails, 4)).view(4, 4)
    assert np.allclose(found, expected.detach(), atol=1e-4)


@pytest.mark.slow
def test_losses_and_gradients_are_those_of_the_definition(model: Faan, small_task: Task) -> None:
    model.eval()  # dropout draws different bits
    sampler = EpisodeSampler([small_task], shots=3, queries=5, negatives=3, min_candidates=2)
    for task in (small_task, replace(small_task, hidden=1)):
        episode = replace(sampler.draw(0), task=task)
        gradients, losses = [], (model.loss([episode]), slow_faan.loss(model, episode))
        assert torch.allclose(*losses, atol=1e-4)
        for loss in losses:
            model.zero_grad()
            loss.backward()
            gradients.append({name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None})
        fast, slow = gradients
        assert set(fast) == set(slow)
        for parameter in fast:
            assert torch.allclose(fast[parameter], slow[parameter], atol=1e-4), parameter


@pytest.mark.slow
def test_ranks_are_those_of_the_definition(model: Faan, small_task: Task) -> None:
    references, queries = small_task.references(5), small_task.queries(5)[:6]
    found = rank_task(model.prepare(small_task, references), small_task, queries)
    for (head, tail), rank in zip(queries.tolist(), found, strict=True):
        others = np.array([c for c in small_task.candidates if not small_task.truths.contains(head, c)])
        column = np.append(others, tail)
        scores = slow_faan.score(model, references, np.full(len(column), head), column).detach().numpy()
        assert rank == mean_ranks(scores[-1:], scores[:-1])[0]


@pytest.mark.parametrize("config", [FaanConfig(heads=2), FaanConfig(repeat_input=True, attention="published")])
def test_bfloat16_rounds_products_and_nothing_else(
    config: FaanConfig, small_background: Background, small_task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precision, "has_bfloat16", lambda: True)  # torch can do it anywhere, if slowly
    exact, rounded = (
        build(config.model_copy(update={"precision": name}), small_background) for name in ("float32", "bfloat16")
    )
    references, tails = small_task.references(5), small_task.candidates
    expected = slow_faan.score(exact, references, np.zeros_like(tails), tails).detach().numpy()
    found = rounded.prepare(small_task, references).score(np.array([0]), tails)[0]
    assert np.abs(found - expected).max() > 1e-4  # it was not 32 bits
    assert np.abs(found - expected).max() < 0.02 * np.abs(expected).max()  # bfloat16 has 8 significant bits
    assert found.dtype == np.float32
    episode = EpisodeSampler([small_task], shots=3, queries=5, min_candidates=2).draw(0)
    gradients = []
    for model in (exact, rounded):
        model.eval()
        loss = model.loss([episode])
        loss.backward()
        gradients.append({name: p.grad for name, p in model.named_parameters() if p.grad is not None})
    exact_ones, rounded_ones = gradients
    assert {gradient.dtype for gradient in rounded_ones.values()} == {torch.float32}
    for name, gradient in exact_ones.items():
        assert torch.linalg.vector_norm(rounded_ones[name] - gradient) < 0.1 * torch.linalg.vector_norm(gradient) + 1e-3


def test_without_bfloat16_instructions_products_have_32_bits(
    small_background: Background, small_task: Task, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(precision, "has_bfloat16", lambda: False)
    heads, tails = np.array([0, 1]), small_task.candidates
    exact, rounded = (
        build(FaanConfig(heads=2, precision=name), small_background)
        .prepare(small_task, small_task.references(5))
        .score(heads, tails)
        for name in ("float32", "bfloat16")
    )
    assert np.array_equal(exact, rounded)


@pytest.mark.parametrize(
    "changes", [{"heads": 2}, {"heads": 4}, {"heads": 3, "layers": 2}, {"heads": 2, "matching": "mean"}]
)
def test_training_can_begin_where_translations_are_near(
    changes: dict[str, Any], small_graph: Graph, small_task: Task
) -> None:
    torch.manual_seed(0)
    background = make_background(small_graph, dimension=60)
    config = FaanConfig.model_validate({"repeat_input": True, "initial": "translation", **changes})
    model = config.build(background)
    vectors = functional.layer_norm(background.entities, (60,))
    references, tails = small_task.references(1), np.arange(ENTITIES)
    found = model.prepare(small_task, references).score(np.array([3]), tails)[0]
    (moved,) = (vectors[references[:, 1]] - 0.8 * vectors[references[:, 0]]).unbind()
    distances = torch.linalg.vector_norm(vectors - 0.8 * vectors[3] - moved, dim=1).numpy()
    assert np.corrcoef(found, -(distances**2))[0, 1] > 0.9  # the sphere is round


def test_places_that_cannot_be_told_apart_are_refused_as_a_beginning(small_background: Background) -> None:
    for changes in ({"heads": 1}, {"heads": 2, "attention": "published"}):
        with pytest.raises(InputError, match="two attention heads at least"):
            FaanConfig.model_validate({"initial": "translation", **changes}).build(small_background)


@pytest.mark.parametrize("vectors", ["distmult", "complex", "simple"])
def test_any_vectors_will_do(vectors: str, small_graph: Graph, small_task: Task) -> None:
    model = build(FaanConfig(heads=2, middle="relation"), make_background(small_graph, vectors))
    references = small_task.references(2)
    found = model.prepare(small_task, references).score(np.array([2]), np.array([14, 15]))
    expected = slow_faan.score(model, references, np.array([2, 2]), np.array([14, 15]))
    assert np.allclose(found[0], expected.detach(), atol=1e-4)


def test_before_training_the_improved_model_matches_bare_relations(
    small_background: Background, small_task: Task
) -> None:
    torch.manual_seed(0)
    model = FaanConfig(heads=2, middle="relation").build(small_background)
    e = small_background.entities
    pairs = small_task.references(5)
    known = torch.nn.functional.layer_norm(e[pairs[:, 1]] - e[pairs[:, 0]], (8,))
    query = torch.nn.functional.layer_norm(e[9] - e[2], (8,))
    expected = slow_faan.match(model, query, known)
    found = model.prepare(small_task, pairs).score(np.array([2]), np.array([9]))
    assert np.isclose(found.item(), expected.item(), atol=1e-2)  # LayerNorm is applied again, with its epsilon


def test_every_unit_of_the_improved_model_can_learn(small_background: Background, small_task: Task) -> None:
    """A unit that starts with zero weights and a negative bias would stay silent for ever."""
    torch.manual_seed(0)
    model = FaanConfig(heads=2, middle="relation", loss="softmax").build(small_background)
    first = {name: parameter.detach().clone() for name, parameter in model.named_parameters()}
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    sampler = EpisodeSampler([small_task], shots=3, queries=8, negatives=4, min_candidates=2)
    for step in range(20):
        optimizer.zero_grad()
        model.loss([sampler.draw(step)]).backward()
        optimizer.step()
    for name, parameter in model.named_parameters():
        rows = (parameter.detach() != first[name]).reshape(len(parameter) if parameter.ndim else 1, -1).any(1)
        if name.endswith("project.bias"):  # a bias of keys is the same for all places, which the softmax takes away
            rows = rows.view(3, -1)[[0, 2]]
        assert rows.all(), name


def test_vectors_are_frozen_unless_told_otherwise(small_background: Background) -> None:
    for trained in (False, True):
        model = FaanConfig(heads=2, train_vectors=trained).build(small_background)
        assert ("entities" in dict(model.named_parameters())) == trained
        assert ("entities" in model.state_dict()) == trained


def test_attentions_are_what_the_score_is_made_of(model: Faan, small_background: Background, small_task: Task) -> None:
    references = small_task.references(4)
    found = model.attentions(references, 2, 14)
    for side, entity in ((found.head, 2), (found.tail, 14)):
        relations, entities = small_background.neighbours.of(entity)
        assert np.array_equal(side.relations, relations)
        assert np.array_equal(side.entities, entities)
        assert np.isclose(side.weights.sum(), 1)
    assert np.isclose(found.references.sum(), 1)
    if model.config.matching != "lstm":
        pair, known = (
            slow_faan.encode(model, torch.tensor(h), torch.tensor(t))
            for h, t in (([2], [14]), tuple(references.T.tolist()))
        )
        weighted = (torch.from_numpy(found.references) * (known @ pair[0])).sum()
        score = model.prepare(small_task, references).score(np.array([2]), np.array([14]))
        assert np.isclose(weighted.item(), score.item(), atol=1e-4)


def test_a_hidden_edge_gets_no_attention(small_background: Background, small_task: Task) -> None:
    model = build(FaanConfig(heads=2), small_background)
    relations, entities = small_background.neighbours.of(2)
    place = int(np.flatnonzero(relations < model.num_relations)[0])
    found = model.attentions(small_task.references(2), 2, int(entities[place]), hidden=int(relations[place]))
    assert found.head.weights[place] == 0
    assert np.isclose(found.head.weights.sum(), 1)


def test_settings_that_do_not_fit_the_vectors_are_refused(small_graph: Graph, small_background: Background) -> None:
    with pytest.raises(InputError, match="3 attention heads do not divide a width of 8"):
        FaanConfig(heads=3).build(small_background)
    with pytest.raises(InputError, match="needs relations as wide as entities, found 8 and 16"):
        FaanConfig(heads=2, middle="relation").build(make_background(small_graph, "rotate"))


def test_dropout_zeroes_its_share_and_keeps_the_mean() -> None:
    torch.manual_seed(0)
    dropout, x = Dropout(0.3), torch.ones(1000, 100)
    first, second = dropout(x), dropout(x)
    assert (first == 0).float().mean().item() == pytest.approx(0.3, abs=0.01)
    assert first.mean().item() == pytest.approx(1, abs=0.02)
    assert (first != second).float().mean().item() == pytest.approx(2 * 0.3 * 0.7, abs=0.01)  # independent
    assert torch.equal(dropout.eval()(x), x)


def test_every_entity_can_be_scored_with_every_other(model: Faan, small_task: Task) -> None:
    every = np.arange(ENTITIES)
    assert np.isfinite(model.prepare(small_task, small_task.references(5)).score(every, every)).all()
