"""Names of a package that are imported when they are first used: torch takes seconds, and some packages are extras."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any


def load_lazily(package: str, modules: Mapping[str, str], name: str) -> Any:
    """What a package's `__getattr__` gives for a name; `modules` says which module has it."""
    if name not in modules:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(import_module(f"{package}.{modules[name]}"), name)
