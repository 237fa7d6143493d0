"""A completer of a graph with readable names takes them as evidence, and keeps them on disk."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from tools.attack.small_graph import QUICK, facts

from faan.complete import Completer, fit
from faan.graph import read_graph

from .conftest import CAPITALS

_SYLLABLES = ("ba", "de", "fi", "go", "lu", "ma", "ne", "ri", "so", "tu")


def named(name: str) -> str:
    """A readable id: the number in it as syllables."""
    kind = name.rstrip("0123456789abc-") or name
    number = int("".join(letter for letter in name if letter.isdigit()) or 0)
    word = "".join(_SYLLABLES[int(digit)] for digit in f"{number:03}")
    return f"x:{kind}:{word}_{name[len(kind) :].strip('0123456789-') or kind}"


@pytest.mark.slow
def test_a_model_with_names_is_fitted_saved_and_loaded(tmp_path: Path) -> None:
    quick = QUICK.read_text(encoding="utf-8")
    config = tmp_path / "names.toml"
    config.write_text(quick.replace('method = "evidence"', 'method = "evidence"\nnames = true'), encoding="utf-8")
    rows = [(named(head), relation, named(tail)) for head, relation, tail in facts(trades=27)]
    completer = fit(read_graph(rows), config=str(config))
    examples = [(named(head), named(tail)) for head, tail in CAPITALS[:5]]
    asked = [named(head) for head, _ in CAPITALS[5:8]]
    first = [one.tail for one in completer.suggest(examples, heads=asked, top=1)]
    completer.save(tmp_path / "model")
    notes = json.loads((tmp_path / "model" / "method" / "ranker.json").read_text(encoding="utf-8"))
    assert "paths among namesakes" in notes["evidence"]
    loaded = Completer.load(tmp_path / "model")
    again = completer.suggest(examples, heads=asked, top=5)
    assert np.allclose(
        [one.score for one in loaded.suggest(examples, heads=asked, top=5)], [one.score for one in again]
    )
    assert first == [named(tail) for _, tail in CAPITALS[5:8]]
