"""Generated requests against a live server: 32 clients that send right, wrong and broken ones."""

from __future__ import annotations

import json
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

from tools.attack.campaign import REGRESSIONS, ROOT, Finding, Tally
from tools.attack.inputs import Inputs, keep
from tools.attack.mutations import mutated
from tools.attack.server import Served, served
from tools.attack.small_model import small_model

CLIENTS = 32
_SECONDS = 10.0  # of processor time that the server may have before it answers; more is a hang
_RANKING = 100.0  # the same for what is ranked: 30 s until its turn, 60 s of ranking
_TIMES = 30  # as many seconds by the clock are a hang too
_LOOK = 1.0  # seconds between two looks at how busy the server was
_MOMENT = 0.5  # seconds to wait for an answer to what is no whole request
_ENOUGH = 20  # findings; then it ends
_MIB = 2048
_WORDS = (
    "",
    "land",
    "land9",
    "town3a",
    "ladn",
    "=1+1",
    "\0",
    "\x1b[2J",
    "\u202e",
    "é" * 50,
    "x" * 1001,
    '"',
    "'; --",
    "\U0001d518",
)
_ODD: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    10**30,
    1e308,
    2**53,
    "",
    "x" * 2000,
    "\ud800",
    [],
    {},
    [[]],
    [["a"]],
    [[[]]],
)
_PATHS = ("/api/suggest", "/api/score", "/api/explain", "/api/decisions", "/evidence")
_READS = ("/api/entities", "/api/relations", "/api/decisions", "/api/export", "/healthz", "/", "/openapi.json")
_RANKED = (b"POST /api/suggest", b"POST /api/score", b"POST /api/explain", b"POST /evidence", b"POST /reconcile")
_RECONCILE = ("", "/suggest/entity", "/suggest/type", "/suggest/property", "/properties", "/preview", "/x")
_VERDICTS = ("accepted", "rejected", "skipped")


def question(random: Random) -> tuple[str, dict[str, Any]]:
    """A request that is right, or was before something in it was replaced."""
    path = random.choice(_PATHS)
    i = random.randrange(30)
    body: dict[str, Any] = {"relation": random.choice(("next_to", "capital", "trade3", random.choice(_WORDS)))}
    if random.random() < 0.5:
        body["examples"] = [[f"land{j}", f"town{j}a"] for j in random.sample(range(30), random.choice((1, 5, 30)))]
    if path == "/api/suggest":
        body |= {"heads": [f"land{i}"], "top": random.choice((1, 5, 100)), "known": random.choice(("skip", "show"))}
        body |= random.choice(({}, {"tails": [f"town{i}a"]}, {"limit": 3}, {"accepted_until": random.randrange(100)}))
    elif path == "/api/score":
        body["pairs"] = [[f"land{i}", f"town{j}b"] for j in range(random.choice((1, 30)))]
    else:
        body |= {"head": f"land{i}", "tail": f"town{i}a"}
    if path == "/api/decisions":
        body |= {"verdict": random.choice(_VERDICTS), "reviewer": random.choice(("Ana", "Bo")), "probability": 0.5}
        body |= random.choice(({}, {"key": f"key-{random.random()}"}, {"seen": random.randrange(50)}, {"rank": 1}))
    if random.random() < 0.5:
        body[random.choice((*body, "other"))] = random.choice((*_ODD, *_WORDS))
    return path, body


def cells(random: Random) -> dict[str, Any]:
    """Cells to reconcile, as OpenRefine sends them, or as it would not."""
    value = random.choice(("town3a", {"id": "land3"}, 7, True, *_WORDS))
    values = {"pid": random.choice(("next_to", "lies_in", "x")), "v": random.choice((value, [value] * 100))}
    query: dict[str, Any] = {"query": random.choice((*_WORDS, f"land{random.randrange(30)}"))}
    query |= random.choice(({}, {"limit": 3}, {"type": "city"}, {"type": ["country"], "type_strict": "all"}))
    query |= random.choice(({}, {"properties": [values]}, {"properties": [values] * random.choice((3, 20))}))
    if random.random() < 0.3:
        query[random.choice((*query, "other"))] = random.choice((*_ODD, *_WORDS))
    return {f"q{i}": query for i in range(random.choice((1, 10, 100, 101)))}


def columns(random: Random) -> dict[str, Any]:
    """Columns to fill."""
    ids = [f"land{i % 40}" for i in range(random.choice((1, 10, 1000)))]
    settings = random.choice(({}, {"limit": "3"}, {"source": "known"}, {"min_probability": "0,1"}, {"strict": "on"}))
    if random.random() < 0.3:
        settings = {random.choice(("limit", "source", "min_probability", "other")): random.choice((*_ODD, *_WORDS))}
    names = random.sample(("next_to", "speaks", "next_to#reason", "trade3#probability", "x"), random.choice((1, 1, 3)))
    asked: dict[str, Any] = {"ids": ids, "properties": [{"id": name, "settings": settings} for name in names]}
    if random.random() < 0.3:
        asked[random.choice((*asked, "other"))] = random.choice((*_ODD, *_WORDS))
    return asked


