"""Biomedical graphs: KGX as tables and JSON Lines; the layouts of Hetionet, PrimeKG and Monarch."""

from __future__ import annotations

import csv
import gzip
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.base import InputError
from faan.graph import Graph, read_graph, table_layout, tables

Write = Callable[[str, str | bytes], Path]

NODES: list[dict[str, Any]] = [
    {"id": "HGNC:1100", "category": ["biolink:Gene", "biolink:NamedThing"], "name": "BRCA1"},
    {"id": "MONDO:7254", "category": ["biolink:Disease"], "name": "breast cancer", "description": "a disease"},
    {"id": "CHEBI:1", "category": ["biolink:Drug"], "name": "aspirin"},
]
EDGES: list[dict[str, Any]] = [
    {"id": "e1", "subject": "HGNC:1100", "predicate": "biolink:causes", "object": "MONDO:7254", "score": 0.5},
    {"id": "e2", "subject": "CHEBI:1", "predicate": "biolink:treats", "object": "MONDO:7254", "publications": ["P:1"]},
]
TRIPLES = [("HGNC:1100", "biolink:causes", "MONDO:7254"), ("CHEBI:1", "biolink:treats", "MONDO:7254")]


def tsv(rows: list[dict[str, Any]]) -> str:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    lines = ["\t".join(columns)]
    for row in rows:
        cells = [row.get(column, "") for column in columns]
        lines.append("\t".join("|".join(cell) if isinstance(cell, list) else str(cell) for cell in cells))
    return "\n".join(lines) + "\n"


def jsonl(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def kgx(write: Write, folder: str, ending: str) -> Path:
    text = {"tsv": tsv, "jsonl": jsonl}[ending]
    write(f"{folder}/small_nodes.{ending}", text(NODES))
    return write(f"{folder}/small_edges.{ending}", text(EDGES)).parent


def archive(folder: Path, to: Path, inside: str = "") -> Path:
    with tarfile.open(to, "w:gz") as tar:
        for file in sorted(folder.iterdir()):
            tar.add(file, f"{inside}{file.name}")
    return to


def types_of(graph: Graph, name: str) -> list[str]:
    assert graph.types is not None
    return [graph.types.names[int(kind)] for kind in graph.types.of(graph.entity(name))]


@pytest.mark.parametrize("ending", ["tsv", "jsonl"])
def test_kgx_is_read_from_files_a_folder_or_an_archive(write: Write, tmp_path: Path, ending: str) -> None:
    folder = kgx(write, "kgx", ending)
    nodes, edges = folder / f"small_nodes.{ending}", folder / f"small_edges.{ending}"
    packed = archive(folder, tmp_path / "kgx.tar.gz")
    below = archive(folder, tmp_path / "below.tar.gz", inside="kgx/")
    for graph in (
        read_graph([nodes, edges]),
        read_graph(edges, nodes=nodes),
        read_graph(folder),
        read_graph(packed),
        read_graph(below),
    ):
        assert list(graph.triples()) == TRIPLES
        assert types_of(graph, "BRCA1") == ["biolink:Gene", "biolink:NamedThing"]
        assert graph.entity_description(graph.entity("breast cancer")) == "a disease"


def test_compressed_files_in_a_folder_or_an_archive_are_read(write: Write, tmp_path: Path) -> None:
    write("kgx/a_nodes.tsv.gz", gzip.compress(tsv(NODES).encode()))
    folder = write("kgx/a_edges.tsv.gz", gzip.compress(tsv(EDGES).encode())).parent
    for source in (folder, archive(folder, tmp_path / "kgx.tar.gz")):
        graph = read_graph(source)
        assert list(graph.triples()) == TRIPLES
        assert graph.entity("aspirin") == 2


def test_json_lines_are_recognised_by_their_content_and_take_other_names(write: Write) -> None:
    assert list(read_graph(write("graph", jsonl(EDGES))).triples()) == TRIPLES
    assert list(read_graph(write("graph.json", jsonl(EDGES))).triples()) == TRIPLES
    rows = "".join(json.dumps({"head": h, "relation": r, "tail": t}) + "\n" for h, r, t in TRIPLES)
    assert list(read_graph(write("graph.ndjson", rows)).triples()) == TRIPLES
    other = '{"a": "x", "b": 7, "c": "y"}\n'
    assert list(read_graph(write("other.jsonl", other), columns=("a", "b", "c")).triples()) == [("x", "7", "y")]


def test_keys_of_json_lines_are_known_in_any_letter_case(write: Write) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "e", "Subject": "a", "PREDICATE": "p", "Object": "b"},
        {"ID": "a", "Category": ["c"], "Name": "A"},
    ]
    for name in ("graph.jsonl", "graph.json"):  # told by its ending, by its content
        graph = read_graph(write(name, jsonl(rows)))
        assert list(graph.triples()) == [("a", "p", "b")]
        assert (graph.entity_label(0), types_of(graph, "A")) == ("A", ["c"])


