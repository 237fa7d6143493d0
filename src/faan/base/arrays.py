"""Arrays on disk that open as memory maps."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def open_array(path: Path, kinds: Sequence[type[np.generic]]) -> NDArray[Any]:
    """Open a row of numbers in a `.npy` file as a memory map; refuse numbers of other kinds."""
    if not path.is_file():  # np.load would wait for ever at a pipe
        raise ValueError(f"{path.name} is not a file")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # a header that Python 2 wrote, which faan never did
            array = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # a damaged header is parsed as Python is, with as many kinds of errors
        raise ValueError(f"{path.name}: {error}") from None
    if not isinstance(array, np.ndarray) or array.ndim != 1 or array.dtype not in kinds:
        raise ValueError(f"{path.name} does not hold a row of {kinds[0].__name__}")
    return array
