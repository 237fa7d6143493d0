"""The loop: when it evaluates, stops, averages and complains."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from faan.base import TrainingError
from faan.base.ragged import Ints
from faan.models import FewShotModel
from faan.tasks import Benchmark, Episode, Task
from faan.train import Callbacks, DevReport, StepProgress, TrainConfig, train_model
from faan.train.checkpoint import load_best, load_steps, set_weights, weights_of
from faan.train.loop import sample_heads


class Counter(FewShotModel):
    """A model whose only weight is pulled upwards, and whose ranks get better until the weight reaches a turn."""

    def __init__(self, turn: float = 1e9, broken_from: int = 1 << 30) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))
        self.frozen = nn.Parameter(torch.zeros(5), requires_grad=False)
        self.turn, self.broken_from, self.calls = turn, broken_from, 0

    def loss(self, episodes: Sequence[Episode]) -> Tensor:
        self.calls += 1
        loss = -self.weight.sum() + 0 * torch.rand(1).sum()
        return loss * float("nan") if self.calls >= self.broken_from else loss

    def prepare(self, task: Task, references: Ints) -> _CounterScorer:
        return _CounterScorer(task, self.turn - abs(self.turn - self.weight.item()))


class _CounterScorer:
    def __init__(self, task: Task, quality: float) -> None:
        self.task, self.quality = task, quality

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        true = self.task.truths.contains(heads[:, None], candidates[None, :])
        return np.where(true, self.quality, np.arange(len(candidates)))


def config(**changes: object) -> TrainConfig:
    base = {"steps": 40, "learning_rate": 1.0, "schedule": "constant", "evaluate_every": 2, "log_every": 4}
    return TrainConfig.model_validate(base | changes)


def train(
    model: FewShotModel, tiny: Benchmark, folder: Path, **changes: object
) -> tuple[StepProgress, list[DevReport]]:
    reports: list[DevReport] = []
    callbacks = Callbacks(on_report=reports.append)
    found = train_model(model, tiny.splits["train"], tiny.splits["dev"], config(**changes), folder, callbacks=callbacks)
    return found, reports


def test_training_stops_when_patience_is_at_its_end_and_keeps_the_best(tiny: Benchmark, tmp_path: Path) -> None:
    model = Counter(turn=8)
    progress, reports = train(model, tiny, tmp_path, patience=3)
    assert (progress.best_step, progress.step) == (8, 14)
    assert [report.step for report in reports] == [0, 2, 4, 6, 8, 10, 12, 14]
    assert [report.step for report in reports if report.is_best] == [0, 2, 4, 6, 8]
    assert model.weight.item() == pytest.approx(8)


def test_without_patience_training_goes_to_the_end_and_keeps_the_best(tiny: Benchmark, tmp_path: Path) -> None:
    model = Counter(turn=8)
    progress, _ = train(model, tiny, tmp_path)
    assert (progress.best_step, progress.step) == (8, 40)
    assert model.weight.item() == pytest.approx(8)


def test_metrics_are_lines_of_loss_and_of_dev_figures(tiny: Benchmark, tmp_path: Path) -> None:
    train(Counter(), tiny, tmp_path, steps=4, evaluate_every=3)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [0, 3, 4, 4]
    assert lines[2]["loss"] == pytest.approx(-np.mean([0, 1, 2, 3]))
    assert (lines[2]["grad_norm"], lines[2]["learning_rate"]) == (1, 1)
    assert lines[3]["relations"] == {tiny.splits["dev"][0].relation: lines[3]["dev"]["mrr"]}


def test_the_average_is_what_is_evaluated_and_kept(tiny: Benchmark, tmp_path: Path) -> None:
    model = Counter()
    train(model, tiny, tmp_path, steps=30, average=0.6)
    slow, weight = 0.0, 0.0
    for step in range(30):
        weight += 1  # what AdamW makes of a gradient of -1 at learning rate 1
        decay = min(0.6, (step + 1) / (step + 10))
        slow = decay * slow + (1 - decay) * weight
    assert model.weight.item() == pytest.approx(slow)
    parts, _ = load_steps(tmp_path)
    assert float(parts["weights"]["weight"]) == pytest.approx(weight)


@pytest.mark.parametrize("at", [1, 7])
def test_a_loss_that_is_no_number_is_an_error_and_the_checkpoint_stays(
    at: int, tiny: Benchmark, tmp_path: Path
) -> None:
    with pytest.raises(TrainingError, match=rf"the loss is not finite at step {at}\. .* lower train\.learning_rate"):
        train(Counter(broken_from=at), tiny, tmp_path)
    parts, progress = load_steps(tmp_path)
    assert progress.step == at - 1
    assert torch.isfinite(parts["weights"]["weight"]).all()


def test_weights_that_are_not_finite_are_never_saved(tiny: Benchmark, tmp_path: Path) -> None:
    model = Counter()

    def explode(what: str, share: float) -> None:
        if round(share * config().steps) == 6:
            model.weight.data.fill_(float("inf"))

    tasks, dev = tiny.splits["train"], tiny.splits["dev"]
    with pytest.raises(TrainingError, match="a weight is not finite at step 6"):
        train_model(model, tasks, dev, config(), tmp_path, callbacks=Callbacks(on_progress=explode))
    parts, progress = load_steps(tmp_path)
    assert progress.step == 4
    assert float(parts["weights"]["weight"]) == pytest.approx(4)
    load_best(model, tmp_path)
    assert model.weight.item() == pytest.approx(4)


def test_frozen_weights_are_in_no_checkpoint(tiny: Benchmark, tmp_path: Path) -> None:
    train(Counter(), tiny, tmp_path, steps=2)
    parts, _ = load_steps(tmp_path)
    assert set(parts["weights"]) == set(weights_of(Counter())) == {"weight"}


def test_training_leaves_the_generator_of_torch_as_it_was(tiny: Benchmark, tmp_path: Path) -> None:
    before = torch.get_rng_state()
    train(Counter(), tiny, tmp_path, steps=2)
    assert torch.equal(torch.get_rng_state(), before)


def test_a_step_sees_as_many_episodes_as_it_should(tiny: Benchmark, tmp_path: Path) -> None:
    seen: list[list[str]] = []

    class Watcher(Counter):
        def loss(self, episodes: Sequence[Episode]) -> Tensor:
            seen.append([f"{episode.task.relation} {episode.references.tolist()}" for episode in episodes])
            return super().loss(episodes)

    train(Watcher(), tiny, tmp_path, steps=5, tasks_per_step=3)
    assert [len(step) for step in seen] == [3] * 5
    assert len({episode for step in seen for episode in step}) == 15


def test_set_weights_copies(tiny: Benchmark) -> None:
    model, weights = Counter(), {"weight": torch.ones(1)}
    set_weights(model, weights)
    weights["weight"] += 1
    assert model.weight.item() == 1


def test_a_dev_evaluation_can_ask_for_a_sample_of_heads(tiny: Benchmark) -> None:
    task = tiny.splits["dev"][0]
    heads = np.unique(task.queries(2)[:, 0])
    few = sample_heads(task, 2, 3)
    assert np.array_equal(few.references(2), task.references(2))
    kept = few.queries(2)
    assert len(np.unique(kept[:, 0])) == 3 < len(heads)
    assert np.array_equal(kept, [pair for pair in task.queries(2) if pair[0] in kept[:, 0]])  # all queries of a head
    assert sample_heads(task, 2, 0) is task is sample_heads(task, 2, len(heads))
