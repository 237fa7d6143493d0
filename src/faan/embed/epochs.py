"""A run of training: epochs of updates, evaluations on held-out triples, early stopping, checkpoints."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from faan.base import METRICS_FILE, Cluster, InputError, OnProgress, Pool, TrainingError, write_text
from faan.embed.checkpoint import ADVICE, EpochProgress, EpochReport, save_tables
from faan.embed.config import EmbedConfig
from faan.embed.embeddings import Embeddings
from faan.embed.evaluation import evaluate
from faan.embed.optimizer import RowTable
from faan.embed.partitions import EntityTable, Partitions
from faan.embed.questions import Questions
from faan.embed.rounds import Rounds
from faan.embed.sampling import HELD_OUT, random_stream
from faan.embed.step import Updater, bucket_losses

TRAINING = "training vectors"  # as progress calls it

OnReport = Callable[[EpochReport], None]
"""Called after every epoch."""


@dataclass(frozen=True)
class TrainedVectors:
    """What training gives: the vectors (with patience the best ones, else the last) and their history."""

    embeddings: Embeddings
    history: list[EpochReport]
    steps: int  # updates in all epochs


class Run:
    """A run between its first and its last epoch."""

    def __init__(
        self,
        training: np.ndarray,
        held_out: np.ndarray,
        config: EmbedConfig,
        entities: EntityTable,
        relations: RowTable,
        progress: EpochProgress,
        folder: Path | None,
    ) -> None:
        self.training, self.held_out, self.config = training, held_out, config
        self.entities, self.relations, self.progress, self.folder = entities, relations, progress, folder
        self._pool: Pool | None = None  # who trains rounds
        self.best: Embeddings | None = None  # kept when there is patience
        if folder is not None and config.patience and progress.best is not None:
            self.best = Embeddings.load(folder)

    @property
    def current(self) -> Embeddings:
        """The vectors as they are now."""
        return Embeddings(self.config, self.entities.vectors(), self.relations.rows)

    def to_the_end(
        self, on_progress: OnProgress, on_report: OnReport | None, engine: Cluster | None = None
    ) -> TrainedVectors:
        """Train until all epochs are done or patience is at its end; an engine trains rounds."""
        rounds = self.entities if isinstance(self.entities, Rounds) else None
        if engine is not None and rounds is None:
            raise InputError(
                "an engine has nothing to share out, because the run trains one bucket after the other: set"
                " rounds = true, and partitions to 4 or more"
            )
        with nullcontext() if rounds is None else rounds.pool(engine) as self._pool:
            while not self.progress.is_over(self.config):
                report = EpochReport(self.progress.epoch + 1, self._epoch(on_progress))
                self.progress.epoch += 1
                if self.progress.epoch % self.config.evaluate_every == 0 or self.progress.epoch == self.config.epochs:
                    report = self._evaluate(report)
                    self.save()
                else:
                    self.progress.history.append(report)
                if on_report is not None:
                    on_report(report)
        result = self.best or self.current
        if self.folder is not None:
            result.save(self.folder)
        return TrainedVectors(result, self.progress.history, self._updates(self.progress.epoch))

    @cached_property
    def _questions(self) -> Questions | None:
        """What an epoch is made of, where whole questions are asked."""
        if not self.config.asks_whole_questions:
            return None
        num_relations = len(self.relations.rows) // (1 + self.config.inverse_relations)
        return Questions.of(self.training, num_relations, self.config)

    def _updates(self, epoch: int) -> int:
        """How many updates there are before an epoch."""
        return self.entities.updates(epoch) if self._questions is None else epoch * self._questions.updates

    def _epoch(self, on_progress: OnProgress) -> float:
        """One pass over the triples; the mean loss."""
        epoch, total, in_all = self.progress.epoch, 0.0, self._updates(self.config.epochs)
        first, end = self._updates(epoch), self._updates(epoch + 1)
        with self._losses(epoch) as losses:
            for number, loss in enumerate(losses, first):
                if not math.isfinite(loss):
                    raise TrainingError(f"the loss became {loss} in epoch {epoch + 1}. {ADVICE}")
                total += loss
                on_progress(TRAINING, (number + 1) / in_all)
        return total / (end - first)

    @contextmanager
    def _losses(self, epoch: int) -> Iterator[Iterator[float]]:
        """The loss of each update of an epoch. Taking a loss makes the update: here, or on the workers of rounds."""
        if isinstance(self.entities, Rounds):
            assert self._pool is not None
            yield self.entities.train(self.training, epoch, self.relations, self._pool)
            return
        with Updater(self.entities.table, self.relations, self.config) as updater:
            if self._questions is not None:
                asked = enumerate(self._questions.epoch(self.config.seed, epoch), self._updates(epoch))
                yield (updater.update_asked(questions, number) for number, questions in asked)
            else:
                buckets = self.entities.buckets(self.training, epoch)
                yield (loss for bucket in buckets for loss in bucket_losses(updater, bucket, self.config))

    def _evaluate(self, report: EpochReport) -> EpochReport:
        """Rank the held-out triples, if there are any, and remember the best vectors if there is patience."""
        if len(self.held_out):
            rng = random_stream(self.config.seed, HELD_OUT, 1)
            sample = self.held_out[rng.permutation(len(self.held_out))[: self.config.evaluate_queries]]
            num_entities = self.entities.num_entities
            candidates = None
            if num_entities > self.config.evaluate_candidates:
                candidates = rng.choice(num_entities, self.config.evaluate_candidates, replace=False)
            known = np.concatenate([self.training, self.held_out])
            mrr = evaluate(self.current, sample, known, candidates).both.mrr
            report = EpochReport(report.epoch, report.loss, mrr)
        self.progress.history.append(report)
        if self.config.patience and self.progress.best == report:
            self.best = Embeddings(self.config, self.current.entities.clone(), self.relations.rows.clone())
            if self.folder is not None:
                self.best.save(self.folder)
        return report

    def save(self) -> None:
        """Write a checkpoint, if there is a folder."""
        if self.folder is None:
            return
        tables = {"relations": self.relations}
        if isinstance(self.entities, Partitions):
            self.progress.partitions, self.progress.num_entities = self.entities.save(), self.entities.num_entities
        else:
            tables = {"entities": self.entities.table, **tables}
        save_tables(self.folder, tables, self.progress)
        if isinstance(self.entities, Partitions):
            self.entities.forget()
        lines = [json.dumps(asdict(report)) + "\n" for report in self.progress.history]
        write_text(self.folder / METRICS_FILE, "".join(lines))
