"""The training loop of all few-shot models: steps, dev evaluations, checkpoints, early stopping.

A step is a function of the weights, the optimiser's state, the seed and the step's number: episodes are drawn by
number, and torch's generator is seeded anew for each step. So a run that is killed at any moment goes on from its last
checkpoint and ends as if it had never been interrupted (with the same number of threads: sums depend on it).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from faan.base import (
    CHECKPOINT_FILE,
    METRICS_FILE,
    InputError,
    OnProgress,
    Purpose,
    Stream,
    TrainingError,
    ignore_progress,
    save_checkpoint,
    write_tensors,
)
from faan.models import FewShotModel
from faan.rank import check_tasks, rank_tasks, relation_metrics, split_metrics
from faan.tasks import EpisodeSampler, Task
from faan.train.checkpoint import (
    BEST_FILE,
    MetricsFile,
    OnMetrics,
    StepProgress,
    Weights,
    are_finite,
    copied,
    load_best,
    load_steps,
    note_broken,
    set_weights,
    weights_of,
)
from faan.train.config import TrainConfig
from faan.train.optimizer import Optimizer, learning_rate, move_average


@dataclass(frozen=True)
class DevReport:
    """The result of a dev evaluation."""

    step: int
    mrr: float
    is_best: bool


OnReport = Callable[[DevReport], None]
"""Called after every dev evaluation."""


@dataclass(frozen=True)
class Callbacks:
    """Functions that are called while a model is trained."""

    on_progress: OnProgress = ignore_progress
    on_report: OnReport | None = None
    on_metrics: OnMetrics | None = None


def seed_torch(seed: int, moment: int) -> None:
    """Seed torch's generator: moment 0 is when a model is built, moment n + 1 is step n."""
    torch.manual_seed(int(Stream(seed, Purpose.TORCH, moment).raw(1)[0] >> 1))


def make_sampler(tasks: Sequence[Task], config: TrainConfig, seed: int) -> EpisodeSampler:
    """The episodes of a run."""
    return EpisodeSampler(
        tasks,
        shots=config.shots,
        queries=config.queries,
        negatives=config.negatives,
        repeat_queries=config.repeat_queries,
        min_candidates=config.min_candidates,
        seed=seed,
    )


def check_dev(dev: Sequence[Task], config: TrainConfig, shots: int) -> None:
    """Refuse dev tasks that cannot be evaluated; without any, the last weights are kept and nothing can stop early."""
    check_tasks(dev, shots)
    if config.patience and not dev:
        raise InputError("patience needs dev tasks, and there are none: set train.patience to 0 to train to the end")


def train_model(
    model: FewShotModel,
    tasks: Sequence[Task],
    dev: Sequence[Task],
    config: TrainConfig,
    folder: Path | str,
    *,
    shots: int = 5,
    seed: int = 0,
    callbacks: Callbacks | None = None,
) -> StepProgress:
    """Train a model in a folder, from the beginning or from the checkpoint there.

    The model ends up with the weights of the best dev evaluation (K = `shots`), or the last ones without dev tasks.
    """
    check_dev(dev, config, shots)
    sampler = make_sampler(tasks, config, seed)
    Path(folder).mkdir(parents=True, exist_ok=True)
    with torch.random.fork_rng(devices=[]):
        return _Training(model, sampler, dev, config, Path(folder), shots, callbacks or Callbacks()).to_the_end()


def sample_heads(task: Task, shots: int, limit: int) -> Task:
    """The task with the queries of at most `limit` heads, the same ones each time; all of them where that is 0."""
    heads = np.unique(task.queries(shots)[:, 0])
    if not limit or len(heads) <= limit:
        return task
    asked = heads[Stream(0, Purpose.DEV_HEADS).permutation(len(heads))[:limit]]
    queries = task.queries(shots)
    return replace(task, pairs=np.concatenate([task.references(shots), queries[np.isin(queries[:, 0], asked)]]))


