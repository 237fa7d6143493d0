"""A SPARQL endpoint is a graph: read from Oxigraph's own server, also through one that makes trouble."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from faan.base import InputError
from faan.graph import Endpoint, Graph, open_graph, read_graph, save_graph

from .endpoints import Asked, Oxigraph, oxigraph, pass_on, serving

Run = Callable[..., tuple[int, str, str]]
EX = "http://example.org/"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
HUB = 30  # cities of one country: more than a small page holds


def facts() -> list[tuple[str, str, str]]:
    lines = [(f"city{i}", "in", f"land{i % 7}") for i in range(40)]
    lines += [("land0", "has", f"city{i}") for i in range(HUB)]
    return [(EX + h, EX + r, EX + t) for h, r, t in [*lines, ("Perú", "in", "land0"), ("land1", "borders", "land2")]]


def content() -> str:
    lines = [f"<{h}> <{r}> <{t}> ." for h, r, t in facts()]
    lines += [f'<{EX}city{i}> {LABEL} "City {i}"@en .' for i in range(40)]
    lines += [f'<{EX}city{i}> {LABEL} "Stadt {i}"@de .' for i in range(40)]
    lines += [f"<{EX}city{i}> {TYPE} <{EX}City> ." for i in range(40)]
    lines += [f"<{EX}land{i}> {TYPE} <{EX}Land> ." for i in range(7)]
    lines += [f'<{EX}in> {LABEL} "lies in"@en .', f'<{EX}City> {LABEL} "city"@en .']
    lines += [f'<{EX}city0> <{EX}population> "7" .', f"_:b <{EX}in> <{EX}land0> .", f"<{EX}city1> <{EX}in> _:b ."]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def server(oxigraph_program: str) -> Iterator[Oxigraph]:
    with oxigraph(oxigraph_program) as running:
        running.load(content())
        running.load(f"<{EX}a> <{EX}p> <{EX}b> .\n", graph=f"{EX}other")
        yield running


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    waited: list[float] = []
    monkeypatch.setattr("faan.graph.endpoint._sleep", waited.append)
    return waited


def as_file(tmp_path: Path, **options: object) -> Graph:
    path = tmp_path / "same.nt"
    path.write_text(content(), encoding="utf-8")
    return read_graph(path, **options)  # type: ignore[arg-type]


def same(graph: Graph, other: Graph) -> bool:
    """Whether two graphs hold the same, blank nodes of the second one left out."""

    def held(one: Graph) -> tuple[object, ...]:
        triples = {triple for triple in one.triples() if not any(part.startswith("_:") for part in triple)}
        names = {name for triple in triples for name in (triple[0], triple[2])}
        labels = {name: one.entity_label(one.entity(name)) for name in names}
        relations = {triple[1]: one.relation_label(one.relation(triple[1])) for triple in triples}
        assert one.types is not None
        types = {name: [one.types.label(int(t)) for t in one.types.of(one.entity(name))] for name in names}
        return triples, labels, relations, types

    return held(graph) == held(other)


@pytest.mark.slow
def test_an_endpoint_gives_the_graph_that_a_file_gives(server: Oxigraph, tmp_path: Path) -> None:
    graph = read_graph(server.query)
    assert same(graph, as_file(tmp_path))
    assert graph.report.literals == 1
    assert graph.report.format == "sparql"
    assert graph.report.source == server.query
    assert any("2 triples with blank nodes skipped" in note for note in graph.report.notes)


@pytest.mark.slow
@pytest.mark.parametrize("page", [1, 7, 1000])
def test_small_pages_give_the_same_graph(server: Oxigraph, tmp_path: Path, page: int) -> None:
    graph = read_graph(server.query, endpoint=Endpoint(page=page), languages=["de", "en"])
    assert same(graph, as_file(tmp_path, languages=["de", "en"]))
    assert graph.report.duplicates == 0


@pytest.mark.slow
def test_predicates_classes_and_a_limit_choose_a_part(server: Oxigraph, tmp_path: Path) -> None:
    for options in ({"predicates": [f"{EX}in"]}, {"classes": [f"{EX}Land"]}):
        chosen = read_graph(server.query, **options)  # type: ignore[arg-type]
        assert same(chosen, as_file(tmp_path, **options))
        assert chosen.num_relations < 3
    lands = read_graph(server.query, classes=[f"{EX}Land"])
    assert {h for h, _, _ in lands.triples()} == {f"{EX}land0", f"{EX}land1"}
    few = read_graph(server.query, endpoint=Endpoint(limit=5))
    assert few.num_triples == 5 + 5 + 1
    assert few.entity_label(few.entity(next(few.triples())[0])).startswith(("City", EX))
    assert few.types is not None


@pytest.mark.slow
def test_named_graphs_are_read_when_asked_for(server: Oxigraph) -> None:
    graph = read_graph(server.query, endpoint=Endpoint(graphs=(f"{EX}other",)))
    assert list(graph.triples()) == [(f"{EX}a", f"{EX}p", f"{EX}b")]


@pytest.mark.slow
def test_an_empty_default_graph_names_the_graphs_there_are(server: Oxigraph, oxigraph_program: str) -> None:
    with pytest.raises(InputError, match="these graphs are empty"):
        read_graph(server.query, endpoint=Endpoint(graphs=(f"{EX}nowhere",)))
    with oxigraph(oxigraph_program) as empty:
        empty.load(f"<{EX}a> <{EX}p> <{EX}b> .\n", graph=f"{EX}other")
        with pytest.raises(InputError, match=f"its default graph is empty; choose .* with --graph: {EX}other"):
            read_graph(empty.query)


def cut_rows(asked: Asked, most: int) -> None:
    """Give only the first rows, as servers with a row limit do."""
    answer = json.loads(asked.body)
    answer["results"]["bindings"] = answer["results"]["bindings"][:most]
    asked.body = json.dumps(answer).encode()


@pytest.mark.slow
def test_a_server_that_silently_cuts_answers_off_is_noticed(server: Oxigraph, tmp_path: Path) -> None:
    def answer(asked: Asked) -> None:
        pass_on(asked, server)
        cut_rows(asked, 10)

    with serving(answer) as address:
        assert same(read_graph(address), as_file(tmp_path))


@pytest.mark.slow
def test_a_server_that_breaks_off_is_read_in_smaller_pages(server: Oxigraph, tmp_path: Path) -> None:
    def answer(asked: Asked) -> None:
        pass_on(asked, server)
        if "?p" not in asked.form["query"] and len(asked.body) > 3000:
            asked.cut = 2000

    with serving(answer) as address:
        assert same(read_graph(address), as_file(tmp_path))


@pytest.mark.slow
def test_a_busy_server_is_asked_again_when_it_says(server: Oxigraph, tmp_path: Path, _no_waiting: list[float]) -> None:
    asked_for: dict[str, int] = {}

    def answer(asked: Asked) -> None:
        query = asked.form["query"]
        asked_for[query] = asked_for.get(query, 0) + 1
        if asked_for[query] == 1:
            asked.status, asked.more_headers, asked.body = 503, {"Retry-After": "7"}, b"busy"
        else:
            pass_on(asked, server)

    with serving(answer) as address:
        assert same(read_graph(address), as_file(tmp_path))
    assert set(_no_waiting) == {7.0}


@pytest.mark.slow
def test_a_server_that_cannot_count_is_read_all_the_same(server: Oxigraph, tmp_path: Path) -> None:
    def answer(asked: Asked) -> None:
        if "COUNT" in asked.form["query"]:
            asked.status, asked.body = 500, b"timeout"
        else:
            pass_on(asked, server)

    with serving(answer) as address:
        assert same(read_graph(address), as_file(tmp_path))
        part = read_graph(address, predicates=[f"{EX}in"])
    assert part.num_triples == 41


HTML = "<html><body>Welcome</body></html>"


def rows(*bindings: bytes, names: bytes = b'"p"') -> bytes:
    """An answer in JSON."""
    return b'{"head": {"vars": [' + names + b']}, "results": {"bindings": [' + b", ".join(bindings) + b"]}}"


LONG_XML = (
    b'<sparql xmlns="http://www.w3.org/2005/sparql-results#"><head><variable name="p"/></head><results><result>'
    b'<binding name="p"><uri>a:' + b"x" * (3 << 23)
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "text/html", "body": HTML.encode()}, "answered text/html, not SPARQL results"),
        ({"kind": "application/json", "body": HTML.encode()}, "breaks off or is damaged"),
        ({"body": b'{"head": {"vars": ["p"]}, "results": {"bindings": [{"p"'}, "breaks off or is damaged"),
        ({"status": 401}, r"access is refused \(401\); give --user"),
        ({"status": 404}, r"there is nothing at this address \(404\)"),
        ({"status": 400, "body": b"bad\nquery"}, r"the server refused the request \(400\): bad query"),
        ({"status": 500, "body": b"oops"}, r"the server answered 500: oops, after 2 attempts. Name the predicates"),
        ({"status": 302, "more_headers": {"Location": "file:///etc/passwd"}}, "redirects to file:///etc/passwd; if"),
        ({"body": b'{"head": {}, "boolean": true}'}, "answered yes or no"),
        ({"body": rows(b"{}", names=b'"p", "q"')}, "answered 2 columns instead of 1"),
        ({"body": rows(b"{}", names=b'"p"' + b"".join(b', "p%d"' % i for i in range(9000)))}, "is too long"),
        ({"body": rows(b'{"p": ' + b'{"type":"triple","value":{"subject":' * 25_000)}, "nested more than 100 deep"),
        ({"body": rows(b'{"p": {"type": "uri", "value": "a:' + b"x" * (1 << 24) + b'"}}')}, "breaks off or is damaged"),
        ({"body": LONG_XML, "kind": "application/sparql-results+xml"}, "a text or tag is longer than"),
    ],
)
def test_a_bad_answer_is_one_clear_sentence(change: dict[str, object], message: str) -> None:
    def answer(asked: Asked) -> None:
        for name, value in change.items():
            setattr(asked, name, value)

    with serving(answer) as address, pytest.raises(InputError, match=message) as caught:
        read_graph(address)
    assert str(caught.value).startswith(address)
    assert ("--predicate" in str(caught.value)) == ("damaged" in message or "attempts" in message)


def test_a_server_that_gives_more_rows_than_anybody_asked_for_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faan.graph.endpoint._MOST_ROWS", 9)

    def answer(asked: Asked) -> None:
        columns = 1 if "DISTINCT" in asked.form["query"] else 4
        asked.body = rows(*[b"{}"] * 10, names=b", ".join(b'"c%d"' % i for i in range(columns)))

    with serving(answer) as address, pytest.raises(InputError, match="more than 9 rows"):
        read_graph(address)


def test_a_server_that_repeats_a_page_does_not_keep_us_for_ever() -> None:
    fact = b'{"s": {"type": "uri", "value": "a:s"}, "o": {"type": "uri", "value": "a:o"}}'

    def answer(asked: Asked) -> None:
        is_count = "COUNT" in asked.form["query"]
        asked.body = rows(b"{}", names=b'"n"') if is_count else rows(fact, names=b'"s", "o"')

    with serving(answer) as address, pytest.raises(InputError, match="repeats the same rows of a:p"):
        read_graph(address, predicates=["a:p"])


@pytest.mark.parametrize("number", [b"nan", b"1e999", b"many"])
def test_a_server_that_counts_in_no_numbers_is_read_as_one_that_cannot_count(number: bytes) -> None:
    fact = b'{"s": {"type": "uri", "value": "a:s"}, "o": {"type": "uri", "value": "a:o"}}'

    def answer(asked: Asked) -> None:
        if "COUNT" in asked.form["query"]:
            cell = b'{"type": "literal", "value": "' + number + b'"}'
            asked.body = rows(b'{"n": %s, "e": %s, "l": %s}' % (cell, cell, cell), names=b'"n", "e", "l"')
        else:
            is_edges = "isIRI" in asked.form["query"] and "STR(?s) >" not in asked.form["query"]
            asked.body = rows(*[fact] * is_edges, names=b'"s", "o"')

    with serving(answer) as address:
        assert list(read_graph(address, predicates=["a:p"]).triples()) == [("a:s", "a:p", "a:o")]


def test_nobody_at_the_address_is_said() -> None:
    with serving(lambda asked: None) as address:
        pass
    with pytest.raises(InputError, match=r"no connection \(Connection refused\), after 2 attempts$"):
        read_graph(address)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("sparql+file:///etc/passwd", "expected an address such as"),
        ("sparql+ftp://example.org/x", "expected an address such as"),
        ("sparql+http://", "expected an address such as"),
        ("sparql+http://[::1/", "is not an address"),
        ("sparql+http://é.example/", "is not an address"),
        ("sparql+http://me:secret@example.org/", "the address holds a user name"),
    ],
)
def test_only_http_addresses_without_secrets_are_taken(address: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_graph(address)
    assert "secret" not in str(caught.value)


def test_names_that_are_no_iris_cannot_smuggle_anything_into_a_query() -> None:
    asked: list[Asked] = []
    with serving(asked.append) as address:
        for bad in ("x> ?y } DROP ALL", "no iri", "http://a/ b"):
            with pytest.raises(InputError, match="is not an IRI"):
                read_graph(address, predicates=[bad])
    assert not asked


@pytest.mark.slow
def test_the_password_is_sent_and_neither_printed_nor_saved(
    server: Oxigraph, tmp_path: Path, faan: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def answer(asked: Asked) -> None:
        seen.append(asked.headers.get("Authorization", ""))
        if asked.headers.get("Authorization") == "Basic bWU6c2VjcmV0":  # me:secret
            pass_on(asked, server)
        else:
            asked.status = 401

    saved = tmp_path / "saved"
    with serving(answer) as address:
        monkeypatch.setenv("FAAN_PASSWORD", "wrong")
        code, out, err = faan("check", f"{address}?key=secret", "--user", "me")
        assert code == 1
        assert "check the user name and the password" in err
        monkeypatch.setenv("FAAN_PASSWORD", "secret")
        code, more, also = faan("check", f"{address}?key=secret", "--user", "me", "-o", saved)
        assert code == 0, also
    assert not re.search("secret|c2VjcmV0", out + err + more + also)
    assert not any(b"secret" in path.read_bytes() for path in saved.rglob("*") if path.is_file())
    assert open_graph(saved).num_triples == len(facts())
    monkeypatch.delenv("FAAN_PASSWORD")
    assert "set the environment variable FAAN_PASSWORD" in faan("check", address, "--user", "me")[2]


def test_options_of_endpoints_are_refused_for_files(faan: Run, tmp_path: Path) -> None:
    assert "no source is a SPARQL endpoint" in faan("check", "world", "--limit", "3")[2]
    graph = read_graph([("a", "r", "b")])
    save_graph(graph, tmp_path / "saved")
    for saved in (graph, tmp_path / "saved"):
        with pytest.raises(InputError, match="no source is a SPARQL endpoint"):
            read_graph(saved, endpoint=Endpoint(limit=3))


@pytest.mark.slow
def test_the_commands_of_the_how_to_page_work(
    tmp_path: Path, faan: Run, monkeypatch: pytest.MonkeyPatch, oxigraph_program: str
) -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "sparql.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    faan (check .*sparql\+.*)$", page, re.MULTILINE)
    assert len(commands) >= 4
    monkeypatch.chdir(tmp_path)
    with oxigraph(oxigraph_program) as running:
        running.load((root / "examples" / "several" / "facts.nt").read_text(encoding="utf-8"))
        for line in commands:
            code, out, err = faan(*line.replace("http://localhost:7878", running.url).split())
            assert code == 0, err
            assert "entities" in out
