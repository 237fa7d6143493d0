"""Loads a model for a command, and LightGBM without libraries that no command needs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from faan.cli.printing import busy

if TYPE_CHECKING:
    from faan.complete import Completer

_UNUSED = ("sklearn", "pandas", "pyarrow", "dask", "matplotlib", "graphviz")


def load_lightgbm() -> None:
    """Load LightGBM without what it loads wherever that is installed: it takes a second, and no command needs it.

    Only for commands, whose process is ours: in another program LightGBM would lack its interface to scikit-learn.
    """
    import torch  # noqa: F401  # first, as everywhere: both bring a library for threads

    hidden = [name for name in _UNUSED if name not in sys.modules]
    for name in hidden:
        sys.modules[name] = None  # type: ignore[assignment]  # to import it is an error, which LightGBM expects
    try:
        import lightgbm  # noqa: F401
    finally:
        for name in hidden:
            del sys.modules[name]


def load_model(folder: Path) -> Completer:
    """Load the completer in a model folder, with a progress bar."""
    with busy("loading"):
        load_lightgbm()
        from faan.complete import Completer  # torch takes seconds to load

        return Completer.load(folder)