def reconciling(random: Random) -> bytes:
    """A request of a reconciliation client, with fields in the address or in a form, or changed."""
    field = random.choice(("queries", "queries", "extend", "prefix", "id", "type", "callback", "other"))
    value = {"queries": cells, "extend": columns}.get(field, lambda random: random.choice(_WORDS))(random)
    text = json.dumps(value).encode() if isinstance(value, dict) else value.encode()
    if random.random() < 0.2:
        text = mutated(text, random)[: 1 << 18]
    form = f"{field}={quote(text)}"
    if random.random() < 0.3:
        form += f"&cursor={quote(str(random.choice(_ODD)), errors='replace')}&limit={random.choice((1, -1, 'x'))}"
    headers = ["Host: localhost", "Connection: close", random.choice(("Origin: http://localhost:3333", "X: y"))]
    if field in ("queries", "extend") and random.random() < 0.9:
        first, content = "POST /reconcile HTTP/1.1", form.encode()
        headers += [f"Content-Length: {len(content)}", "Content-Type: application/x-www-form-urlencoded"]
    else:
        first, content = f"GET /reconcile{random.choice(_RECONCILE)}?{form[: 1 << 14]} HTTP/1.1", b""
    return "\r\n".join([first, *headers]).encode() + b"\r\n\r\n" + content


def request(random: Random) -> tuple[bytes, bool]:
    """The bytes of a request, and whether it is whole: some are changed until no client would send them."""
    kind = random.random()
    if kind < 0.25:
        sent = reconciling(random)
        return (mutated(sent, random)[: 1 << 21], False) if random.random() < 0.05 else (sent, True)
    if kind < 0.7:
        path, body = question(random)
        content = json.dumps(body).encode()
        if random.random() < 0.2:
            content = mutated(content, random)[: 1 << 21]
        method = "POST" if random.random() < 0.95 else random.choice(("GET", "PUT", "PATCH", "HEAD", "OPTIONS"))
    else:
        word, other = quote(random.choice(_WORDS)), quote(str(random.choice(_ODD)), errors="replace")
        path = random.choice((*_READS, f"/api/decisions/{random.choice((1, 5, 0, -1, 10**20, 'x'))}", f"/{word}"))
        path += f"?q={word}&relation={random.choice(('next_to', word))}&limit={random.choice((1, other))}&reviewer=Ana"
        path += f"&format={random.choice(('nt', 'tsv', 'ttl', 'sparql', word))}&after={random.choice((0, other))}"
        method, content = random.choice(("GET", "GET", "GET", "DELETE")), b""
    headers = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(content)}", "Connection: close"]
    headers += ["Content-Type: application/json"] if random.random() < 0.97 else ["Content-Type: text/plain"]
    headers += random.choice(
        ([], [], ["Accept: application/x-ndjson"], [f"Cookie: {'a' * 3000}"], ["Origin: http://e"])
    )
    sent = "\r\n".join(headers).encode() + b"\r\n\r\n" + content
    return (mutated(sent, random)[: 1 << 21], False) if random.random() < 0.05 else (sent, True)


def exchange(port: int, sent: bytes, seconds: float = _SECONDS, busy: Callable[[], float] | None = None) -> bytes:
    """Send bytes and take all that comes back, within some seconds by the clock, or by what keeps the server busy."""
    with socket.create_connection(("127.0.0.1", port), timeout=_TIMES * _SECONDS) as connection:
        found = b""
        with suppress(ConnectionError):
            connection.sendall(sent)
            connection.settimeout(min(seconds, _LOOK))
            before, start = busy() if busy else 0.0, time.monotonic()
            while True:
                try:
                    block = connection.recv(1 << 16)
                except TimeoutError:
                    waited = time.monotonic() - start
                    if (busy() - before if busy else waited) > seconds or waited > _TIMES * seconds:
                        raise
                    continue
                if not block:
                    break
                found += block
        return found


def outcome(answer: bytes) -> tuple[str, str]:
    """What an answer is, in a word, and what is wrong with it."""
    if not answer:
        return "cut off", ""
    status = answer[9:12].decode(errors="replace")
    if status in ("500", "502", "504") or not answer.startswith(b"HTTP/1.1 "):
        return "error", answer[:300].decode(errors="replace")
    if b"Traceback" in answer or str(ROOT).encode() in answer:
        return "error", "the answer shows what is inside"
    return status, ""


