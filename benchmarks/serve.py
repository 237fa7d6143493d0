"""Many reviewers at once: `python benchmarks/serve.py [MODEL]`.

32 clients use one server for a minute, each as a person would: search an entity, get suggestions, read the evidence of
one, decide, look at what the others decided. No request may fail, and every decision that was acknowledged must be in
the file at the end. Without a model folder one is made of World with path rules, which need no training.
"""

from __future__ import annotations

import http.client
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np

from faan.complete import fit
from faan.graph import open_graph, read_graph
from faan.web.decisions import Decisions

CLIENTS, SECONDS = 32, 60.0
WORLD = ("currency", "capital", "official_language", "calling_code")
WORDS = ("united", "new", "san", "eur", "dollr", "lima peru", "a", "saint", "frnace", "république")


class Client(threading.Thread):
    """One reviewer."""

    def __init__(self, number: int, port: int, heads: list[str], relations: list[str], until: float) -> None:
        super().__init__()
        self.times: dict[str, list[float]] = defaultdict(list)
        self.errors: list[str] = []
        self.decided: list[int] = []
        self._random = random.Random(number)
        self._name = f"reviewer {number}"
        self._heads, self._relations, self._until = heads, relations, until
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def run(self) -> None:
        """Review until time is over."""
        while time.perf_counter() < self._until:
            self._review()
        self._connection.close()

    def _ask(self, what: str, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        start = time.perf_counter()
        sent = None if body is None else json.dumps(body)
        self._connection.request(method, path, sent, {"content-type": "application/json"})
        answer = self._connection.getresponse()
        content = answer.read()
        self.times[what].append(time.perf_counter() - start)
        if answer.status != 200:
            self.errors.append(f"{what}: {answer.status} {content[:200]!r}")
            return {}
        result: dict[str, Any] = json.loads(content)
        return result

    def _review(self) -> None:
        relation = self._random.choice(self._relations)
        heads = self._random.sample(self._heads, 2)
        for _ in range(3):
            self._ask("search", "GET", f"/api/entities?q={quote(self._random.choice(WORDS))}")
        found = self._ask("suggest", "POST", "/api/suggest", {"relation": relation, "heads": heads, "top": 3})
        for row in found.get("suggestions", [])[:2]:
            fact = {"relation": relation, "head": row["head"], "tail": row["tail"]}
            self._ask("explain", "POST", "/api/explain", fact)
            verdict = self._random.choice(["accepted", "rejected", "skipped"])
            decision = fact | {"verdict": verdict, "reviewer": self._name, "probability": row["probability"]}
            made = self._ask("decide", "POST", "/api/decisions", decision)
            if made:
                self.decided.append(made["id"])
            self._ask("look", "GET", f"/api/decisions?relation={quote(relation)}&after={made.get('id', 0)}")


def model_to_serve(temporary: str) -> Path:
    """The model that the command names, or one of path rules on World."""
    model = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(temporary) / "model"
    if not model.exists():
        print("fitting ...", file=sys.stderr)
        fit(read_graph("world"), method="rules").save(model)
    return model


def main() -> None:
    """Serve, ask, count."""
    with tempfile.TemporaryDirectory() as temporary:
        model = model_to_serve(temporary)
        graph = open_graph(model / "graph")
        names = [graph.relation_names[i] for i in np.flatnonzero(graph.relation_counts >= 5)]
        relations = [name for name in WORLD if name in names] or names[:4]
        numbers = {graph.relation(name) for name in relations}
        rows = np.flatnonzero(np.isin(graph.relations, list(numbers)))
        heads = [graph.entity_names[int(head)] for head in np.unique(graph.heads[rows])]
        decisions = Path(temporary) / "decisions.sqlite"
        command = [sys.executable, "-m", "faan", "serve", str(model), "--port", "0"]
        with subprocess.Popen([*command, "--decisions", str(decisions)], stderr=subprocess.PIPE, text=True) as server:
            try:
                port = port_of(server)
                until = time.perf_counter() + SECONDS
                clients = [Client(number, port, heads, relations, until) for number in range(CLIENTS)]
                for client in clients:
                    client.start()
                for client in clients:
                    client.join()
            finally:
                server.kill()  # nothing is closed in good order: what was acknowledged must be there all the same
        report(clients, decisions)


def port_of(server: subprocess.Popen[str]) -> int:
    """The port that a server says it listens at."""
    assert server.stderr is not None
    for line in server.stderr:
        if found := re.search(r"open http://[^:]+:(\d+)/", line):
            return int(found[1])
    raise SystemExit("the server did not start")


def report(clients: list[Client], decisions: Path) -> None:
    """Print what came of it."""
    print(f"{CLIENTS} clients for {SECONDS:.0f} seconds")
    for what in clients[0].times:
        times = np.array([second for client in clients for second in client.times[what]]) * 1e3
        p50, p95 = np.percentile(times, [50, 95])
        figures = f"median {p50:8.1f} ms, p95 {p95:8.1f} ms, worst {times.max():8.1f} ms"
        print(f"{what:<10} {len(times):>7,} requests, {figures}")
    errors = [error for client in clients for error in client.errors]
    stored = Decisions(decisions)
    kept = {number for (number,) in stored._read("SELECT id FROM event")}
    stored.close()
    made = {number for client in clients for number in client.decided}
    print(f"errors: {len(errors)} {errors[:3]}")
    print(f"decisions acknowledged: {len(made):,}; lost although the server was killed: {len(made - kept)}")


if __name__ == "__main__":
    main()
