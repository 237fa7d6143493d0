"""A compiled loop gives the same bits wherever its arrays are in memory: else a training is not repeatable."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from faan.base import offsets_of
from faan.models import ragged_kernels as kernels

ENTITIES, WIDTH, STORED = 20, 16, 12
GAPS = (0, 64, 128, 248, 256, 4096)  # bytes between two arrays
Array = NDArray[np.generic]


def layouts(arrays: Sequence[Array]) -> Iterator[list[Array]]:
    """Copies of arrays, one behind the other in one block of memory, in several orders and with several gaps."""
    block = np.zeros(sum(array.nbytes for array in arrays) + len(arrays) * (max(GAPS) + 8), np.uint8)
    for gap in GAPS:
        for first in range(len(arrays)):
            for order in (range(first, first + len(arrays)), range(first, first - len(arrays), -1)):
                start, placed = 0, dict[int, Array]()
                for number in (place % len(arrays) for place in order):
                    array = arrays[number]
                    copy = block[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
                    copy[...] = array
                    placed[number] = copy
                    start += array.nbytes + gap
                    start += -start % 8
                yield [placed[number] for number in range(len(arrays))]


def case(name: str) -> tuple[Callable[..., None], list[Array], int]:
    """A loop, its arrays, and which of them it fills."""
    random = np.random.default_rng(0)

    def numbers(*shape: int) -> Array:
        return random.standard_normal(shape, dtype=np.float32)

    offsets = offsets_of(random.integers(0, 30, ENTITIES))
    edges = int(offsets[-1])
    ragged, table = [offsets[:-1].copy(), offsets, random.integers(0, STORED, edges)], numbers(STORED, WIDTH)
    factors, own = numbers(edges, WIDTH), numbers(ENTITIES, WIDTH)
    cases: dict[str, tuple[Callable[..., None], list[Array], int]] = {
        "products": (kernels.edge_products, [*ragged, table, factors, own, numbers(edges)], 6),
        "sums": (kernels.edge_sums, [*ragged, table, factors, numbers(edges), own], 6),
        "scatter": (kernels.edge_scatter, [*ragged, table, factors, numbers(edges), own], 3),
        "softmax": (kernels.edge_softmax, [offsets, numbers(edges), numbers(edges)], 2),
        "softmax gradients": (
            kernels.edge_softmax_gradients,
            [offsets, numbers(edges), numbers(edges), numbers(edges)],
            3,
        ),
    }
    return cases[name]


@pytest.mark.parametrize("name", ["products", "sums", "scatter", "softmax", "softmax gradients"])
def test_the_result_does_not_depend_on_where_the_arrays_are(name: str) -> None:
    loop, arrays, filled = case(name)
    found = set()
    for placed in layouts(arrays):
        loop(*placed)
        found.add(placed[filled].tobytes())
    assert len(found) == 1
