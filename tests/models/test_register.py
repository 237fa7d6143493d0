"""A new method is one file, and one configuration: everything else is derived from the register."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import faan

pytestmark = pytest.mark.slow
TOY = '''
"""Toy: a pair is as plausible as a learnt bilinear form says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from torch import Tensor, nn

from faan.base import Ints
from faan.models.background import Background
from faan.models.interface import FewShotConfig, FewShotModel, to_tensor
from faan.models.register import Row, Variant
from faan.tasks import Episode, Task


class ToyConfig(FewShotConfig):
    """The settings of the toy."""

    rows: ClassVar[tuple[Row, ...]] = (Row("Toy", "toy"),)
    variants: ClassVar[Mapping[str, Variant]] = {"flat": Variant("without a scale", {"scale": 20.0})}
    fit_config: ClassVar[str | None] = "toy"

    method: Literal["toy"] = "toy"
    """Which method."""
    scale: float = 30.0
    """What scores are multiplied with."""

    def build(self, background: Background) -> Toy:
        """The model before training."""
        return Toy(background, self.scale)


class Toy(FewShotModel):
    def __init__(self, background: Background, scale: float) -> None:
        super().__init__()
        self.register_buffer("entities", nn.functional.normalize(background.entities), persistent=False)
        self.form, self.scale = nn.Parameter(torch.zeros(background.dimension, background.dimension)), scale

    def loss(self, episodes: Sequence[Episode]) -> Tensor:
        losses = []
        for one in episodes:
            scores = self.pairs(one.queries[:, 0], np.concatenate([one.queries[:, 1:], one.negatives], 1).reshape(-1))
            rows = torch.arange(len(one.queries))
            own = scores.view(len(rows), len(rows), -1)[rows, rows]  # (Q, 1 + N)
            losses.append(nn.functional.cross_entropy(own, torch.zeros(len(rows), dtype=torch.long)))
        return torch.stack(losses).mean()

    def pairs(self, heads: Ints, tails: Ints) -> Tensor:
        return self.scale * self.entities[to_tensor(heads)] @ self.form @ self.entities[to_tensor(tails)].T

    def prepare(self, task: Task, references: Ints) -> Toy:
        return self

    @torch.no_grad()
    def score(self, heads: Ints, candidates: Ints) -> Any:
        return self.pairs(heads, candidates).numpy()
'''
ASK = """
import json
from faan.complete import fit_methods
from faan.paper import Request, build_tables
from faan.train import RunConfig
(main,) = build_tables(Request("main"))
ablation = [row for table in build_tables(Request("ablation")) for row in table.rows]
print(json.dumps({
    "settings": RunConfig.from_toml("toy").model.scale,
    "main": [row[0] for row in main.rows],
    "ablation": [row[0] for row in ablation],
    "fit": fit_methods(),
}))
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of faan that has one method more."""
    folder = tmp_path_factory.mktemp("toy")
    shutil.copytree(Path(faan.__file__).parent, folder / "faan")  # with what numba has compiled
    (folder / "faan" / "models" / "toy.py").write_text(TOY, encoding="utf-8")
    (folder / "faan" / "configs" / "toy.toml").write_text('model = {method = "toy", scale = 3.0}\n', encoding="utf-8")
    return folder


def python(package: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments],
        env=os.environ | {"PYTHONPATH": str(package), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        cwd=package,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_method_in_one_file_is_in_tables_settings_and_fit(package: Path) -> None:
    found = json.loads(python(package, "-c", ASK))
    assert found["settings"] == 3.0
    assert "Toy" in found["main"]
    assert "Toy" in found["ablation"]
    assert "toy" in found["fit"]


def test_a_method_in_one_file_is_in_help_texts(package: Path) -> None:
    assert "toy" in python(package, "-c", "from faan.cli import main; main()", "fit", "--help")


def test_a_method_in_one_file_is_held_to_the_contract(package: Path) -> None:
    contract = Path(__file__).parent / "test_fewshot.py"
    said = python(
        package,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        "toy",
        f"--rootdir={contract.parents[2]}",
        str(contract),
    )
    assert "passed" in said
