"""Tensors on disk: safetensors files, written atomically, with notes in their header."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError, safe_open

from faan.base.errors import InputError
from faan.base.files import atomic_file

if TYPE_CHECKING:
    from torch import Tensor


def write_tensors(path: Path, tensors: dict[str, Tensor], notes: object = None) -> None:
    """Write tensors atomically; the header keeps notes that JSON can hold."""
    from safetensors.torch import save_file  # loads torch, which takes seconds

    with atomic_file(path) as part:
        save_file(tensors, part, metadata={"notes": json.dumps(notes)})


def read_tensors(path: Path) -> tuple[dict[str, Tensor], Any]:
    """Read the tensors and notes that `write_tensors` wrote."""
    return _read(path, with_tensors=True)


def read_notes(path: Path) -> Any:
    """Read the notes alone."""
    return _read(path, with_tensors=False)[1]


def damaged_checkpoint(path: Path, error: Exception) -> InputError:
    """The error for a checkpoint whose content does not fit."""
    return InputError(f"the checkpoint is damaged ({error!r}); start the run again", source=str(path))


def _read(path: Path, *, with_tensors: bool) -> tuple[dict[str, Tensor], Any]:
    try:
        with safe_open(path, framework="pt") as file:
            names = file.keys() if with_tensors else ()
            return {name: file.get_tensor(name) for name in names}, json.loads(file.metadata()["notes"])
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise damaged_checkpoint(path, error) from None
