"""Searching a large graph at once: the entities with most edges first, all of them when their index is built."""

from __future__ import annotations

import logging
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from faan.base import InputError, OnProgress
from faan.graph import Graph
from faan.web.search import Search
from faan.web.search_index import is_prepared, open_first, open_search, prepare

FIRST = 20_000  # entities whose index is built in half a second
_log = logging.getLogger("faan.web")


class _StoppedError(Exception):
    """Nobody needs the index any more."""


@contextmanager
def prepared_search(
    graph: Graph, path: Path, on_progress: OnProgress, built: Callable[[], None] = lambda: None
) -> Iterator[Search]:
    """The index in a file, or in a temporary one if that cannot be written.

    The index of a large graph is built in a thread, which calls `built` at the end. Until then a search finds the
    entities with most edges, and the others by their whole names.
    """
    with tempfile.TemporaryDirectory() as temporary:
        spare = Path(temporary) / path.name
        if graph.num_entities <= FIRST or is_prepared(path):
            try:
                search = open_search(graph, path, on_progress)
            except InputError:  # the folder may not be ours to write to
                search = open_search(graph, spare, on_progress)
            with closing(search):
                yield search
            return
        search, stopped = open_first(graph, Path(temporary) / "first.sqlite", FIRST), threading.Event()
        builder = threading.Thread(target=_build, args=(graph, path, spare, search, stopped, built))
        builder.start()
        with closing(search):
            try:
                yield search
            finally:
                stopped.set()
                builder.join()


def _build(
    graph: Graph, path: Path, spare: Path, search: Search, stopped: threading.Event, built: Callable[[], None]
) -> None:
    def on_progress(what: str, share: float) -> None:
        if stopped.is_set():
            raise _StoppedError

    try:
        try:
            prepare(graph, path, on_progress)
        except InputError:
            on_progress("", 0.0)
            path = spare
            prepare(graph, path, on_progress)
        search.complete(path)
        built()
    except _StoppedError:
        return
    except Exception:
        _log.exception("the index of names cannot be built; entities with few edges are found by whole names only")
