"""Virtuoso, where it is installed (`apt-get install virtuoso-opensource-7-bin`): a server that limits rows."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from faan.graph import Endpoint, read_graph
from faan.web import Decisions
from faan.web.decision import NewDecision

PROGRAMS = shutil.which("virtuoso-t"), shutil.which("isql-vt")
EX = "http://example.org/"
GRAPH = f"{EX}graph"
ROWS = 50  # in an answer at most
LABEL, TYPE = "http://www.w3.org/2000/01/rdf-schema#label", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
FACTS = [(f"{EX}town{i}", f"{EX}{'lies_in' if i % 3 else 'near'}", f"{EX}land{i % 40}") for i in range(400)]
SETTINGS = """[Database]
DatabaseFile = store.db
ErrorLogFile = store.log
LockFile = store.lck
TransactionFile = store.trx
xa_persistent_file = store.pxa
[TempDatabase]
DatabaseFile = temporary.db
TransactionFile = temporary.trx
[Parameters]
ServerPort = {sql}
NumberOfBuffers = 2000
[HTTPServer]
ServerPort = {http}
ServerThreads = 5
[SPARQL]
ResultSetMaxRows = {rows}
"""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(None in PROGRAMS, reason="Virtuoso is not installed: apt-get install virtuoso-opensource-7-bin"),
]


def free_ports(count: int) -> list[int]:
    with ExitStack() as opened:
        sockets = [opened.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def update(address: str, text: str) -> None:
    urllib.request.urlopen(address, urllib.parse.urlencode({"update": text}).encode()).close()


@pytest.fixture(scope="module")
def virtuoso(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server with facts in a named graph; anybody may change it."""
    server, client = (program or "" for program in PROGRAMS)
    folder, (sql, http) = tmp_path_factory.mktemp("virtuoso"), free_ports(2)
    (folder / "store.ini").write_text(SETTINGS.format(sql=sql, http=http, rows=ROWS))
    address = f"http://127.0.0.1:{http}/sparql"
    command = [server, "+configfile", "store.ini", "+foreground"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            until = time.monotonic() + 300  # it makes a database first
            while time.monotonic() < until and process.poll() is None:
                try:
                    urllib.request.urlopen(address).close()
                    break
                except urllib.error.URLError:
                    time.sleep(0.2)
            grant = 'exec=GRANT SPARQL_UPDATE TO "SPARQL";'
            subprocess.run([client, str(sql), "dba", "dba", grant], check=True, capture_output=True)
            lines = [f"<{head}> <{relation}> <{tail}> ." for head, relation, tail in FACTS]
            lines += [f'<{EX}land{i}> <{LABEL}> "Land {i}"@en ; <{TYPE}> <{EX}Land> .' for i in range(40)]
            for start in range(0, len(lines), 100):
                update(address, f"INSERT DATA {{ GRAPH <{GRAPH}> {{ {' '.join(lines[start : start + 100])} }} }}")
            yield f"sparql+{address}"
        finally:
            process.kill()


def test_a_limit_of_rows_is_noticed_and_read_around(virtuoso: str) -> None:
    graph = read_graph(virtuoso, endpoint=Endpoint(graphs=(GRAPH,)))
    assert set(graph.triples()) == set(FACTS)
    assert graph.entity_label(graph.entity(f"{EX}land7")) == "Land 7"
    assert graph.types is not None
    assert graph.types.num_typed == 40
    chosen = read_graph(virtuoso, predicates=[f"{EX}near"], endpoint=Endpoint(graphs=(GRAPH,)))
    assert set(chosen.triples()) == {fact for fact in FACTS if fact[1] == f"{EX}near"}


def test_accepted_facts_are_sent(virtuoso: str, tmp_path: Path, faan: Callable[..., tuple[int, str, str]]) -> None:
    stored = Decisions(tmp_path / "decisions.sqlite")
    stored.decide(NewDecision("Ana", f"{EX}capital", f"{EX}land1", f"{EX}town1", "accepted"))
    stored.decide(NewDecision("Ana", FACTS[0][1], FACTS[0][0], FACTS[0][2], "rejected"))
    stored.close()
    sent = f"{EX}sent"
    update(virtuoso.removeprefix("sparql+"), f"INSERT DATA {{ GRAPH <{sent}> {{ <{'> <'.join(FACTS[0])}> }} }}")
    command = ("export", tmp_path, "--to", virtuoso, "--query-at", virtuoso, "--graph", sent, "--decision", "all")
    code, _, err = faan(*command, "--yes")
    assert code == 0, err
    assert "1 fact to insert, 1 to delete, 0 already as decided" in err
    graph = read_graph(virtuoso, endpoint=Endpoint(graphs=(sent,)))
    assert list(graph.triples()) == [(f"{EX}land1", f"{EX}capital", f"{EX}town1")]
