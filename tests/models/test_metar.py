"""MetaR is what its equations say: a relation from the references, one gradient step, a distance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from faan.models import Background
from faan.models.metar import MetaR, MetaRConfig, gradient_of_margin_loss
from faan.tasks import Episode, EpisodeSampler, PairSet, Task

from .conftest import ENTITIES

SETTINGS = {"widths": (12, 10), "rate": 0.5, "margin": 3.0, "reference_negatives": 2}


@pytest.fixture
def model(small_background: Background) -> MetaR:
    torch.manual_seed(0)
    return MetaRConfig.model_validate(SETTINGS).build(small_background).eval()


def slow_relation(model: MetaR, task: Task, references: np.ndarray) -> Tensor:
    """The stepped relation of a task by automatic differentiation, (d,)."""
    e = model.entities
    relation = torch.stack([model.learn(torch.cat([e[h], e[t]])) for h, t in references.tolist()]).mean(0)
    lacking = []
    for (head, tail), row in zip(references.tolist(), model.wrong_tails(task, references).tolist(), strict=True):
        for wrong in row:
            right_length, wrong_length = ((e[head] + relation - e[other]).norm() for other in (tail, wrong))
            lacking.append(torch.relu(model.config.margin + right_length - wrong_length))
    (gradient,) = torch.autograd.grad(torch.stack(lacking).mean(), relation, create_graph=True)
    return relation - model.config.rate * gradient


def slow_loss(model: MetaR, episode: Episode) -> Tensor:
    e, relation = model.entities, slow_relation(model, episode.task, episode.references)
    lacking = [
        torch.relu(model.config.margin + (e[head] + relation - e[tail]).norm() - (e[head] + relation - e[wrong]).norm())
        for (head, tail), row in zip(episode.queries.tolist(), episode.negatives.tolist(), strict=True)
        for wrong in row
    ]
    return torch.stack(lacking).mean()


def test_the_gradient_step_is_that_of_a_calculation_by_hand() -> None:
    """h + R = (3, 4), t = (0, 0) is 5 away and t_wrong = (3, 0) is 4 away: it lacks 1 and the margin."""
    lead, tail, wrong = torch.tensor([[3.0, 4.0]]), torch.zeros(1, 2), torch.tensor([[[3.0, 0.0]]])
    found = gradient_of_margin_loss(lead, tail, wrong, margin=1.0)
    assert found.tolist() == [pytest.approx([3 / 5 - 0, 4 / 5 - 1])]
    far = torch.tensor([[[3.0, 40.0]]])  # 36 away: the true tail wins by more than the margin
    assert gradient_of_margin_loss(lead, tail, far, margin=1.0).tolist() == [[0, 0]]
    both = gradient_of_margin_loss(lead, tail, torch.cat([wrong, far], 1), margin=1.0)
    assert torch.allclose(both, found / 2)


def test_scores_are_distances_after_the_step(model: MetaR, small_task: Task) -> None:
    references = small_task.references(5)
    relation = slow_relation(model, small_task, references)
    found = model.prepare(small_task, references).score(np.arange(6), np.arange(4, 20))
    for head in range(6):
        for column, tail in enumerate(range(4, 20)):
            expected = -(model.entities[head] + relation - model.entities[tail]).norm()
            assert np.isclose(found[head, column], expected.item(), atol=1e-4)


def test_losses_and_second_order_gradients_are_those_of_the_definition(model: MetaR, small_task: Task) -> None:
    sampler = EpisodeSampler([small_task], shots=(1, 4), queries=6, negatives=3, min_candidates=2)
    few = replace(sampler.draw(2), queries=small_task.pairs[:2], negatives=np.array([[20, 21, 22], [23, 24, 25]]))
    episodes = [sampler.draw(0), few, sampler.draw(1)]  # of different numbers of references and queries
    assert len({len(episode.references) for episode in episodes}) > 1
    gradients = []
    for loss in (model.loss(episodes), torch.stack([slow_loss(model, episode) for episode in episodes]).mean()):
        model.zero_grad()
        loss.backward()
        gradients.append({name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None})
    fast, slow = gradients
    assert set(fast) == set(slow) == set(dict(model.named_parameters()))
    for parameter in fast:
        assert torch.allclose(fast[parameter], slow[parameter], atol=1e-5), parameter


def test_wrong_tails_of_references_are_candidates_that_no_reference_has(model: MetaR, small_task: Task) -> None:
    task = replace(small_task, candidates=np.array([12, 13, 14, 15]))
    references = np.array([[0, 12], [0, 13], [0, 14], [1, 13]])
    found = model.wrong_tails(task, references)
    assert found.shape == (4, 2)
    assert (found[:3] == 15).all()  # the only one left for head 0
    assert set(found[3].tolist()) <= {12, 14, 15}


def test_wrong_tails_do_not_depend_on_the_truths_that_are_asked_for(model: MetaR, small_task: Task) -> None:
    references = small_task.references(3)
    less = replace(small_task, pairs=references, truths=PairSet(references[:, 0], references[:, 1], ENTITIES))
    assert np.array_equal(model.wrong_tails(less, references), model.wrong_tails(small_task, references))


def test_references_that_leave_no_wrong_candidate_take_no_step(model: MetaR, small_task: Task) -> None:
    task = replace(small_task, candidates=np.array([12, 13]))
    references = np.array([[0, 12], [0, 13]])
    e = model.entities
    unstepped = model.learn(torch.cat([e[references[:, 0]], e[references[:, 1]]], -1)).mean(0)
    found = model.prepare(task, references).score(np.array([3]), np.array([20]))
    assert np.isclose(found.item(), -(e[3] + unstepped - e[20]).norm().item(), atol=1e-5)
