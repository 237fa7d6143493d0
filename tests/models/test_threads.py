"""Work in threads: the same results in the same order as without, and errors that reach the caller."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest
import torch
from threadpoolctl import threadpool_info, threadpool_limits

from faan.models import map_in_threads


@pytest.fixture(params=[1, 3])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_results_come_in_the_order_of_the_items(threads: int, count: int) -> None:
    assert list(map_in_threads(lambda item: item * item, range(count))) == [item * item for item in range(count)]


def test_several_items_are_in_work_at_once_after_the_first(threads: int) -> None:
    together = threading.Barrier(threads)

    def work(item: int) -> int:
        if item:
            together.wait(timeout=60)  # breaks if the others do not come
        return item

    assert list(map_in_threads(work, range(threads + 1))) == list(range(threads + 1))


def test_torch_has_one_thread_in_each(threads: int) -> None:
    assert set(list(map_in_threads(lambda _: torch.get_num_threads(), range(8)))[1:]) == {1}
    assert torch.get_num_threads() == threads


def test_products_of_numpy_have_one_thread_in_each(threads: int) -> None:
    def number(_: object = None) -> set[int]:
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    with threadpool_limits(3, "blas"):
        assert list(map_in_threads(number, range(8))) == [{1}] * 8
        assert number() == {3}


def test_an_error_reaches_the_caller_and_ends_the_work(threads: int) -> None:
    done = []

    def work(item: int) -> int:
        if item == 5:
            raise ValueError("no such item")
        done.append(item)
        return item

    with pytest.raises(ValueError, match="no such item"):
        list(map_in_threads(work, range(1000)))
    assert len(done) < 100


def test_who_wants_no_more_ends_the_work(threads: int) -> None:
    done: list[int] = []
    results = map_in_threads(done.append, range(1000))
    next(results)
    next(results)
    del results
    assert len(done) < 100
