from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.base import InputError, UnknownNameError
from faan.graph import read_graph, save_graph
from faan.graph.packed import _Unpacked

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Write = Callable[[str, str | bytes], Path]
TRIPLES = [("Peru", "capital", "Lima"), ("Japan", "capital", "Tokyo")]
TSV = "".join("\t".join(triple) + "\n" for triple in TRIPLES)
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": zstd.compress,
}


@pytest.mark.parametrize("ending", COMPRESS)
def test_compressed_files_are_read_whatever_they_are_called(write: Write, ending: str) -> None:
    packed = COMPRESS[ending](TSV.encode())
    for name in (f"graph.tsv{ending}", "graph"):
        assert list(read_graph(write(name, packed)).triples()) == TRIPLES


@pytest.mark.parametrize("ending", COMPRESS)
def test_a_cut_off_compressed_file_is_an_error(write: Write, ending: str) -> None:
    text = "".join(f"head {i}\trelation\ttail {i * 7919 % 1000}\n" for i in range(20_000))
    packed = COMPRESS[ending](text.encode())
    path = write(f"graph.tsv{ending}", packed[: len(packed) // 2])
    with pytest.raises(InputError, match=r"ends too early|damaged|cannot be read") as caught:
        read_graph(path)
    assert str(path) in str(caught.value)


@given(st.binary(max_size=200))
def test_no_bytes_at_all_give_anything_but_a_graph_or_an_input_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "file"
    for start in (b"", b"\x1f\x8b\x08", b"PAR1", b"<http://a> ", b"a\tb\t", b"{", b"@prefix "):
        path.write_bytes(start + content)
        try:
            read_graph(path)
        except InputError as error:
            assert str(path) in str(error)


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (TSV.encode(), gzip.compress(TSV.encode())):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        graph = read_graph("-")
        assert list(graph.triples()) == TRIPLES
        assert graph.report.source == "standard input"


def test_standard_input_stays_open_and_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for content in (TSV.encode(), gzip.compress(TSV.encode())):
        stdin = io.TextIOWrapper(io.BytesIO(content))
        monkeypatch.setattr(sys, "stdin", stdin)
        read_graph("-")
        assert not stdin.buffer.closed
    with pytest.raises(InputError, match="only one file can come from standard input"):
        read_graph("-", nodes="-")
    with pytest.raises(InputError, match="only one file can come from standard input"):
        read_graph([("a", "r", "b")], nodes=[Path("-"), "-"])


@pytest.mark.parametrize("start", ["BZhang", "PAR1"])
def test_a_name_that_looks_like_a_file_mark_is_a_name(write: Write, start: str) -> None:
    assert read_graph(write("graph.tsv", f"{start}\tknows\tX\n")).entity(start) == 0


def test_parquet_is_read_by_column_names_or_order(tmp_path: Path) -> None:
    path = tmp_path / "graph.parquet"
    frame = pl.DataFrame(TRIPLES, schema=["head", "relation", "tail"], orient="row")
    frame.select("tail", "head", "relation").write_parquet(path)
    assert list(read_graph(path).triples()) == TRIPLES
    assert read_graph(path).report.notes == ()
    frame.rename({"head": "a", "relation": "b", "tail": "c"}).write_parquet(path)
    assert list(read_graph(path).triples()) == TRIPLES
    assert read_graph(path).report.notes == ("no column has a known name; read as head, relation and tail: a, b, c",)
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(InputError, match="not a readable Parquet file"):
        read_graph(path)


def test_python_objects_are_read() -> None:
    polars = pl.DataFrame(TRIPLES, schema=["subject", "predicate", "object"], orient="row")
    pandas = pd.DataFrame(TRIPLES, columns=["source", "type", "target"])
    network: Any = nx.MultiDiGraph()
    network.add_node("Peru", label="Republic of Peru", type="country")
    for head, relation, tail in TRIPLES:
        network.add_edge(head, tail, key=relation)
    by_attribute: Any = nx.DiGraph()
    for head, relation, tail in TRIPLES:
        by_attribute.add_edge(head, tail, relation=relation)
    for source in (TRIPLES, iter(TRIPLES), polars, polars.lazy(), pandas, network, by_attribute):
        assert list(read_graph(source).triples()) == TRIPLES
    assert read_graph(network).entity("Republic of Peru") == 0
    assert read_graph([(1, "r", 2)]).entity("2") == 1
    assert list(read_graph(np.array(TRIPLES)).triples()) == TRIPLES


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ([("a", "b")], r"triple 1: expected \(head, relation, tail\), found \('a', 'b'\)"),
        ([7], "triple 1: expected"),
        ([("a", "r", "b"), ("a", "", "b")], "triple 2: a name is empty"),
        ([("a", "r", None)], "triple 1: a name is empty"),
        ([("a", "r", float("nan"))], "triple 1: a name is empty"),
        ([("a", "r", "\ud800")], "not valid Unicode"),
        ([], "there is no triple in it"),
        (pl.DataFrame({"a": [1], "b": [2]}), "expected at least 3 columns"),
        (pl.DataFrame({"a": ["x"], "b": [None], "c": ["y"]}), "row 1 has an empty 'b'"),
        (pl.DataFrame({"a": ["x"], "b": [[1]], "c": ["y"]}), "column 'b' holds"),
        (pd.DataFrame({"a": [1], "b": [2]}), "expected at least 3 columns"),
        (pd.DataFrame({"a": ["x"], "b": [pd.NA], "c": ["y"]}), "triple 1: a name is empty"),
        (nx.DiGraph([("a", "b")]), "has no relation; set one of the attributes"),
        (7, "expected a path, triples, a data frame or a networkx or igraph graph, found int"),
    ],
)
def test_bad_objects_say_what_was_expected(source: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_graph(source)


def openke(write: Write, **changes: str) -> Path:
    files = {
        "entity2id.txt": "3\nPeru\t0\nLima\t1\nNew York\t2\n",
        "relation2id.txt": "1\nis capital of\t0\n",
        "train2id.txt": "2\n1 0 0\n2 0 0\n",
        "valid2id.txt": "0\n",
    }
    for name, content in (files | changes).items():
        path = write(f"openke/{name}", content)
    return path.parent


def test_openke_folders_are_read(write: Write) -> None:
    graph = read_graph(openke(write))
    assert list(graph.triples()) == [("Lima", "is capital of", "Peru"), ("New York", "is capital of", "Peru")]
    assert "valid2id.txt" in graph.report.notes[0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"train2id.txt": "1\n1 0\n"}, "train2id.txt, line 2: expected head, tail and relation ids"),
        ({"train2id.txt": "1\n1 9 0\n"}, "train2id.txt, line 2: id '9' has no name"),
        ({"entity2id.txt": "2\nPeru\t0\nLima\t0\n"}, "entity2id.txt, line 3: the id 0 occurs a second time"),
        ({"entity2id.txt": "2\nPeru\t0\nPeru\t1\n"}, "entity2id.txt, line 3: the name 'Peru' occurs a second time"),
        ({"train2id.txt": "5\n1 0 0\n"}, "says 5 lines, but 1 follow"),
        ({"entity2id.txt": "Peru\t0\n"}, "entity2id.txt, line 1: expected the number of lines"),
    ],
)
def test_broken_openke_folders_say_what_is_wrong(write: Write, changes: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_graph(openke(write, **changes))


def test_line_ends_of_unicode_are_a_part_of_openke_names(write: Write) -> None:
    graph = read_graph(openke(write, **{"entity2id.txt": "3\r\nPe\u2028ru\t0\r\nLi\x85ma\t1\r\nNew York\t2\r\n"}))
    assert list(graph.entity_names) == ["Li\x85ma", "Pe\u2028ru", "New York"]


def test_bad_lines_of_openke_can_be_skipped(write: Write) -> None:
    graph = read_graph(openke(write, **{"train2id.txt": "3\n1 9 0\n1 0 7\n1 0 0\n"}), skip_bad_lines=True)
    assert (graph.num_triples, graph.report.skipped) == (1, 2)


def test_a_benchmark_folder_and_its_archive_give_the_background(write: Write, tmp_path: Path) -> None:
    path = write("bench/path_graph", TSV)
    assert list(read_graph(path.parent).triples()) == TRIPLES
    archive = tmp_path / "bench.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(path.parent, "bench")
    assert list(read_graph(archive).triples()) == TRIPLES
    archive.write_bytes(archive.read_bytes()[:60])
    with pytest.raises(InputError, match=r"bench.tar.gz"):
        read_graph(archive)


def test_types_can_be_read_out_of_names() -> None:
    graph = read_graph(
        [("concept:city:lima", "in", "concept:country:peru"), ("7", "of", "8")], type_pattern="^concept:([^:]+):"
    )
    assert graph.types is not None
    assert list(graph.types.names) == ["city", "country"]
    assert graph.types.num_typed == 2
    with pytest.raises(InputError, match="fits no entity name, such as 'a'"):
        read_graph([("a", "r", "b")], type_pattern="^concept:([^:]+):")
    with pytest.raises(InputError, match=r"^the type pattern '\(' is not a regular expression: unclosed group$"):
        read_graph([("a", "r", "b")], type_pattern="(")


def test_a_type_relation_that_does_not_occur_is_told() -> None:
    rows = [("Lima", "in", "Peru"), ("Lima", "is_a", "city")]
    with pytest.raises(UnknownNameError, match=r"no relation is called 'is-a'\. Did you mean 'is_a'"):
        read_graph(rows, type_relations=["is-a"])
    with pytest.raises(UnknownNameError, match="no relation is called 'kind'"):
        read_graph(rows, type_relations=["is_a", "kind"])
    assert read_graph(rows, type_relations=[]).types is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b"PK\x03\x04\x00", "this is a zip file; unpack it first"),
        (b"\x7fELF\x00\x01\x02", "this is a binary file; expected a table, RDF or Parquet"),
        ("a\tr\tb\n".encode("utf-16"), "the file is in UTF-16; save it as UTF-8"),
    ],
)
def test_what_is_no_graph_says_so(write: Write, content: bytes, message: str) -> None:
    path = write("graph.tsv", content)
    with pytest.raises(InputError, match=message) as caught:
        read_graph(path)
    assert str(path) in str(caught.value)


