"""Neo4j's CSV files: apoc's export, and the layouts that neo4j-admin imports."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.base import InputError
from faan.graph import Graph, read_graph, table_layout

Write = Callable[[str, str | bytes], Path]


def types_of(graph: Graph, name: str) -> list[str]:
    assert graph.types is not None
    return [graph.types.names[int(kind)] for kind in graph.types.of(graph.entity(name))]


APOC = """\
"_id","_labels","age","name","_start","_end","_type","name","since"
"188",":User","42","Adam, the first",,,,,
"189",":Admin:User","12","Jim",,,,,
"190",":User","",,,,,,
,,,,"188","189","KNOWS","an edge","1993"
,,,,"188","190","KNOWS","",""
"""


def test_what_apoc_exports_is_a_graph(write: Write) -> None:
    graph = read_graph(write("all.csv", APOC))
    assert list(graph.triples()) == [("188", "KNOWS", "189"), ("188", "KNOWS", "190")]
    assert types_of(graph, "Jim") == ["User", "Admin"]
    assert graph.entity_label(0) == "Adam, the first"
    assert graph.entity_label(2) == "190"
    assert graph.report.format == "neo4j"
    without_quotes = APOC.replace('"Adam, the first"', "Adam").replace('"', "")
    assert list(read_graph(write("plain.csv", without_quotes)).triples()) == list(graph.triples())


@pytest.mark.parametrize("quotes", [True, False])
def test_a_bad_row_of_apoc_is_named_or_skipped(write: Write, quotes: bool) -> None:
    text = APOC.replace('"Adam, the first"', "Adam") + ',,,,"188",,"KNOWS","",""\n'
    path = write("all.csv", text if quotes else text.replace('"', ""))
    with pytest.raises(InputError, match="line 7: the id or head is empty"):
        read_graph(path)
    assert read_graph(path, skip_bad_lines=True).num_triples == 2


MOVIES = 'tt1,"The Matrix",1999,Movie\ntt2,"Speed, 2",1997,Movie;Sequel\n'
ACTORS = 'keanu,"Keanu Reeves",Actor\ncarrie,"Carrie-Anne Moss",Actor\n'
ROLES = "keanu,Neo,tt1,ACTED_IN\ncarrie,Trinity,tt1,ACTED_IN\n"
HEADERS = {
    "movies": "movieId:ID,title,year:int,:LABEL",
    "actors": "personId:ID,name:string,:LABEL",
    "roles": ":START_ID,role,:END_ID,:TYPE",
}
WITH_SPACES = {
    "movies": "movieId:ID(Movie-ID),title,year:int,:LABEL",
    "actors": "personId:ID(Actor-ID){label:Actor},name:string,:LABEL",
    "roles": ":START_ID(Actor-ID),role,:END_ID(Movie-ID),:TYPE",
}
FACTS = [("keanu", "ACTED_IN", "tt1"), ("carrie", "ACTED_IN", "tt1")]
IN_SPACES = [("Actor-ID:keanu", "ACTED_IN", "Movie-ID:tt1"), ("Actor-ID:carrie", "ACTED_IN", "Movie-ID:tt1")]


def import_files(write: Write, headers: dict[str, str], apart: str = "") -> list[Path]:
    """The files of Neo4j's tutorial; with `apart` each header is a file of its own, called after it."""
    files = []
    for name, rows in (("movies", MOVIES), ("actors", ACTORS), ("roles", ROLES)):
        if apart:
            files.append(write(f"import/{apart.format(name)}", headers[name] + "\n"))
        files.append(write(f"import/{name}.csv", ("" if apart else headers[name] + "\n") + rows))
    return files


@pytest.mark.parametrize("apart", ["", "{}-header.csv", "{}_header.csv", "header_{}.csv", "header-{}.csv"])
@pytest.mark.parametrize("spaces", [False, True])
def test_what_neo4j_admin_imports_is_a_graph(write: Write, apart: str, spaces: bool) -> None:
    files = import_files(write, WITH_SPACES if spaces else HEADERS, apart)
    for source in (files, files[0].parent, list(reversed(files)) if "{}" in apart else files):
        graph = read_graph(source)
        assert list(graph.triples()) == (IN_SPACES if spaces else FACTS)
        assert types_of(graph, "The Matrix") == ["Movie"]
        assert graph.entity("Keanu Reeves") == 0


@pytest.mark.parametrize("ending", ["tsv", "txt", "tsv.gz"])
def test_id_spaces_keep_entities_apart_whatever_the_files_are_called(write: Write, ending: str) -> None:
    texts = ("id:ID(Movie)\t:LABEL\n7\tMovie\n", ":START_ID(Person)\t:END_ID(Movie)\t:TYPE\n7\t7\tACTED_IN\n")
    files = [
        write(f"{name}.{ending}", gzip.compress(text.encode()) if ending.endswith("gz") else text)
        for name, text in zip(("movies", "roles"), texts, strict=True)
    ]
    graph = read_graph(files)
    assert list(graph.triples()) == [("Person:7", "ACTED_IN", "Movie:7")]
    assert types_of(graph, "Movie:7") == ["Movie"]


