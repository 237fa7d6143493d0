"""Compiled loops in as many threads as torch uses."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import torch

_ROWS_A_THREAD = 512  # below that, handing work to another thread takes longer than doing it


def for_rows(rows: int, work: Callable[[slice], None]) -> None:
    """Do a work that is independent for each row, and that releases the interpreter's lock, for all of them.

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


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers)


if hasattr(os, "register_at_fork"):  # Windows does not fork
    os.register_at_fork(after_in_child=_pool.cache_clear)  # a child has none of its parent's threads
