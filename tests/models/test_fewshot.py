"""The contract of every few-shot model that is trained; the register says which there are."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
import torch

from faan.graph import Neighbours
from faan.models import Background, FewShotConfig, FewShotModel, methods, prepare_sets
from faan.tasks import EpisodeSampler, Task

from .conftest import ENTITIES, LONELY


def _models() -> Iterator[tuple[str, FewShotConfig]]:
    """Every method of the register that learns from episodes: as it is, its samples and its variants."""
    for method in methods():
        if issubclass(method, FewShotConfig):
            name, small = method.model_fields["method"].default, method.samples.get("small", {})
            yield name, method.model_validate(dict(small))
            for sample, settings in method.samples.items():
                yield f"{name}-{sample}", method.model_validate(dict(settings))
            for variant, changed in method.variants.items():
                yield f"{name}-{variant}", method.model_validate({**small, **changed.changes})


MODELS = dict(_models())


@pytest.fixture(params=MODELS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def model(name: str, small_background: Background) -> FewShotModel:
    torch.manual_seed(0)
    model = MODELS[name].build(small_background)
    with torch.no_grad():
        for parameter in model.parameters():  # nothing stays at zero, where a mistake would not show
            parameter.add_(0.1 * torch.randn(parameter.shape))
    return model


def scores(model: FewShotModel, task: Task, shots: int = 5, references: np.ndarray | None = None) -> np.ndarray:
    scorer = model.prepare(task, task.references(shots) if references is None else references)
    return np.asarray(scorer.score(np.arange(ENTITIES), np.arange(ENTITIES)))


def test_the_score_of_a_pair_does_not_depend_on_its_batch(model: FewShotModel, small_task: Task) -> None:
    together = scores(model, small_task)
    scorer = model.prepare(small_task, small_task.references(5))
    for head, tail in [(0, 13), (3, 3), (LONELY, 0), (5, LONELY)]:
        alone = scorer.score(np.array([head]), np.array([tail]))
        assert np.allclose(alone, together[head, tail], atol=1e-4)


@pytest.mark.slow
def test_the_order_of_references_does_not_matter(model: FewShotModel, small_task: Task) -> None:
    turned = scores(model, small_task, references=small_task.references(5)[::-1])
    assert np.allclose(turned, scores(model, small_task), atol=1e-4)


@pytest.mark.slow
def test_several_sets_of_references_give_the_scores_of_each(model: FewShotModel, small_task: Task) -> None:
    sets = [small_task.references(5), small_task.references(1), small_task.references(3)[1:]]
    together = prepare_sets(model, small_task, sets).score(np.arange(ENTITIES), np.arange(ENTITIES))
    assert together.shape == (3, ENTITIES, ENTITIES)
    for own, references in zip(together, sets, strict=True):
        assert np.allclose(own, scores(model, small_task, references=references), atol=1e-4)


@pytest.mark.slow
def test_the_order_of_neighbours_does_not_matter(name: str, small_background: Background, small_task: Task) -> None:
    old = small_background.neighbours
    order = np.concatenate([np.arange(a, b)[::-1] for a, b in zip(old.offsets, old.offsets[1:], strict=False)])
    turned = replace(small_background, neighbours=Neighbours(old.offsets, old.relations[order], old.entities[order]))
    found = []
    for background in (small_background, turned):
        torch.manual_seed(0)
        found.append(scores(MODELS[name].build(background), small_task))
    assert np.allclose(found[0], found[1], atol=1e-4)


def test_entities_without_neighbours_have_scores(model: FewShotModel, small_task: Task) -> None:
    found = scores(model, small_task, references=np.array([[LONELY, 3], [2, LONELY]]))
    assert np.isfinite(found).all()


@pytest.mark.slow
def test_any_number_of_references_will_do(model: FewShotModel, small_task: Task) -> None:
    for shots in (1, 10):
        assert np.isfinite(scores(model, small_task, shots)).all()


@pytest.mark.slow
def test_weights_that_were_saved_and_loaded_score_the_same(
    name: str, model: FewShotModel, small_background: Background, small_task: Task
) -> None:
    torch.manual_seed(9)
    other = MODELS[name].build(small_background)
    other.load_state_dict(copy.deepcopy(model.state_dict()))
    assert np.array_equal(scores(other, small_task), scores(model, small_task))


@pytest.mark.slow
def test_scoring_does_not_drop_out_and_leaves_the_mode_alone(model: FewShotModel, small_task: Task) -> None:
    model.train()
    first, again = scores(model, small_task), scores(model, small_task)
    assert np.array_equal(first, again)
    assert model.training


@pytest.mark.slow
def test_the_loss_of_a_tiny_task_goes_down(name: str, small_background: Background, small_task: Task) -> None:
    torch.manual_seed(0)
    model = MODELS[name].build(small_background)
    sampler = EpisodeSampler([small_task], shots=3, queries=8, negatives=4, min_candidates=2)
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    first = mean_loss(model, sampler)
    for step in range(160):
        torch.manual_seed(step)
        loss = model.loss([sampler.draw(step)])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert mean_loss(model, sampler) < 0.9 * first


def mean_loss(model: FewShotModel, sampler: EpisodeSampler) -> float:
    """Without dropout, whose luck moves the loss of so small a task by a tenth."""
    model.eval()
    losses = [model.loss([sampler.draw(step)]).item() for step in range(20)]
    model.train()
    return float(np.mean(losses))


def test_the_loss_of_a_step_is_the_mean_over_its_episodes(model: FewShotModel, small_task: Task) -> None:
    model.eval()  # no dropout
    sampler = EpisodeSampler([small_task], shots=2, queries=4, negatives=2, min_candidates=2)
    episodes = [sampler.draw(step) for step in range(3)]
    apart = torch.stack([model.loss([episode]) for episode in episodes])
    assert torch.allclose(model.loss(episodes), apart.mean(), atol=1e-4)


@pytest.mark.parametrize("inverse", [False, True])
def test_an_edge_that_gives_the_answer_away_is_not_seen(
    model: FewShotModel, name: str, inverse: bool, small_background: Background, small_task: Task
) -> None:
    """A pair scores the same whether a hidden relation links its head and tail or not."""
    old, half = small_background.neighbours, len(small_background.relations) // 2
    hidden, back_again = (2 + half, 2) if inverse else (2, 2 + half)
    rows = np.repeat(np.arange(ENTITIES), np.diff(old.offsets))
    both_ways = [
        (int(head), int(tail))
        for head, tail in zip(rows[old.relations == hidden], old.entities[old.relations == hidden], strict=True)
        if ((rows == tail) & (old.relations == back_again) & (old.entities == head)).any()
    ]
    head, tail = both_ways[0]  # neither direction was lost when neighbours were sampled
    forth = (rows == head) & (old.relations == hidden) & (old.entities == tail)
    back = (rows == tail) & (old.relations == back_again) & (old.entities == head)
    keep = ~(forth | back)
    counts = np.bincount(rows[keep], minlength=ENTITIES)
    without = Neighbours(np.concatenate([[0], np.cumsum(counts)]), old.relations[keep], old.entities[keep])
    other = MODELS[name].build(replace(small_background, neighbours=without))
    other.load_state_dict(model.state_dict())
    task = replace(small_task, hidden=hidden)
    references = np.array([pair for pair in task.pairs if not {head, tail} & set(pair.tolist())])[:3]
    one, two = (each.prepare(task, references).score(np.array([head]), np.array([tail])) for each in (model, other))
    assert np.allclose(one, two, atol=1e-4)
