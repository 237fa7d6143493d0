from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from faan.base import unlocked_property


class Slow:
    def __init__(self, together: threading.Barrier | None = None) -> None:
        self.together, self.calls = together, 0

    @unlocked_property
    def value(self) -> int:
        """Compute the value."""
        if self.together is not None:
            self.together.wait(timeout=60)  # breaks if the other thread has to wait for a lock
        self.calls += 1
        return self.calls


def test_a_value_is_computed_once_and_for_each_object() -> None:
    one, other = Slow(), Slow()
    assert (one.value, one.value, other.value, one.calls) == (1, 1, 1, 1)
    assert Slow.value.__doc__ == "Compute the value."


def test_threads_compute_the_values_of_different_objects_side_by_side() -> None:
    together = threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(lambda one: one.value, [Slow(together), Slow(together)])) == [1, 1]