def test_the_header_before_a_file_is_its_own_whatever_it_is_called(write: Write) -> None:
    files = [
        write("h1.header", HEADERS["actors"]),
        write("people.csv", ACTORS),
        write("h2.header", HEADERS["roles"]),
        write("part1.csv", ROLES),
        write("part2.csv", "keanu,Jack,tt2,ACTED_IN\n"),
    ]
    graph = read_graph(files)
    assert graph.num_triples == 3
    assert graph.entity("Keanu Reeves") == 0


def test_biocypher_files_are_read(write: Write) -> None:
    """Semicolons, a header and parts for each kind, and `|` between labels."""
    write("out/Gene-header.csv", ":ID;name;taxon:long;preferred_id;:LABEL")
    write("out/Gene-part000.csv", 'HGNC:1;"BRCA1";9606;"hgnc";Gene|BiologicalEntity\n')
    write("out/Gene-part001.csv", 'HGNC:2;"BRCA2";9606;"hgnc";Gene|BiologicalEntity\n')
    write("out/GeneInteraction-header.csv", ":START_ID;score:double;:END_ID;:TYPE")
    folder = write("out/GeneInteraction-part000.csv", "HGNC:1;0.5;HGNC:2;Interacts\n").parent
    graph = read_graph(folder)
    assert list(graph.triples()) == [("HGNC:1", "Interacts", "HGNC:2")]
    assert types_of(graph, "BRCA2") == ["Gene", "BiologicalEntity"]


def test_errors_name_the_line_of_the_file_and_not_of_its_header(write: Write) -> None:
    files = [write("roles_header.csv", HEADERS["roles"]), write("roles.csv", ROLES + "keanu,x,,ACTED_IN\n")]
    with pytest.raises(InputError, match=r"roles\.csv, line 3: the tail is empty"):
        read_graph(files)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (":START_ID,:END_ID\na,b\n", "relationships need the columns :START_ID, :END_ID and :TYPE"),
        (":START_ID,:TYPE\na,b\n", "relationships need the columns"),
        (":ID,:ID,:LABEL\na,b,c\n", "a column occurs twice in the header"),
        (":ID,name,:LABEL\na,b,c\n", "there is no triple in it"),
        (":ID,name,:LABEL\n", "there is no triple in it"),
        (":START_ID,:END_ID,:TYPE\n" + "x" * 70_000 + ",b,r\n", "line 2: a name of 70,000 bytes is too long"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(write: Write, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_graph(write("graph.csv", text))


def test_the_format_can_be_set_and_columns_make_it_a_table(write: Write) -> None:
    path = write("roles.txt", f"{HEADERS['roles']}\n{ROLES}")
    assert list(read_graph(path, format="neo4j").triples()) == FACTS
    assert next(read_graph(path, columns=(":START_ID", "role", ":END_ID")).triples()) == ("keanu", "Neo", "tt1")
    with pytest.raises(InputError, match="line 1: expected a header of Neo4j's"):
        read_graph(write("plain.tsv", "a\tr\tb\n"), format="neo4j")


NAME = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), min_size=1, max_size=20)
ROW = st.tuples(NAME, NAME, NAME).filter(lambda row: all(cell.strip(table_layout.BLANK) for cell in row))


@given(st.lists(ROW, min_size=1, max_size=8))
def test_what_apoc_would_write_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: Sequence[tuple[str, str, str]]
) -> None:
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(("_id", "_labels", "name", "_start", "_end", "_type"))
    writer.writerows((name, ":T", f"label of {name}", "", "", "") for row in rows for name in (row[0], row[2]))
    writer.writerows(("", "", "", head, tail, relation) for head, relation, tail in rows)
    path = tmp_path_factory.mktemp("apoc") / "all.csv"
    path.write_text(buffer.getvalue(), encoding="utf-8", newline="")
    graph = read_graph(path, type_relations=())
    assert list(graph.triples()) == list(dict.fromkeys(rows))
    assert graph.entity_label(0) == f"label of {rows[0][0]}"


@given(
    st.sampled_from([*HEADERS.values(), "_id,_labels,_start,_end,_type"]),
    st.text(st.sampled_from('a,;":\n_IDTYPE()'), max_size=40),
    st.booleans(),
)
def test_any_text_below_a_header_gives_a_graph_or_an_input_error(
    tmp_path_factory: pytest.TempPathFactory, header: str, text: str, skip: bool
) -> None:
    path = tmp_path_factory.mktemp("neo4j") / "graph.csv"
    path.write_text(f"{header}\n{text}")
    with contextlib.suppress(InputError):
        assert read_graph(path, skip_bad_lines=skip).num_triples
