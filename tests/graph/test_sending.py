"""Decided facts go back to the endpoint that the graph came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from faan.graph import read_graph
from faan.web import Decisions
from faan.web.decision import NewDecision, Verdict
from faan.web.sending import query_address

from .endpoints import Asked, Oxigraph, oxigraph, pass_on, serving

pytestmark = pytest.mark.slow
Run = Callable[..., tuple[int, str, str]]
EX = "http://example.org/"
KNOWN = [("Lima", "in", "Peru"), ("Cusco", "in", "Peru"), ("Oslo", "in", "Peru")]


@pytest.fixture
def server(oxigraph_program: str) -> Iterator[Oxigraph]:
    with oxigraph(oxigraph_program) as running:
        running.load("".join(f"<{EX}{h}> <{EX}{r}> <{EX}{t}> .\n" for h, r, t in KNOWN))
        yield running


@pytest.fixture
def decided(tmp_path: Path) -> Path:
    """Two accepted facts, one of them known; one rejected fact that is known."""
    path = tmp_path / "decisions.sqlite"
    stored = Decisions(path)
    verdicts: list[tuple[str, Verdict]] = [("Lima", "accepted"), ("Puno", "accepted"), ("Oslo", "rejected")]
    for head, verdict in verdicts:
        stored.decide(NewDecision("Ana", f"{EX}in", EX + head, f"{EX}Peru", verdict))
    stored.close()
    return path


def heads(server: Oxigraph) -> set[str]:
    return {head.removeprefix(EX) for head, _, _ in read_graph(server.query).triples()}


def test_what_changes_is_shown_before_it_is_sent(server: Oxigraph, decided: Path, tmp_path: Path, faan: Run) -> None:
    command = ("export", tmp_path, "--decisions", decided, "--to", server.update)
    code, _, err = faan(*command)
    assert code == 1
    assert "1 fact to insert, 0 to delete, 1 already as decided" in err
    assert f"+ <{EX}Puno> <{EX}in> <{EX}Peru> ." in err
    assert "nothing was sent; repeat the command with --yes" in err
    assert heads(server) == {"Lima", "Cusco", "Oslo"}

    code, _, err = faan(*command, "--yes")
    assert code == 0, err
    assert "sent 1 fact; the endpoint is as decided" in err
    assert heads(server) == {"Lima", "Cusco", "Oslo", "Puno"}

    code, _, err = faan(*command, "--decision", "all", "--yes")
    assert code == 0, err
    assert "0 facts to insert, 1 to delete, 2 already as decided" in err
    assert heads(server) == {"Lima", "Cusco", "Puno"}
    assert "0 facts to insert, 0 to delete" in faan(*command, "--yes")[2]


def test_facts_go_into_a_named_graph(server: Oxigraph, decided: Path, tmp_path: Path, faan: Run) -> None:
    graph = f"{EX}reviewed"
    code, _, err = faan("export", tmp_path, "--decisions", decided, "--to", server.update, "--graph", graph, "--yes")
    assert code == 0, err
    assert heads(server) == {"Lima", "Cusco", "Oslo"}
    command = ("check", server.query, "--graph", graph, "--json")
    assert '"triples": 2' in faan(*command)[1]


def test_an_update_that_fails_is_sent_again(
    server: Oxigraph, decided: Path, tmp_path: Path, faan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faan.graph.endpoint._sleep", lambda seconds: None)
    failures = [503, 500]

    def answer(asked: Asked) -> None:
        if "update" in asked.form and failures:
            asked.status = failures.pop()
        else:
            pass_on(asked, server)

    with serving(answer) as address:
        code, _, err = faan("export", tmp_path, "--decisions", decided, "--to", address, "--yes")
    assert code == 0, err
    assert heads(server) == {"Lima", "Cusco", "Oslo", "Puno"}


def test_an_update_that_changes_nothing_is_noticed(server: Oxigraph, decided: Path, tmp_path: Path, faan: Run) -> None:
    def answer(asked: Asked) -> None:
        if "update" not in asked.form:
            pass_on(asked, server)

    with serving(answer) as address:
        code, _, err = faan("export", tmp_path, "--decisions", decided, "--to", address, "--yes")
    assert code == 1
    assert "the server took the update, but 1 fact is not as sent" in err


def test_options_that_do_not_fit_are_refused(decided: Path, tmp_path: Path, faan: Run) -> None:
    command = ("export", tmp_path, "--decisions", decided)
    assert "expected an address such as" in faan(*command, "--to", "file:///tmp/x", "--yes")[2]
    assert "only for an endpoint (--to)" in faan(*command, "--yes")[2]
    assert "only for files" in faan(*command, "--to", "sparql+http://localhost:1/u", "--format", "nt")[2]


def test_the_address_of_queries_is_guessed() -> None:
    assert query_address("sparql+http://h/update") == "sparql+http://h/query"
    assert query_address("sparql+http://h/ds/update?x=1") == "sparql+http://h/ds/query?x=1"
    assert query_address("sparql+http://h/repositories/r/statements") == "sparql+http://h/repositories/r"
    assert query_address("sparql+http://h/sparql") == "sparql+http://h/sparql"
