"""What was measured: result files, grouped by method, K and seed. Reads them without loading torch."""

from __future__ import annotations

import json
import re
import shlex
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, ValidationInfo, field_validator

from faan.base import InputError, first_problem
from faan.paper.published import METRICS, written

Protocol = Literal["strict", "open"]
_share = TypeAdapter[float](Annotated[float, Field(strict=True, ge=0, le=1)])


class Measured(BaseModel):
    """What a table needs of a result file (`faan.rank.ResultFile` is all of it, and needs torch)."""

    model_config = ConfigDict(frozen=True)

    method: str
    variant: str | None
    dataset: str
    protocol: Protocol
    shots: int
    seed: int
    dev: dict[str, Any]
    test: dict[str, Any]
    relations: dict[str, dict[str, float]]
    seconds: dict[str, float]
    steps: int
    config: str
    command: str

    @field_validator("dev", "test")
    @classmethod
    def _has_figures(cls, figures: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        if info.field_name == "dev" and not figures:
            return figures  # there were no dev tasks
        _check_figures(figures)
        if "macro_mrr" in figures:
            _check_figures(figures, ["macro_mrr"])
        return figures

    @field_validator("relations")
    @classmethod
    def _have_figures(cls, relations: dict[str, dict[str, float]]) -> dict[str, dict[str, float]]:
        for relation, figures in relations.items():
            _check_figures(figures)
            for count in ("queries", "candidates"):
                if not figures.get(count, -1) >= 0:
                    raise ValueError(f"expected the number of {count} of {relation!r}")
        return relations

    @field_validator("command")
    @classmethod
    def _is_a_command(cls, command: str) -> str:
        shlex.split(command)  # a ValueError where quotes are open
        return command

    @property
    def label(self) -> str:
        """What its row is called."""
        return label_of(self.method, self.variant)

    @property
    def set_by_hand(self) -> list[str]:
        """What was changed in the settings of its file, NAME=VALUE."""
        words = shlex.split(self.command)
        return [words[i + 1] for i, word in enumerate(words[:-1]) if word == "--set"]

    @property
    def changes(self) -> list[str]:
        """Of that what decides how it was trained, apart from the model itself."""
        return [change for change in self.set_by_hand if not change.startswith(("seed=", "variant=", "model."))]


def _check_figures(figures: dict[str, Any], names: Iterable[str] = METRICS) -> None:
    for name in names:
        try:
            _share.validate_python(figures.get(name))
        except ValidationError:
            raise ValueError(f"expected a number from 0 to 1 for {name}") from None


@dataclass(frozen=True)
class Figure:
    """A mean over seeds, with the standard deviation where there are several."""

    value: float
    spread: float | None = None

    def __str__(self) -> str:
        return written(self.value) + ("" if self.spread is None else f" ± {written(self.spread)}")


def value_of(figure: Figure | None) -> float | None:
    """The bare number."""
    return None if figure is None else figure.value


def mean_of(values: Sequence[float]) -> Figure | None:
    """The mean of some seeds' figures, where there are any."""
    if not values:
        return None
    return Figure(statistics.fmean(values), statistics.stdev(values) if len(values) > 1 else None)


def label_of(method: str, variant: str | None) -> str:
    """What a row is called."""
    return method if variant is None else f"{method} {variant}"


def key_of(label: str) -> str:
    """By what rows are told apart: GMatching MaxP is GMatching-MaxP."""
    return re.sub(r"[\W_]", "", label.lower())


def slug_of(name: str) -> str:
    """A name as a part of a file name."""
    return re.sub(r"[\W_]+", "-", name.lower()).strip("-") or "unnamed"


class Results:
    """The results of a dataset, by row, K, protocol and seed."""

    def __init__(self, found: Iterable[tuple[Path, Measured]]) -> None:
        self._groups: dict[tuple[str, int, str], dict[int, Measured]] = {}
        self._labels: dict[str, str] = {}
        origin: dict[tuple[str, int, str, int], Path] = {}
        for path, result in found:
            group = (key_of(result.label), result.shots, result.protocol)
            first = origin.setdefault((*group, result.seed), path)
            if first != path:
                raise InputError(
                    f"holds a second result of {result.label}, {result.shots}-shot, seed {result.seed}; the first is "
                    f"{first}: remove one of them",
                    source=str(path),
                )
            self._groups.setdefault(group, {})[result.seed] = result
            self._labels.setdefault(group[0], result.label)

    def of(self, label: str, shots: int, seeds: int | None = None, protocol: Protocol = "strict") -> list[Measured]:
        """The results of a row by seed, those of the first seeds only where a number is given."""
        group = self._groups.get((key_of(label), shots, protocol), {})
        return [group[seed] for seed in sorted(group) if seeds is None or seed < seeds]

    def labels(self, shots: int | None = None, protocol: Protocol = "strict") -> list[str]:
        """The rows that there are results of, by name."""
        keys = {key for key, k, kind in self._groups if kind == protocol and shots in (None, k)}
        return sorted(self._labels[key] for key in keys)

    def __iter__(self) -> Iterator[Measured]:
        return (result for group in self._groups.values() for result in group.values())

    def __len__(self) -> int:
        return sum(map(len, self._groups.values()))


def read_results(folder: Path, dataset: str) -> Results:
    """Read the result files of a folder that are of one dataset; a folder that is not there holds none."""
    return Results((path, result) for path, result in _read_all(folder) if result.dataset == dataset)


class Times:
    """How long results took, to say how long others will take."""

    def __init__(self, folder: Path) -> None:
        self._results = [result for _, result in _read_all(folder)]

    def about(self, label: str, method: str, dataset: str, rankings: int = 1) -> float | None:
        """The mean seconds of a row on a dataset, or else of its method there, or else of one of these elsewhere.

        Everything is ranked so many times, once for each K.
        """
        here = [one for one in self._results if one.dataset == dataset]
        for results in (here, self._results):
            for name in (label, method):
                found = [
                    sum(one.seconds.values()) + (rankings - 1) * one.seconds.get("evaluate", 0.0)
                    for one in results
                    if key_of(one.label) == key_of(name)
                ]
                if found:
                    return statistics.fmean(found)
        return None


def _read_all(folder: Path) -> Iterator[tuple[Path, Measured]]:
    return ((path, _read(path)) for path in sorted(folder.glob("*.json")))


def _read(path: Path) -> Measured:
    try:
        return Measured.model_validate(read_json(path))
    except ValidationError as error:
        raise InputError(f"is no result file ({first_problem(error)}); remove it", source=str(path)) from None


def read_json(path: Path) -> Any:
    """The content of a JSON file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"is damaged ({error}); remove it", source=str(path)) from None
