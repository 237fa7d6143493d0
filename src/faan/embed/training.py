"""Train embeddings: epochs of updates, evaluations on held-out triples, checkpoints, resume.

run = train(triples, num_entities, num_relations, EmbedConfig.recommended("transe"), folder="run")
run = resume("run", triples)        # after an interruption: the same result, bit for bit
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from faan.base import (
    CHECKPOINT_FILE,
    METRICS_FILE,
    InputError,
    OnProgress,
    TrainingError,
    ignore_progress,
    read_config,
    write_config,
    write_text,
)
from faan.embed.checkpoint import ADVICE, EpochProgress, EpochReport, fingerprint, load_tables, save_tables
from faan.embed.config import EmbedConfig
from faan.embed.embeddings import Embeddings
from faan.embed.evaluation import evaluate
from faan.embed.optimizer import Table
from faan.embed.sampling import HELD_OUT, BatchPlan, make_batch, random_stream
from faan.embed.step import Updater

TRAINING = "training vectors"  # as progress calls it

OnReport = Callable[[EpochReport], None]
"""Called after every epoch."""


@dataclass(frozen=True)
class TrainedVectors:
    """What training gives: the vectors (the best ones if there was patience, else the last) and the way there."""

    embeddings: Embeddings
    history: list[EpochReport]
    steps: int  # updates in all epochs


def train(
    triples: np.ndarray,
    num_entities: int,
    num_relations: int,
    config: EmbedConfig,
    *,
    valid: np.ndarray | None = None,
    folder: Path | str | None = None,
    on_progress: OnProgress = ignore_progress,
    on_report: OnReport | None = None,
) -> TrainedVectors:
    """Train on triples of ids (n, 3): head, relation, tail.

    Validation triples, or ``config.held_out`` triples taken from the training ones, are ranked at every evaluation.
    With a folder the run is saved there as it goes, and ``resume`` continues it.
    """
    return begin(triples, num_entities, num_relations, config, valid, folder).to_the_end(on_progress, on_report)


def begin(
    triples: np.ndarray,
    num_entities: int,
    num_relations: int,
    config: EmbedConfig,
    valid: np.ndarray | None = None,
    folder: Path | str | None = None,
) -> Run:
    """A run before its first epoch, saved if there is a folder: from then on ``resume`` can continue it."""
    config = config.for_graph(len(triples), num_entities)
    check_triples(triples, num_entities, num_relations)
    if valid is not None:
        check_triples(valid, num_entities, num_relations, at_least=1)
    training, held_out = split(triples, valid, config)
    if folder is not None:
        folder = Path(folder)
        if (folder / CHECKPOINT_FILE).exists():
            raise InputError(f"{folder} already holds a run: resume it, or choose another folder")
        folder.mkdir(parents=True, exist_ok=True)
        write_config(folder, config)
    first = Embeddings.first(num_entities, num_relations, config)
    entities, relations = Table(first.entities, config), Table(first.relations, config)
    run = Run(training, held_out, config, entities, relations, EpochProgress(fingerprint(training, held_out)), folder)
    if folder is not None:
        save_tables(folder, entities, relations, run.progress)
    return run


def resume(
    folder: Path | str,
    triples: np.ndarray,
    *,
    valid: np.ndarray | None = None,
    on_progress: OnProgress = ignore_progress,
    on_report: OnReport | None = None,
) -> TrainedVectors:
    """Continue an interrupted run on the same data; it ends as if it had never been interrupted."""
    folder = Path(folder)
    config = read_config(folder, EmbedConfig)
    entities, relations, progress = load_tables(folder, config)
    training, held_out = split(triples, valid, config)
    if fingerprint(training, held_out) != progress.data:
        raise InputError(f"{folder} was trained on other triples: resume with the graph that the run began with")
    sizes = len(entities.rows), len(relations.rows) // (1 + config.inverse_relations)
    for part in (training, held_out):
        check_triples(part, *sizes, at_least=0)
    return Run(training, held_out, config, entities, relations, progress, folder).to_the_end(on_progress, on_report)


def split(triples: np.ndarray, valid: np.ndarray | None, config: EmbedConfig) -> tuple[np.ndarray, np.ndarray]:
    """Training and held-out triples: the validation triples if there are any, else a random part of the training."""
    if valid is None and config.held_out > 0:
        if config.held_out > len(triples) // 2:
            raise InputError(f"held_out = {config.held_out:,} is more than half of the {len(triples):,} triples")
        shuffled = random_stream(config.seed, HELD_OUT).permutation(len(triples))
        valid, triples = triples[shuffled[: config.held_out]], triples[shuffled[config.held_out :]]
    if valid is None and config.patience:
        raise InputError("patience needs held-out triples: give validation triples, or set held_out")
    return triples, triples[:0] if valid is None else valid


def check_triples(triples: np.ndarray, num_entities: int, num_relations: int, at_least: int = 2) -> None:
    """Refuse what cannot be trained on, with the reason."""
    if triples.ndim != 2 or triples.shape[1] != 3 or triples.dtype.kind not in "iu":
        raise InputError(f"triples must be integers of shape (n, 3), not {triples.dtype} of shape {triples.shape}")
    if len(triples) < at_least:
        raise InputError(f"{len(triples)} triple(s): at least {at_least} are needed to learn anything")
    for column, name, count in ((0, "head", num_entities), (1, "relation", num_relations), (2, "tail", num_entities)):
        low, high = triples[:, column].min(initial=0), triples[:, column].max(initial=0)
        if low < 0 or high >= count:
            wrong = low if low < 0 else high
            raise InputError(f"a {name} has the number {wrong}, but they go from 0 to {count - 1}")


class Run:
    """A run between its first and its last epoch."""

    def __init__(
        self,
        training: np.ndarray,
        held_out: np.ndarray,
        config: EmbedConfig,
        entities: Table,
        relations: Table,
        progress: EpochProgress,
        folder: Path | None,
    ) -> None:
        self.training, self.held_out, self.config = training, held_out, config
        self.entities, self.relations, self.progress, self.folder = entities, relations, progress, folder
        self.best: Embeddings | None = None  # kept when there is patience
        if folder is not None and config.patience and progress.best is not None:
            self.best = Embeddings.load(folder)

    @property
    def current(self) -> Embeddings:
        """The vectors as they are now."""
        return Embeddings(self.config, self.entities.rows, self.relations.rows)

    def to_the_end(self, on_progress: OnProgress, on_report: OnReport | None) -> TrainedVectors:
        """Train until all epochs are done or patience is at its end."""
        while not self.progress.is_over(self.config):
            with Updater(self.entities, self.relations, self.config) as updater:
                report = EpochReport(self.progress.epoch + 1, self._epoch(updater, on_progress))
            self.progress.epoch += 1
            if self.progress.epoch % self.config.evaluate_every == 0 or self.progress.epoch == self.config.epochs:
                report = self._evaluate(report)
                self._save()
            else:
                self.progress.history.append(report)
            if on_report is not None:
                on_report(report)
        result = self.best or self.current
        if self.folder is not None:
            result.save(self.folder)
        steps = self.progress.epoch * BatchPlan.of(len(self.training), self.config).updates
        return TrainedVectors(result, self.progress.history, steps)

    def _epoch(self, updater: Updater, on_progress: OnProgress) -> float:
        """One pass over the triples; the mean loss."""
        plan = BatchPlan.of(len(self.training), self.config)
        order = plan.order(len(self.training), self.config.seed, self.progress.epoch)  # (updates, K * C)
        total = 0.0
        for place, chosen in enumerate(order):
            number = self.progress.epoch * plan.updates + place
            batch = make_batch(self.training[chosen], plan, len(self.entities.rows), self.config, number)
            loss = updater.update(batch, number)
            if not math.isfinite(loss):
                raise TrainingError(f"the loss became {loss} in epoch {self.progress.epoch + 1}. {ADVICE}")
            total += loss
            on_progress(TRAINING, (number + 1) / (plan.updates * self.config.epochs))
        return total / plan.updates

    def _evaluate(self, report: EpochReport) -> EpochReport:
        """Rank the held-out triples, if there are any, and remember the best vectors if there is patience."""
        if len(self.held_out):
            rng = random_stream(self.config.seed, HELD_OUT, 1)
            sample = self.held_out[rng.permutation(len(self.held_out))[: self.config.evaluate_queries]]
            num_entities = len(self.entities.rows)
            candidates = None
            if num_entities > self.config.evaluate_candidates:
                candidates = rng.choice(num_entities, self.config.evaluate_candidates, replace=False)
            known = np.concatenate([self.training, self.held_out])
            mrr = evaluate(self.current, sample, known, candidates).both.mrr
            report = EpochReport(report.epoch, report.loss, mrr)
        self.progress.history.append(report)
        if self.config.patience and self.progress.best == report:
            self.best = Embeddings(self.config, self.entities.rows.clone(), self.relations.rows.clone())
            if self.folder is not None:
                self.best.save(self.folder)
        return report

    def _save(self) -> None:
        if self.folder is not None:
            save_tables(self.folder, self.entities, self.relations, self.progress)
            lines = [json.dumps(asdict(report)) + "\n" for report in self.progress.history]
            write_text(self.folder / METRICS_FILE, "".join(lines))
