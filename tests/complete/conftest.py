"""A small land that a person can keep in mind: countries, towns, coins, tongues."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tools.attack.small_graph import LANDS, QUICK, facts

from faan.complete import Completer, fit
from faan.graph import Graph, read_graph

COUNTRIES = LANDS
CAPITALS = [(f"land{i}", f"town{i}a") for i in range(COUNTRIES)]  # not in the graph: what is to be found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of a model that has to be trained are slow."""
    for item in items:
        if isinstance(item, pytest.Function) and {"trained", "knowing"} & set(item.fixturenames):
            item.add_marker(pytest.mark.slow)


def rows_of(folder: Path) -> pl.DataFrame:
    """The suggestions of a job, whatever the order of its parts."""
    found = pl.read_parquet(sorted(folder.glob("*.parquet")), glob=False, hive_partitioning=False)
    return found.sort("relation", "head", "rank")


def fit_quickly(graph: Graph) -> Completer:
    """The default method with few trees, which learn from little."""
    return fit(graph, config=str(QUICK))


@pytest.fixture(scope="session")
def land() -> Graph:
    return read_graph(facts(), type_relations=["is"])


@pytest.fixture(scope="session")
def completer(land: Graph) -> Completer:
    """Path rules need no training: fast."""
    return fit(land, method="rules")


@pytest.fixture(scope="session")
def trained() -> Completer:
    """Of a graph with enough relations to learn from: trees weigh the evidence."""
    return fit_quickly(read_graph(facts(trades=27), type_relations=["is"]))


@pytest.fixture(scope="session")
def unmeasured() -> Completer:
    """Of a graph with too few relations to learn from: path rules, and probabilities of another graph."""
    return fit(read_graph([row for row in facts() if row[1] in ("lies_in", "next_to")]))


@pytest.fixture(scope="session")
def knowing() -> Completer:
    """Of a graph with few relations and many facts: trees for its own relations, path rules for new ones."""
    rows = [(f"p{i}", "born_in", f"town{i % 40}") for i in range(900)]
    rows += [(f"p{i}", "speaks", f"tongue{i % 40 // 10}") for i in range(900)]
    rows += [(f"town{i}", "lies_in", f"land{i // 10}") for i in range(40)]
    rows += [(f"p{i}", "knows", f"p{(i + 40) % 900}") for i in range(900)]
    return fit_quickly(read_graph(rows))
