"""Model folders of strangers: any file damaged, by bytes or by what it holds, with or without right checksums."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import tempfile
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from tools.attack.inputs import Inputs
from tools.attack.mutations import mutated
from tools.attack.small_model import EXAMPLES, small_model

_NUMBERS = (0, -1, 1, 2**31 - 1, -(2**31), 2**62, 1_500_000_000)
_VALUES: tuple[Any, ...] = (
    None,
    "",
    -1,
    1e308,
    2**70,
    [],
    {},
    "x" * 5000,
    True,
    "../../etc/passwd",
    "\ud800",
    [[[[]]]],
)
_STATEMENTS = (
    "CREATE TRIGGER t AFTER INSERT ON event BEGIN UPDATE event SET verdict = 'accepted'; END",
    "CREATE VIEW more AS SELECT * FROM event",
    "UPDATE event SET head = x'ff' WHERE id = {n}",
    "UPDATE event SET tail = CAST(x'c328' AS TEXT) WHERE id = {n}",
    "UPDATE event SET examples = '{{\"examples\": 7}}' WHERE id = {n}",
    "UPDATE event SET examples = '[' || printf('%.100000c', '[') WHERE id = {n}",
    "UPDATE shown SET reasons = x'ff'",
    "UPDATE shown SET reasons = printf('%.100000c', '[')",
    "UPDATE shown SET reasons = '[7, null]'",
    """UPDATE shown SET reasons = '["\\ud800"]'""",
    "UPDATE shown SET event = event + {n}",
    "INSERT INTO shown VALUES (-1, '[]')",
    "UPDATE event SET reviewer = printf('%.500000c', 'a') WHERE id = {n}",
    "UPDATE event SET relation = 'is', head = 'no such entity' WHERE id = {n}",
    "UPDATE event SET probability = {n}e300",
    "UPDATE event SET undoes = {n}",
    "UPDATE event SET id = id + 9007199254740990",
    "UPDATE sqlite_sequence SET seq = 9223372036854775807",
    "UPDATE about SET value = x'00'",
    "DELETE FROM about",
    "UPDATE entity SET entity = entity + {n}",
    "UPDATE entity SET entity = 'x'",
    "UPDATE text_data SET block = zeroblob({n} * 1000)",
    "UPDATE text_data SET block = randomblob(length(block))",
    "UPDATE text_config SET v = {n}",
    "DROP TABLE entity",
    "UPDATE sqlite_master SET sql = replace(sql, 'TEXT', 'BLOB')",
    "UPDATE sqlite_master SET rootpage = {n}",
)


def make(random: Random, folder: Path) -> Path:
    """A copy of the small model in which something is wrong."""
    path = folder / "model"
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(_model(), path)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    harm = random.choice((_bytes, _bytes, _bytes, _array, _array, _json, _database, _database, _kind))
    for _ in range(random.choice((1, 1, 2))):
        harm(path, files, random)
    _checksums(path, random)
    return path


def _bytes(path: Path, files: list[Path], random: Random) -> None:
    file = random.choice(files)
    if file.is_file():
        file.write_bytes(mutated(file.read_bytes(), random))


def _array(path: Path, files: list[Path], random: Random) -> None:
    """Numbers of an array that are out of range or in another order."""
    file = random.choice([file for file in files if file.suffix == ".npy"])
    array = np.load(file, allow_pickle=False)
    if not array.size or array.dtype.kind not in "iuf":
        return
    for _ in range(random.choice((1, 3, 100))):
        wanted = random.choice(_NUMBERS) + random.choice((0, random.randrange(100)))
        array.flat[random.randrange(array.size)] = np.array(wanted).astype(array.dtype)
    np.save(file, np.sort(array) if random.random() < 0.2 else array)


def _json(path: Path, files: list[Path], random: Random) -> None:
    """A value somewhere in a JSON file that is another."""
    file = random.choice([file for file in files if file.suffix == ".json"])
    with suppress(ValueError, OSError):
        content = json.loads(file.read_text())
        place: Any = content
        while isinstance(place, (dict, list)) and place:
            key = random.choice(sorted(place) if isinstance(place, dict) else list(range(len(place))))
            if not isinstance(place[key], (dict, list)) or not place[key] or random.random() < 0.3:
                if random.random() < 0.2:
                    del place[key]
                else:
                    place[key] = random.choice(_VALUES)
                break
            place = place[key]
        file.write_text(json.dumps(content))


def _database(path: Path, files: list[Path], random: Random) -> None:
    """Statements that no version of faan would run."""
    file = path / random.choice(("decisions.sqlite", "entities.sqlite"))
    statement = random.choice(_STATEMENTS).format(n=random.choice((1, 3, 8, 1000)))
    with suppress(sqlite3.Error), closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.executescript(f"PRAGMA writable_schema = ON; PRAGMA ignore_check_constraints = ON; {statement}")


def _kind(path: Path, files: list[Path], random: Random) -> None:
    """Something else in the place of a file, or a file beside it that SQLite would read."""
    file = random.choice(files)
    what = random.choice(("missing", "folder", "pipe", "link", "loop", "device", "journal", "sparse"))
    if what == "journal":
        for ending in ("-journal", "-wal", "-shm"):
            (path / f"decisions.sqlite{ending}").write_bytes(mutated(random.randbytes(600), random))
        return
    if file.is_dir():
        return  # of the harm before
    file.unlink(missing_ok=True)
    if what == "folder":
        file.mkdir()
    elif what == "pipe":
        os.mkfifo(file)
    elif what in ("link", "loop", "device"):
        file.symlink_to({"link": "/etc/passwd", "loop": str(file), "device": "/dev/zero"}[what])
    elif what == "sparse":
        with file.open("wb") as opened:
            opened.truncate(1 << 33)


def _checksums(path: Path, random: Random) -> None:
    """Mostly none, or right ones: a stranger can write them as well."""
    from faan.complete.checksums import write_checksums

    file = path / "checksums.json"
    if not file.is_file() or file.is_symlink() or random.random() < 0.1:
        return
    file.unlink()
    if random.random() < 0.3 and not any(one.is_symlink() or one.stat().st_size > 1 << 30 for one in path.rglob("*")):
        write_checksums(path)


def attempt(path: Path) -> str:
    """Serve a model and use all of it, as a reviewer would."""
    from faan import InputError
    from faan.web import FORMATS, export, service_of
    from faan.web.requests import DecideRequest, ExplainRequest, SuggestRequest

    with service_of(path) as service:
        question: dict[str, Any] = {"relation": "capital", "examples": EXAMPLES}
        list(service.suggest(SuggestRequest(**question, heads=["land9"], top=2)).suggestions)
        list(service.suggest(SuggestRequest(relation="next_to", tails=["land3"], top=2)).suggestions)
        service.explain(ExplainRequest(**question, head="land9", tail="town9a"))
        decided = service.decide(
            DecideRequest(**question, head="land9", tail="town9a", verdict="rejected", reviewer="Ana")
        )
        assert service.decisions.of_fact("capital", "land9", "town9a") == decided, "what was decided does not hold"
        service.decisions.undo(decided.id, "Ana")
        for text in ("land", "land9", "ladn9", '"'):
            service.naming.search.find(text)
        service.decisions.changes()
        service.decisions.tally()
        for name in FORMATS:
            with suppress(InputError):  # names of this graph are no Wikidata items
                list(export(service.decisions, name, "accepted").pieces)
    return "read"


@cache
def _model() -> Path:
    return small_model()


def _warm_up() -> None:
    """Use a right model once: what is compiled then takes no input's time."""
    with tempfile.TemporaryDirectory() as folder:
        attempt(shutil.copytree(_model(), Path(folder) / "model"))


MODELS = Inputs("models", make, attempt, share=4.0, goal=5_000, prepare=_warm_up)
