"""Jobs that somebody else began: a folder of suggestions in bulk, or a file of suggestions, damaged, to go on with."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tools.attack.inputs import Inputs
from tools.attack.mutations import mutated
from tools.attack.small_model import EXAMPLES, small_model

if TYPE_CHECKING:
    from faan.complete import Completer

_HEADS = 5  # in a part, so that there are several
_LARGEST = 1 << 24  # bytes of a file that is changed: to read a sparse one would take the memory that is watched


def make(random: Random, folder: Path) -> Path:
    """A job in which something is wrong: the folder of a bulk job, or a file of lines."""
    path = folder / random.choice(("job", "job", "lines.jsonl", "lines.tsv"))
    for old in (folder / name for name in ("job", "lines.jsonl", "lines.tsv")):
        shutil.rmtree(old) if old.is_dir() and not old.is_symlink() else old.unlink(missing_ok=True)
    if path.name == "job":
        shutil.copytree(_jobs() / "job", path)
        files = sorted(path.iterdir())
        for _ in range(random.choice((1, 1, 3))):
            harm(random.choice((files[0], *files)), random)
    else:
        shutil.copyfile(_jobs() / path.name, path)
        harm(path, random)
    return path


def harm(file: Path, random: Random) -> None:
    """Change a file, or put something else in its place."""
    if not file.is_file() or file.stat().st_size > _LARGEST:
        return  # of the harm before
    what = random.choice(("bytes", "bytes", "bytes", "bytes", "missing", "folder", "pipe", "link", "device", "sparse"))
    if what == "bytes":
        content = mutated(file.read_bytes(), random)
        file.unlink()
        file.write_bytes(content)
        return
    file.unlink()
    if what == "folder":
        file.mkdir()
    elif what == "pipe":
        os.mkfifo(file)
    elif what in ("link", "device"):
        file.symlink_to({"link": "/etc/passwd", "device": "/dev/zero"}[what])
    elif what == "sparse":
        with file.open("wb") as opened:
            opened.truncate(1 << 32)


def attempt(path: Path) -> str:
    """Go on with the job as `faan suggest --resume` does; what is finished must be what it would have been."""
    from faan import InputError
    from faan.complete import last_asked

    passwords = Path("/etc/passwd").stat()
    try:
        if path.name == "job":
            _complete(path, resume=True)
        else:
            last_asked(path, path.suffix[1:], by_tail=False)
    except OSError as error:  # the command says so in a line
        raise InputError(str(error)) from None
    finally:
        assert Path("/etc/passwd").stat().st_mtime_ns == passwords.st_mtime_ns, "wrote through a link"
    return "read"


@cache
def _completer() -> Completer:
    from faan.complete import Completer

    return Completer.load(small_model())


def _complete(folder: Path, *, resume: bool) -> None:
    from faan.complete import BulkQuestion, BulkSettings, bulk, suggest_in_bulk

    bulk._HEADS = _HEADS
    question = BulkQuestion(relation="capital", examples=tuple(EXAMPLES))
    suggest_in_bulk(_completer(), small_model(), folder, [question], BulkSettings(top=1), resume=resume)


@cache
def _jobs() -> Path:
    """A job of each kind that ended well."""
    place = Path(tempfile.mkdtemp(prefix="attack-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    _complete(place / "job", resume=False)
    found = _completer().suggest(EXAMPLES, [f"land{i}" for i in range(9, 14)], top=2, progress=False)
    found.save(place / "lines.jsonl")
    found.save(place / "lines.tsv")
    return place


JOBS = Inputs("jobs", make, attempt, share=1.0, goal=2_000, prepare=_jobs)
