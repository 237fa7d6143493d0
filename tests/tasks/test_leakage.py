from __future__ import annotations

import numpy as np
import pytest

from faan.graph import read_graph
from faan.tasks import Benchmark, PairSet, Task, find_leakage


def task(relation: str, pairs: list[list[int]], entities: int) -> Task:
    array = np.array(pairs, np.int32)
    return Task(relation, array, np.arange(entities, dtype=np.int32), PairSet(array[:, 0], array[:, 1], entities))


def test_links_are_counted_in_both_directions() -> None:
    graph = read_graph([("a", "r", "b"), ("a", "s", "b"), ("d", "r", "c"), ("e", "r", "f")])  # ids in that order
    a, b, d, c, e, f = range(6)
    (found,) = find_leakage(graph, [task("t", [[a, b], [c, d], [a, f]], 6)])
    assert (found.pairs, found.forward, found.either) == (3, 1, 2)
    assert dict(found.links) == {"r": 1, "s": 1, "r_inv": 1}
    assert found.duplicates == ()
    assert e == 4


def test_a_relation_under_another_name_is_found() -> None:
    graph = read_graph([("a", "r", "b"), ("c", "r", "d"), ("b", "s", "a"), ("d", "s", "c"), ("a", "u", "b")])
    one, turned = task("t", [[0, 1], [2, 3], [0, 1]], 4), task("turned", [[1, 0], [3, 2]], 4)
    first, second = find_leakage(graph, [one, turned])
    assert set(first.duplicates) == {"r", "s_inv", "turned_inv"}
    assert set(second.duplicates) == {"s", "r_inv", "t_inv"}
    assert find_leakage(graph, [one], others=[turned])[0].duplicates == first.duplicates


@pytest.mark.nell
def test_nell_one_gives_away_what_is_known_of_it(nell: Benchmark) -> None:
    found = find_leakage(nell.graph, nell.splits["test"])
    assert sum(leak.forward for leak in found) == 569
    assert sum(leak.either for leak in found) == 686