def test_a_node_may_be_an_id_alone(write: Write) -> None:
    rows: list[dict[str, Any]] = [
        {"id": "a"},
        {"id": "b", "name": "B"},
        {"subject": "a", "predicate": "p", "object": "b"},
    ]
    for name in ("graph.jsonl", "graph.json"):
        graph = read_graph(write(name, jsonl(rows)))
        assert list(graph.triples()) == [("a", "p", "b")]
        assert graph.entity_label(1) == "B"


def test_a_chosen_predicate_or_category_that_is_nearly_right_is_named(write: Write) -> None:
    edges = write("edges.tsv", "subject\tpredicate\tobject\nD:1\tbiolink:treats\tM:1\n")
    nodes = write("nodes.tsv", "id\tcategory\tname\nD:1\tbiolink:Drug\tAspirin\n")
    with pytest.raises(InputError, match=r"no relation is called 'treat'\. Did you mean 'biolink:treats'\?"):
        read_graph([edges, nodes], predicates=["treat"])
    with pytest.raises(InputError, match=r"no entity is of the class drugs; did you mean 'biolink:Drug'\?"):
        read_graph([edges, nodes], classes=["drugs"])


EDGE = '{"subject": "a", "predicate": "p", "object": "b"}\n'
OTHER = '{"subject": "c", "predicate": "p", "object": "b"}\n'
BAD = {
    '{"subject": "a", "object": "b"}': "line 2: KGX edges need subject, predicate, object; predicate is missing in",
    '{"subject": "a"}': "line 2: KGX edges need subject, predicate, object; predicate and object are missing in",
    '{"x": 1}': "line 2: expected a fact such as",
    "[1]": "line 2: expected a fact such as",
    "{": r"line 2: not JSON \(",
    '{"subject": "", "predicate": "p", "object": "b"}': "line 2: the head is empty; expected a name",
    '{"subject": [1], "predicate": "p", "object": "b"}': r"line 2: the head is \[1\]; expected text",
    '{"subject": true, "predicate": "p", "object": "b"}': "line 2: the head is True; expected text",
    '{"subject": "a\\u0000", "predicate": "p", "object": "b"}': "line 2: the head has a NUL character",
    '{"id": "n", "category": [{"x": 1}]}': "line 2: the category is",
    '{"id": "n", "name": "' + "x" * 70_000 + '"}': "line 2: a name of 70,000 bytes is too long",
    '{"subject": "\\ud800", "predicate": "p", "object": "b"}': "line 2: not JSON",
}


@pytest.mark.parametrize("line", BAD)
def test_a_bad_json_line_is_named_or_skipped(write: Write, line: str) -> None:
    path = write("graph.jsonl", f"{EDGE}{line}\n{OTHER}")
    with pytest.raises(InputError, match=BAD[line]):
        read_graph(path)
    graph = read_graph(path, skip_bad_lines=True)
    assert (graph.num_triples, graph.report.skipped) == (2, 1)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=30)
NAME = TEXT.filter(lambda text: bool(text.strip(table_layout.BLANK)))


@given(st.lists(st.tuples(NAME, NAME, NAME), min_size=1, max_size=9), st.booleans())
def test_what_is_written_as_json_lines_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, triples: list[tuple[str, str, str]], ascii_only: bool
) -> None:
    rows = [dict(zip(table_layout.KGX, triple, strict=True)) for triple in triples]
    path = tmp_path_factory.mktemp("kgx") / "graph.jsonl"
    path.write_bytes("".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in rows).encode())
    assert list(read_graph(path, type_relations=()).triples()) == list(dict.fromkeys(triples))


