"""A graph from several files: facts here, labels and types there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from faan.base import InputError
from faan.graph import Graph, open_graph, read_graph, save_graph

Write = Callable[[str, str | bytes], Path]
Run = Callable[..., tuple[int, str, str]]
FACTS = "Q1\tP1\tQ2\nQ3\tP1\tQ4\n"
TRIPLES = [("Q1", "P1", "Q2"), ("Q3", "P1", "Q4")]


def types_of(graph: Graph, name: str) -> list[str]:
    assert graph.types is not None
    return [graph.types.label(int(kind)) for kind in graph.types.of(graph.entity(name))]


def test_facts_labels_and_types_in_three_files_are_one_graph(write: Write) -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    graph = read_graph(
        [
            write("facts.nt", "<http://x/Peru> <http://x/capital> <http://x/Lima> .\n"),
            write("labels.ttl", f'<http://x/Peru> {label} "Peru" . <http://x/capital> {label} "has capital" .'),
            write("types.tsv", "http://x/Peru\thttp://x/Country\nhttp://x/Lima\thttp://x/City\n"),
        ]
    )
    assert list(graph.triples()) == [("http://x/Peru", "http://x/capital", "http://x/Lima")]
    assert graph.entity_label(0) == "Peru"
    assert graph.relation_label(0) == "has capital"
    assert types_of(graph, "http://x/Lima") == ["http://x/City"]
    assert graph.report.format == "n-triples and turtle"
    assert graph.report.source.endswith("facts.nt and 2 more files")


LABELS = {
    "labels.tsv": "Q1\tPeru\nP1\thas capital\n",
    "with-header.tsv": "id\tlabel\nQ1\tPeru\nP1\thas capital\n",
    "labels.csv": 'Q1,"Peru"\nP1,has capital\n',
    "labels.json": '{"Q1": "Peru", "P1": "has capital"}',
    "entities.json": '{"Q1": {"label": "Peru", "description": "a country"}, "P1": {"label": "has capital"}}',
    "nodes.tsv": "id\tname\tother\nQ1\tPeru\t7\nP1\thas capital\t8\n",
    "labels-below-blank-lines.csv": "\n \nQ1,Peru\nP1,has capital\n",
    "nodes-below-blank-lines.csv": "\n\nid,name,other\nQ1,Peru,7\nP1,has capital,8\n",
}
TYPES = {
    "types.tsv": "Q1\tQ10\nQ1\tQ11\nQ2\tQ12\n",
    "with-header.tsv": "entity\ttype\nQ1\tQ10|Q11\nQ2\tQ12\n",
    "with-empty-parts.tsv": "entity\ttype\nQ1\tQ10||Q11|\nQ2\tQ12\n",
    "types.json": '{"Q1": ["Q10", "Q11"], "Q2": "Q12"}',
    "entities.json": '{"Q1": {"types": ["Q10", "Q11"]}, "Q2": {"type": "Q12"}}',
}


@pytest.mark.parametrize("as_option", [True, False])
@pytest.mark.parametrize("name", LABELS)
def test_labels_of_entities_and_relations_come_in_many_layouts(write: Write, name: str, as_option: bool) -> None:
    facts, labels = write("facts.tsv", FACTS), write(name, LABELS[name])
    graph = read_graph(facts, labels=labels) if as_option else read_graph([facts, labels])
    assert (graph.entity_label(0), graph.relation_label(0)) == ("Peru", "has capital")
    assert graph.types is None
    assert list(graph.triples()) == TRIPLES


@pytest.mark.parametrize("as_option", [True, False])
@pytest.mark.parametrize("name", TYPES)
def test_types_come_in_many_layouts(write: Write, name: str, as_option: bool) -> None:
    facts, types = write("facts.tsv", FACTS), write(name, TYPES[name])
    graph = read_graph(facts, types=[types]) if as_option else read_graph([facts, types])
    assert types_of(graph, "Q1") == ["Q10", "Q11"]
    assert types_of(graph, "Q2") == ["Q12"]
    assert list(graph.triples()) == TRIPLES


def test_types_are_shown_by_their_labels_which_are_saved_with_the_graph(write: Write, tmp_path: Path) -> None:
    graph = read_graph(
        write("facts.tsv", FACTS),
        types=write("entity2types.json", '{"Q1": ["Q10"], "Q2": ["Q11"]}'),
        labels=write("types.json", '{"Q10": {"label": "country"}}'),
    )
    save_graph(graph, tmp_path / "saved")
    for one in (graph, open_graph(tmp_path / "saved"), read_graph([tmp_path / "saved"])):
        assert types_of(one, "Q1") == ["country"]
        assert types_of(one, "Q2") == ["Q11"]
        assert one.report.unused_nodes == 0


def test_surplus_rows_are_counted_for_each_file(write: Write, faan: Run) -> None:
    facts = write("facts.tsv", FACTS)
    labels = write("labels.tsv", "Q1\tPeru\nQ7\tNowhere\nQ8\tElsewhere\n")
    types = write("types.tsv", "Q1\tQ10\n")
    code, out, _ = faan("check", facts, labels, types)
    assert code == 0
    assert f"note: {labels}: 3 labels; 2 of the 3 names that it describes are in no triple" in out
    assert f"note: {types}: 1 type\n" in out
    assert "2 nodes have a label or type but are in no triple" in out


def test_a_saved_graph_takes_labels_and_more_facts(write: Write, tmp_path: Path) -> None:
    save_graph(read_graph(write("facts.tsv", FACTS)), tmp_path / "saved")
    labels = write("labels.tsv", "Q1\tPeru\n")
    assert read_graph(tmp_path / "saved", labels=labels).entity_label(0) == "Peru"
    more = read_graph([tmp_path / "saved", write("more.tsv", "Q5\tP2\tQ1\n"), labels])
    assert list(more.triples()) == [*TRIPLES, ("Q5", "P2", "Q1")]
    assert more.entity_label(0) == "Peru"
    assert read_graph(read_graph(TRIPLES), labels=labels).entity_label(0) == "Peru"


def test_a_folder_of_files_is_one_graph_and_says_what_it_left(write: Write, tmp_path: Path) -> None:
    write("parts/b.nt", "<http://x/c> <http://x/p> <http://x/d> .\n")
    write("parts/a.ttl", "<http://x/a> <http://x/p> <http://x/b> .\n")
    write("parts/README.md", "about it")
    write("parts/._b.nt", b"\x00\x05\x16\x07")  # macOS writes such files
    graph = read_graph(tmp_path / "parts")
    assert [head for head, _, _ in graph.triples()] == ["http://x/a", "http://x/c"]
    left, *gave = sorted(graph.report.notes, key=len, reverse=True)
    assert left.endswith("not read, because their endings are of no format: README.md")
    assert sorted(gave) == [f"{tmp_path}/parts/{name}: 1 triple" for name in ("a.ttl", "b.nt")]
    assert graph.report.source == str(tmp_path / "parts")
    more = read_graph([tmp_path / "parts", write("c.tsv", FACTS)])
    assert more.report.source == f"{tmp_path}/parts and 1 more file"


def test_nodes_without_a_name_are_different_ones_in_different_files(write: Write) -> None:
    ntriples = "_:x <http://x/p> <http://x/a> .\n"
    graph = read_graph(
        [write("one.nt", ntriples), write("two.nt", ntriples), write("three.ttl", "[] <http://x/p> [] .")]
    )
    assert [head for head, _, _ in graph.triples()] == ["_:x", "_:f2.x", "_:f3.b0"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("labels.json", '{"Q1": 7}', "found 7 for 'Q1'"),
        ("labels.json", '{"Q1": {"label": 7}}', "found 7 for 'Q1'"),
        ("labels.json", '{"Q1": "Peru"', r"line 1: not JSON"),
        ("labels.json", '{"a": ' * 100_000, r"not JSON"),
        ("labels.json", '["Peru"]', r'expected {"Q1": "label"}, .*, found json-ld'),
        ("labels.tsv", "Q1\tPeru\tmore\n", r"line 1: expected a name and its label, found 'Q1\\tPeru\\tmore'"),
        ("labels.tsv", "Q1\tPeru\nQ2\n", r"line 2: expected a name and its label, found 'Q2'"),
        ("labels.ttl", "<http://x/a> <http://x/p> <http://x/b> .", "found turtle; give it as one more file"),
    ],
)
def test_bad_labels_are_one_clear_sentence(write: Write, name: str, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_graph(write("facts.tsv", FACTS), labels=write(name, content))
    assert name in str(caught.value)


def test_bad_lines_of_labels_can_be_skipped(write: Write) -> None:
    labels = write("labels.tsv", "Q1\tPeru\nQ2\n")
    graph = read_graph(write("facts.tsv", FACTS), labels=labels, skip_bad_lines=True)
    assert graph.entity_label(0) == "Peru"
    assert graph.report.skipped == 1


def test_files_without_any_fact_are_an_error(write: Write) -> None:
    with pytest.raises(InputError, match=r"there is no triple in it \(only 3 types\)"):
        read_graph([write("types.json", TYPES["types.json"])])


def test_two_columns_that_say_nothing_are_an_error(write: Write) -> None:
    with pytest.raises(InputError, match=r"at least 3 columns .* tables of labels or types with --labels"):
        read_graph([write("facts.tsv", FACTS), write("unclear.tsv", "Q1\tPeru\n")])


def test_columns_are_for_the_tables_among_the_files(write: Write) -> None:
    table, turtle = (
        write("facts.tsv", "a\tb\tc\nP\tx\ty\n"),
        write("more.ttl", "<http://x/a> <http://x/p> <http://x/b> ."),
    )
    graph = read_graph([table, turtle], columns=("b", "a", "c"))
    assert next(graph.triples()) == ("x", "P", "y")
    with pytest.raises(InputError, match="none of the files is one"):
        read_graph([turtle, turtle], columns=("b", "a", "c"))


def test_the_commands_take_several_files(write: Write, faan: Run) -> None:
    facts, more = write("facts.tsv", FACTS), write("more.tsv", "Q5\tP2\tQ1\n")
    labels, types = write("names.txt", "Q1\tPeru\nP1\tcapital\n"), write("kinds.txt", "Q1\tcountry\n")
    code, out, _ = faan("check", facts, more, "--labels", labels, "--types", types, "--types", types, "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["entities"], found["triples"], found["labelled"], found["typed"]) == (5, 3, 1, 1)
    assert {relation["name"] for relation in found["relations"]} == {"capital", "P2"}


def test_codex_reads_with_its_types_and_labels(codex: Path) -> None:
    splits = [codex / f"{split}.txt" for split in ("train", "valid", "test")]
    graph = read_graph([*splits, *(codex / f"{name}.json" for name in ("entity2types", "types", "relations"))])
    assert (graph.num_entities, graph.num_relations, graph.num_triples) == (2_034, 42, 36_543)
    assert graph.relation_names[graph.relation("cause of death")] == "P509"
    assert graph.types is not None
    assert graph.types.num_typed == 2_034
    assert "human" in {graph.types.label(kind) for kind in range(len(graph.types.names))}
