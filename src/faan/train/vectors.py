"""Vectors that a run needs: trained in a folder of the run's, or taken from a run that has trained the same ones."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from faan.embed import EmbedConfig, Embeddings
from faan.embed import resume as resume_embedding
from faan.embed import train as train_embedding
from faan.embed.checkpoint import CHECKPOINT_FILE, read_progress
from faan.embed.checkpoint import fingerprint as fingerprint_of
from faan.embed.embeddings import VECTORS_FILE
from faan.embed.training import OnUpdate, split
from faan.graph import InputError


@dataclass(frozen=True, eq=False)
class Vectors:
    """What vectors are trained on, and how."""

    triples: np.ndarray  # (n, 3)
    num_entities: int
    num_relations: int
    config: EmbedConfig

    def train(self, folder: Path, on_update: OnUpdate | None = None) -> Embeddings:
        """Train them in a folder, or go on with that."""
        if (folder / CHECKPOINT_FILE).is_file():
            return resume_embedding(folder, self.triples, on_update=on_update).embeddings
        sizes = self.num_entities, self.num_relations
        return train_embedding(self.triples, *sizes, self.config, folder=folder, on_update=on_update).embeddings

    def are_in(self, folder: Path) -> bool:
        """Whether a folder holds just these, finished."""
        if not (folder / CHECKPOINT_FILE).is_file() or not (folder / VECTORS_FILE).is_file():
            return False
        try:
            found, progress = Embeddings.load(folder), read_progress(folder)
        except InputError:
            return False  # damaged; they are trained again
        sizes = len(found.entities), found.num_relations
        return (
            (found.config, *sizes) == (self.config, self.num_entities, self.num_relations)
            and progress.data == fingerprint_of(*split(self.triples, None, self.config))
            and progress.is_over(self.config)
        )


def take_vectors(folder: Path, name: str, wanted: Vectors, others: Iterable[Path]) -> Path | None:
    """Copy vectors into a run folder from that of another run which has the same by the same name, and say which."""
    for other in others:
        if wanted.are_in(other / name):
            shutil.copytree(other / name, folder / name)
            return other
    return None
