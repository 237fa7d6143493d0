"""A process that tries inputs: it may crash, hang or swell, and the campaign goes on.

The worker makes input number `n` itself, as a function of the seed and `n`, so that making and trying use all cores. It
says what came out in a line of JSON.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import select
import signal
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

from tools.attack.campaign import ROOT

SECONDS = 10.0  # an input that keeps a core busy for longer hangs; so does one that waits as long for nothing
MIB = 2048  # a process that holds more has swollen
_INPUTS = 10_000  # that one process tries; then a new one comes
_LOOK = 0.05  # seconds between two looks at the memory


class Worker:
    """The campaign's end: hands inputs over one by one, and says what became of each."""

    def __init__(self, target: str, folder: Path, seconds: float = SECONDS) -> None:
        self._target, self._seconds, self.folder = target, seconds, folder
        self._process: subprocess.Popen[bytes] | None = None
        self._tried = 0

    def make_and_try(self, seed: int, number: int) -> dict[str, Any]:
        """Try input `number` of a campaign; it stays in `folder` until the next one."""
        return self._ask({"seed": seed, "number": number})

    def try_path(self, path: Path) -> dict[str, Any]:
        """Try an input that is there."""
        return self._ask({"path": str(path.resolve())})

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        if self._tried >= _INPUTS:
            self.close()
        process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        self._tried += 1
        process.stdin.write(json.dumps(question).encode() + b"\n")
        process.stdin.flush()
        busy, idle = _busy(process.pid), 0.0
        while not select.select([process.stdout], [], [], _LOOK)[0]:
            held = _mib(process.pid)
            if held > MIB:
                self.close()
                return {"outcome": "memory", "detail": f"more than {MIB:,} MiB", "mib": held}
            idle += _LOOK if _sleeps(process.pid) else 0.0  # not the time since the last look: we may have slept, too
            if idle > self._seconds or _busy(process.pid) - busy > self._seconds:
                where = self._where(process)
                self.close()
                detail = f"more than {self._seconds:g} s {where}"
                return {"outcome": "hang", "detail": detail, "seconds": self._seconds}
        answer = process.stdout.readline()
        if not answer:
            said = (self.folder / "stderr").read_bytes()[-300:].decode(errors="replace")
            code = process.wait()
            self.close()
            return {"outcome": "crash", "detail": f"exit code {code}: {' '.join(said.split())}"}
        answered: dict[str, Any] = json.loads(answer)
        return answered

    def _where(self, process: subprocess.Popen[bytes]) -> str:
        """What every thread of a process that hangs is doing, and whether it is busy."""
        state = "asleep" if _sleeps(process.pid) else "busy"
        process.send_signal(signal.SIGUSR1)
        time.sleep(1.0)
        said = (self.folder / "stderr").read_text(errors="replace")[:3000]
        return f"({state}): {' '.join(said.split())}"

    def _start(self) -> subprocess.Popen[bytes]:
        """Start a process and wait until it has loaded what it needs, which takes no input's time."""
        self._tried = 0
        command = [sys.executable, "-m", "tools.attack.worker", self._target, str(self.folder)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, bufsize=1 << 16
        )
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            raise RuntimeError(f"the worker for {self._target} does not start")
        return self._process


def _mib(pid: int) -> float:
    """Memory that a process holds now."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (OSError, IndexError):
        return 0.0


def _busy(pid: int) -> float:
    """Seconds of processor time that a process has had: other programs do not make an input hang."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _sleeps(pid: int) -> bool:
    """Whether no thread of a process could go on if it had a processor: a busy machine makes no input hang either."""
    for path in Path(f"/proc/{pid}/task").glob("*/stat"):
        with suppress(OSError):
            if path.read_text().rpartition(")")[2].split()[0] in "RD":
                return False
    return True


def _peak_mib() -> float:
    """The most memory that this process has held since `_forget_peak`."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def _forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def main() -> None:
    """The other end: make an input, try it, say what came out."""
    from tools.attack.targets import INPUTS

    from faan import InputError

    target, folder = INPUTS[sys.argv[1]], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    stderr = os.open(folder / "stderr", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    os.dup2(stderr, 1)  # what is printed by what is attacked is no answer
    os.dup2(stderr, 2)
    faulthandler.register(signal.SIGUSR1)
    target.prepare()
    answers.write(b"ready\n")
    for line in sys.stdin.buffer:
        question = json.loads(line)
        os.ftruncate(stderr, 0)
        os.lseek(stderr, 0, os.SEEK_SET)
        if "path" in question:
            path = Path(question["path"])
        else:
            path = target.make(random.Random(f"{question['seed']} {question['number']}"), folder)
        _forget_peak()
        start = time.process_time()
        try:
            outcome, detail = target.attempt(path), ""
        except InputError as error:
            outcome, detail = "refused", str(error)[:200]
        except BaseException as error:  # a panic of a library is no Exception
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            outcome, detail = "error", f"{type(error).__name__}: {str(error)[:200]} ({where})"
        seconds, mib = time.process_time() - start, _peak_mib()
        said = os.pread(stderr, 300, 0).decode(errors="replace")
        if outcome in ("read", "refused") and said:
            outcome, detail = "noise", " ".join(said.split())
        elif outcome in ("read", "refused") and mib > MIB:
            outcome, detail = "memory", f"{mib:,.0f} MiB"
        answer = {"outcome": outcome, "detail": detail, "seconds": seconds, "mib": mib}
        answers.write(json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main()
