"""A run folder, of vectors or of a model: its settings, its checkpoint, how long its parts took."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from faan.base.errors import InputError, first_problem
from faan.base.files import read_small, write_text
from faan.base.progress import OnProgress
from faan.base.settings import Settings
from faan.base.tensors import damaged_checkpoint, read_notes, read_tensors, write_tensors

if TYPE_CHECKING:
    from torch import Tensor

CONFIG_FILE = "config.json"
CHECKPOINT_FILE = "checkpoint.safetensors"
METRICS_FILE = "metrics.jsonl"
RESULT_FILE = "result.json"
SECONDS_FILE = "seconds.json"

SettingsT = TypeVar("SettingsT", bound=Settings)
ProgressT = TypeVar("ProgressT")


class TrainingError(InputError):
    """Training cannot continue; the message says what to change."""


def write_config(folder: Path, settings: Settings) -> None:
    """Write the settings of a run."""
    write_text(folder / CONFIG_FILE, settings.model_dump_json(indent=1) + "\n")


def read_config(folder: Path, kind: type[SettingsT]) -> SettingsT:
    """Read the settings of a run."""
    path = _file(folder, CONFIG_FILE)
    try:
        return kind.model_validate_json(read_small(path))
    except (OSError, ValueError) as error:
        raise damaged_run(path, error) from None


def damaged_run(path: Path, error: Exception) -> InputError:
    """The error for a file of a run that cannot be read."""
    problem = first_problem(error) if isinstance(error, ValidationError) else str(error)
    return InputError(f"the run is damaged or of another version of faan ({problem}); begin it again", source=str(path))


def save_checkpoint(folder: Path, parts: Mapping[str, Mapping[str, Tensor]], progress: Any) -> None:
    """Write tensors by part and name, and the progress, a dataclass, atomically."""
    tensors = {f"{part}:{name}": tensor for part, content in parts.items() for name, tensor in content.items()}
    write_tensors(folder / CHECKPOINT_FILE, tensors, asdict(progress))


def load_checkpoint(
    folder: Path, progress_of: Callable[[Any], ProgressT]
) -> tuple[dict[str, dict[str, Tensor]], ProgressT]:
    """Read what `save_checkpoint` wrote; `progress_of` makes the progress of its notes."""
    path = _file(folder, CHECKPOINT_FILE)
    tensors, notes = read_tensors(path)
    parts: dict[str, dict[str, Tensor]] = {}
    try:
        for key, tensor in tensors.items():
            part, name = key.split(":", 1)
            parts.setdefault(part, {})[name] = tensor
        return parts, progress_of(notes)
    except (KeyError, TypeError, ValueError) as error:
        raise damaged_checkpoint(path, error) from None


def load_progress(folder: Path, progress_of: Callable[[Any], ProgressT]) -> ProgressT:
    """Read how far a run is, without its tensors."""
    path = _file(folder, CHECKPOINT_FILE)
    try:
        return progress_of(read_notes(path))
    except (KeyError, TypeError) as error:
        raise damaged_checkpoint(path, error) from None


def _file(folder: Path, name: str) -> Path:
    if not (folder / name).is_file():
        raise InputError(f"there is no run to resume: {name} is missing; give the folder of a run", source=str(folder))
    return folder / name


class Stopwatch:
    """The seconds that the parts of a run took, in a file, so that they add up over interruptions."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / SECONDS_FILE
        self.seconds: dict[str, float] = {}
        # Lost times are no reason to lose a run.
        with suppress(OSError, ValueError, TypeError, AttributeError, RecursionError):
            read = json.loads(read_small(self.path))
            self.seconds = {part: float(seconds) for part, seconds in read.items()}

    @contextmanager
    def timing(self, part: str, on_progress: OnProgress) -> Iterator[OnProgress]:
        """Time a part; the progress callback that it yields passes progress on, and saves the time now and then."""
        last = time.perf_counter()

        def save(after: float = 0.0) -> None:
            nonlocal last
            now = time.perf_counter()
            if now - last >= after:
                self.seconds[part] = self.seconds.get(part, 0.0) + now - last
                last = now
                write_text(self.path, json.dumps(self.seconds) + "\n")

        def tick(what: str, share: float) -> None:
            save(after=10.0)
            on_progress(what, share)

        try:
            yield tick
        finally:
            save()
