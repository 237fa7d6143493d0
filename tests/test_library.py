"""What `import faan` offers: it shows itself, explains itself, and its examples run."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import faan

OFFERED = [getattr(faan, name) for name in faan.__all__ if not name.startswith("_")]
CLASSES = [one for one in OFFERED if inspect.isclass(one)]
OPTIONS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def own_methods(kind: type) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The public methods that a class defines itself."""
    for name, member in vars(kind).items():
        function = member.__func__ if isinstance(member, classmethod) else member
        if inspect.isfunction(function) and not name.startswith("_"):
            yield name, function


def explained() -> list[tuple[str, Any]]:
    """Everything with a docstring of its own: functions, classes, and the methods of classes."""
    methods = [(f"{kind.__name__}.{name}", one) for kind in CLASSES for name, one in own_methods(kind)]
    return [*((one.__name__, one) for one in OFFERED), *methods]


def run(name: str, text: str, names: dict[str, Any]) -> None:
    """Run the examples of a docstring; the names that they define are kept."""
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    assert test.examples, f"{name} has no example"
    runner = doctest.DocTestRunner(optionflags=OPTIONS, verbose=False)
    report: list[str] = []
    runner.run(test, out=report.append, clear_globs=False)
    assert not runner.failures, "".join(report)
    names.update(test.globs)


def test_dir_shows_what_there_is() -> None:
    assert dir(faan) == sorted(faan.__all__)
    assert {"fit", "load", "read_graph", "Completer", "Graph", "Suggestions"} <= set(dir(faan))


def test_types_are_shipped() -> None:
    assert Path(faan.__file__).with_name("py.typed").is_file()


def test_importing_faan_does_not_load_torch() -> None:
    code = "import sys, faan; dir(faan); faan.Suggestions; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(("name", "one"), explained(), ids=[name for name, _ in explained()])
def test_every_parameter_is_explained(name: str, one: Any) -> None:
    text = inspect.getdoc(one) or ""
    if inspect.isclass(one):
        fields = [] if one in (faan.Graph, faan.Benchmark) else list(inspect.get_annotations(one))  # comments explain
        parameters = [field for field in fields if field != "model_config"]
    else:
        parameters = [parameter for parameter in inspect.signature(one).parameters if parameter not in ("self", "cls")]
    for parameter in parameters:
        assert f"{parameter}:" in text, f"{name} does not explain {parameter}"


def test_the_examples_of_the_package_run() -> None:
    run("faan", faan.__doc__ or "", {})


@pytest.mark.parametrize("one", OFFERED, ids=lambda one: one.__name__)
def test_examples_run(one: Any) -> None:
    """The examples of methods go on from those of their class."""
    names: dict[str, Any] = {}
    run(one.__name__, inspect.getdoc(one) or "", names)
    for name, method in own_methods(one) if inspect.isclass(one) else ():
        run(f"{one.__name__}.{name}", inspect.getdoc(method) or "", names)
