"""Train embeddings: epochs of updates, evaluations on held-out triples, checkpoints, resume.

run = train(triples, num_entities, num_relations, EmbedConfig.recommended("transe"), folder="run")
run = resume("run", triples)        # after an interruption: the same result, bit for bit
run = extend("run", more, 10)       # the same vectors, trained further on more triples
"""

from __future__ import annotations

import json
import math
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from faan.base import (
    CHECKPOINT_FILE,
    METRICS_FILE,
    Cluster,
    InputError,
    OnProgress,
    Pool,
    TrainingError,
    ignore_progress,
    read_config,
    scratch_folder,
    write_config,
    write_text,
)
from faan.embed.checkpoint import ADVICE, EpochProgress, EpochReport, fingerprint, load_tables, save_tables
from faan.embed.config import EmbedConfig
from faan.embed.embeddings import Embeddings
from faan.embed.evaluation import evaluate
from faan.embed.optimizer import RowTable
from faan.embed.partitions import PARTITIONS_FOLDER, EntityTable, Partitions, Whole
from faan.embed.questions import Questions
from faan.embed.rounds import Rounds
from faan.embed.sampling import HELD_OUT, random_stream
from faan.embed.step import Updater, bucket_losses
from faan.embed.tuning import choose_regularization

TRAINING = "training vectors"  # as progress calls it

OnReport = Callable[[EpochReport], None]
"""Called after every epoch."""


@dataclass(frozen=True)
class TrainedVectors:
    """What training gives: the vectors (with patience the best ones, else the last) and their history."""

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
    run = begin(triples, num_entities, num_relations, config, valid, folder, on_progress=on_progress)
    return run.to_the_end(on_progress, on_report)


def begin(
    triples: np.ndarray,
    num_entities: int,
    num_relations: int,
    config: EmbedConfig,
    valid: np.ndarray | None = None,
    folder: Path | str | None = None,
    *,
    on_progress: OnProgress = ignore_progress,
) -> Run:
    """Prepare a run and save it before its first epoch, if there is a folder: then ``resume`` can continue it."""
    config = config.for_graph(len(triples), num_entities)
    check_triples(triples, num_entities, num_relations)
    if valid is not None:
        check_triples(valid, num_entities, num_relations, at_least=1)
    training, held_out = split(triples, valid, config)

    def train_short(some: np.ndarray, short: EmbedConfig, tell: OnProgress) -> Embeddings:
        return begin(some, num_entities, num_relations, short).to_the_end(tell, None).embeddings

    config = choose_regularization(training, held_out, num_entities, config, train_short, on_progress)
    if folder is not None:
        folder = Path(folder)
        if (folder / CHECKPOINT_FILE).exists():
            raise InputError("holds a run already; resume it, or choose another folder", source=str(folder))
        folder.mkdir(parents=True, exist_ok=True)
        write_config(folder, config)
    entities: EntityTable
    if config.partitions == 1:
        first = Embeddings.first(num_entities, num_relations, config)
        entities, relations = Whole(RowTable(first.entities, config), len(training)), RowTable(first.relations, config)
    else:
        relations = RowTable(Embeddings.first(0, num_relations, config).relations, config)
        entities = _partitions(training, num_entities, config, folder)
    run = Run(training, held_out, config, entities, relations, EpochProgress(fingerprint(training, held_out)), folder)
    run.save()
    return run


def resume(
    folder: Path | str,
    triples: np.ndarray,
    *,
    valid: np.ndarray | None = None,
    on_progress: OnProgress = ignore_progress,
    on_report: OnReport | None = None,
    engine: Cluster | None = None,
) -> TrainedVectors:
    """Continue an interrupted run on the same data; it ends as if it had never been interrupted.

    An `engine` trains the buckets of a round side by side; the folder must be one that all its machines see.
    """
    folder = Path(folder)
    config = read_config(folder, EmbedConfig)
    tables, progress = load_tables(folder, config)
    training, held_out = split(triples, valid, config)
    if fingerprint(training, held_out) != progress.data:
        raise InputError(
            "was trained on other triples; resume it with the graph that it began with", source=str(folder)
        )
    relations, entities = tables["relations"], _entities(folder, tables, progress, training, config)
    sizes = entities.num_entities, len(relations.rows) // (1 + config.inverse_relations)
    for part in (training, held_out):
        check_triples(part, *sizes, at_least=0)
    run = Run(training, held_out, config, entities, relations, progress, folder)
    return run.to_the_end(on_progress, on_report, engine)


def extend(
    folder: Path | str, triples: np.ndarray, epochs: int, *, on_progress: OnProgress = ignore_progress
) -> TrainedVectors:
    """Train the vectors of a finished run further, on other triples of the same entities and relations.

    With the optimiser's state of the run, a part of its epochs is enough to learn facts that it lacked. The folder
    stays as it is. Not for runs with several partitions.
    """
    tables, _ = load_tables(Path(folder), config := read_config(Path(folder), EmbedConfig))
    entities, relations = tables["entities"], tables["relations"]
    check_triples(triples, len(entities.rows), len(relations.rows) // (1 + config.inverse_relations))
    config = config.model_copy(update={"epochs": epochs, "patience": 0})
    whole, progress = Whole(entities, len(triples)), EpochProgress(fingerprint(triples, triples[:0]))
    run = Run(triples, triples[:0], config, whole, relations, progress, None)
    return run.to_the_end(on_progress, None)


def _partitions(training: np.ndarray, num_entities: int, config: EmbedConfig, folder: Path | None) -> Partitions:
    """New partitions in a run folder; without one in a temporary folder, which goes with them."""
    kind = Rounds if config.rounds else Partitions
    if folder is not None:
        return kind(training, num_entities, config, folder / PARTITIONS_FOLDER)
    place, remove = scratch_folder()
    partitions = kind(training, num_entities, config, place / PARTITIONS_FOLDER)
    weakref.finalize(partitions, remove)
    return partitions


def _entities(
    folder: Path, tables: Mapping[str, RowTable], progress: EpochProgress, training: np.ndarray, config: EmbedConfig
) -> EntityTable:
    """The vectors of entities as a checkpoint has them."""
    if "entities" in tables:
        return Whole(tables["entities"], len(training))
    kind, place = Rounds if config.rounds else Partitions, folder.resolve() / PARTITIONS_FOLDER
    return kind(training, progress.num_entities, config, place, progress.partitions)


def split(triples: np.ndarray, valid: np.ndarray | None, config: EmbedConfig) -> tuple[np.ndarray, np.ndarray]:
    """Training and held-out triples: the validation triples if there are any, else a random part of the training."""
    if valid is None and config.held_out > 0:
        if config.held_out > len(triples) // 2:
            raise InputError(
                f"held_out = {config.held_out:,} is more than half of the {len(triples):,} triples; lower it"
            )
        shuffled = random_stream(config.seed, HELD_OUT).permutation(len(triples))
        valid, triples = triples[shuffled[: config.held_out]], triples[shuffled[config.held_out :]]
    if valid is None and config.patience:
        raise InputError("patience needs held-out triples: give validation triples, or set held_out")
    return triples, triples[:0] if valid is None else valid


def check_triples(triples: np.ndarray, num_entities: int, num_relations: int, at_least: int = 2) -> None:
    """Refuse triples that cannot be trained on."""
    if triples.ndim != 2 or triples.shape[1] != 3 or triples.dtype.kind not in "iu":
        raise InputError(f"triples must be integers of shape (n, 3), not {triples.dtype} of shape {triples.shape}")
    if len(triples) < at_least:
        raise InputError(f"{len(triples)} triple(s): at least {at_least} are needed to learn anything; give more")
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