def test_world_is_the_bundled_graph_and_a_file_of_that_name_has_a_path(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write("world", TSV).parent)
    assert read_graph("world").entity("Japan") is not None
    assert list(read_graph("./world").triples()) == TRIPLES


def test_folders_and_files_that_are_not_there_say_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a folder with path_graph"):
        read_graph(tmp_path)
    with pytest.raises(InputError, match=r"nowhere.tsv: cannot be opened \(No such file or directory\)"):
        read_graph(tmp_path / "nowhere.tsv")
    with pytest.raises(InputError, match="the path is empty"):
        read_graph("")
    with pytest.raises(InputError, match="a folder's format and columns are fixed"):
        read_graph(tmp_path, format="turtle")
    with pytest.raises(InputError, match="unknown format 'excel'; expected one of table, parquet"):
        read_graph(tmp_path, format="excel")


OPTIONS: list[dict[str, Any]] = [{"format": "turtle"}, {"columns": ("a", "b", "c")}]
MORE_OPTIONS: list[dict[str, Any]] = [{"type_pattern": "("}, {"type_relations": ["is"]}]


@pytest.mark.parametrize("option", [*OPTIONS, *MORE_OPTIONS])
def test_options_that_a_saved_graph_cannot_follow_are_refused(tmp_path: Path, option: dict[str, Any]) -> None:
    save_graph(read_graph(TRIPLES), tmp_path / "saved")
    with pytest.raises(InputError, match=r"saved: .* fixed; they cannot be set"):
        read_graph(tmp_path / "saved", **option)


