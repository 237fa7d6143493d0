"""32 reviewers for a long time: no error, nothing lost, and memory and open files that stay where they are.

The server keeps few prepared questions: memory grows until that cache is full, and says nothing of a leak before.
"""

from __future__ import annotations

import http.client
import json
import os
import shutil
import tempfile
import threading
import time
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import numpy as np
from tools.attack.campaign import Finding, Tally
from tools.attack.requests import missing
from tools.attack.server import Served, served
from tools.attack.small_model import small_model

REVIEWERS = 32
_LOOK = 1.0  # seconds between two looks at memory
_MAY_GROW = 1.03  # memory of the last quarter, compared with the quarter before
_MAY_ADD = 16.0  # MiB that do not count
_FILES = 600  # that the server may have open
_FULL = 100  # questions, each of 70 KB or more, that fill the cache
_SMALL_CACHE = "import faan.complete.preparing as c; c._MAX_CACHED = 4 << 20"


class Reviewer(threading.Thread):
    """Asks with examples of their own that nobody asked with before, reads evidence, decides, looks at the others."""

    def __init__(self, number: int, server: Served, names: Names, until: float) -> None:
        super().__init__()
        self.times: dict[str, list[float]] = {}
        self.errors: list[str] = []
        self.decided: list[dict[str, Any]] = []
        self._random, self._name, self._names, self._until = Random(number), f"reviewer {number}", names, until
        self._connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)

    def run(self) -> None:
        """Review until time is over."""
        while time.monotonic() < self._until:
            try:
                self._review()
            except (OSError, http.client.HTTPException) as error:
                self.errors.append(repr(error))
                self._connection.close()
        self._connection.close()

    def _ask(self, what: str, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        start = time.monotonic()
        sent = None if body is None else json.dumps(body)
        self._connection.request(method, path, sent, {"content-type": "application/json"})
        answer = self._connection.getresponse()
        content = answer.read()
        self.times.setdefault(what, []).append(time.monotonic() - start)
        if answer.status == 429:  # the service is busy and says so
            time.sleep(self._random.random())
            return {}
        if answer.status != 200:
            self.errors.append(f"{what}: {answer.status} {content[:200]!r}")
            return {}
        found: dict[str, Any] = json.loads(content)
        return found

    def _review(self) -> None:
        names, random = self._names, self._random
        examples = [[random.choice(names.heads), random.choice(names.tails)] for _ in range(5)]
        question: dict[str, Any] = {"relation": f"new {random.randrange(9)}", "examples": examples}
        self._ask("search", "GET", f"/api/entities?q={quote(random.choice(names.tails)[:4])}")
        found = self._ask(
            "suggest", "POST", "/api/suggest", question | {"heads": [random.choice(names.heads)], "top": 2}
        )
        for row in found.get("suggestions", [])[:1]:
            fact = question | {"head": row["head"], "tail": row["tail"]}
            self._ask("explain", "POST", "/api/explain", fact)
            verdict = random.choice(["accepted", "rejected", "skipped"])
            made = self._ask("decide", "POST", "/api/decisions", fact | {"verdict": verdict, "reviewer": self._name})
            if made:
                self.decided.append(made)
            after = max(0, made.get("id", 0) - 50)
            self._ask("look", "GET", f"/api/decisions?relation={quote(question['relation'])}&after={after}")


class Names:
    """Names of a graph to ask with: heads and tails of a relation with many facts."""

    def __init__(self, model: Path) -> None:
        from faan.graph import open_graph

        graph = open_graph(model / "graph")
        rows = np.flatnonzero(graph.relations == int(np.argmax(graph.relation_counts)))[:2000]
        self.heads = [graph.entity_names[int(i)] for i in np.unique(graph.heads[rows])]
        self.tails = [graph.entity_names[int(i)] for i in np.unique(graph.tails[rows])]


class Soak:
    """Reviewers who work for hours; ATTACK_MODEL names a model folder other than the small one."""

    name = "soak"
    share = 5.0
    goal = 10_000  # requests: 2,000 rounds, each with new examples

    def attack(self, seconds: float, seed: int, first: int, most: int) -> Tally:
        """Review, and watch the server."""
        tally = Tally(self.name)
        with tempfile.TemporaryDirectory() as scratch:
            model = Path(scratch) / "model"
            shutil.copytree(os.environ.get("ATTACK_MODEL") or small_model(), model)
            with served(model, Path(scratch), _SMALL_CACHE) as server:
                until, names = time.monotonic() + seconds, Names(model)
                reviewers = [Reviewer(seed + first + number, server, names, until) for number in range(REVIEWERS)]
                for reviewer in reviewers:
                    reviewer.start()
                memory, files, asked = _watch(server, reviewers, until)
                for reviewer in reviewers:
                    reviewer.join()
            acknowledged = [made for reviewer in reviewers for made in reviewer.decided]
            lost = missing(model / "decisions.sqlite", acknowledged)
        _report(tally, reviewers, memory, files)
        judge_memory(tally, memory, asked)
        tally.notes.append(f"{len(acknowledged):,} decisions acknowledged, {lost} lost when the server was killed")
        if lost:
            tally.findings.append(Finding("lost", f"{lost} decisions"))
        return tally


def _watch(server: Served, reviewers: list[Reviewer], until: float) -> tuple[list[float], list[int], list[int]]:
    """The server's memory, its open files and how many questions it has answered, once a second."""
    memory, files, asked = [], [], []
    while time.monotonic() < until and server.process.poll() is None:
        memory.append(server.mib)
        files.append(server.files)
        asked.append(sum(len(reviewer.times.get("suggest", ())) for reviewer in reviewers))
        time.sleep(_LOOK)
    return memory, files, asked


def judge_memory(tally: Tally, memory: list[float], asked: list[int]) -> None:
    """Whether memory grew in the second half, if the cache of questions was full by then."""
    middle, last = len(memory) // 2, len(memory) * 3 // 4
    if not memory or asked[middle] < _FULL:
        tally.notes.append(f"memory not judged: fewer than {_FULL} questions in the first half")
        return
    third, fourth = max(memory[middle:last], default=0.0), max(memory[last:])
    if fourth > max(third * _MAY_GROW, third + _MAY_ADD):
        tally.findings.append(Finding("memory", f"grew from {third:,.0f} to {fourth:,.0f} MiB in the second half"))


def _report(tally: Tally, reviewers: list[Reviewer], memory: list[float], files: list[int]) -> None:
    for what in ("search", "suggest", "explain", "decide", "look"):
        times = [second for reviewer in reviewers for second in reviewer.times.get(what, [])]
        tally.tried += len(times)
        tally.outcomes[what] += len(times)
        if times:
            p50, p95 = np.percentile(times, [50, 95])
            tally.notes.append(f"{what}: median {p50:.3f} s, p95 {p95:.3f} s, worst {max(times):.3f} s")
            tally.slowest = max(tally.slowest, *times)
    tally.peak = max(memory)
    quarters = ", ".join(f"{max(part):,.0f}" for part in np.array_split(np.array(memory), 4) if len(part))
    tally.notes.append(f"memory in each quarter, MiB at most: {quarters}; files open at most: {max(files)}")
    if max(files) > _FILES:
        tally.findings.append(Finding("files", f"{max(files)} open"))
    for error in sorted({error for reviewer in reviewers for error in reviewer.errors})[:20]:
        tally.findings.append(Finding("error", error))
