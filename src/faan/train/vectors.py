"""Vectors that a run needs: trained in a folder of the run's, or taken from a run that has trained the same ones."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from faan.base import CHECKPOINT_FILE, SECONDS_FILE, InputError, OnProgress, Stopwatch
from faan.embed import VECTORS_FILE, EmbedConfig, Embeddings, fingerprint, read_progress, split
from faan.embed import resume as resume_embedding
from faan.embed import train as train_embedding


@dataclass(frozen=True, eq=False)
class VectorJob:
    """The data and settings of vectors."""

    triples: np.ndarray  # (n, 3)
    num_entities: int
    num_relations: int
    config: EmbedConfig

    @classmethod
    def of(cls, triples: np.ndarray, num_entities: int, num_relations: int, config: EmbedConfig) -> VectorJob:
        """Vectors of some triples, in as many epochs as the settings allow for their number."""
        return cls(triples, num_entities, num_relations, config.for_graph(len(triples), num_entities))

    def train(self, folder: Path, on_progress: OnProgress) -> Embeddings:
        """Train them in a folder, or continue their training."""
        folder.mkdir(parents=True, exist_ok=True)
        with Stopwatch(folder).timing("embed", on_progress) as tick:
            if (folder / CHECKPOINT_FILE).is_file():
                return resume_embedding(folder, self.triples, on_progress=tick).embeddings
            sizes = self.num_entities, self.num_relations
            return train_embedding(self.triples, *sizes, self.config, folder=folder, on_progress=tick).embeddings

    def are_in(self, folder: Path) -> bool:
        """Whether a folder holds exactly these vectors, finished."""
        if not (folder / CHECKPOINT_FILE).is_file() or not (folder / VECTORS_FILE).is_file():
            return False
        try:
            progress = read_progress(folder)
            if progress.data != fingerprint(*split(self.triples, None, self.config)):
                return False
            found = Embeddings.load(folder)
        except (InputError, OSError):
            return False  # damaged: they are trained again
        sizes = self.num_entities, self.num_relations
        is_same = (found.config, len(found.entities), found.num_relations) == (self.config, *sizes)
        return is_same and progress.is_over(self.config)


def take_vectors(folder: Path, name: str, wanted: VectorJob, others: Iterable[Path]) -> None:
    """Copy vectors into a run folder from that of another run which has the same by the same name, if there is one."""
    same = next((other for other in others if wanted.are_in(other / name)), None)
    if same is not None:
        shutil.copytree(same / name, folder / name)


def seconds_spent(run: Path) -> float:
    """How long the training of all vectors of a run took, in whichever run that was."""
    return sum(Stopwatch(path.parent).seconds.get("embed", 0.0) for path in run.glob(f"*/{SECONDS_FILE}"))
