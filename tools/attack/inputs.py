"""A target that makes inputs and has them tried; those that do harm are kept."""

from __future__ import annotations

import gzip
import hashlib
import os
import random
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.attack.campaign import REGRESSIONS, ROOT, Finding, Tally
from tools.attack.worker import Worker

HARMLESS = ("read", "refused")  # what may become of an input
_ENOUGH = 20  # findings of a target; then it ends
_HUGE = 1 << 24  # bytes; what is larger is not kept
_LARGE = 1 << 18  # bytes; a file that is larger is kept compressed, which readers of graphs do not mind


@dataclass(frozen=True)
class Inputs:
    """Inputs of one kind."""

    name: str
    make: Callable[[random.Random, Path], Path]  # writes an input into a folder; the same one for the same numbers
    attempt: Callable[[Path], str]  # gives "read"; raises InputError where it refuses
    share: float = 1.0
    goal: int = 0
    prepare: Callable[[], object] = lambda: None  # what a worker loads before its first input
    workers: int = int(os.environ.get("ATTACK_LANES", os.cpu_count() or 1))

    def attack(self, seconds: float, seed: int, first: int, most: int) -> Tally:
        """Try inputs one after the other until the time is up."""
        tally, numbers, lock = Tally(self.name), iter(range(first, first + most)), threading.Lock()
        until = time.monotonic() + seconds

        def work(lane: int) -> None:
            worker = Worker(self.name, Path(scratch) / str(lane))
            try:
                while time.monotonic() < until and len(tally.findings) < _ENOUGH:
                    with lock:
                        number = next(numbers, None)
                    if number is None:
                        break
                    answer = worker.make_and_try(seed, number)
                    with lock:
                        _count(tally, answer, worker.folder, seed, number)
            finally:
                worker.close()

        with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(self.workers) as pool:
            for done in [pool.submit(work, lane) for lane in range(self.workers)]:
                done.result()
        return tally


def _count(tally: Tally, answer: dict[str, Any], folder: Path, seed: int, number: int) -> None:
    tally.tried += 1
    tally.outcomes[answer["outcome"]] += 1
    tally.slowest = max(tally.slowest, answer.get("seconds", 0.0))
    tally.peak = max(tally.peak, answer.get("mib", 0.0))
    if answer["outcome"] in HARMLESS or any(f.detail.startswith(answer["detail"]) for f in tally.findings):
        return
    made = next(path for path in folder.iterdir() if path.name != "stderr")
    detail = f"{answer['detail']} [input {number} of seed {seed}]"
    tally.findings.append(Finding(answer["outcome"], detail, keep(made, REGRESSIONS / tally.target)))


def keep(made: Path, folder: Path) -> str:
    """Copy an input that did harm to where the tests find it, and say where; its name begins with a digest.

    What cannot be in git, pipes and huge files, is left out: seed and number make it again.
    """
    files = sorted(path for path in made.rglob("*") if _is_kept(path)) if made.is_dir() else [made]
    if not _is_kept(files[0]):
        return "(not kept: it is huge)"
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:8]
    place = folder / f"{digest}-{made.name}"
    folder.mkdir(parents=True, exist_ok=True)
    if made.is_dir():
        shutil.copytree(made, place, dirs_exist_ok=True, symlinks=True, ignore=_left_out)
    elif made.stat().st_size > _LARGE:
        place = place.with_name(f"{place.name}.gz")
        place.write_bytes(gzip.compress(made.read_bytes(), mtime=0))
    else:
        shutil.copyfile(made, place)
    return str(place.relative_to(ROOT)) if place.is_relative_to(ROOT) else str(place)


def _is_kept(path: Path) -> bool:
    return path.is_file() and path.stat().st_size <= _HUGE


def _left_out(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not (_is_kept(Path(folder, name)) or Path(folder, name).is_dir())]


def replay(target: Inputs, seconds: float) -> Tally:
    """Try again what was found before."""
    tally = Tally(target.name)
    with tempfile.TemporaryDirectory() as scratch:
        worker = Worker(target.name, Path(scratch), seconds)
        try:
            for path in sorted((REGRESSIONS / target.name).glob("[!.]*")):
                answer = worker.try_path(path)
                tally.tried += 1
                tally.outcomes[answer["outcome"]] += 1
                tally.slowest = max(tally.slowest, answer.get("seconds", 0.0))
                tally.peak = max(tally.peak, answer.get("mib", 0.0))
                if answer["outcome"] not in HARMLESS:
                    tally.findings.append(Finding(answer["outcome"], answer["detail"], str(path.relative_to(ROOT))))
        finally:
            worker.close()
    return tally
