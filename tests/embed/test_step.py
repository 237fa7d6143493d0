from __future__ import annotations

import numpy as np
import pytest
import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from faan.embed import EmbedConfig, Embeddings, make_model
from faan.embed.optimizer import RowTable
from faan.embed.questions import Questions
from faan.embed.sampling import DROPOUT, Batch, BatchPlan, make_batch, random_stream
from faan.embed.step import Updater

from .conftest import MODELS, random_triples, small

ENTITIES, RELATIONS = 50, 6

SETTINGS: list[dict[str, object]] = [
    {},
    {"loss": "margin", "margin": 1.0},
    {"loss": "margin", "margin": 1.0, "adversarial_temperature": 0.7},
    {"adversarial_temperature": 1.0, "in_batch_negatives": 0.5},
    {"loss": "softmax"},
    {"negatives": "all"},
    {"negatives": "all", "loss": "softmax", "inverse_relations": True},
    {"regularization": 0.1, "regularization_power": 3, "inverse_relations": True},
    {"regularization": 0.1, "regularization_power": 2},
    {"dropout": 0.3},
    {"unit_norm": True},
    {"optimizer": "adam", "learning_rate": 0.01},
    {"norm": 2},
]


def tables(config: EmbedConfig) -> tuple[RowTable, RowTable]:
    first = Embeddings.first(ENTITIES, RELATIONS, config)
    return RowTable(first.entities.double(), config), RowTable(first.relations.double(), config)


def updated(entities: RowTable, relations: RowTable, batch: Batch, config: EmbedConfig, number: int = 0) -> float:
    with Updater(entities, relations, config) as updater:
        return updater.update(batch, number)


def some_batch(config: EmbedConfig, number: int) -> Batch:
    plan = BatchPlan.of(160, config)
    triples = random_triples(np.random.default_rng(number), 16, ENTITIES, RELATIONS)
    return make_batch(triples, plan, ENTITIES, config, number)


def obvious_loss(entities: Tensor, relations: Tensor, batch: Batch, config: EmbedConfig, number: int) -> Tensor:
    """The loss of a batch, one query at a time and one negative at a time, on whole tables."""
    model, losses, penalties = make_model(config), [], []
    chunks, size = batch.given.shape
    for k in range(chunks):
        negatives = batch.negatives[k]
        mask = random_stream(config.seed, DROPOUT, number, k).random((size, entities.shape[1]), dtype=np.float32)
        for c in range(size):
            e, r, a = entities[batch.given[k, c]], relations[batch.relations[k, c]], entities[batch.answers[k, c]]
            if k < chunks // 2:
                query = model.tail_query(e, r)
            elif config.inverse_relations:
                r = relations[batch.relations[k, c] + RELATIONS]
                query = model.tail_query(e, r)
            else:
                query = model.head_query(r, e)
            if config.dropout:
                query = query * torch.from_numpy(mask[c] < 1 - config.dropout) / (1 - config.dropout)
            s = model.similarity.pairs(query, a)
            kept = [int(n) for n in negatives if n != batch.answers[k, c]]
            wrong = torch.stack([model.similarity.pairs(query, entities[n]) for n in kept])
            if config.loss == "softmax":
                losses.append(F.cross_entropy(torch.cat([s[None], wrong])[None], torch.tensor([0])))
            else:
                # weights are shares of all negatives, those that are the answer itself included
                weight = torch.full_like(wrong, 1 / len(negatives))
                if config.adversarial_temperature:
                    weight = torch.softmax(config.adversarial_temperature * wrong.detach(), 0)
                if config.loss == "margin":
                    losses.append((weight * (config.margin - s + wrong).clamp(min=0)).sum())
                else:
                    g = config.margin
                    losses.append((-F.logsigmoid(g + s) - (weight * F.logsigmoid(-g - wrong)).sum()) / 2)
            power = config.regularization_power
            sizes = (model.entity_sizes(e), model.relation_sizes(r), model.entity_sizes(a))
            penalties.append(torch.stack([(x**power).sum() for x in sizes]).sum())
    return torch.stack(losses).mean() + config.regularization * torch.stack(penalties).mean()


