"""Train embeddings: begin a run, resume it, train its vectors further.

run = train(triples, num_entities, num_relations, EmbedConfig.recommended("transe"), folder="run")
run = resume("run", triples)        # after an interruption: the same result, bit for bit
run = extend("run", more, 10)       # the same vectors, trained further on more triples
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from faan.base import (
    CHECKPOINT_FILE,
    Cluster,
    InputError,
    OnProgress,
    ignore_progress,
    read_config,
    scratch_folder,
    write_config,
)
from faan.embed.checkpoint import EpochProgress, fingerprint, load_tables
from faan.embed.config import EmbedConfig
from faan.embed.embeddings import Embeddings
from faan.embed.epochs import OnReport, Run, TrainedVectors
from faan.embed.optimizer import RowTable
from faan.embed.partitions import PARTITIONS_FOLDER, EntityTable, Partitions, Whole
from faan.embed.rounds import Rounds
from faan.embed.sampling import HELD_OUT, random_stream
from faan.embed.tuning import choose_regularization


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
    folder = None if folder is None else Path(folder)
    if folder is not None and (folder / CHECKPOINT_FILE).exists():
        raise InputError("holds a run already; resume it, or choose another folder", source=str(folder))

    def train_short(some: np.ndarray, short: EmbedConfig, tell: OnProgress) -> Embeddings:
        return begin(some, num_entities, num_relations, short).to_the_end(tell, None).embeddings

    config = choose_regularization(training, held_out, num_entities, config, train_short, on_progress)
    if folder is not None:
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
    if "entities" not in tables:
        raise InputError("has its entities in several partitions; train anew instead", source=str(folder))
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
