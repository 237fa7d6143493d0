"""faan: few-shot knowledge graph completion.

Read a graph, fit a model, give five examples of a relation, get its missing facts with reasons:

>>> import faan
>>> facts = [(f"land{i}", "next_to", f"land{i + 1}") for i in range(9)]
>>> facts += [(f"town{i}", "lies_in", f"land{i}") for i in range(9)]
>>> completer = faan.fit(facts, method="rules", progress=False)
>>> for fact in completer.suggest([("land1", "town1"), ("land2", "town2")], heads="land6", top=1):
...     print(fact.tail, fact.because[0])
town6 land6 ← lies_in — town6: right for 2 of 2 that it reaches
"""

from pathlib import Path
from typing import TYPE_CHECKING

from faan.base import InputError, lazy_names
from faan.graph import Graph, open_graph, read_graph, save_graph
from faan.tasks import Benchmark, BuildSettings, build_benchmark, read_benchmark, write_benchmark

if TYPE_CHECKING:  # imported when first used: torch takes seconds to load
    from faan.complete import Completer, Explanation, Suggestion, Suggestions, fit
else:
    __getattr__ = lazy_names(__name__)

__version__ = "0.1.0"

__all__ = [
    "Benchmark",
    "BuildSettings",
    "Completer",
    "Explanation",
    "Graph",
    "InputError",
    "Suggestion",
    "Suggestions",
    "__version__",
    "build_benchmark",
    "fit",
    "load",
    "open_graph",
    "read_benchmark",
    "read_graph",
    "save_graph",
    "write_benchmark",
]


def load(folder: str | Path) -> "Completer":
    """Open a model folder; nothing in it is executed.

    Args:
        folder: A folder that `Completer.save` or the command `faan fit` wrote.

    >>> import faan, tempfile
    >>> facts = [("Lima", "in", "Peru"), ("Cusco", "in", "Peru"), ("Kyoto", "in", "Japan"), ("Osaka", "in", "Japan")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     faan.fit(facts, method="rules", progress=False).save(f"{folder}/model")
    ...     faan.load(f"{folder}/model")
    Completer(rules, Graph(6 entities, 1 relation, 4 triples, from list))
    """
    from faan.complete import Completer

    return Completer.load(folder)


def __dir__() -> list[str]:
    return sorted(__all__)
