"""Reading a graph over SPARQL from a server on this machine: `python benchmarks/sparql.py [FILE.nt]`.

Starts Oxigraph (`pip install oxigraph`) with World, or with an N-Triples file, and reads all of it: each predicate in
one answer, then in pages of 10,000 rows, as from a server that limits rows. Triples a second are of the clock; a busy
machine slows both sides down, so the processor time of this program and of the server is printed, too.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from faan.graph import Endpoint, Terms, read_graph
from reconcile import processor_seconds

BAR = 20_000  # triples a second
PAGE = 10_000
ADDRESS = "127.0.0.1:7979"


def main(given: str | None) -> None:
    """Start the server, fill it, read it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(given) if given else _world(Path(folder) / "world.nt")
        program = Path(sys.executable).with_name("oxigraph")
        server = subprocess.Popen([program, "serve", "--bind", ADDRESS], stderr=subprocess.DEVNULL)
        try:
            _fill(file)
            rates = [_read(server.pid, page) for page in (None, PAGE)]
        finally:
            server.terminate()
            server.wait()
    print(f"{BAR:,} triples a second both ways:", "yes" if min(rates) >= BAR else "NO")


def _world(path: Path) -> Path:
    terms = Terms("http://example.org/")
    with path.open("w", encoding="utf-8") as file:
        for triple in read_graph("world").triples():
            file.write(f"{terms.triple(*triple)} .\n")
    return path


def _fill(file: Path) -> None:
    request = urllib.request.Request(
        f"http://{ADDRESS}/store?default", file.read_bytes(), {"content-type": "application/n-triples"}, method="POST"
    )
    for _ in range(100):
        try:
            urllib.request.urlopen(request).close()
            return
        except urllib.error.URLError:
            time.sleep(0.1)  # it has not started yet
    raise SystemExit("the server does not answer")


def _read(server: int, page: int | None) -> float:
    start, own, theirs = time.perf_counter(), time.process_time(), processor_seconds(server)
    endpoint = Endpoint() if page is None else Endpoint(page=page)
    graph = read_graph(f"sparql+http://{ADDRESS}/query", endpoint=endpoint, progress=False)
    seconds = time.perf_counter() - start
    how = "whole predicates" if page is None else f"pages of {page:,} rows"
    print(
        f"{how}: {graph.num_triples:,} triples in {seconds:.1f} s, {graph.num_triples / seconds:,.0f} a second; "
        f"processor time: {time.process_time() - own:.1f} s here, {processor_seconds(server) - theirs:.1f} s there"
    )
    return graph.num_triples / seconds


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
