"""What a user tries first works, or is refused with a sentence that says what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tools.attack.small_graph import facts

import faan
from faan.base import InputError
from faan.complete import Completer

from .conftest import CAPITALS

FIVE = CAPITALS[:5]
HEADS, TAILS = [head for head, _ in FIVE], [tail for _, tail in FIVE]
GRAPH = facts()
COLUMNS = ["head", "relation", "tail"]

EXAMPLES: dict[str, Callable[[], Any]] = {
    "list of lists": lambda: [list(pair) for pair in FIVE],
    "dict": lambda: dict(FIVE),
    "dict of lists": lambda: {head: [tail] for head, tail in FIVE},
    "generator": lambda: (pair for pair in FIVE),
    "zip": lambda: zip(HEADS, TAILS, strict=True),
    "numpy": lambda: np.array(FIVE),
    "polars": lambda: pl.DataFrame(FIVE, schema=["country", "capital"], orient="row"),
    "polars, lazy": lambda: pl.DataFrame({"head": HEADS, "tail": TAILS}).lazy(),
    "pandas": lambda: pd.DataFrame(FIVE),
    "arrow": lambda: pa.table({"head": HEADS, "tail": TAILS}),
    "columns by name": lambda: pd.DataFrame({"tail": TAILS, "note": "x", "head": HEADS}),
    "triples in a frame": lambda: pl.DataFrame({"subject": HEADS, "predicate": "capital", "object": TAILS}),
}
NAMES: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "numpy": np.array,
    "polars": pl.Series,
    "pandas": pd.Series,
    "index": pd.Index,
    "one column": lambda names: pl.DataFrame({"name": names}),
}
SOURCES: dict[str, Callable[[Path], Any]] = {
    "text": str,
    "path": lambda path: path,
    "graph": lambda _: faan.read_graph(GRAPH),
    "list": lambda _: GRAPH,
    "list of lists": lambda _: [list(row) for row in GRAPH],
    "generator": lambda _: iter(GRAPH),
    "numpy": lambda _: np.array(GRAPH),
    "polars": lambda _: pl.DataFrame(GRAPH, schema=COLUMNS, orient="row"),
    "pandas": lambda _: pd.DataFrame(GRAPH, columns=COLUMNS),
    "arrow": lambda _: pa.Table.from_pandas(pd.DataFrame(GRAPH, columns=COLUMNS)),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_a_completer_is_fitted_to_anything_that_holds_a_graph(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in GRAPH), encoding="utf-8")
    completer = faan.fit(SOURCES[kind](path), method="rules")
    assert sorted(completer.graph.triples()) == sorted(set(GRAPH))


def test_a_triples_factory_of_pykeen_is_a_graph() -> None:
    from pykeen.triples import TriplesFactory

    factory = TriplesFactory.from_labeled_triples(np.array(GRAPH))
    assert sorted(faan.read_graph(factory).triples()) == sorted(set(GRAPH))


@pytest.mark.parametrize("kind", EXAMPLES)
def test_examples_come_in_any_form(completer: Completer, kind: str) -> None:
    found = completer.suggest(examples=EXAMPLES[kind](), heads="land9", top=3)
    assert list(found) == list(completer.suggest(FIVE, heads=["land9"], top=3))


def test_examples_come_from_a_file(completer: Completer, tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{head}\t{tail}\n" for head, tail in FIVE), encoding="utf-8")
    assert completer.suggest(path, heads="land9")[0] == completer.suggest(FIVE, heads="land9")[0]
    with pytest.raises(InputError, match=r"no relation is called .* pass Path\("):
        completer.suggest(str(path))


def test_suggestions_become_examples(completer: Completer) -> None:
    accepted = completer.suggest(FIVE, heads=["land7", "land8"], top=1)
    more = completer.suggest([*FIVE, *accepted], heads="land9", top=1)[0]
    assert "7 of 7" in more.because[0]
    assert completer.score(accepted, FIVE) == list(accepted)


@pytest.mark.parametrize("kind", NAMES)
def test_heads_and_tails_come_in_any_form(completer: Completer, kind: str) -> None:
    names = ["land9", "land12"]
    assert [one.head for one in completer.suggest(FIVE, NAMES[kind](names), top=1)] == names
    towns = ["town9a", "town12a"]
    assert [one.tail for one in completer.suggest(FIVE, tails=NAMES[kind](towns), top=1)] == towns


def test_one_name_is_one_head_or_tail(completer: Completer) -> None:
    assert completer.suggest(FIVE, heads="land9", top=1)[0].tail == "town9a"
    assert completer.suggest(FIVE, tails="town9a", top=1)[0].head == "land9"
    assert faan.fit(GRAPH, method="rules", without="sits_in").about.source.without == ("sits_in",)


def test_one_pair_is_one_example(completer: Completer) -> None:
    assert completer.suggest(("land1", "town1a"), heads="land9")[0].low_evidence


def test_numbers_are_names_as_they_are_in_a_graph() -> None:
    completer = faan.fit([(i, "next", i + 1) for i in range(9)], method="rules")
    assert [one.head for one in completer.suggest([(0, 2), (1, 3)], heads=np.array([4, 5]), top=1)] == ["4", "5"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"examples": 5}, "examples: expected pairs of head and tail, found int 5"),
        ({"examples": ["land1", "town1a"]}, r"expected pairs \(head, tail\), found 'land1'"),
        ({"examples": [("land1", "lies_in", "town1a")]}, "leave the relation out"),
        ({"examples": pl.DataFrame({"a": ["x"], "b": ["y"], "c": ["z"]})}, r"3 columns \(a, b, c\); select these two"),
        ({"examples": [("land1", None)]}, "examples: expected a name, found None"),
        ({"examples": pd.DataFrame({"head": ["land1"], "tail": [float("nan")]})}, "a name is missing"),
        ({"heads": 5}, "heads: expected a name or a list of names, found int 5"),
        ({"heads": Path("names.txt")}, "heads: expected a name or a list of names"),
        ({"heads": [("land1", "town1a")]}, "heads: expected a name, found"),
        ({"heads": pd.DataFrame({"a": ["x"], "b": ["y"]})}, r"a table of 2 columns \(a, b\); pass one column of it"),
        ({"tails": [b"town1a"]}, "tails: expected a name, found b'town1a'"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(completer: Completer, given: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        completer.suggest(**({"examples": FIVE} | given))


@pytest.mark.parametrize("source", [{"head": ["a"], "relation": ["r"], "tail": ["b"]}, 7])
def test_what_holds_no_graph_is_refused_in_words(source: Any) -> None:
    with pytest.raises(InputError, match="expected"):
        faan.fit(source)


def test_a_list_of_texts_is_one_of_files() -> None:
    with pytest.raises(InputError, match=r"a: cannot be opened \(No such file or directory\)"):
        faan.fit(["a", "r", "b"])


def test_a_graph_that_was_read_keeps_its_settings() -> None:
    graph = faan.read_graph(GRAPH)
    assert faan.read_graph(graph) is graph
    with pytest.raises(InputError, match="types are fixed"):
        faan.read_graph(graph, type_relations=["is"])
