"""Decided facts as Cypher, run by a database that speaks it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import kuzu
import pytest
from hypothesis import given, settings

from faan.base import InputError
from faan.web import Decisions, NodeKey, cypher_statements
from faan.web.cypher import quoted
from faan.web.decision import Decision, NewDecision

from .test_export import NAMES, decision, text
from .test_kgx import Faan


def unescaped(literal: str) -> str:
    """The text of a literal, which may be a sum of literals."""
    parts = re.findall(r"'((?:[^'\\]|\\.)*)'", literal, re.DOTALL)
    meant = {"n": "\n", "r": "\r", "t": "\t"}
    return re.sub(r"\\(.)", lambda found: meant.get(found[1], found[1]), "".join(parts))


class Database:
    """An empty database in memory with the tables that facts need; Kùzu wants them declared."""

    def __init__(self, *relations: str, label: str = "Entity", key: str = "id") -> None:
        self.connection = kuzu.Connection(kuzu.Database(":memory:", buffer_pool_size=1 << 26))
        self.connection.execute(f"CREATE NODE TABLE {quoted(label)}({quoted(key)} STRING PRIMARY KEY)")
        for relation in relations:
            self.connection.execute(
                f"CREATE REL TABLE {quoted(relation)}(FROM {quoted(label)} TO {quoted(label)}, probability DOUBLE, "
                "score DOUBLE, rank INT64, reviewer STRING, time STRING, model STRING)"
            )
        self.key = key

    def run(self, facts: list[Decision], key: NodeKey | None = None) -> None:
        for query, parameters in cypher_statements(facts, key or NodeKey()):
            self.connection.execute(query, parameters)

    def facts(self) -> list[list[Any]]:
        found = self.connection.execute(
            f"MATCH (h)-[f]->(t) RETURN h.{quoted(self.key)}, label(f), t.{quoted(self.key)}, f.probability, f.reviewer"
        )
        assert isinstance(found, kuzu.QueryResult)
        return sorted(list(row) for row in found.get_all())


def test_a_database_holds_accepted_facts_once_with_where_they_come_from() -> None:
    database = Database("capital", "has currency")
    facts = [decision("Peru", "capital", "Lima"), decision("Peru", "has currency", "Sol")]
    for _ in range(2):  # merged, not added again
        database.run(facts)
        assert database.facts() == [
            ["Peru", "capital", "Lima", 0.9, "Ana <a>"],
            ["Peru", "has currency", "Sol", 0.9, "Ana <a>"],
        ]
    database.run([decision("Peru", "capital", "Lima", "rejected")])
    assert [fact[1] for fact in database.facts()] == ["has currency"]


@pytest.mark.parametrize("label", ["A Place", "MATCH", "RELATION"])  # words of the statement itself, too
def test_nodes_are_found_by_the_label_and_key_of_the_database(label: str) -> None:
    database = Database("capital", label=label, key="its name")
    database.connection.execute(f"CREATE (n:`{label}` {{`its name`: 'Peru'}})")
    database.run([decision("Peru", "capital", "Lima")], NodeKey(label, "its name"))
    assert database.facts()[0][:3] == ["Peru", "capital", "Lima"]


@given(NAMES, NAMES)
@settings(max_examples=30)
def test_no_name_of_an_entity_breaks_out_of_its_parameter(head: str, tail: str) -> None:
    if "\x00" in head + tail:  # a database of C strings
        return
    database = Database("r")
    database.run([decision(head, "r", tail)])
    assert database.facts() == [[head, "r", tail, 0.9, "Ana <a>"]]


NASTY = [
    "x` {a: 1}) DETACH DELETE n //",
    "'}] ;\nMATCH (n) DETACH DELETE n;",
    "\\' + x",
    "*/ //",
    "`",
    "a\nb\r\tc",
    "\\",
    "{head: 1}",
]


@pytest.mark.parametrize("name", NASTY)
def test_a_relation_may_be_called_anything(name: str) -> None:
    database = Database(name)
    database.run([decision("a", name, "b")])
    head, relation, tail = database.facts()[0][:3]
    assert (head, relation.replace("``", "`"), tail) == ("a", name, "b")  # Kùzu leaves doubled backticks


def rows_of(content: str) -> list[str]:
    """What stands behind `:param rows =>`, on a line of its own."""
    return [line.removeprefix(":param rows => ") for line in content.split("\n") if line.startswith(":param")]


@pytest.mark.parametrize("name", [*NASTY, "\\u0027", "x\\\\u0027"])
def test_the_file_sets_the_same_rows_as_parameters_whatever_names_hold(name: str) -> None:
    facts = [decision(name, "r", name), decision(name, "r", "b", "rejected")]
    content = text(facts, "cypher", "all")
    assert "\\u" not in content  # Neo4j may read it before it looks for quotes
    database = Database("r")
    for written, (query, parameters) in zip(rows_of(content), cypher_statements(facts, NodeKey()), strict=True):
        assert f"\n{query};\n" in content
        found = database.connection.execute(f"RETURN {written} AS rows")
        assert isinstance(found, kuzu.QueryResult)
        ((rows,),) = found.get_all()
        wanted = parameters["rows"][0]
        if not set(name) & set("\n\r\t"):  # which Kùzu does not unescape
            assert rows == [wanted]
        assert unescaped(written.split(", tail: ")[0]) == name


@given(NAMES, NAMES)
def test_any_name_is_one_literal_on_one_line(head: str, tail: str) -> None:
    (written,) = rows_of(text([decision(head, "r", tail)], "cypher"))
    literals = re.findall(r"'(?:[^'\\\n\r]|\\.)*'(?: \+ '(?:[^'\\\n\r]|\\.)*')*", written)
    assert [unescaped(one) for one in literals[:2]] == [head, tail]
    assert len(literals) == 5  # with reviewer, time and model


@pytest.mark.parametrize("name", ["a\\u0060b", "a\x00", ""])
def test_a_relation_that_cypher_would_misread_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="Cypher cannot hold the name"):
        text([decision("a", name, "b")], "cypher")


def test_internal_numbers_match_nodes_and_make_none() -> None:
    key = NodeKey(property="_id")
    ((query, parameters),) = cypher_statements([decision("188", "KNOWS", "189")], key)
    assert "MATCH (head) WHERE id(head) = row.head" in query
    assert "MERGE (head)-[f:`KNOWS`]->(tail)" in query
    assert parameters["rows"][0]["head"] == 188
    with pytest.raises(InputError, match="'Peru' is not an internal number"):
        list(cypher_statements([decision("Peru", "KNOWS", "189")], key))


def test_many_facts_are_several_statements() -> None:
    pieces = list(cypher_statements([decision("a", "r", f"b{i}") for i in range(1200)], NodeKey()))
    assert [len(parameters["rows"]) for _, parameters in pieces] == [500, 500, 200]
    assert len({query for query, _ in pieces}) == 1  # so a database plans it once


def test_the_command_writes_cypher(faan: Faan, tmp_path: Path) -> None:
    decisions = Decisions(tmp_path / "decisions.sqlite")
    decisions.decide(NewDecision("Ana", "capital", "Peru", "Lima", "accepted", probability=0.75))
    code, _, err = faan("export", tmp_path, "-o", tmp_path / "x.cypher", "--node-label", "Place", "--node-key", "name")
    assert (code, err.startswith("1 fact as Cypher")) == (0, True), err
    written = (tmp_path / "x.cypher").read_text()
    assert "MERGE (head:`Place` {`name`: row.head})" in written
    assert "probability: 0.75" in written
    decisions.undo(1, "Ana")
    assert faan("export", tmp_path, "--format", "cypher")[1] == "// nothing was decided\n"