class _Training:
    """A run between its first and its last step."""

    def __init__(
        self,
        model: FewShotModel,
        sampler: EpisodeSampler,
        dev: Sequence[Task],
        config: TrainConfig,
        folder: Path,
        shots: int,
        callbacks: Callbacks,
    ) -> None:
        self.model, self.sampler, self.config = model, sampler, config
        self.dev = [sample_heads(task, shots, config.evaluate_heads) for task in dev]
        self.folder, self.shots, self.callbacks = folder, shots, callbacks
        self.weights = weights_of(model)
        self.optimizer = Optimizer(model, config)
        self.average: Weights = copied(self.weights) if config.average else {}
        self.progress = StepProgress()
        self.is_new = not (folder / CHECKPOINT_FILE).exists()
        if not self.is_new:
            parts, self.progress = load_steps(folder)
            set_weights(model, parts["weights"])
            self.optimizer.state, self.average = parts["optimizer"], parts["average"]
        self.metrics = MetricsFile(folder / METRICS_FILE, self.progress.metrics, callbacks.on_metrics)

    def to_the_end(self) -> StepProgress:
        config, progress = self.config, self.progress
        note_broken(self.folder, None)
        try:
            if self.is_new:
                self._evaluate()
                self._save()
            self.model.train()
            while not progress.is_over(config):
                self._step()
                if progress.step % config.log_every == 0:
                    self._log()
                evaluate = progress.step % config.evaluate_every == 0 or progress.step == config.steps
                if evaluate:
                    self._evaluate()
                if evaluate or progress.step % config.checkpoint_every == 0:
                    self._save()
        except TrainingError as error:
            note_broken(self.folder, str(error))
            raise
        finally:
            self.metrics.close()
        load_best(self.model, self.folder)
        return progress

    def _step(self) -> None:
        step, config = self.progress.step, self.config
        first = step * config.tasks_per_step
        episodes = [self.sampler.draw(first + i) for i in range(config.tasks_per_step)]
        seed_torch(self.sampler.seed, step + 1)
        loss = self.model.loss(episodes)
        value = loss.item()
        norm = self.optimizer.update(loss, step) if math.isfinite(value) else math.nan
        if not math.isfinite(norm):
            raise self._broken("the loss" if not math.isfinite(value) else "the gradient", step + 1)
        move_average(self.average, self.weights, config.average, step)
        self.progress.step += 1
        self.progress.loss += value
        self.progress.grad_norm += norm
        self.callbacks.on_progress("training", self.progress.step / config.steps)

    def _log(self) -> None:
        progress = self.progress
        steps = progress.step - progress.logged
        self.metrics.write(
            {
                "step": progress.step,
                "loss": progress.loss / steps,
                "grad_norm": progress.grad_norm / steps,
                "learning_rate": learning_rate(self.config, progress.step - 1),
            }
        )
        progress.loss, progress.grad_norm, progress.logged = 0.0, 0.0, progress.step

    def _evaluate(self) -> None:
        """Rank the dev tasks with the weights that would be kept, and keep them if they are the best so far."""
        progress, kept = self.progress, copied(self.average or self.weights)
        self._check_weights()
        if not self.dev:
            self._keep(kept, None)
            return
        current = copied(self.weights)
        set_weights(self.model, kept)
        ranked = list(rank_tasks(self.model, self.dev, self.shots))
        set_weights(self.model, current)
        self.model.train()
        figures = split_metrics(ranked)
        relations = {relation: found["mrr"] for relation, found in relation_metrics(ranked).items()}
        self.metrics.write({"step": progress.step, "dev": figures, "relations": relations})
        is_best = progress.best_mrr is None or figures["mrr"] > progress.best_mrr
        progress.stale += 1
        if is_best:
            self._keep(kept, figures["mrr"])
        if self.callbacks.on_report is not None:
            self.callbacks.on_report(DevReport(progress.step, figures["mrr"], is_best))

    def _keep(self, weights: Weights, mrr: float | None) -> None:
        # A kill between this and the next checkpoint does no harm: the steps are done again and give this file again.
        self.progress.best_step, self.progress.best_mrr, self.progress.stale = self.progress.step, mrr, 0
        write_tensors(self.folder / BEST_FILE, weights, {"step": self.progress.step, "mrr": mrr})

    def _save(self) -> None:
        self._check_weights()
        self.progress.metrics = self.metrics.sync()
        parts = {"weights": self.weights, "optimizer": self.optimizer.state, "average": self.average}
        save_checkpoint(self.folder, {part: copied(tensors) for part, tensors in parts.items()}, self.progress)

    def _check_weights(self) -> None:
        if not are_finite(self.weights):
            raise self._broken("a weight", self.progress.step)

    def _broken(self, what: str, step: int) -> TrainingError:
        best = self.progress.best_step
        intact = "" if best is None else f"; the last checkpoint and the best weights, of step {best:,}, are intact"
        return TrainingError(
            f"{what} is not finite at step {step:,}. Begin again with a lower train.learning_rate (a tenth is a good"
            f" next try){intact}."
        )
