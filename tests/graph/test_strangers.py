"""Files that a stranger made to hurt: each is refused in a few words, before it is held in memory or parsed."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import os
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.base import InputError
from faan.graph import read_graph
from faan.graph.detect import _CONTENTS, _WIKIDATA_JSON
from faan.graph.guards import _JsonGuard, _XmlGuard
from faan.graph.limits import LINE_BYTES, NAME_BYTES

Write = Callable[[str, str | bytes], Path]
RDF = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:a="http://a/">'
FACT = '<a:x rdf:about="http://a/s"><a:p rdf:resource="http://a/o"/></a:x>'
LONG = "x" * (NAME_BYTES + 1)


def nested(depth: int) -> str:
    return "<a:s> <a:p> " + "<<( <a:s> <a:p> " * depth + "<a:o>" + " )>>" * depth + " .\n"


def elements(depth: int) -> str:
    return RDF + "<a:x><a:p>" * (depth // 2) + FACT + "</a:p></a:x>" * (depth // 2) + "</rdf:RDF>"


@pytest.mark.parametrize("ending", ["nt", "nq", "ttl", "trig"])
def test_triples_inside_triples_are_read_up_to_a_depth(write: Write, ending: str) -> None:
    fact = "<a:s> <a:p> <a:o> .\n"
    string = '<a:s> <a:p> "' + "<<( " * 90 + '" .\n' + '<a:s> <a:p> "(<< ((" .\n' * 9
    assert read_graph(write(f"few.{ending}", fact + nested(90) + string)).report.literals == 11
    many = fact + nested(101)
    with pytest.raises(InputError, match="triples are nested more than 100 deep") as caught:
        read_graph(write(f"many.{ending}", many))
    if ending in ("nt", "nq"):
        assert caught.value.line == 2
        report = read_graph(write(f"many.{ending}", many), skip_bad_lines=True).report
        assert report.skipped == 1


def test_triples_inside_triples_are_counted_across_blocks_and_comments(write: Write) -> None:
    padded = '<<( <a:s> # ( "\n<a:p>' + " " * 20_000
    with pytest.raises(InputError, match="triples are nested"):
        read_graph(write("graph.ttl", "<a:s> <a:p> " + padded * 300))
    apart = "<a:s> <a:p> <<( <a:s> <a:p> <a:o> )>> .\n" * 500
    assert read_graph(write("graph.ttl", apart + "<a:s> <a:p> <a:o> .")).report.literals == 500


@pytest.mark.parametrize("content", ['[["a", "r", "b"]]', '[{"head": "a", "relation": "r", "tail": "b"}]'])
def test_an_array_that_is_not_json_ld_is_refused_with_advice(write: Write, content: str) -> None:
    with pytest.raises(InputError, match="not JSON-LD; write a fact a line instead"):
        read_graph(write("graph.json", content))


def test_json_inside_json_is_read_up_to_a_depth(write: Write) -> None:
    def graph(depth: int) -> str:
        return (
            '{"@id": "a:s", "a:q": "'
            + "[" * 200
            + '\\\\", "a:p": '
            + "[" * depth
            + '{"@id": "a:o"}'
            + "]" * depth
            + "}"
        )

    assert read_graph(write("few.jsonld", graph(50))).num_triples == 1
    with pytest.raises(InputError, match=r"many.jsonld: nested more than 100 deep"):
        read_graph(write("many.jsonld", graph(100)))


@pytest.mark.parametrize(
    "hidden",
    [
        "{}",
        "{}<a:y a:q='/>'/>",
        '{}<a:y a:q="/>"/>',
        "<!-- {} -->",
        "<![CDATA[ {} ]]>",
        "<?a {} ?>",
        '<a:y a:q="{}"/>',
        "<a:y a:q='{}'/>",
    ],
)
def test_elements_inside_elements_are_read_up_to_a_depth(write: Write, hidden: str) -> None:
    """Closing tags that are none, in comments, texts and values, do not make it less deep."""
    assert read_graph(write("few.rdf", elements(1990))).num_triples == 996
    step = "<a:x>" + hidden.format("</a:x></a:x>" if not hidden.startswith("{}") else "") + "<a:p>"
    with pytest.raises(InputError, match=r"many.rdf: (nested more than 2,000 deep|not rdf/xml: a tag has a < in it)"):
        read_graph(write("many.rdf", RDF + step * 1500))


def test_entities_of_xml_are_read_unless_they_multiply(write: Write) -> None:
    def graph(entities: str, text: str) -> str:
        return f'<?xml version="1.0"?>\n<!DOCTYPE rdf:RDF [{entities}]>\n{RDF}{FACT}<a:x a:q="{text}"/></rdf:RDF>'

    few = '<!-- "names" --><!ENTITY a "http://a/"> <!ENTITY b "&a;b">'
    assert read_graph(write("few.rdf", graph(few, "&b;"))).num_triples == 1
    tenfold = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(7))
    with pytest.raises(InputError, match="the entity 'e4' expands to more than 65,536 bytes"):
        read_graph(write("many.rdf", graph('<!ENTITY e0 "aaaaaaaaaa">' + tenfold, "&e7;")))
    with pytest.raises(InputError, match="entities expand to far more than the size of the file"):
        read_graph(write("much.rdf", graph(f'<!ENTITY a "{"a" * 60_000}">', "&a;" * 1000)))
    with pytest.raises(InputError, match="a declaration is not plain"):
        read_graph(write("sly.rdf", graph('<!ENTITY a "]>"> <!ENTITY e "x">', "&e;")))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("graph.tsv", f"a\tr\tb\na\tr\t{LONG}\n"),
        ("graph.csv", f'a,r,b\n"a",r,{LONG}\n'),
        ("graph.nt", f"<a:s> <a:p> <a:o> .\n<http://a/s> <http://a/p> <http://a/{LONG}> .\n"),
        ("graph.nq", f"<a:s> <a:p> <a:o> .\n<a:s> <a:p> <a:{LONG}> <a:g> .\n"),
        ("graph.ttl", f"<a:s> <a:p> <a:{LONG}> ."),
        ("graph.jsonld", f'{{"@id": "a:s", "a:p": {{"@id": "a:{LONG}"}}}}'),
        ("graph.rdf", f'{RDF}<a:x rdf:about="http://a/s"><a:p rdf:resource="http://a/{LONG}"/></a:x></rdf:RDF>'),
    ],
)
def test_a_name_that_is_too_long_is_refused_with_its_line(write: Write, name: str, content: str) -> None:
    with pytest.raises(InputError, match=r"bytes is too long; expected at most 65,536: '") as caught:
        read_graph(write(name, content))
    assert len(str(caught.value)) < 400
    assert caught.value.line == (2 if name.split(".")[1] in ("tsv", "csv", "nt", "nq") else None)


def test_a_long_name_in_parquet_or_in_python_is_refused(tmp_path: Path) -> None:
    pl.DataFrame({"h": ["a"], "r": ["r"], "t": [LONG]}).write_parquet(tmp_path / "graph.parquet")
    for source in (tmp_path / "graph.parquet", [("a", "r", LONG)]):
        with pytest.raises(InputError, match="bytes is too long"):
            read_graph(source)


def test_a_long_text_that_is_no_name_is_skipped(write: Write) -> None:
    label = "http://www.w3.org/2000/01/rdf-schema#label"
    for ending in ("nt", "ttl"):
        graph = f'<http://a/s> <a:p> <a:o> .\n<http://a/s> <a:p> "{LONG}" .\n<http://a/s> <{label}> "{LONG}" .\n'
        assert read_graph(write(f"graph.{ending}", graph)).report.literals == 2


@pytest.mark.slow
def test_a_line_without_end_is_refused_before_all_of_it_is_read(write: Write) -> None:
    line = b"x" * (LINE_BYTES + 1)
    for name, content in (
        ("graph.tsv", b"a\tr\tb\na\tr\t" + line),
        ("graph.tsv", b"a\tr\tb\na\tr\t" + line + b"\na\tr\tb\n"),
        ("graph.nt", b"<a:s> <a:p> <a:o> .\n<a:s> <a:p> <a:" + line + b"> .\n"),
    ):
        with pytest.raises(InputError, match=r"line 2: the line is longer than 16,777,216 bytes"):
            read_graph(write(name, content))
    with pytest.raises(InputError, match=r"line 2: the row is longer than 16,777,216 characters"):
        read_graph(write("graph.csv", b'a,r,b\na,r,"' + (b"x" * 999 + b"\n") * (LINE_BYTES // 1000 + 1)))
    with pytest.raises(InputError, match=r"too long|longer than"):
        read_graph(write("graph.ttl", b"<a:s> <a:p> <a:" + line + b"> .\n"))
    with pytest.raises(InputError, match=r"a text or tag is longer than"):
        read_graph(write("graph.rdf", f"{RDF}{FACT}<a:x><a:p>".encode() + b"x" * (LINE_BYTES + (2 << 20))))


@pytest.mark.slow
def test_many_rows_that_are_no_csv_are_skipped(write: Write) -> None:
    graph = read_graph(write("graph.csv", "a,r,b\n" + '"a"b,r,c\n' * 200_000), skip_bad_lines=True)
    assert graph.report.skipped == 200_000


def test_what_unpacks_to_far_more_than_its_size_is_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("graph.tsv.gz", gzip.compress(b"a\tr\tb\n" * (2 << 20)))
    monkeypatch.setenv("FAAN_UNPACK_MIB", "8")
    with pytest.raises(
        InputError, match=r"unpacks to more than 8 MiB; .* set the environment variable FAAN_UNPACK_MIB"
    ):
        read_graph(path)
    with pytest.raises(InputError, match="unpacks to more than 8 MiB"):
        read_graph(write("graph.parquet.gz", gzip.compress(b"PAR1" + bytes(9 << 20))))
    monkeypatch.setenv("FAAN_UNPACK_MIB", "20")
    assert read_graph(path).num_triples == 1
    monkeypatch.setenv("FAAN_UNPACK_MIB", "many")
    with pytest.raises(InputError, match="FAAN_UNPACK_MIB is 'many'; expected a whole number of MiB"):
        read_graph(path)


def test_a_parquet_file_of_few_bytes_and_very_many_rows_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = 1_000_000
    frame = pl.DataFrame({"h": ["a"], "r": ["r"], "t": ["b"]}).select(pl.all().repeat_by(rows).explode())
    frame.write_parquet(tmp_path / "graph.parquet")
    assert read_graph(tmp_path / "graph.parquet").num_triples == 1
    monkeypatch.setenv("FAAN_UNPACK_MIB", "8")
    with pytest.raises(InputError, match="unpacks to more than 8 MiB"):
        read_graph(tmp_path / "graph.parquet")


def archive(path: Path, members: int, size: int) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for number in range(members):
            info = tarfile.TarInfo(f"b/{number}")
            info.size = size
            tar.addfile(info, io.BytesIO(bytes(size)))
    return path


@pytest.mark.slow
def test_an_archive_of_very_many_files_or_of_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(InputError, match="the archive holds more than 10,000 files"):
        read_graph(archive(tmp_path / "many.tar.gz", 10_001, 0))
    monkeypatch.setenv("FAAN_UNPACK_MIB", "1")
    with pytest.raises(InputError, match="unpacks to more than 1 MiB"):
        read_graph(archive(tmp_path / "large.tar.gz", 4, 1 << 20))


@pytest.mark.slow
@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress])
def test_a_damaged_second_stream_is_an_error_with_the_file(write: Write, compress: Callable[[bytes], bytes]) -> None:
    second = bytearray(compress(os.urandom(1_000_000)))
    second[500_000:500_100] = bytes(100)
    for first in (b"a\tr\tb\n", b"a\n" * 600_000):
        path = write("graph.tsv.packed", compress(first) + bytes(second))
        with pytest.raises(InputError, match=r"damaged|cannot be read|ends too early|at least 3 columns") as caught:
            read_graph(path)
        assert caught.value.source == str(path)


def test_a_path_that_is_too_long_is_an_input_error() -> None:
    from faan.tasks import read_benchmark

    for read in (read_graph, read_benchmark):
        with pytest.raises(InputError, match=r"File name too long|there is no such folder"):
            read("x" * 5000)


def test_columns_may_be_numbers(write: Write) -> None:
    path = write("graph.tsv", "x\ta\tr\tb\n")
    assert list(read_graph(path, columns=(2, 3, 4)).triples()) == [("a", "r", "b")]
    with pytest.raises(InputError, match="expected three columns by name or number"):
        read_graph(path, columns=(2, 3))  # type: ignore[arg-type]


@pytest.mark.slow
def test_damaged_parquet_is_refused_in_silence(tmp_path: Path) -> None:
    path = tmp_path / "graph.parquet"
    pl.DataFrame({"h": ["a"] * 99, "r": ["r"] * 99, "t": ["b"] * 99}).write_parquet(path)
    content = path.read_bytes()
    script = "import sys, faan\nfor p in sys.argv[1:]:\n try: faan.read_graph(p)\n except faan.InputError: print('no')"
    copies = []
    for place in range(4, len(content) - 8, 7):
        copies.append(tmp_path / f"{place}.parquet")
        copies[-1].write_bytes(content[:place] + b"\xff\xff\x7f" + content[place + 3 :])
    done = subprocess.run([sys.executable, "-c", script, *copies], capture_output=True, text=True, check=True)
    assert "no" in done.stdout
    assert not done.stderr


@pytest.mark.parametrize("start", [" " * 5000, "#\n" * 5000, "_:" + "<" * 100_000, "\n" * 5000 + "<", "<a> " * 5000])
def test_the_format_of_any_beginning_is_told_at_once(write: Write, start: str) -> None:
    with contextlib.suppress(InputError):  # it may be a graph or not; it must not take for ever
        read_graph(write("graph", start + "x"))


@given(
    st.lists(st.sampled_from(["<a:x>", "</a:x>", "<a:x/>", '<a b="/>"/>', "<a b='>'>", "it's", '5"', "/", "x" * 70]))
)
def test_elements_are_counted_in_words_of_letters_as_one_by_one(pieces: list[str]) -> None:
    text = "".join(pieces).encode()
    text = text[: text.rfind(b">") + 1]
    together, end = _XmlGuard()._steps(text)
    each, last = _XmlGuard()._steps_of_each(text)
    assert int(together.sum()) == int(each.sum())
    assert end == last == len(text)
    assert np.cumsum(each).max(initial=0) <= np.cumsum(together).max(initial=0) <= np.cumsum(each).max(initial=0) + 21


def test_a_closing_tag_that_also_ends_in_a_slash_is_no_xml(write: Write) -> None:
    with pytest.raises(InputError, match="not rdf/xml"):
        read_graph(write("graph.rdf", f"{RDF}{FACT}<a:x></a:x/></rdf:RDF>"))


@given(st.lists(st.sampled_from(["[", "]", "{", "}", '"', "\\", '\\"', "x" * 30])), st.integers(1, 70))
def test_the_depth_of_json_is_counted_in_blocks_as_letter_by_letter(pieces: list[str], size: int) -> None:
    text, guard, depth, in_string, letters = "".join(pieces), _JsonGuard(), 0, False, iter("".join(pieces))
    for letter in letters:
        if letter == "\\":
            next(letters, None)
        elif letter == '"':
            in_string = not in_string
        elif not in_string:
            depth += (letter in "[{") - (letter in "]}")
    for start in range(0, len(text), size):
        guard(text[start : start + size].encode())
    assert guard._depth == depth


@pytest.mark.parametrize("start", [b"", b"[", b"<a:b> <a:c>", b"<a:b>", b"_:b", b"#\n", b"base", b'{"labels"'])
def test_blanks_are_looked_at_once_when_a_format_is_detected(start: bytes) -> None:
    text = start + b" " * 1_000_000  # each of them tried as the end of the blanks takes an hour
    for pattern in (_WIKIDATA_JSON, *(pattern for pattern, _ in _CONTENTS)):
        pattern.match(text)
