"""Memory of a completer that many questions are asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import torch

from faan.complete import Completer
from faan.complete.cache import Cache, bytes_of
from faan.evidence import Profiles

from .conftest import CAPITALS


@dataclass
class Pile:
    parts: dict[str, object]


def test_all_arrays_that_a_value_refers_to_are_counted_once() -> None:
    array = np.zeros(1000)
    pile = Pile({"one": array, "view": array[10:], "more": [torch.zeros(1000), (np.zeros(500), array)]})
    assert 16_000 <= bytes_of(pile, set()) < 18_000
    shared: set[int] = set()
    bytes_of(array, shared)
    assert 8_000 <= bytes_of(pile, shared) < 10_000


def test_values_that_grow_while_they_are_used_make_others_go() -> None:
    cache: Cache[Pile] = Cache(100_000)
    for name in "abc":
        cache.get(name, lambda: Pile({}))
    cache.get("a", lambda: Pile({})).parts["grown"] = np.zeros(50_000)
    cache.get("d", lambda: Pile({}))
    assert list(cache) == ["a", "d"]  # a is too large, but was used last but one
    cache.get("e", lambda: Pile({}))
    assert list(cache) == ["d", "e"]


def test_memory_of_a_completer_stays_bounded_whatever_it_is_asked(
    trained: Completer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faan.complete.preparing._MAX_CACHED", 200_000)
    asked = Completer(trained.graph, trained.fitted, trained.calibrations, trained.about)
    whole = (asked.graph, asked.fitted, asked.calibrations, Profiles.of(asked.graph))
    held = []
    for number in range(20):
        list(asked.suggest(CAPITALS[number : number + 5], heads=["land3", "land4"], top=2))
        seen: set[int] = set()
        for one in whole:
            bytes_of(one, seen)
        held.append(bytes_of(asked._rankings._cache, seen))
    assert max(held) < 200_000 + 2 * max(held[:1])
    assert len(list(asked._rankings._cache)) < 20
