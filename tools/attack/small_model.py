"""A small model with everything in it, which campaigns damage, ask and serve."""

from __future__ import annotations

import fcntl
import shutil
from contextlib import closing
from pathlib import Path

from tools.attack.campaign import ROOT
from tools.attack.small_graph import QUICK, facts

_PLACE = ROOT / "runs" / "attack"
_METHOD = "evidence"
EXAMPLES = [(f"land{i}", f"town{i}a") for i in range(5)]
_TRADES = 27  # enough relations to learn from


def graph_file() -> Path:
    """The facts as a file."""
    _PLACE.mkdir(parents=True, exist_ok=True)
    path = _PLACE / "land.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in facts(_TRADES)))
    return path


def small_model() -> Path:
    """The folder of a model with vectors, trees, decisions and an index of entities; only to be copied."""
    folder = _PLACE / "model"
    _PLACE.mkdir(parents=True, exist_ok=True)
    with (_PLACE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several workers start at once
        if not _is_usable(folder):
            _make(folder)
    return folder


def _is_usable(folder: Path) -> bool:
    """Whether the model of an earlier campaign is of this version."""
    from faan import InputError, load

    try:
        method = load(folder).about.method
    except InputError:
        return False
    return method == _METHOD and (folder / "entities.sqlite").exists()


def _make(folder: Path) -> None:
    from faan import fit, read_graph
    from faan.web import DECISIONS_FILE, Decisions, service_of
    from faan.web.decision import NewDecision

    shutil.rmtree(folder, ignore_errors=True)
    completer = fit(read_graph(facts(_TRADES), type_relations=["is"]), config=str(QUICK), progress=False)
    assert completer.about.method == _METHOD, "a model without vectors and trees is a smaller target"
    completer.save(folder)
    with closing(Decisions(folder / DECISIONS_FILE)) as decisions:
        for i in range(8):
            fact = "capital", f"land{i}", f"town{i}a"
            decisions.decide(NewDecision("Ana", *fact, "accepted", 0.5, 1.0, 1, ["a coin"], key=f"key{i:05}"))
        decisions.undo(8, "Bo")
    with service_of(folder):  # makes the index
        pass
