"""Kills at random moments of train, embed, fit, suggest and serve: what goes on ends as if nothing had happened.

A job runs in a copy of a process that has loaded everything, because loading takes longer than the job, and has used
nothing of it: libraries with threads of their own wait for ever in the copy of a process that used them. The job is
killed at a random moment, started again as a person would, killed again ..., and at the end its files are compared with
those of a job that nobody disturbed.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from tools.attack.campaign import Finding, Tally
from tools.attack.requests import decided, exchange, missing
from tools.attack.server import served
from tools.attack.small_model import EXAMPLES, graph_file, small_model

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["faan.cli", "faan.complete", "faan.train", "lightgbm", "polars", "torch"])
_KILLS = 4  # of one job; then it may end
_TRAIN = """
shots = 2
seed = 3
[model]
method = "faan"
layers = 1
heads = 2
[embed]
dimension = 16
epochs = 10
[train]
steps = 60
shots = 2
evaluate_every = 10
log_every = 5
"""


def run(arguments: list[str], log: Path, seconds: float | None = None) -> int | None:
    """Run `faan` with some arguments; None where it was killed after so many seconds."""
    child = _FORKS.Process(target=_run_here, args=(arguments, log))
    child.start()
    child.join(seconds)
    if child.exitcode is None:
        child.kill()
        child.join()
        return None
    return child.exitcode


def _run_here(arguments: list[str], log: Path) -> None:
    """Be a command; never comes back."""
    code = 70
    try:
        said = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(said, 1)
        os.dup2(said, 2)
        from faan.cli import main

        sys.argv = ["faan", *arguments]
        main()
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    finally:
        os._exit(code)


def _same(one: Path, other: Path, names: tuple[str, ...]) -> str | None:
    """The first of some files that differs."""
    for name in names:
        for path in sorted(other.glob(name)):
            twin = one / path.relative_to(other)
            if not twin.is_file() or twin.read_bytes() != path.read_bytes():
                return str(path.relative_to(other))
    return None


class Job:
    """A command, how it goes on after a kill, and what must be the same at the end."""

    def __init__(self, name: str, scratch: Path, random: Random) -> None:
        self.name, self._scratch, self._random = name, scratch, random
        self._log = scratch / "log"
        self.kills = 0
        start = time.monotonic()
        self._whole = scratch / "whole"
        self._must(self.command(self._whole))
        self._seconds = time.monotonic() - start  # that it takes undisturbed

    def command(self, place: Path) -> list[str]:
        """What is run first."""
        raise NotImplementedError

    def again(self, place: Path) -> list[str]:
        """What is run after a kill."""
        return self.command(place)

    def problem(self, place: Path, *, ended: bool) -> str | None:
        """What is wrong with what was left or made."""
        raise NotImplementedError

    def disturb(self) -> str | None:
        """Run it, kill it some times, let it end; says what is wrong."""
        place = self._scratch / "killed"
        shutil.rmtree(place, ignore_errors=True)
        place.unlink(missing_ok=True) if place.is_file() else None
        arguments, start = self.command(place), time.monotonic()
        for number in range(_KILLS):
            code = run(arguments, self._log, self._random.random() * self._seconds)
            if code is not None:
                if number == 0:  # it ended before the kill: the first run compiled what this one found compiled
                    self._seconds = time.monotonic() - start
                break
            self.kills += 1
            if wrong := self.problem(place, ended=False):
                return wrong
            arguments = self.again(place)
        else:
            code = run(arguments, self._log)
        if code != 0:
            return f"exit code {code}: {self._log.read_text()[-300:]}"
        return self.problem(place, ended=True)

    def _must(self, arguments: list[str]) -> None:
        if run(arguments, self._log) != 0:
            raise RuntimeError(f"{self.name} does not run: {self._log.read_text()[-500:]}")


class Embed(Job):
    """Vectors of a graph."""

    def command(self, place: Path) -> list[str]:
        """Train a few epochs."""
        return ["embed", str(graph_file()), "-o", str(place), "--model", "transe", "--set", "epochs=20"]

    def again(self, place: Path) -> list[str]:
        """Resume, or begin where nothing was saved."""
        return ["resume", str(place)] if (place / "config.json").exists() else _begin(place, self.command(place))

    def problem(self, place: Path, *, ended: bool) -> str | None:
        """The vectors are the same, bit for bit."""
        return _same(place, self._whole, ("**/*.safetensors",)) if ended else None


class Train(Job):
    """A few-shot model on a benchmark."""

    def command(self, place: Path) -> list[str]:
        """Train some steps."""
        benchmark, config = self._scratch / "benchmark", self._scratch / "run.toml"
        if not benchmark.exists():
            config.write_text(_TRAIN)
            build = ["benchmark", "build", str(graph_file()), "-o", str(benchmark)]
            self._must([*build, "--min-triples", "10", "--max-triples", "40"])
        return ["train", str(config), "--benchmark", str(benchmark), "-o", str(place)]

    def again(self, place: Path) -> list[str]:
        """Resume, or begin where nothing was saved."""
        is_begun = place.is_dir() and any(place.glob("*.json"))
        return ["resume", str(place)] if is_begun else _begin(place, self.command(place))

    def problem(self, place: Path, *, ended: bool) -> str | None:
        """Metrics and weights are the same, bit for bit."""
        return _same(place, self._whole, ("metrics.jsonl", "best.safetensors")) if ended else None


class Fit(Job):
    """A model folder that replaces another."""

    def command(self, place: Path) -> list[str]:
        """Fit path rules, which is quick: what is killed is the writing of the folder."""
        return ["fit", str(graph_file()), "--method", "rules", "-o", str(place), "--type-relation", "is"]

    def problem(self, place: Path, *, ended: bool) -> str | None:
        """A folder that is there is whole; a finished run leaves nothing beside it."""
        from faan import InputError, load

        try:
            if place.exists() or ended:
                load(place)
        except InputError as error:
            return str(error)
        left = [path.name for path in place.parent.glob(".killed*")]
        if ended and left:
            return f"left behind: {left}"
        return _same(place, self._whole, ("method/**/*", "graph/*")) if ended else None


class Suggest(Job):
    """A long job that writes a file."""

    def command(self, place: Path) -> list[str]:
        """Suggest for all heads."""
        examples = self._scratch / "examples.tsv"
        examples.write_text("".join(f"{head}\t{tail}\n" for head, tail in EXAMPLES))
        asked = ["suggest", str(small_model()), "--examples", str(examples), "--format", "jsonl"]
        return [*asked, "-o", str(place)]

    def again(self, place: Path) -> list[str]:
        """Go on with the file."""
        return [*self.command(place), "--resume"] if place.exists() else self.command(place)

    def problem(self, place: Path, *, ended: bool) -> str | None:
        """The file is the same."""
        return "the file differs" if ended and place.read_bytes() != self._whole.read_bytes() else None


class Bulk(Job):
    """A job that completes a graph, a part at a time."""

    def command(self, place: Path) -> list[str]:
        """Suggest for all heads of all relations."""
        return ["suggest", str(small_model()), "--all-relations", "--top", "1", "-o", str(place)]

    def again(self, place: Path) -> list[str]:
        """Go on with the folder."""
        return [*self.command(place), "--resume"]

    def problem(self, place: Path, *, ended: bool) -> str | None:
        """The parts are the same, and nothing is beside them."""
        extra = {path.name for path in place.iterdir()} - {path.name for path in self._whole.iterdir()} if ended else ()
        return f"left behind: {extra}" if extra else _same(place, self._whole, ("*",)) if ended else None


def _begin(place: Path, command: list[str]) -> list[str]:
    """A run that saved nothing is begun again in an empty folder."""
    shutil.rmtree(place, ignore_errors=True)
    return command


def kill_server(scratch: Path, random: Random, tally: Tally) -> None:
    """Decide until the server is killed; all that was acknowledged must be there."""
    model = scratch / "model"
    shutil.rmtree(model, ignore_errors=True)
    shutil.copytree(small_model(), model)
    acknowledged = []
    with served(model, scratch) as server:
        until = time.monotonic() + random.random()
        while time.monotonic() < until:
            i = random.randrange(30)
            body = {
                "relation": "next_to",
                "head": f"land{i}",
                "tail": f"town{i}a",
                "verdict": "accepted",
                "reviewer": "A",
            }
            content = json.dumps(body).encode()
            header = b"POST /api/decisions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            with contextlib.suppress(OSError):
                length = b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(content)
                acknowledged += decided(exchange(server.port, header + length + content))
    tally.outcomes["decisions kept"] += len(acknowledged)
    if lost := missing(model / "decisions.sqlite", acknowledged):
        tally.findings.append(Finding("lost", f"{lost} of {len(acknowledged)} decisions"))


class Kills:
    """All of them in turn."""

    name = "kills"
    share = 4.0
    goal = 200

    def attack(self, seconds: float, seed: int, first: int, most: int) -> Tally:
        """Kill until the time is up."""
        tally, random = Tally(self.name), Random(f"{seed} {first}")
        with tempfile.TemporaryDirectory() as folder:
            jobs: list[Job] = []
            for kind in (Train, Embed, Fit, Suggest, Bulk):
                scratch = Path(folder) / kind.__name__
                scratch.mkdir()
                jobs.append(kind(kind.__name__.lower(), scratch, random))
            (Path(folder) / "serve").mkdir()
            until = time.monotonic() + seconds  # now that all have run once undisturbed
            while time.monotonic() < until and len(tally.findings) < 5 and tally.tried < most:
                for job in jobs:
                    if time.monotonic() > until:
                        break
                    before, start = job.kills, time.monotonic()
                    if wrong := job.disturb():
                        tally.findings.append(Finding("lost", f"{job.name}: {wrong}"))
                    tally.tried += job.kills - before
                    tally.outcomes[f"{job.name} killed"] += job.kills - before
                    tally.slowest = max(tally.slowest, time.monotonic() - start)
                if time.monotonic() > until:
                    break
                kill_server(Path(folder) / "serve", random, tally)
                tally.tried += 1
                tally.outcomes["serve killed"] += 1
        return tally
