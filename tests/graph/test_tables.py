from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from faan.base import InputError
from faan.graph import Graph, read_graph, table_layout, tables
from faan.graph.sources import Source

Write = Callable[[str, str | bytes], Path]
Row = tuple[str, str, str]

name = st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r\x00"), min_size=1).filter(lambda s: s.strip(" "))
rows = st.lists(st.tuples(name, name, name), min_size=1, max_size=20)


def read_text(text: str, tmp_path: Path) -> Graph:
    path = tmp_path / "graph.tsv"
    path.write_bytes(text.encode())
    return read_graph(path, type_relations=())


def has_header(row: Row) -> bool:
    return any({cell.strip().lower() for cell in row} >= set(known) for known in table_layout.KNOWN_HEADERS)


@given(rows)
@example([("a", "b", "c" * 10_000)])
@example([('say "hi"', "r", '"quoted"')])
def test_what_is_written_as_tsv_is_read_back(tmp_path_factory: pytest.TempPathFactory, triples: list[Row]) -> None:
    if has_header(triples[0]) or {"id", "category"} <= {cell.lower() for cell in triples[0]}:
        return
    text = "".join("\t".join(row) + "\n" for row in triples)
    if text.startswith("\ufeff"):
        return
    graph = read_text(text, tmp_path_factory.mktemp("tsv"))
    assert list(graph.triples()) == list(dict.fromkeys(triples))


@given(rows=st.lists(st.tuples(*[st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), min_size=1)] * 3)))
def test_what_python_writes_as_csv_is_read_back(tmp_path_factory: pytest.TempPathFactory, rows: list[Row]) -> None:
    rows = [row for row in rows if all(cell.strip(table_layout.BLANK) for cell in row)]
    if not rows:
        return
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(("head", "relation", "tail"))
    writer.writerows(rows)
    path = tmp_path_factory.mktemp("csv") / "graph.csv"
    path.write_text(buffer.getvalue(), encoding="utf-8", newline="")
    assert list(read_graph(path, type_relations=()).triples()) == list(dict.fromkeys(rows))


@given(text=st.text(st.sampled_from('ab\t\n \r"x,'), max_size=40))
def test_the_fast_reader_agrees_with_the_slow_one(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    """Any text: the same triples or the same error, whichever way it is read."""

    def outcome() -> list[Row] | str:
        try:
            return list(read_text(text, folder).triples())
        except InputError as error:
            return str(error)

    folder = tmp_path_factory.mktemp("both")
    fast = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "_read_fast", lambda *_: None)
        assert outcome() == fast


@pytest.mark.parametrize("delimiter", ["\t", ",", ";"])
@pytest.mark.parametrize(
    "header",
    [
        "head relation tail",
        "Subject Predicate Object",
        "source type target",
        "node1 label node2",
        "id tail head relation",
        "",
    ],
)
def test_delimiter_and_header_are_detected(write: Write, delimiter: str, header: str) -> None:
    row = "1 Lima Peru capital" if header.startswith("id") else "Peru capital Lima"
    lines = [line.replace(" ", delimiter) for line in (header, row) if line]
    graph = read_graph(write("graph.txt", "\n".join(lines)))
    assert list(graph.triples()) == [("Peru", "capital", "Lima")]


def test_columns_may_be_named_or_numbered(write: Write) -> None:
    path = write("graph.csv", "id,land,stadt,was\n1,Peru,Lima,capital\n")
    assert list(read_graph(path, columns=("land", "was", "stadt")).triples()) == [("Peru", "capital", "Lima")]
    assert list(read_graph(path, columns=("2", "4", "3")).triples())[1] == ("Peru", "capital", "Lima")
    with pytest.raises(InputError, match="no column is called nix; the columns are id, land, stadt, was"):
        read_graph(path, columns=("nix", "was", "stadt"))
    with pytest.raises(InputError, match="expected three different columns, found 1, 1, 1"):
        read_graph(path, columns=("1", "1", "1"))
    with pytest.raises(InputError, match="expected columns 2, 4, 9, found only 4"):
        read_graph(path, columns=("2", "4", "9"))


