"""Progress of long work: one protocol for all rooms, and the progress bars."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TypeAlias

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from faan.base.display import visible

OnProgress: TypeAlias = Callable[[str, float], None]
"""Called with what is going on and the share of it that is done, from 0 to 1."""

_log = logging.getLogger("faan")


def ignore_progress(what: str, share: float) -> None:
    """An `OnProgress` that ignores progress."""


def log_progress(what: str, share: float) -> None:
    """An `OnProgress` that writes the end of each piece of work to the logger `faan`."""
    if share >= 1:
        _log.info("%s: done", what)


@contextmanager
def progress_bars(
    console: Console | None = None, otherwise: OnProgress = log_progress, *, wanted: bool = True
) -> Iterator[OnProgress]:
    """Give an `OnProgress` that shows a bar for each thing going on, with the time left.

    Bars appear in terminals and notebooks; elsewhere `otherwise` is called. A bar pulses until its share is above 0.
    """
    console = console or Console(stderr=True)
    if not wanted or not _shows_bars(console):
        yield otherwise if wanted else ignore_progress
        return
    bars = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    tasks: dict[str, TaskID] = {}

    def on_progress(what: str, share: float) -> None:
        if what not in tasks or bars.tasks[tasks[what]].finished:
            tasks[what] = bars.add_task(visible(what), total=None)  # names of files and servers may be in it
        bars.update(tasks[what], total=1.0 if share else None, completed=share)

    with bars:
        yield on_progress


def _shows_bars(console: Console) -> bool:
    return console.is_terminal or (console.is_jupyter and find_spec("ipywidgets") is not None)
