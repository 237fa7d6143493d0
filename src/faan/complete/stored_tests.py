"""The self-tests of a model in a file of its folder: JSON, of which every number is checked when it is read."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Literal

from faan.base import read_small, write_text
from faan.complete.about import Record
from faan.complete.checksums import CHECKSUMS_FILE, fingerprint
from faan.complete.folder import SELF_TESTS_FILE
from faan.complete.selftest import SelfTest
from faan.graph import Graph

_MOST_TEXT = 1 << 26  # characters


class _File(Record):
    version: Literal[3]  # earlier versions did not measure first suggestions by themselves
    model: int  # the checksum of the model's checksums: tests of another model are ignored
    tests: dict[str, SelfTest]


class StoredTests:
    """The self-tests of a model by the names of relations; without a folder they are only in memory."""

    def __init__(self, graph: Graph, folder: Path | None) -> None:
        self._graph, self._folder = graph, folder
        self._tests: dict[str, SelfTest] = {}

    def get(self, relation: str) -> SelfTest | None:
        """The test of a relation, if there was one; another process may have made it meanwhile."""
        if relation not in self._tests:
            self._tests = {**self._read(), **self._tests}
        return self._tests.get(relation)

    def put(self, relation: str, test: SelfTest) -> None:
        """Store a test; in memory only if the folder cannot be written."""
        self._tests = {**self._read(), **self._tests, relation: test}
        if self._folder is None or not (self._folder / CHECKSUMS_FILE).is_file():
            return
        with contextlib.suppress(OSError):
            content = _File(version=3, model=fingerprint(self._folder), tests=self._tests).model_dump_json()
            write_text(self._folder / SELF_TESTS_FILE, content + "\n")

    def _read(self) -> dict[str, SelfTest]:
        """What the file holds; a file that is damaged or of another model counts as none."""
        if self._folder is None:
            return {}
        try:
            found = _File.model_validate_json(read_small(self._folder / SELF_TESTS_FILE, _MOST_TEXT))
            tests = found.tests if found.model == fingerprint(self._folder) else {}
        except (OSError, ValueError, RecursionError):
            return {}
        count = self._graph.num_entities
        ends = {name: [end for hit in one.hits for end in (hit.head, hit.tail)] for name, one in tests.items()}
        return {name: one for name, one in tests.items() if all(0 <= end < count for end in ends[name])}