@given(st.binary(max_size=60) | st.text(st.sampled_from('{}[]":,ab \n\\'), max_size=40).map(str.encode))
def test_any_bytes_as_json_lines_give_a_graph_or_an_input_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("bytes") / "graph.jsonl"
    path.write_bytes(EDGE.encode() + content)
    for skip in (True, False):
        try:
            assert read_graph(path, skip_bad_lines=skip).num_triples >= 1
        except InputError as error:
            assert not skip or "line" not in str(error), error


@pytest.mark.parametrize("missing", ["subject", "predicate", "object"])
def test_kgx_without_a_required_column_says_which_in_one_sentence(write: Write, missing: str) -> None:
    rows = [{key: value for key, value in row.items() if key != missing} for row in EDGES]
    path = write("small_edges.tsv", tsv(rows))
    wanted = f"line 1: KGX edges need the columns subject, predicate, object; {missing} is missing among id, "
    with pytest.raises(InputError, match=wanted):
        read_graph(path)
    only = [{"id": row["id"], missing: row[missing], "other": "x"} for row in EDGES]
    with pytest.raises(InputError, match=r"KGX edges need the columns .*; \w+ and \w+ are missing among"):
        read_graph(write("one_edges.tsv", tsv(only)))
    without_id = [{key: value for key, value in row.items() if key != "id"} for row in NODES]
    nodes = write("small_nodes.tsv", tsv(without_id))
    edges = write("good_edges.tsv", tsv(EDGES))
    with pytest.raises(InputError, match="line 1: expected a nodes file with the columns id and category and/or name"):
        read_graph(edges, nodes=nodes)


