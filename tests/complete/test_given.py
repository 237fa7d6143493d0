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


WRONG: list[Any] = [None, 3.5, True, b"x", "", object(), ["a"], {"a": 1}, float("nan"), -1, "3", Path("none/here")]
Call = Callable[[Completer, Any], object]
ARGUMENTS: dict[str, tuple[Call, set[int]]] = {  # how to pass a wrong argument, and the places of those that are right
    "examples": (lambda it, wrong: it.suggest(wrong), set()),
    "heads": (lambda it, wrong: it.suggest(FIVE, wrong), {0}),
    "tails": (lambda it, wrong: it.suggest(FIVE, tails=wrong), {0}),
    "top": (lambda it, wrong: it.suggest(FIVE, top=wrong), set()),
    "known": (lambda it, wrong: it.suggest(FIVE, known=wrong), set()),
    "rejected": (lambda it, wrong: it.suggest(FIVE, rejected=wrong), set()),
    "not_like": (lambda it, wrong: it.suggest("sits in or lies", not_like=wrong), set()),
    "strict": (lambda it, wrong: it.suggest(FIVE, strict=wrong), set()),
    "min_probability": (lambda it, wrong: it.suggest(FIVE, min_probability=wrong), set()),
    "progress": (lambda it, wrong: it.suggest(FIVE, progress=wrong), {2}),
    "pairs to score": (lambda it, wrong: it.score(wrong, FIVE), set()),
    "examples to score": (lambda it, wrong: it.score(FIVE, wrong), set()),
    "head to explain": (lambda it, wrong: it.explain(wrong, "town9a", FIVE), set()),
    "tail to explain": (lambda it, wrong: it.explain("land9", wrong, FIVE), set()),
    "heads lacking": (lambda it, wrong: it.heads_lacking(FIVE, strict=wrong), set()),
    "trust": (lambda it, wrong: it.trust(wrong), set()),
    "place to save": (lambda it, wrong: it.save(wrong), {10, 11}),
    "file of suggestions": (lambda it, wrong: it.suggest(FIVE, "land9", top=1).save(wrong), set()),
    "picture": (lambda it, wrong: it.explain("land9", "town9a", FIVE).save(wrong), set()),
    "load": (lambda it, wrong: faan.load(wrong), set()),
    "fit": (lambda it, wrong: faan.fit(wrong, method="rules"), set()),
    "method": (lambda it, wrong: faan.fit(it.graph, method=wrong), {0, 4}),
    "config": (lambda it, wrong: faan.fit(it.graph, config=wrong), {0}),
    "without": (lambda it, wrong: faan.fit(it.graph, without=wrong), set()),
    "seed": (lambda it, wrong: faan.fit(it.graph, seed=wrong), set()),
    "on_progress": (lambda it, wrong: faan.fit(it.graph, on_progress=wrong), {0}),
    "source": (lambda it, wrong: faan.read_graph(wrong), set()),
    "columns": (lambda it, wrong: faan.read_graph(GRAPH, columns=wrong), {0}),
    "nodes": (lambda it, wrong: faan.read_graph(GRAPH, nodes=wrong), set()),
    "schema": (lambda it, wrong: faan.read_graph(GRAPH, schema=wrong), set()),
    "languages": (lambda it, wrong: faan.read_graph(GRAPH, languages=wrong), {4, 6, 7, 10}),
    "type_relations": (lambda it, wrong: faan.read_graph(GRAPH, type_relations=wrong), set()),
    "type_pattern": (lambda it, wrong: faan.read_graph(GRAPH, type_pattern=wrong), {0, 4}),
    "predicates": (lambda it, wrong: faan.read_graph(GRAPH, predicates=wrong), set()),
    "endpoint": (lambda it, wrong: faan.read_graph(GRAPH, endpoint=wrong), {0}),
    "skip_bad_lines": (lambda it, wrong: faan.read_graph(GRAPH, skip_bad_lines=wrong), {2}),
    "open_graph": (lambda it, wrong: faan.open_graph(wrong), set()),
    "graph to save": (lambda it, wrong: faan.save_graph(wrong, "here"), set()),
    "read_benchmark": (lambda it, wrong: faan.read_benchmark(wrong), set()),
    "benchmark to write": (lambda it, wrong: faan.write_benchmark(wrong, "here"), set()),
    "settings": (lambda it, wrong: faan.build_benchmark(it.graph, wrong), {0}),
    "entity": (lambda it, wrong: it.graph.entity(wrong), set()),
    "relation": (lambda it, wrong: it.graph.relation(wrong), set()),
}


@pytest.mark.parametrize("argument", ARGUMENTS)
def test_wrong_arguments_are_refused_when_they_are_given(
    completer: Completer, argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    call, right = ARGUMENTS[argument]
    for place, wrong in enumerate(WRONG):
        if place not in right:
            with pytest.raises(InputError):
                call(completer, wrong)


def test_an_error_about_an_argument_says_what_was_expected_and_what_came(completer: Completer) -> None:
    wrong: Any = "3"
    with pytest.raises(InputError, match=r"^top: expected a whole number, 1 or more, found str '3'$"):
        completer.suggest(FIVE, top=wrong)
    with pytest.raises(InputError, match=r"^min_probability: expected a number from 0 to 1, found float 1.5$"):
        completer.suggest(FIVE, min_probability=1.5)
    wrong = "Peru"
    with pytest.raises(InputError, match=r"entity: expected an id \(graph.entity\(name\) gives it\), found str 'Peru'"):
        completer.graph.entity_label(wrong)


def test_numbers_of_numpy_are_numbers(completer: Completer) -> None:
    numbers: dict[str, Any] = {"top": np.int64(2), "min_probability": np.float32(0), "strict": np.False_}
    assert len(completer.suggest(FIVE, "land9", **numbers)) == 2


def test_one_text_is_one_type_relation() -> None:
    assert faan.read_graph(GRAPH, type_relations="is").types is not None


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
