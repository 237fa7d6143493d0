"""A small model with everything in it, which campaigns damage, ask and serve."""

from __future__ import annotations

import fcntl
import shutil
from contextlib import closing
from pathlib import Path

from tools.attack.campaign import ROOT

_PLACE = ROOT / "runs" / "attack"
_METHOD = "evidence"
LANDS = 30
EXAMPLES = [(f"land{i}", f"town{i}a") for i in range(5)]
_SETTINGS = """
[model]
method = "evidence"
shots = [5]
heads = 4
trees = 30
min_rows = 20
[model.translation]
model = "transe"
epochs = 20
margin = 12.0
[embed]
model = "complex"
dimension = 50
epochs = 20
loss = "softmax"
negatives = 128
regularization = 0.05
"""


def facts() -> list[tuple[str, str, str]]:
    """Lands with towns, courts, coins and trades: enough relations to learn from."""
    rows = []
    for i in range(LANDS):
        land = f"land{i}"
        rows += [(f"town{i}{t}", "lies_in", land) for t in "abc"]
        rows += [(f"court{i}", "sits_in", f"town{i}a"), (f"court{i}", "judges", land)]
        rows += [(f"coin{i}", "minted_in", f"town{i}a"), (f"coin{i}", "shows", f"beast{i % 7}")]
        rows += [(land, "speaks", f"tongue{i % 4}"), (land, "next_to", f"land{(i + 1) % LANDS}")]
        rows += [(land, "is", "country"), (f"coin{i}", "is", "currency"), (f"court{i}", "is", "court")]
        rows += [(f"town{i}{t}", "is", "city") for t in "abc"]
        rows += [(land, f"custom{c}", f"custom{c}-{i % (c + 2)}") for c in range(6)]
        rows += [(land, f"trade{t}", f"land{(i + t + 2) % LANDS}") for t in range(27)]
    return rows


def settings() -> Path:
    """The configuration of the small model."""
    _PLACE.mkdir(parents=True, exist_ok=True)
    path = _PLACE / "quick.toml"
    path.write_text(_SETTINGS)
    return path


def graph_file() -> Path:
    """The facts as a file."""
    _PLACE.mkdir(parents=True, exist_ok=True)
    path = _PLACE / "land.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in facts()))
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
    completer = fit(read_graph(facts(), type_relations=["is"]), config=str(settings()), progress=False)
    assert completer.about.method == _METHOD, "a model without vectors and trees is a smaller target"
    completer.save(folder)
    with closing(Decisions(folder / DECISIONS_FILE)) as decisions:
        for i in range(8):
            fact = "capital", f"land{i}", f"town{i}a"
            decisions.decide(NewDecision("Ana", *fact, "accepted", 0.5, 1.0, 1, ["a coin"], key=f"key{i:05}"))
        decisions.undo(8, "Bo")
    with service_of(folder):  # makes the index
        pass
