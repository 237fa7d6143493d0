"""A column of 1,000 cells, reconciled as OpenRefine does it: `python benchmarks/reconcile.py [MODEL]`.

Cells are names of random entities: as they are, with a typing error, with words too many, with a part missing, or
nonsense. They are sent in batches of ten, one batch after the other, to a server of its own. Without a model folder one
is made of World with path rules, which need no training.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from faan.graph import Graph, open_graph
from search import misspelt
from serve import model_to_serve, port_of

CELLS, BATCH, BAR = 1000, 10, 10.0
FORM = {"content-type": "application/x-www-form-urlencoded"}
KINDS: dict[str, Callable[[str, random.Random], str]] = {
    "as they are": lambda name, source: name,
    "a typing error": misspelt,
    "words too many": lambda name, source: f"The {name} (see notes)",
    "first part": lambda name, source: name.split(",")[0].split("(")[0],
    "nonsense": lambda name, source: "".join(source.sample(name, len(name))),
}


def column(graph: Graph, kind: str) -> list[tuple[str, str]]:
    """Cells, each with the name of the entity that is meant."""
    source = random.Random(7)
    labels = [graph.entity_label(source.randrange(graph.num_entities)) for _ in range(CELLS)]
    return [(KINDS[kind](label, source) if len(label) > 3 else label, label) for label in labels]


def processor_seconds(process: int) -> float:
    """The processor time that a process has used, which a busy machine does not change much (Linux)."""
    user, system = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def measure(graph: Graph, port: int, server: int) -> bool:
    """Print how long each kind of column takes and what is found; whether all are below the bar."""
    connection, good = http.client.HTTPConnection("127.0.0.1", port, timeout=120), True
    for kind in KINDS:
        cells = column(graph, kind)
        first = within = matched = wrong = 0
        start, busy = time.perf_counter(), processor_seconds(server)
        for begin in range(0, CELLS, BATCH):
            batch = cells[begin : begin + BATCH]
            queries = {f"q{i}": {"query": cell or "?"} for i, (cell, _) in enumerate(batch)}
            connection.request("POST", "/reconcile", urlencode({"queries": json.dumps(queries)}), FORM)
            answer = json.loads(connection.getresponse().read())
            for i, (_, meant) in enumerate(batch):
                names = [one["name"] for one in answer[f"q{i}"]["result"]]
                certain = [one["name"] for one in answer[f"q{i}"]["result"] if one["match"]]
                first += names[:1] == [meant]
                within += meant in names
                matched += certain == [meant]
                wrong += bool(certain) and certain != [meant]
        seconds, busy = time.perf_counter() - start, processor_seconds(server) - busy
        good &= seconds <= BAR
        shares = [f"{count / CELLS:.1%}" for count in (first, within, matched, wrong)]
        print(f"{kind:<16} {seconds:5.1f} s, processor time of the server {busy:4.1f} s")
        print("    what was meant comes first {}, is offered {}; matched by itself {}, wrongly {}".format(*shares))
    return good


def main() -> None:
    """Serve, ask, count."""
    with tempfile.TemporaryDirectory() as temporary:
        model = model_to_serve(temporary)
        command = [sys.executable, "-m", "faan", "serve", str(model), "--port", "0"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
            try:
                good = measure(open_graph(model / "graph"), port_of(server), server.pid)
            finally:
                server.kill()
    print(f"{CELLS:,} cells of every kind within {BAR:.0f} s:", "yes" if good else "NO")


if __name__ == "__main__":
    main()