@pytest.mark.parametrize("option", OPTIONS)
def test_options_that_the_bundled_graph_cannot_follow_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="world: the bundled graph's format and columns are fixed"):
        read_graph("world", **option)


@pytest.mark.parametrize("ending", COMPRESS)
def test_an_archive_is_not_unpacked_again_for_each_of_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    content = io.BytesIO()
    text = "".join(f"head {i}\trelation\ttail {i * 7919 % 1000}\n" for i in range(1000))
    with tarfile.open(fileobj=content, mode="w") as tar:
        for number in range(20):
            member = tarfile.TarInfo(f"graph/part{number:02}.tsv")
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    archive = tmp_path / f"graph.tar{ending}"
    archive.write_bytes(COMPRESS[ending](content.getvalue()))
    unpacked, readinto = 0, _Unpacked.readinto

    def counting(self: _Unpacked, buffer: Any) -> int:
        nonlocal unpacked
        unpacked += (count := readinto(self, buffer))
        return count

    monkeypatch.setattr(_Unpacked, "readinto", counting)
    monkeypatch.setattr("faan.graph.packed.SNIFF", 1 << 12)  # what is looked at in advance is read before it is needed
    assert read_graph(archive).num_triples == 1000
    assert unpacked < 6 * len(content.getvalue())


@pytest.mark.parametrize("ending", COMPRESS)
def test_an_archive_of_a_benchmark_is_read_however_it_is_compressed(tmp_path: Path, ending: str) -> None:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as tar:
        for name in ("path_graph", "notes"):
            member = tarfile.TarInfo(f"bench/{name}")
            member.size = len(TSV)
            tar.addfile(member, io.BytesIO(TSV.encode()))
    archive = tmp_path / f"bench.tar{ending}"
    archive.write_bytes(COMPRESS[ending](content.getvalue()))
    assert list(read_graph(archive).triples()) == TRIPLES
    archive.write_bytes(archive.read_bytes()[:-30])
    with pytest.raises(InputError, match=r"bench\.tar"):
        read_graph(archive)
