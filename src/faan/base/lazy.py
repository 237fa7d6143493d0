"""Names of a package that are imported when they are first used: torch takes seconds, and some packages are extras."""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any


def lazy_names(package: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package: imports a name below its `if TYPE_CHECKING:` when the name is first used."""

    def load(name: str) -> Any:
        if name not in (modules := _modules(package)):
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(modules[name]), name)

    return load


@cache
def _modules(package: str) -> dict[str, str]:
    """Which module has each name below `if TYPE_CHECKING:` in the source of a package."""
    source = ast.parse(pkgutil.get_data(package, "__init__.py") or b"")
    branches = [one for one in source.body if isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING"]
    lazy = [line for branch in branches for line in branch.body]
    return {one.name: str(line.module) for line in lazy if isinstance(line, ast.ImportFrom) for one in line.names}