class Requests:
    """32 clients that send what comes to mind."""

    name = "requests"
    share = 3.0
    goal = 20_000

    def attack(self, seconds: float, seed: int, first: int, most: int) -> Tally:
        """Send requests; what was acknowledged must be in the file when the server was killed."""
        tally, lock, numbers = Tally(self.name), threading.Lock(), iter(range(first, first + most))
        acknowledged: list[dict[str, Any]] = []
        with tempfile.TemporaryDirectory() as scratch:
            model = Path(scratch) / "model"
            shutil.copytree(small_model(), model)
            with served(model, Path(scratch)) as server:
                until = time.monotonic() + seconds

                def work() -> None:
                    while time.monotonic() < until and len(tally.findings) < _ENOUGH:
                        with lock:
                            number = next(numbers, None)
                        if number is None:
                            break
                        self._one(server, Random(f"{seed} {number}"), number, seed, tally, lock, acknowledged)

                threads = [threading.Thread(target=work) for _ in range(CLIENTS)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                tally.peak = server.mib
                if server.process.poll() is not None:
                    tally.findings.append(Finding("crash", server.log.read_text()[-300:]))
                if tally.peak > _MIB:
                    tally.findings.append(Finding("memory", f"{tally.peak:,.0f} MiB"))
            lost = missing(model / "decisions.sqlite", acknowledged)
            tally.notes.append(f"{len(acknowledged):,} decisions acknowledged, {lost} lost when the server was killed")
            if lost:
                tally.findings.append(Finding("lost", f"{lost} decisions"))
        return tally

    def _one(
        self,
        server: Served,
        random: Random,
        number: int,
        seed: int,
        tally: Tally,
        lock: threading.Lock,
        acknowledged: list[dict[str, Any]],
    ) -> None:
        (sent, is_whole), start = request(random), time.monotonic()
        try:
            seconds = (_RANKING if sent.startswith(_RANKED) else _SECONDS) if is_whole else _MOMENT
            answer = exchange(server.port, sent, seconds, (lambda: server.busy) if is_whole else None)
            what, detail = outcome(answer)
        except TimeoutError:  # the server may wait for the rest of what is not whole
            answer, what, detail = b"", *(("hang", f"more than {seconds:g} s") if is_whole else ("left waiting", ""))
        with lock:
            tally.tried += 1
            tally.outcomes[what] += 1
            tally.slowest = max(tally.slowest, time.monotonic() - start)
            acknowledged += decided(answer)
            if detail and not any(finding.detail.startswith(detail) for finding in tally.findings):
                place = keep(_written(sent), REGRESSIONS / self.name)
                tally.findings.append(Finding(what, f"{detail} [request {number} of seed {seed}]", place))


def _written(sent: bytes) -> Path:
    path = Path(tempfile.mkdtemp()) / "request"
    path.write_bytes(sent)
    return path


def decided(answer: bytes) -> list[dict[str, Any]]:
    """The decision that an answer acknowledges, if it does."""
    if answer.startswith(b"HTTP/1.1 200") and b'"verdict"' in answer and b'"facts"' not in answer:
        with suppress(ValueError):
            made = json.loads(answer.partition(b"\r\n\r\n")[2])
            if isinstance(made, dict) and "verdict" in made:
                return [made]
    return []


def missing(path: Path, acknowledged: list[dict[str, Any]]) -> int:
    """How many acknowledged decisions are not in a file as they were acknowledged."""
    from faan.web import Decisions

    with closing(Decisions(path)) as stored:
        rows = stored._read("SELECT id, relation, head, tail, verdict, reviewer FROM event")
    there = {row[0]: row[1:] for row in rows}
    names = ("relation", "head", "tail", "verdict", "reviewer")
    return sum(there.get(made["id"]) != tuple(made[name] for name in names) for made in acknowledged)


def _make(random: Random, folder: Path) -> Path:
    path = folder / "request"
    path.write_bytes(request(random)[0])
    return path


def _attempt(path: Path) -> str:
    """Send a request that did harm once to a server of its own."""
    from faan import InputError

    with _a_server() as server:
        try:
            what, detail = outcome(exchange(server.port, path.read_bytes()))
        except TimeoutError:
            what, detail = "left waiting", ""
    if detail:
        raise AssertionError(detail)
    if what != "200":
        raise InputError(what)
    return "read"


@contextmanager
def _a_server() -> Iterator[Served]:
    with tempfile.TemporaryDirectory() as scratch:
        shutil.copytree(small_model(), Path(scratch) / "model")
        with served(Path(scratch) / "model", Path(scratch)) as server:
            yield server


REQUESTS = Inputs("requests", _make, _attempt, workers=1)  # as the tests replay them
