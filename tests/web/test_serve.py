"""The server as a person starts it."""

from __future__ import annotations

import http.client
import json
import platform
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from faan.web.decisions import Decisions
from faan.web.guard import reconcile_path
from faan.web.server import addresses

from .serving import served

Faan = Callable[..., tuple[int, str, str]]


def send(address: str, body: dict[str, Any]) -> dict[str, Any]:
    request = urllib.request.Request(address, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        content: dict[str, Any] = json.load(answer)
        return content


@pytest.mark.slow
def test_a_fitted_model_is_served_explained_and_decided_about_until_ctrl_c(model: Path, tmp_path: Path) -> None:
    with served(model, "--decisions", str(tmp_path / "mine.sqlite")) as server:
        question = {"relation": "capital", "examples": [[f"land{i}", f"town{i}a"] for i in range(5)]}
        found = send(f"{server.address}/api/suggest", question | {"heads": ["land9"], "top": 2})["suggestions"]
        assert [row["rank"] for row in found] == [1, 2]
        assert found[0]["tail"] == "town9a"
        explained = send(f"{server.address}/api/explain", question | {"head": "land9", "tail": "town9a"})
        assert explained["paths"]
        assert {edge["label"] for edge in explained["drawing"]["edges"] if edge["kind"] == "suggested"} == {"capital"}
        made = send(
            f"{server.address}/api/decisions",
            question | {"head": "land9", "tail": "town9a", "verdict": "accepted", "reviewer": "Ana"},
        )
        again = question | {"accepted_until": made["id"], "heads": ["land9"]}
        assert "town9a" not in {row["tail"] for row in send(f"{server.address}/api/suggest", again)["suggestions"]}

        server.process.send_signal(signal.SIGINT)
        assert server.process.wait() in (0, 130)
        assert server.process.stderr is not None
        assert "Traceback" not in server.process.stderr.read()
    with closing(Decisions(tmp_path / "mine.sqlite")) as kept:
        assert len(kept.current()) == 1
    assert not (model / "decisions.sqlite").exists()


@pytest.mark.slow
def test_killing_the_server_loses_no_decision_that_it_acknowledged(model: Path) -> None:
    acknowledged: list[int] = []

    def decide(name: str, address: str) -> None:
        for number in range(1000):
            body = {"relation": "speaks", "head": f"land{number % 20}", "tail": f"tongue{number % 4}"}
            try:
                made = send(f"{address}/api/decisions", body | {"verdict": "rejected", "reviewer": name})
            except (OSError, http.client.HTTPException):
                return  # killed, perhaps in the middle of an answer
            acknowledged.append(made["id"])

    with served(model) as server:
        threads = [threading.Thread(target=decide, args=(f"r{i}", server.address)) for i in range(4)]
        for thread in threads:
            thread.start()
        while len(acknowledged) < 40:
            threads[0].join(0.01)
        server.process.send_signal(signal.SIGKILL)
        for thread in threads:
            thread.join()
    stored = Decisions(model / "decisions.sqlite")
    rows = stored._read("SELECT id FROM event")
    stored.close()
    assert {number for (number,) in rows} >= set(acknowledged)
    assert len(acknowledged) == len(set(acknowledged)) >= 40


def test_a_port_in_use_is_one_line(model: Path, faan: Faan) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, out, err = faan("serve", model, "--port", str(port))
    assert (code, out) == (1, "")
    assert f"127.0.0.1:{port}: cannot listen here (Address already in use); choose another port with --port" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--host", "0.0.0.0"), "protect it with --token or FAAN_TOKEN"),
        (("--token", "short"), "16 or more plain characters"),
        (("--host", "no.such.host.invalid", "--token", "0123456789abcdef"), "no such host"),
        (("--port", "0", "--decisions", "/nowhere/at/all"), "choose another file with --decisions FILE"),
    ],
)
def test_what_cannot_be_served_says_why(model: Path, faan: Faan, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = faan("serve", model, *arguments)
    assert (code, out) == (1, "")
    assert message in err


def test_an_address_is_one_that_a_browser_can_open() -> None:
    assert addresses("127.0.0.1", 8000, None) == ["http://127.0.0.1:8000/"]
    assert addresses("::1", 8000, None) == ["http://[::1]:8000/"]
    assert addresses("my.host", 80, "a&b #" + "c" * 16) == [f"http://my.host:80/?token=a%26b+%23{'c' * 16}"]
    for everywhere in ("0.0.0.0", "::"):
        here, elsewhere = addresses(everywhere, 8000, "t" * 16)
        assert here == f"http://localhost:8000/?token={'t' * 16}"
        assert "0.0.0.0" not in elsewhere
        assert "[::]" not in elsewhere


@pytest.mark.slow
def test_that_others_can_reach_it_is_said_with_an_address_for_them(model: Path) -> None:
    with served(model, "--host", "0.0.0.0", "--token", "t" * 16) as server:
        assert server.address.startswith("http://localhost:")
        assert server.process.stderr is not None
        assert server.process.stderr.readline().startswith("from other machines: http://")
        assert "anyone who can reach this machine" in server.process.stderr.readline()
        with urllib.request.urlopen(f"{server.address}/healthz") as answer:
            assert answer.status == 200


@pytest.mark.slow
def test_a_token_from_the_environment_is_not_shown(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAAN_TOKEN", "t" * 16)
    with served(model, "--host", "0.0.0.0") as server:
        assert server.process.stderr is not None
        said = [server.address, *(server.process.stderr.readline() for _ in range(3))]
        assert "t" * 16 not in "".join(said)
        assert "FAAN_TOKEN" in said[2]
        key = reconcile_path("t" * 16)
        request = urllib.request.Request(
            f"{server.address}/api/relations", headers={"authorization": f"Bearer {'t' * 16}"}
        )
        with urllib.request.urlopen(request) as answer:
            assert answer.status == 200
        server.process.terminate()
        assert key not in server.process.stderr.read()


def test_a_folder_without_a_model_says_so(tmp_path: Path, faan: Faan) -> None:
    code, _, err = faan("serve", tmp_path, "--port", "0")
    assert code == 1
    assert "there is no model" in err
    assert list(tmp_path.iterdir()) == []


MANY_THREADS = """
import threading
import numpy as np, psutil
from faan.web.server import give_memory_back
give_memory_back()
done, end = threading.Barrier(17), threading.Event()
def work():
    for _ in range(3):
        arrays = [np.ones(3 << 18) for _ in range(4)]
        del arrays
    done.wait()
    end.wait()
before = psutil.Process().memory_info().rss
for thread in [threading.Thread(target=work) for _ in range(16)]:
    thread.start()
done.wait()
print((psutil.Process().memory_info().rss - before) >> 20)
end.set()
"""


@pytest.mark.slow
@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc keeps memory for each thread")
def test_threads_give_memory_back_that_they_no_longer_need() -> None:
    kept = subprocess.run([sys.executable, "-c", MANY_THREADS], capture_output=True, text=True, check=True).stdout
    assert int(kept) < 60  # MiB; without it 160
