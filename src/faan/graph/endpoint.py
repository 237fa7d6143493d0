"""A SPARQL endpoint over HTTP: queries and updates, one request each.

Only http and https are used, redirects are reported and not followed, answers have a size limit, and passwords are
neither printed nor saved.
"""

from __future__ import annotations

import base64
import http.client
import ipaddress
import random
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, TypeVar, cast
from urllib.error import URLError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPHandler, HTTPSHandler, OpenerDirector, ProxyHandler, Request

import pyoxigraph as ox

from faan.base import InputError, counted, shorten
from faan.graph.guards import guarded

PREFIX = "sparql+"
T = TypeVar("T")
Row = tuple[ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple | None, ...]

_MOST_BYTES = 1 << 31  # in one answer
_MOST_ROWS = 1 << 22
_HEAD_BYTES = 1 << 16  # before the first row; the parser compares each variable with all others
_GUARDS = {"application/sparql-results+json": "json-ld", "application/sparql-results+xml": "rdf/xml"}
_ACCEPT = "application/sparql-results+json, application/sparql-results+xml;q=0.8"
_AGENT = "faan (knowledge graph completion)"
_sleep = time.sleep
_BUSY = (408, 425, 429, 500, 502, 503, 504, 509)


@dataclass(frozen=True)
class Endpoint:
    """How to read a SPARQL endpoint."""

    graphs: tuple[str, ...] = ()  # named graphs to read instead of the default one
    limit: int | None = None  # triples of each predicate
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    timeout: float = 60.0  # seconds without any byte of an answer
    page: int = 1_000_000  # rows of one page; fewer if the server cannot give as many


class TransientError(Exception):
    """An answer is missing or incomplete: trying again may help. `rows` holds the rows before the failure."""

    def __init__(self, message: str, rows: list[Row], wait: float | None = None, *, reached: bool = True) -> None:
        super().__init__(message)
        self.rows = rows
        self.wait = wait
        self.reached = reached  # whether there is a server at all


class OverburdenedError(InputError):
    """The server could not answer; a smaller query may succeed."""


def retried(call: Callable[[], T], name: str, attempts: int, on_wait: Callable[[str], None] = lambda why: None) -> T:
    """Call an endpoint; after a failure that may pass, wait and call it again, longer each time.

    Errors name the endpoint by `name`; `on_wait` is told why before each delay.
    """
    for attempt in range(1, attempts + 1):
        try:
            return call()
        except TransientError as failure:
            if attempt == attempts:
                kind = OverburdenedError if failure.reached else InputError
                raise kind(f"{failure}, after {counted(attempts, 'attempt')}", source=name) from None
            on_wait(str(failure))
            pause = 0.25 * 2**attempt * (1 + random.random())  # random, so that clients do not retry together
            _sleep(pause if failure.wait is None else failure.wait)
    raise AssertionError("unreachable")


def is_endpoint(source: object) -> bool:
    """Whether a source is the address of an endpoint: `sparql+http://` or `sparql+https://`."""
    return isinstance(source, str) and source.lower().startswith(PREFIX)


