"""Result files: one JSON file for each run, all methods alike, with what is needed to run it again.

Tables read these files, so this module does not load torch.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, ValidationInfo, field_validator

from faan.base import InputError, first_problem, html_table, is_config, read_json, write_json
from faan.rank.metrics import METRICS
from faan.tasks import Protocol

_PACKAGES = ("faan", "torch", "numpy", "polars", "lightgbm")
_share = TypeAdapter[float](Annotated[float, Field(strict=True, ge=0, le=1)])


@dataclass(frozen=True)
class Origin:
    """Where a result comes from: the configuration's file and the command that gave it."""

    config: str  # empty for a method without settings
    command: str

    @classmethod
    def of_evaluation(
        cls,
        target: str,
        dataset: str,
        shots: int,
        *,
        by: str = "embedding",
        draws: int = 0,
        changes: Sequence[str] = (),
    ) -> Origin:
        """The call of `faan evaluate`, for a configuration or for a method without settings."""
        call = ["faan", "evaluate", target, "--benchmark", dataset, "--shots", str(shots)]
        call += [] if by == "embedding" else [f"--{by}"]
        call += ["--draws", str(draws)] if draws else []
        for change in changes:
            call += ["--set", change]
        return cls(target if is_config(target) else "", shlex.join(call))


class ResultFile(BaseModel):
    """What was measured, and how to measure it again."""

    model_config = ConfigDict(frozen=True)

    method: str
    variant: str | None = None
    dataset: str
    protocol: Protocol | Literal["completion"] = "strict"  # the last one hides facts of any relation, not tasks
    shots: int = Field(ge=0, lt=1 << 63)  # 0 in completion, where all known facts may be used
    seed: int = Field(ge=0, lt=1 << 64)
    dev: dict[str, Any]  # empty without dev tasks
    test: dict[str, Any]
    relations: dict[str, dict[str, float]]
    by_known: list[dict[str, Any]] | None = None  # completion: figures by how many facts of a relation are known
    calibration: dict[str, Any] | None = None  # completion: how reliable the probabilities of first suggestions are
    notes: tuple[str, ...] = ()  # what a reader of the figures should know
    seconds: dict[str, float]
    steps: int = Field(ge=0, lt=1 << 63)
    config: str
    settings: str | None = None  # `settings_hash`; None for a method without settings, and in older files
    broken_off: str | None = None  # why training stopped before its end; the figures are of the best weights until then
    command: str
    versions: dict[str, str] = Field(
        default_factory=lambda: {"python": platform.python_version()} | {name: version(name) for name in _PACKAGES}
    )
    date: str = Field(default_factory=lambda: datetime.now(timezone.utc).date().isoformat())

    @classmethod
    def read(cls, path: Path) -> ResultFile:
        """Read a file that `write` wrote, now or with an earlier version."""
        content = read_json(path)
        try:
            return cls.model_validate({"versions": {}, "date": ""} | content if isinstance(content, dict) else content)
        except ValidationError as error:
            raise InputError(f"is not a result file ({first_problem(error)}); remove it", source=str(path)) from None

    def __repr__(self) -> str:
        figures = ", ".join(f"{name} {self.test[name]:.3f}" for name in METRICS if name in self.test)
        return f"ResultFile({self.title}, {figures})"

    def _repr_html_(self) -> str:
        rows = [
            (split, *(figures.get(name, "") for name in METRICS))
            for split in ("dev", "test")
            if (figures := getattr(self, split))
        ]
        return html_table(("split", *METRICS), rows, self.title)

    @property
    def title(self) -> str:
        """What was measured, in one line."""
        what = "completion" if self.protocol == "completion" else f"{self.shots}-shot, {self.protocol}"
        return f"{self.label} on {self.dataset}, {what}, seed {self.seed}"

    def write(self, path: Path) -> None:
        """Write it as JSON."""
        write_json(path, self.model_dump())

    @property
    def label(self) -> str:
        """The label of its row in tables."""
        return label_of(self.method, self.variant)

    @property
    def changes(self) -> list[str]:
        """The changes of its configuration's settings, NAME=VALUE."""
        words = shlex.split(self.command)
        return [value for word, value in pairwise(words) if word == "--set"]

    @field_validator("shots")
    @classmethod
    def _check_shots(cls, shots: int, info: ValidationInfo) -> int:
        if (shots == 0) != (info.data.get("protocol") == "completion"):
            raise ValueError(f"expected 1 or more references, and 0 in completion only, found {shots}")
        return shots

    @field_validator("dev", "test")
    @classmethod
    def _check_split(cls, figures: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        if figures or info.field_name == "test":
            _check_figures(figures, [*METRICS, *({"macro_mrr"} & set(figures))])
        return figures

    @field_validator("relations")
    @classmethod
    def _check_relations(cls, relations: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        for relation, figures in relations.items():
            _check_figures(figures, METRICS)
            for count in ("queries", "candidates"):
                if not figures.get(count, -1) >= 0:
                    raise ValueError(f"expected the number of {count} of {relation!r}")
        return relations

    @field_validator("command")
    @classmethod
    def _check_command(cls, command: str) -> str:
        shlex.split(command)  # a ValueError where quotes are open
        return command


def _check_figures(figures: dict[str, Any], names: Iterable[str]) -> None:
    for name in names:
        try:
            _share.validate_python(figures.get(name))
        except ValidationError:
            raise ValueError(f"expected a number from 0 to 1 for {name}") from None


def label_of(method: str, variant: str | None) -> str:
    """The label of a row in tables."""
    return method if variant is None else f"{method} {variant}"


def key_of(label: str) -> str:
    """The key of a row: GMatching MaxP and GMatching-MaxP are the same."""
    return re.sub(r"[\W_]", "", label.lower())


def slug_of(name: str) -> str:
    """A name as a part of a file name."""
    return re.sub(r"[\W_]+", "-", name.lower()).strip("-") or "unnamed"


def settings_hash(settings: BaseModel) -> str:
    """SHA-256 of all settings but the seeds: runs that differ in the seed alone have the same hash."""

    def without_seed(table: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in table.items() if name != "seed"}

    content = json.loads(settings.model_dump_json(), object_hook=without_seed)
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