def test_windows_line_ends_a_bom_blanks_and_empty_lines_are_fine(write: Write) -> None:
    text = "\ufeffhead\trelation\ttail\r\nNew York\thas part\tStaten Island\r\n\r\nPerú\tcapital\tリマ\r\n"
    graph = read_graph(write("graph.tsv", text))
    assert list(graph.triples()) == [("New York", "has part", "Staten Island"), ("Perú", "capital", "リマ")]


def test_a_mark_at_the_start_of_a_later_block_belongs_to_the_name(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = Source.blocks
    monkeypatch.setattr(Source, "blocks", lambda self: blocks(self, size=6))
    graph = read_graph(write("graph.tsv", "a\tr\tb\n\ufeffc\tr\td\n"))
    assert "\ufeffc" in graph.entity_names


def test_blank_lines_before_a_header_do_not_hide_it(write: Write) -> None:
    assert read_graph(write("graph.tsv", "\n\nhead\trelation\ttail\na\tr\tb\n")).num_triples == 1


def test_further_columns_may_be_empty_or_missing(write: Write) -> None:
    graph = read_graph(write("g.tsv", "head\trelation\ttail\tsource\na\tr\tb\twiki\nc\tr\td\t\ne\tr\tf\n"))
    assert graph.num_triples == 3


def test_kgtk_values_are_no_entities_and_its_labels_are_labels(write: Write) -> None:
    rows = [
        "Q419 P36 Q2868",
        "Q419 label 'Perú'@es",
        "Q419 label 'Peru'@en",
        "Q419 P1082 33000000",
        "Q419 P571 ^1821",
        '"x" P9 Q419',
    ]
    text = "node1\tlabel\tnode2\n" + "".join(row.replace(" ", "\t") + "\n" for row in rows)
    graph = read_graph(write("edges.tsv", text))
    assert list(graph.triples()) == [("Q419", "P36", "Q2868")]
    assert graph.entity_label(0) == "Peru"
    assert graph.report.literals == 3
    assert read_graph(write("edges.tsv", text), languages=["es"]).entity_label(0) == "Perú"


def test_a_kgx_nodes_file_gives_labels_and_types(write: Write) -> None:
    edges = write("edges.tsv", "id\tsubject\tpredicate\tobject\n1\tHGNC:1\tbiolink:causes\tMONDO:2\n")
    rows = [
        "id category name",
        "HGNC:1 biolink:Gene|biolink:NamedThing BRCA1",
        "MONDO:2 biolink:Disease cancer",
        "X:3 biolink:Gene unused",
    ]
    nodes = write("nodes.tsv", "".join(row.replace(" ", "\t") + "\n" for row in rows))
    graph = read_graph(edges, nodes=nodes)
    assert graph.types is not None
    assert [graph.types.names[i] for i in graph.types.of(0)] == ["biolink:Gene", "biolink:NamedThing"]
    assert graph.entity("cancer") == 1
    assert graph.report.unused_nodes == 1
    semicolons = write("nodes.csv", nodes.read_text().replace("\t", ";"))
    assert read_graph(edges, nodes=semicolons).entity("cancer") == 1
    more = write("more.tsv", "id\tname\nHGNC:1\tfirst wins\nbiolink:causes\tcauses\n")
    both = read_graph(edges, nodes=[nodes, more])
    assert (both.entity_label(0), both.entity_label(1), both.relation_label(0)) == ("BRCA1", "cancer", "causes")
    described = write("described.tsv", "id\tname\tdescription\nHGNC:1\tBRCA1\ta gene\n")
    assert read_graph(edges, nodes=described).entity_description(0) == "a gene"
    with pytest.raises(InputError, match="this is a nodes file"):
        read_graph(nodes)
    with pytest.raises(InputError, match="line 1: expected a nodes file with the columns id"):
        read_graph(edges, nodes=edges)


GOOD = "a\tr\tb\n"
BAD = {
    "too few columns": ("c\td\n", "line 2: expected 3 columns with head, relation and tail, found 2"),
    "too many columns": ("c\tr\td\te\n", "line 2: expected 3 columns with head, relation and tail, found 4"),
    "empty name": ("c\t\td\n", "line 2: the relation is empty; expected a name"),
    "blank name": ("  \tr\td\n", "line 2: the head is empty; expected a name"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_line_is_named_or_skipped_and_counted(write: Write, kind: str) -> None:
    line, message = BAD[kind]
    path = write("graph.tsv", GOOD + line + "e\tr\tf\n")
    with pytest.raises(InputError) as caught:
        read_graph(path)
    assert str(caught.value).startswith(f"{path}, {message}")
    graph = read_graph(path, skip_bad_lines=True)
    assert [head for head, _, _ in graph.triples()] == ["a", "e"]
    assert graph.report.skipped == 1
    assert message in graph.report.bad_lines[0]


def test_broken_utf8_is_named_or_skipped(write: Write) -> None:
    path = write("graph.tsv", b"a\tr\tb\nPer\xfa\tr\tc\nd\tr\te\n")
    with pytest.raises(InputError, match=r"line 2: not UTF-8 at byte 4 \(0xfa\); save the file as UTF-8"):
        read_graph(path)
    assert read_graph(path, skip_bad_lines=True).num_triples == 2


def test_lines_are_counted_across_blocks(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = Source.blocks
    monkeypatch.setattr(Source, "blocks", lambda self: blocks(self, size=16))
    path = write("graph.tsv", "".join(f"h{i}\tr\tt{i}\n" for i in range(50)) + "bad\n")
    with pytest.raises(InputError, match="line 51: expected 3 columns"):
        read_graph(path)
    quoted = write("graph.csv", "".join(f'h{i},r,"t\n{i}"\n' for i in range(50)) + "bad\n")
    with pytest.raises(InputError, match="line 101: expected 3 columns"):
        read_graph(quoted)
    assert read_graph(quoted, skip_bad_lines=True).num_triples == 50


def test_a_nul_character_far_down_is_a_bad_line(write: Write) -> None:
    path = write("graph.tsv", GOOD * 2_000 + "c\x00\tr\td\n")
    with pytest.raises(InputError, match="line 2,001: the head has a NUL character in it"):
        read_graph(path)


def test_after_a_bad_quote_reading_goes_on_with_the_next_line(write: Write) -> None:
    good = [f"h{i},r,t{i}\n" for i in range(30)]
    path = write("graph.csv", "head,relation,tail\n" + "".join([*good[:10], '"oops,r,x\n', *good[10:], 'a,"b"c,d\n']))
    graph = read_graph(path, skip_bad_lines=True)
    assert graph.num_triples == 30
    assert graph.report.skipped == 2
    assert "line 12: not CSV from here on" in graph.report.bad_lines[0]


def test_line_ends_of_old_macs_are_refused(write: Write) -> None:
    with pytest.raises(InputError, match="lines end in CR alone"):
        read_graph(write("graph.tsv", "a\tr\tb\rc\tr\td\r"))


def test_a_first_line_that_is_no_known_header_is_mentioned(write: Write) -> None:
    assert (
        "the first triple is: Kopf, Beziehung, Ziel"
        in read_graph(write("graph.csv", '"Kopf";"Beziehung";"Ziel"\na;r;b\n')).report.notes[0]
    )
    assert not read_graph(write("graph.csv", "head;rel;tail\na;r;b\n")).report.notes


def test_a_first_line_that_is_probably_a_header_brings_advice(write: Write) -> None:
    facts = "Uwe;arbeitet in;Einkauf\nIna;arbeitet in;Vertrieb\n"
    header = read_graph(write("header.csv", "Subjekt;Beziehung;Objekt\n" + facts)).report.notes[0]
    assert header.endswith("if this is the header, name its columns: --columns HEAD,RELATION,TAIL")
    assert "--columns" not in read_graph(write("facts.csv", facts)).report.notes[0]


def test_a_quote_that_is_never_closed_is_named_where_it_opens(write: Write) -> None:
    with pytest.raises(InputError, match=r"line 2: not CSV from here on \(unexpected end of data\)"):
        read_graph(write("graph.csv", 'head,relation,tail\na,r,"b\nc,r,d\n'))


def test_no_table_at_all_says_what_was_expected(write: Write) -> None:
    with pytest.raises(InputError, match=r"line 1: expected at least 3 columns \(head, relation, tail\) separated by"):
        read_graph(write("graph.txt", "hello world\n"))
    with pytest.raises(InputError, match="the file is empty"):
        read_graph(write("graph.tsv", "\n\n"))