def test_long_tables_of_nodes_take_the_fast_way_and_say_the_same(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    edges = write("edges.tsv", tsv(EDGES))
    nodes = write("nodes.tsv", tsv(NODES))
    fast = read_graph(edges, nodes=nodes)
    monkeypatch.setattr(tables, "_read_fast", lambda *_: None)
    slow = read_graph(edges, nodes=nodes)
    for graph in (fast, slow):
        assert [graph.entity_label(i) for i in range(3)] == ["BRCA1", "breast cancer", "aspirin"]
        assert types_of(graph, "BRCA1") == ["biolink:Gene", "biolink:NamedThing"]


def test_hetionet_is_read_from_its_two_files(write: Write) -> None:
    """`hetionet-v1.0-nodes.tsv` and `hetionet-v1.0-edges.sif.gz` of the folder hetnet/tsv."""
    nodes = write(
        "hetionet-v1.0-nodes.tsv",
        "id\tname\tkind\nGene::9021\tSOCS3\tGene\nBiological Process::GO:0071357\tcellular response to type I "
        "interferon\tBiological Process\nCompound::DB00993\tAzathioprine\tCompound\n",
    )
    text = "source\tmetaedge\ttarget\nGene::9021\tGpBP\tBiological Process::GO:0071357\n"
    text += "Compound::DB00993\tCdG\tGene::9021\n"
    edges = write("hetionet-v1.0-edges.sif.gz", gzip.compress(text.encode()))
    labels = write("relations.tsv", "name\tlabel\nGpBP\tparticipates\nCdG\tdownregulates\n")
    graph = read_graph([edges, nodes], labels=labels)
    assert next(graph.triples()) == ("Gene::9021", "GpBP", "Biological Process::GO:0071357")
    assert types_of(graph, "Azathioprine") == ["Compound"]
    assert graph.relation_label(1) == "downregulates"
    assert not graph.report.skipped


PRIMEKG = "relation,display_relation,x_index,x_id,x_type,x_name,x_source,y_index,y_id,y_type,y_name,y_source"
PRIMEKG_ROWS = [
    row.split("|")
    for row in (
        "protein_protein|ppi|0|9796|gene/protein|PHYHIP|NCBI|1|56992|gene/protein|KIF15|NCBI",
        "indication|indication|2|DB00492|drug|Fosinopril|DrugBank|3|5044|disease|hypertension, malignant|MONDO",
        "parent-child|parent-child|4|3|biological_process|reproduction|GO|5|3|anatomy|a|UBERON",
    )
]


def primekg(rows: list[list[str]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(PRIMEKG.split(","))
    writer.writerows(rows)
    return buffer.getvalue()


def test_primekg_is_read_from_kg_csv_each_fact_once(write: Write) -> None:
    """`kg.csv` lists each fact from its head and from its tail; ids are unique in their source alone."""
    reverse = [[*row[:2], *row[7:], *row[2:7]] for row in PRIMEKG_ROWS]
    graph = read_graph(write("kg.csv", primekg([*PRIMEKG_ROWS, *reverse])))
    assert list(graph.triples()) == [
        ("NCBI:9796", "protein_protein", "NCBI:56992"),
        ("DrugBank:DB00492", "indication", "MONDO:5044"),
        ("GO:3", "parent-child", "UBERON:3"),
    ]
    assert types_of(graph, "hypertension, malignant") == ["disease"]
    assert "3 facts dropped: they repeat a fact from its tail to its head" in graph.report.notes


def test_primekg_is_read_from_edges_and_nodes(write: Write) -> None:
    edges = write("edges.csv", "relation,display_relation,x_index,y_index\nindication,indication,2,3\n")
    nodes = write(
        "nodes.csv",
        "node_index,node_id,node_type,node_name,node_source\n2,DB00492,drug,Fosinopril,DrugBank\n"
        "3,5044,disease,hypertension,MONDO\n",
    )
    graph = read_graph([edges, nodes])
    assert list(graph.triples()) == [("2", "indication", "3")]
    assert types_of(graph, "Fosinopril") == ["drug"]


MONARCH_NODE = "id\tcategory\tname\tdescription\txref\tprovided_by\tsynonym\tfull_name\tin_taxon\tin_taxon_label"
MONARCH_EDGE = (
    "id\toriginal_subject\tpredicate\toriginal_object\tcategory\taggregator_knowledge_source\t"
    "primary_knowledge_source\tprovided_by\tpublications\tqualifiers\tsubject\tobject\tknowledge_level\tagent_type"
)


def test_monarch_is_read_from_its_archive(write: Write, tmp_path: Path) -> None:
    """`monarch-kg.tar.gz` holds `monarch-kg_nodes.tsv` and `monarch-kg_edges.tsv`."""
    write(
        "monarch/monarch-kg_nodes.tsv",
        f"{MONARCH_NODE}\nHGNC:3603\tbiolink:Gene\tFBN1\t\tOMIM:134797|X:1\tingest\t\tfibrillin 1\tNCBITaxon:9606\tH\n"
        'MONDO:0007947\tbiolink:Disease\tMarfan syndrome\tsaid "to be" rare\t\tingest\n',
    )
    folder = write(
        "monarch/monarch-kg_edges.tsv",
        f"{MONARCH_EDGE}\nuuid:1\tOMIM:1\tbiolink:causes\tOMIM:2\tbiolink:CausalGeneToDiseaseAssociation\tinfores:m|"
        "infores:x\tinfores:omim\tingest\t\t\tHGNC:3603\tMONDO:0007947\tknowledge_assertion\tmanual_agent\n",
    ).parent
    graph = read_graph(archive(folder, tmp_path / "monarch-kg.tar.gz"))
    assert list(graph.triples()) == [("HGNC:3603", "biolink:causes", "MONDO:0007947")]
    assert types_of(graph, "Marfan syndrome") == ["biolink:Disease"]
    assert graph.entity_description(1) == 'said "to be" rare'


def test_monarch_is_read_from_denormalized_edges(write: Write) -> None:
    text = (
        "id\tsubject\tsubject_label\tsubject_category\tpredicate\tobject\tobject_label\tobject_category\n"
        "1\tHGNC:3603\tFBN1\tbiolink:Gene\tbiolink:causes\tMONDO:7947\tMarfan syndrome\tbiolink:Disease\n"
        "2\tHGNC:1\t\t\tbiolink:causes\tMONDO:7947\tMarfan syndrome\tbiolink:Disease\n"
    )
    graph = read_graph(write("monarch-kg-denormalized-edges.tsv.gz", gzip.compress(text.encode())))
    assert graph.num_triples == 2
    assert types_of(graph, "Marfan syndrome") == ["biolink:Disease"]
    assert graph.entity_label(graph.entity("HGNC:1")) == "HGNC:1"
