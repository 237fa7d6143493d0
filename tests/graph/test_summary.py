from __future__ import annotations

from faan.graph import Graph, read_graph
from faan.graph.summary import summarise


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
