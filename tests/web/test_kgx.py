"""Decided facts and suggestions in KGX."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.complete import Suggestion, header, line_writer
from faan.graph import Graph, Terms, read_graph, save_graph
from faan.web import Decisions
from faan.web.decision import NewDecision

from .test_export import NAMES, decision, text

Faan = Callable[..., tuple[int, str, str]]
NODES = (
    "id\tcategory\tname\tdescription\n"
    "D:1\tbiolink:Drug|biolink:SmallMolecule\taspirin\ta drug\n"
    "M:2\tbiolink:Disease\tpain\t\n"
)


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    (tmp_path / "in_nodes.tsv").write_text(NODES)
    (tmp_path / "in_edges.tsv").write_text("subject\tpredicate\tobject\nD:1\tbiolink:affects\tM:2\nD:1\tother\tX:3\n")
    return read_graph([tmp_path / "in_nodes.tsv", tmp_path / "in_edges.tsv"])


def rows(content: str) -> list[dict[str, str]]:
    columns, *lines = (line.split("\t") for line in content.splitlines())
    return [dict(zip(columns, line, strict=True)) for line in lines]


def test_an_accepted_fact_is_a_prediction_that_a_person_validated(graph: Graph) -> None:
    facts = [decision("D:1", "biolink:treats", "M:2"), decision("D:1", "biolink:treats", "X:3", "rejected")]
    accepted, rejected = rows(text(facts, "kgx", "all", graph=graph))
    assert accepted["id"].startswith("urn:uuid:")
    assert accepted["id"] != rejected["id"]
    del accepted["id"]
    assert accepted == {
        "subject": "D:1",
        "predicate": "biolink:treats",
        "object": "M:2",
        "category": "biolink:Association",
        "knowledge_level": "prediction",
        "agent_type": "manual_validation_of_automated_agent",
        "primary_knowledge_source": "",
        "has_confidence_score": "0.9",
        "negated": "",
        "update_date": "2026-01-01",
    }
    assert rejected["negated"] == "true"
    first, _ = (json.loads(line) for line in text(facts, "kgx-jsonl", "all", graph=graph).splitlines())
    assert (first["category"], first["has_confidence_score"], "negated" in first) == (
        ["biolink:Association"],
        0.9,
        False,
    )


def test_nodes_have_what_the_graph_knows_of_them(graph: Graph) -> None:
    facts = [decision("D:1", "biolink:treats", "M:2"), decision("D:1", "biolink:treats", "X:3")]
    assert text(facts, "kgx-nodes", graph=graph) == NODES + "X:3\tbiolink:NamedThing\t\t\n"
    assert rows(text(facts, "kgx-nodes"))[0]["category"] == "biolink:NamedThing"  # without a graph
    nodes = [json.loads(line) for line in text(facts, "kgx-jsonl-nodes", graph=graph).splitlines()]
    assert nodes[0]["category"] == ["biolink:Drug", "biolink:SmallMolecule"]
    assert nodes[2] == {"id": "X:3", "category": ["biolink:NamedThing"]}


def test_a_suggestion_that_nobody_judged_is_of_a_computational_model() -> None:
    line = line_writer("kgx", "biolink:treats", Terms())
    (row,) = rows(header("kgx") + line(Suggestion("D:1", "M:2", 1.5, 0.75, 1, False, (), ())))
    assert (row["knowledge_level"], row["agent_type"]) == ("prediction", "computational_model")
    assert (row["subject"], row["predicate"], row["object"]) == ("D:1", "biolink:treats", "M:2")
    assert row["has_confidence_score"] == "0.75"
    as_json = line_writer("kgx-jsonl", "biolink:treats", Terms(), "infores:my-lab")
    edge = json.loads(header("kgx-jsonl") + as_json(Suggestion("D:1", "M:2", 1.5, 0.75, 1, False, (), ())))
    assert (edge["id"], edge["agent_type"], edge["object"]) == (row["id"], "computational_model", "M:2")
    assert (row["primary_knowledge_source"], edge["primary_knowledge_source"]) == ("", "infores:my-lab")


@pytest.mark.parametrize("ending", ["tsv", "jsonl"])
def test_what_is_exported_is_read_as_a_graph(faan: Faan, tmp_path: Path, graph: Graph, ending: str) -> None:
    save_graph(graph, tmp_path / "graph")
    decisions = Decisions(tmp_path / "decisions.sqlite")
    decisions.decide(NewDecision("Ana", "biolink:treats", "D:1", "M:2", "accepted", probability=0.75))
    edges, nodes = tmp_path / f"out_edges.{ending}", tmp_path / f"out_nodes.{ending}"
    code, _, err = faan("export", tmp_path, "-o", edges, "--knowledge-source", "infores:my-lab")
    assert code == 0, err
    assert err.startswith("1 fact as KGX edges")
    assert str(nodes) in err.replace(" ", "").replace("\n", "")
    assert "infores:my-lab" in edges.read_text()
    again = read_graph([edges, nodes])
    assert list(again.triples()) == [("D:1", "biolink:treats", "M:2")]
    assert again.entity("pain") == 1
    nodes.write_text("mine")
    edges.unlink()
    code, _, err = faan("export", tmp_path, "-o", edges)
    assert (code, "exists" in err, edges.exists()) == (1, True, False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--format", "kgx", "--knowledge-source", "my lab"), "expected a knowledge source such as infores:my-lab"),
        (("--format", "ttl", "--knowledge-source", "infores:x"), "a knowledge source can be given in KGX only"),
        (("--format", "kgx", "--node-key", "x"), "can be given in Cypher only"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    faan: Faan, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    Decisions(tmp_path / "decisions.sqlite").close()
    code, out, err = faan("export", tmp_path, *arguments)
    assert (code, out) == (1, "")
    assert message in err


@given(NAMES, NAMES, NAMES)
def test_any_name_survives_json_lines_and_stays_in_its_cell(head: str, relation: str, tail: str) -> None:
    facts = [decision(head, relation, tail)]
    row = json.loads(text(facts, "kgx-jsonl"))
    assert (row["subject"], row["predicate"], row["object"]) == (head, relation, tail)
    content = text(facts, "kgx")
    assert content.count("\n") == 2
    assert {line.count("\t") for line in content.split("\n")[:-1]} == {10}


@given(st.sets(st.tuples(NAMES, NAMES, NAMES), min_size=2, max_size=4))
def test_different_facts_have_different_ids(facts: set[tuple[str, str, str]]) -> None:
    content = text([decision(*fact) for fact in facts], "kgx-jsonl")
    assert len({json.loads(line)["id"] for line in content.split("\n")[:-1]}) == len(facts)