def dense_optimizer(parameters: list[Tensor], config: EmbedConfig) -> torch.optim.Optimizer:
    if config.optimizer == "adagrad":
        return torch.optim.Adagrad(parameters, lr=config.learning_rate, eps=1e-10)
    return torch.optim.Adam(parameters, lr=config.learning_rate, eps=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_an_update_is_that_of_dense_autograd_and_a_dense_optimizer(model: str, settings: dict[str, object]) -> None:
    config = small(model, **({"init_scale": 0.5, "batch_size": 16, "chunk_size": 4} | settings))
    entities, relations = tables(config)
    slow = [entities.rows.clone().requires_grad_(), relations.rows.clone().requires_grad_()]
    optimizer = dense_optimizer(slow, config)
    for number in range(2 if config.optimizer == "adagrad" else 1):  # torch's Adam moves untouched rows later on
        batch = some_batch(config, number)
        loss = obvious_loss(slow[0], slow[1], batch, config, number)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if config.unit_norm:
            with torch.no_grad():
                slow[0].div_(slow[0].norm(dim=-1, keepdim=True))
        value = updated(entities, relations, batch, config, number)
        assert value == pytest.approx(loss.item(), rel=1e-6)
        torch.testing.assert_close(entities.rows, slow[0].detach(), atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(relations.rows, slow[1].detach(), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "settings", [{}, {"inverse_relations": True, "regularization": 0.1}, {"regularization": 0.1, "norm": 2}], ids=str
)
def test_whole_questions_have_the_loss_of_their_triples_one_by_one(model: str, settings: dict[str, object]) -> None:
    fixed = {"init_scale": 0.5, "negatives": "all", "loss": "softmax", "whole_questions": True}
    config = small(model, **(fixed | settings))
    entities, relations = tables(config)
    slow = [entities.rows.clone().requires_grad_(), relations.rows.clone().requires_grad_()]
    optimizer = dense_optimizer(slow, config)
    triples = np.unique(random_triples(np.random.default_rng(0), 12, 5, RELATIONS), axis=0)  # some share a question
    heads, of, tails = triples.T
    everyone = np.tile(np.arange(ENTITIES), (2, 1))
    batch = Batch(np.stack([heads, tails]), np.stack([of, of]), np.stack([tails, heads]), everyone)
    loss = obvious_loss(slow[0], slow[1], batch, config, 0)
    loss.backward()
    optimizer.step()
    questions = Questions.of(triples, RELATIONS, config)
    assert len(questions.given) < len(questions.answers)
    asked = questions.ask(np.arange(len(questions.given)))
    with Updater(entities, relations, config) as updater:
        assert updater.update_asked(asked, 0) == pytest.approx(loss.item(), rel=1e-6)
    torch.testing.assert_close(entities.rows, slow[0].detach(), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(relations.rows, slow[1].detach(), atol=1e-5, rtol=1e-5)


def test_two_epochs_of_questions_have_every_triple_in_both_directions(rng: np.random.Generator) -> None:
    triples = random_triples(rng, 60, 10, RELATIONS)
    questions = Questions.of(triples, RELATIONS, small(batch_size=16, chunk_size=4))
    parts = [*questions.epoch(0, 2), *questions.epoch(0, 3)]
    assert len(parts) == 2 * questions.updates
    seen = [
        (given, relation, answer)
        for part in parts
        for half in part.halves()
        for given, relation, answer in zip(
            np.repeat(half.given, half.counts), np.repeat(half.relations, half.counts), half.answers, strict=True
        )
    ]
    forward = [(h, r, t) for h, r, t in triples.tolist()]
    assert sorted(seen) == sorted(forward + [(t, r + RELATIONS, h) for h, r, t in forward])


def test_a_step_touches_only_the_rows_of_its_batch() -> None:
    config = small("complex")
    entities, relations = tables(config)
    before = entities.rows.clone(), relations.rows.clone()
    batch = Batch(np.array([[1], [2]]), np.array([[0], [3]]), np.array([[4], [5]]), np.array([[6], [7]]))
    updated(entities, relations, batch, config)
    assert set((entities.rows != before[0]).any(1).nonzero().flatten().tolist()) == {1, 2, 4, 5, 6, 7}
    assert set((relations.rows != before[1]).any(1).nonzero().flatten().tolist()) == {0, 3}
    assert set(entities.state["squares"].any(1).nonzero().flatten().tolist()) == {1, 2, 4, 5, 6, 7}


def test_sparse_adam_is_that_of_torch() -> None:
    config = small("distmult", optimizer="adam", learning_rate=0.05)
    table = RowTable(torch.randn(20, 4), config)
    oracle = torch.nn.Embedding(20, 4, sparse=True, _weight=table.rows.clone())
    optimizer = torch.optim.SparseAdam(oracle.parameters(), lr=0.05, eps=1e-10)
    for step in range(1, 6):
        ids = torch.randperm(20)[:7]
        gradient = torch.randn(7, 4)
        optimizer.zero_grad()
        (oracle(ids) * gradient).sum().backward()
        optimizer.step()
        table.update(ids, gradient, step)
    torch.testing.assert_close(table.rows, oracle.weight.detach(), atol=1e-4, rtol=1e-4)


def test_a_negative_that_is_the_answer_itself_does_not_count() -> None:
    config = small("distmult", loss="softmax")
    entities, relations = tables(config)
    batch = Batch(np.array([[1], [2]]), np.array([[0], [3]]), np.array([[4], [5]]), np.array([[4], [5]]))
    assert updated(entities, relations, batch, config) == 0.0


def test_a_loss_that_is_not_finite_changes_nothing() -> None:
    config = small("distmult")
    entities, relations = tables(config)
    entities.rows[4] = torch.nan
    before = entities.rows.clone(), relations.rows.clone()
    batch = Batch(np.array([[1], [2]]), np.array([[0], [3]]), np.array([[4], [5]]), np.array([[6], [7]]))
    assert np.isnan(updated(entities, relations, batch, config))
    assert torch.equal(entities.rows.nan_to_num(9), before[0].nan_to_num(9))
    assert torch.equal(relations.rows, before[1])


@pytest.mark.parametrize("model", MODELS)
def test_the_number_of_threads_changes_no_bit(model: str) -> None:
    config = small(model, dropout=0.2, batch_size=16, chunk_size=2)
    results = []
    for threads in (1, 4):
        torch.set_num_threads(threads)
        entities, relations = tables(config)
        with Updater(entities, relations, config) as updater:
            for number in range(5):
                updater.update(some_batch(config, number), number)
        assert torch.get_num_threads() == threads
        results.append((entities.rows, relations.rows))
    torch.set_num_threads(1)
    assert torch.equal(results[0][0], results[1][0])
    assert torch.equal(results[0][1], results[1][1])
