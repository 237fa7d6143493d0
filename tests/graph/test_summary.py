from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.graph import Graph, neighbours, read_graph, summary
from faan.graph.summary import summarise

NAMES = st.sampled_from("abcde")
EDGES = st.lists(st.tuples(NAMES, st.sampled_from(["r", "s", "t"]), NAMES), min_size=1, max_size=60)


def test_a_summary_counts_what_is_there(countries: Graph) -> None:
    summary = summarise(countries)
    assert (summary.entities, summary.triples, len(summary.relations)) == (7, 8, 4)
    assert summary.max_degree == 5
    assert summary.hub == "Peru"
    assert summary.mean_degree == 16 / 7
    capital = next(r for r in summary.relations if r.name == "capital")
    assert (capital.triples, capital.heads, capital.tails) == (2, 2, 2)
    assert (2, 4, 4) in summary.frequencies
    assert sum(count for _, _, count in summary.frequencies) == 4
    assert summary.rare == ()


def test_rare_relations_are_those_with_50_to_500_triples() -> None:
    counts = {"a": 49, "b": 50, "c": 500, "d": 501}
    graph = read_graph([(f"h{i}", name, f"{name}{i}") for name, count in counts.items() for i in range(count)])
    assert [relation.name for relation in summarise(graph).rare] == ["c", "b"]


def test_problems_are_named() -> None:
    rows = [(f"c{i}", "country", f"p{i}") for i in range(20)]
    rows += [(f"p{i}", "hasCity", f"c{i}") for i in range(20)]
    rows += [(f"c{i}", "state", f"p{i}") for i in range(19)]
    problems = "\n".join(summarise(read_graph([*rows, rows[0], ("a", "r", "a")])).problems)
    assert "1 duplicate triple was dropped" in problems
    assert "1 triple links an entity with itself" in problems
    assert "100% of the pairs of country (20) are also linked by hasCity_inv" in problems
    assert "100% of the pairs of state (19) are also linked by country" in problems
    assert "no relation has 50 to 500 triples" in problems


def test_names_that_stand_for_a_missing_value_are_reported() -> None:
    facts = [(f"a{i}", "colour", "NULL" if i % 3 else "red") for i in range(30)]
    facts += [(f"a{i}", "size", "unknown") for i in range(9)]
    assert [one for one in summarise(read_graph(facts)).problems if "missing value" in one] == [
        "'NULL' is an entity with 20 edges; if it stands for a missing value, remove its triples"
    ]


def test_a_table_with_a_row_for_each_entity_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("id,name,city\n" + "".join(f"{i},person {i},city {i % 3}\n" for i in range(30)), encoding="utf-8")
    [problem] = [one for one in summarise(read_graph(file)).problems if "--columns" in one]
    assert "31 triples have 31 different relations" in problem
    rows = [(f"a{i}", f"r{i % 5}", f"b{i}") for i in range(30)]
    assert not any("--columns" in one for one in summarise(read_graph(rows)).problems)


@given(EDGES)
def test_relations_are_the_same_if_they_link_the_same_pairs(edges: list[tuple[str, str, str]]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(summary, "_SAME_LEAST", 1)
        patched.setattr(summary, "_SAME_SHARE", 0.0)
        patched.setattr(summary, "_AT_ONCE", 7)
        found = summarise(read_graph(edges)).same_relations
    facts = sorted(set(edges))
    expected: Counter[tuple[frozenset[str], bool]] = Counter()
    for head, relation, tail in facts:
        for other in "rst":
            if relation < other:
                expected[frozenset((relation, other)), False] += (head, other, tail) in facts
                expected[frozenset((relation, other)), True] += (tail, other, head) in facts
    told = {
        (frozenset((one.smaller, one.larger.removesuffix("_inv"))), one.larger.endswith("_inv")): one.shared
        for one in found
    }
    assert told == {key: count for key, count in expected.items() if count}


@given(EDGES)
def test_heads_and_tails_of_a_relation_are_counted_once(edges: list[tuple[str, str, str]]) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(neighbours, "_ENTITIES", 2)
        counted = {one.name: (one.heads, one.tails) for one in summarise(read_graph(edges)).relations}
    for name in {relation for _, relation, _ in edges}:
        pairs = np.array([(head, tail) for head, relation, tail in edges if relation == name])
        assert counted[name] == tuple(len(np.unique(side)) for side in pairs.T)
