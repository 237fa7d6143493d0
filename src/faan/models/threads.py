"""Work in as many threads as torch uses: parts of a compiled loop, or independent pieces of work.

numpy computes a product of matrices in threads of its own, one for each core. They help only large products. Those of
evidence are small: where other programs or threads keep the cores busy, numpy's threads cost ten times as much
processor time, because they wait for each other in loops. `single_products` turns them off.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from itertools import islice
from typing import TypeVar

import torch
from threadpoolctl import ThreadpoolController

_ROWS_A_THREAD = 512  # below that, handing work to another thread takes longer than doing it
_AHEAD = 2  # items in flight for each thread

Item = TypeVar("Item")
Result = TypeVar("Result")


def for_rows(rows: int, work: Callable[[slice], None]) -> None:
    """Run a function over all rows in threads; rows must be independent, and the function must release the GIL.

    Batches of scoring are large enough for several threads; those of a training step are not, the less so as torch's
    own threads stay awake between its products.
    """
    threads = min(torch.get_num_threads(), rows // _ROWS_A_THREAD)
    if threads <= 1:
        work(slice(0, rows))
        return
    shares = [slice(rows * i // threads, rows * (i + 1) // threads) for i in range(threads)]
    others = [_pool(threads - 1).submit(work, share) for share in shares[1:]]
    work(shares[0])
    for other in others:
        other.result()


def map_in_threads(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """The results of a function for each item, in order; it must release the GIL to gain from threads.

    The first item runs alone, so that cached work that items share is computed once.
    """
    left, threads = iter(items), torch.get_num_threads()
    with single_products():
        if threads <= 1:
            yield from map(work, left)
            return
        yield from map(work, islice(left, 1))
        with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            waiting: deque[Future[Result]] = deque()
            try:
                for item in left:
                    waiting.append(pool.submit(work, item))
                    if len(waiting) == _AHEAD * threads:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                for one in waiting:  # after an error, or where nobody wants more
                    one.cancel()


def single_products() -> AbstractContextManager[object]:
    """numpy's products of matrices are computed by the thread that asks for them."""
    found: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return found


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers)


if hasattr(os, "register_at_fork"):  # Windows does not fork
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of its parent's threads
