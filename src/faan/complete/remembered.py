"""Self-tests that were made before, in a file beside the model: JSON, of which every number is checked when read."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from faan.base import read_small, write_text
from faan.complete.calibration import Tuning
from faan.complete.checksums import CHECKSUMS_FILE, fingerprint
from faan.complete.folder import SELF_TESTS_FILE
from faan.complete.lessons import Hit
from faan.complete.selftest import SelfTest
from faan.complete.trust import First
from faan.graph import Graph

_MOST_TEXT = 1 << 26  # characters

_Share = Annotated[float, Field(ge=0, le=1)]
_Worth = Annotated[float, Field(ge=0)]  # of a first suggestion that is right


class _Test(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    facts: int = Field(ge=0)
    tuning: Tuning
    firsts: list[tuple[_Share, _Worth]]
    hits: list[tuple[int, int, float]]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid")

    version: Literal[2]  # earlier versions treated relations with several values differently
    model: int  # the checksum of the model's checksums: tests of another model are ignored
    tests: dict[str, _Test]


class Remembered:
    """The self-tests of a model by the names of relations; without a folder they are kept in memory."""

    def __init__(self, graph: Graph, folder: Path | None) -> None:
        self._graph, self._folder = graph, folder
        self._tests: dict[str, SelfTest] | None = None

    def get(self, relation: str) -> SelfTest | None:
        """The test of a relation, if there was one; another process may have made it meanwhile."""
        if relation not in self._all():
            self._tests = {**self._read(), **self._all()}
        return self._all().get(relation)

    def put(self, relation: str, test: SelfTest) -> None:
        """Store a test; in memory only if the folder cannot be written."""
        self._tests = {**self._read(), **self._all(), relation: test}
        if self._folder is None or not (self._folder / CHECKSUMS_FILE).is_file():
            return
        tests = {
            name: _Test(
                facts=one.facts,
                tuning=one.tuning,
                firsts=[(first.said, first.right) for first in one.firsts],
                hits=[(hit.head, hit.tail, hit.logit) for hit in one.hits],
            )
            for name, one in self._all().items()
        }
        with contextlib.suppress(OSError):
            write_text(
                self._folder / SELF_TESTS_FILE,
                _File(version=2, model=self._model(), tests=tests).model_dump_json() + "\n",
            )

    def _all(self) -> dict[str, SelfTest]:
        if self._tests is None:
            self._tests = self._read()
        return self._tests

    def _read(self) -> dict[str, SelfTest]:
        """What the file holds; a file that is damaged or of another model counts as none."""
        if self._folder is None:
            return {}
        path, count = self._folder / SELF_TESTS_FILE, self._graph.num_entities
        try:
            found = _File.model_validate_json(read_small(path, _MOST_TEXT))
            if found.model != self._model():
                return {}
        except (OSError, ValueError, RecursionError):
            return {}
        return {
            name: SelfTest(
                one.facts,
                one.tuning,
                tuple(First(said, right) for said, right in one.firsts),
                tuple(Hit(*hit) for hit in one.hits),
            )
            for name, one in found.tests.items()
            if all(0 <= end < count for hit in one.hits for end in hit[:2])
        }

    def _model(self) -> int:
        assert self._folder is not None
        return fingerprint(self._folder)