class Client:
    """Sends queries and updates to one address."""

    def __init__(self, address: str, endpoint: Endpoint) -> None:
        self._url = address[len(PREFIX) :] if is_endpoint(address) else address
        try:
            parts = urlsplit(self._url.encode("ascii").decode())
        except ValueError:
            raise InputError("is not an address; percent-encode its letters", source=shorten(ascii(address))) from None
        if parts.username or parts.password or "@" in parts.netloc:
            raise InputError("the address holds a user name; take it out and give it with --user")
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(
                "expected an address such as sparql+https://example.org/sparql", source=shorten(self._url.split("?")[0])
            )
        self.name = f"{PREFIX}{parts.scheme}://{parts.netloc}{parts.path}"  # a query string may hold a key
        self.sends_password_in_the_clear = bool(
            endpoint.user and parts.scheme == "http" and not _is_local(parts.hostname)
        )
        self._timeout = endpoint.timeout
        self._headers = {"User-Agent": _AGENT, "Accept-Encoding": "identity"}
        if endpoint.user is not None:
            token = base64.b64encode(f"{endpoint.user}:{endpoint.password or ''}".encode()).decode()
            self._headers["Authorization"] = f"Basic {token}"
        self._opener = OpenerDirector()  # without handlers for redirects, files and FTP
        for handler in (ProxyHandler(), HTTPHandler(), HTTPSHandler()):
            self._opener.add_handler(handler)

    def select(self, query: str, width: int) -> list[Row]:
        """The rows of a SELECT query for so many variables."""
        rows: list[Row] = []
        with self._sent({"query": query}, _ACCEPT, rows) as answer:
            kind = (answer.headers.get("Content-Type") or "").split(";")[0].strip().lower()
            format = ox.QueryResultsFormat.from_media_type(kind) if kind else None
            if format is None or not kind.startswith("application/"):
                raise self._wrong(f"answered {kind or 'without a content type'}, not SPARQL results")
            solutions: object = None
            try:
                limited = _Limited(answer, self.name)
                stream = guarded(limited, self.name, _GUARDS[format.media_type])
                solutions = ox.parse_query_results(cast(IO[bytes], stream), format=format)
                limited.left = _MOST_BYTES
                if not isinstance(solutions, ox.QuerySolutions):
                    raise self._wrong("answered yes or no, not rows")
                names = solutions.variables
                if len(names) != width:
                    raise self._wrong(f"answered {counted(len(names), 'column')} instead of {width}")
                for solution in solutions:  # in a traceback, the frame of a comprehension would keep the solutions
                    rows.append(tuple(solution[name] for name in names))
                    if len(rows) > _MOST_ROWS:
                        raise self._wrong(f"answered more than {_MOST_ROWS:,} rows, the most that faan accepts")
            except (SyntaxError, ValueError, MemoryError) as error:  # it has no memory for texts of 16 MiB
                if isinstance(error, InputError):
                    raise
                raise TransientError(f"the answer breaks off or is damaged ({shorten(str(error), 60)})", rows) from None
            finally:
                solutions = None  # a traceback would keep it, and it must not be freed in another thread
            if answer.headers.get("X-SQL-State"):  # Virtuoso sets this header if it returns a part of the answer
                raise TransientError("the server ran out of time and returned only a part of the answer", rows)
        return rows

    def update(self, text: str) -> None:
        """Send a SPARQL UPDATE."""
        with self._sent({"update": text}, "*/*", []) as answer:
            answer.read(1 << 20)

    @contextmanager
    def _sent(self, form: dict[str, str], accept: str, rows: list[Row]) -> Iterator[http.client.HTTPResponse]:
        request = Request(self._url, data=urlencode(form).encode(), method="POST")
        for name, value in {**self._headers, "Accept": accept}.items():
            request.add_unredirected_header(name, value)
        try:
            answer = self._opener.open(request, timeout=self._timeout)
            if answer is None:
                raise self._wrong("cannot be reached: only http and https are supported")
            with answer:
                self._check(answer)
                yield answer
        except (TimeoutError, http.client.HTTPException, OSError) as error:
            raise self._failure(error, rows) from None

    def _check(self, answer: http.client.HTTPResponse) -> None:
        status = answer.status
        if status < 300:
            return
        if status < 400:
            place = shorten((answer.headers.get("Location") or "elsewhere").split("?")[0], 200)
            raise self._wrong(f"the server redirects to {place}; if you trust that address, use it")
        if status in (401, 403):
            hint = "give --user" if "Authorization" not in self._headers else "check the user name and the password"
            raise self._wrong(f"access is refused ({status}); {hint}")
        if status == 404:
            raise self._wrong("there is nothing at this address (404); often it ends in /sparql or /query")
        said = " ".join(answer.read(2000).decode(errors="replace").split())
        if status in _BUSY:
            raise TransientError(f"the server answered {status}: {shorten(said)}", [], _seconds(answer))
        raise self._wrong(f"the server refused the request ({status}): {shorten(said, 200)}")

    def _failure(self, error: Exception, rows: list[Row]) -> Exception:
        reason = error.reason if isinstance(error, URLError) and isinstance(error.reason, Exception) else error
        if isinstance(reason, ssl.SSLError):
            return self._wrong(f"the encrypted connection failed ({shorten(str(reason), 120)})")
        if isinstance(reason, TimeoutError):
            return TransientError(f"no answer within {self._timeout:g} s", rows)
        if isinstance(reason, http.client.HTTPException):
            return TransientError(f"the answer breaks off ({type(reason).__name__})", rows)
        said = getattr(reason, "strerror", None) or str(reason)
        return TransientError(f"no connection ({shorten(said, 120)})", rows, reached=False)

    def _wrong(self, message: str) -> InputError:
        return InputError(message, source=self.name)


class _Limited:
    """An answer with a limit on its length: one for its head, one for its rows."""

    def __init__(self, answer: http.client.HTTPResponse, name: str) -> None:
        self._answer, self._name = answer, name
        self.left = _HEAD_BYTES

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        if not self.left:
            raise InputError("the answer, or what comes before its rows, is too long", source=self._name)
        piece = self._answer.read1(min(size, self.left))  # what has come: an answer may break off
        self.left -= len(piece)
        return piece


def _seconds(answer: http.client.HTTPResponse) -> float | None:
    """The delay that Retry-After asks for, at most a minute."""
    asked = (answer.headers.get("Retry-After") or "").strip()
    return min(float(asked), 60.0) if asked.isdecimal() else None


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
