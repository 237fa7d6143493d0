from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.base import InputError
from faan.graph import Graph, GraphBuilder, ntriples, open_graph, rdf, read_graph, save_graph

Write = Callable[[str, str | bytes], Path]

TURTLE = """\
@prefix ex: <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
ex:Peru a ex:Country ; ex:capital ex:Lima ; rdfs:label "Peru"@en, "Perú"@es ; ex:population 33000000 .
ex:Lima ex:in ex:Peru ; skos:prefLabel "Lima" .
ex:capital rdfs:label "has capital"@en .
[] ex:mayorOf ex:Lima .
"""
TRIPLES = {
    ("http://example.org/Peru", "http://example.org/capital", "http://example.org/Lima"),
    ("http://example.org/Lima", "http://example.org/in", "http://example.org/Peru"),
}
SYNTAXES = {
    "nt": ox.RdfFormat.N_TRIPLES,
    "nq": ox.RdfFormat.N_QUADS,
    "ttl": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
    "rdf": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
}


def serialized(extension: str) -> bytes:
    quads = ox.parse(TURTLE, ox.RdfFormat.TURTLE)
    content = ox.serialize((quad.triple for quad in quads), format=SYNTAXES[extension])
    assert content is not None
    return content


def named(graph: Graph) -> set[tuple[str, str, str]]:
    return {triple for triple in graph.triples() if not any(part.startswith("_:") for part in triple)}


@pytest.mark.parametrize("extension", SYNTAXES)
@pytest.mark.parametrize("detected_by", ["extension", "content"])
def test_every_syntax_gives_the_same_graph(write: Write, extension: str, detected_by: str) -> None:
    path = write(f"graph.{extension if detected_by == 'extension' else 'data'}", serialized(extension))
    graph = read_graph(path)
    assert named(graph) == TRIPLES
    assert graph.num_triples == 3  # one more from a blank node
    assert graph.report.literals == 1  # the population
    peru = graph.entity("http://example.org/Peru")
    assert graph.entity_label(peru) == "Peru"
    assert graph.entity("Lima") == graph.entity("http://example.org/Lima")
    assert graph.relation_label(graph.relation("http://example.org/capital")) == "has capital"
    assert graph.types is not None
    assert [graph.types.names[i] for i in graph.types.of(peru)] == ["http://example.org/Country"]


def test_nodes_without_a_name_get_the_same_one_each_time(write: Write) -> None:
    path = write("graph.ttl", TURTLE)
    assert list(read_graph(path).triples()) == list(read_graph(path).triples())
    assert "_:b0" in read_graph(path).entity_names


def test_columns_cannot_be_named_in_rdf(write: Write) -> None:
    with pytest.raises(InputError, match="columns can be named in tables, JSON Lines and Parquet, not in turtle"):
        read_graph(write("graph.ttl", TURTLE), columns=("a", "b", "c"))


def test_the_preferred_language_of_labels_can_be_set(write: Write) -> None:
    path = write("graph.ttl", TURTLE)
    spanish = read_graph(path, languages=["es", "en"])
    assert spanish.entity_label(spanish.entity("http://example.org/Peru")) == "Perú"
    assert spanish.relation_label(spanish.relation("http://example.org/capital")) == "has capital"


def test_the_relation_that_carries_types_can_be_set(write: Write) -> None:
    graph = read_graph(write("graph.ttl", TURTLE), type_relations=["http://example.org/in"])
    assert graph.types is not None
    assert list(graph.types.names) == ["http://example.org/Peru"]
    assert "http://www.w3.org/1999/02/22-rdf-syntax-ns#type" in graph.relation_names


# Lines of N-Triples: plain ones, and such as programs and people also write.
iris = st.sampled_from(
    [
        "<http://e.org/a>",
        "<http://e.org/b#c>",
        "<https://é.org/ü?x=1>",
        "<http://e.org/%C3%A9>",
        "<urn:x:y>",
        "_:n1",
        "<http://e.org/\\u00e9>",
        "<http://e.org:80/a>",
        "<http://e.org/a#b#c>",
        "<http://e.org/a b>",
        "<rel>",
        "<http://e.org/%zz>",
    ]
)
predicates = st.sampled_from(
    ["<http://e.org/p>", "<http://www.w3.org/2000/01/rdf-schema#label>", "<http://schema.org/name>", "_:p"]
)
literals = st.builds(
    "".join,
    st.tuples(
        st.just('"'),
        st.sampled_from(["text", "", "é ü", "a\\tb", "a\tb", 'say \\"hi\\"', "\\u00e9", "tail \\"]),
        st.just('"'),
        st.sampled_from(["", "@en", "@en-GB", "@de", "@1", "^^<http://e.org/t>", "^^<t>"]),
    ),
)
ends = st.sampled_from([" .", ".", " . # why", "", " . .", " <http://e.org/g> ."])
gaps = st.sampled_from([" ", "\t", ""])
lines = st.one_of(
    st.builds(lambda s, p, o, e, gap: f"{s}{gap}{p}{gap}{o}{e}", iris, predicates, iris | literals, ends, gaps),
    st.sampled_from(["", "# comment", "nonsense", "   "]),
)


@pytest.mark.slow
@given(st.lists(lines, max_size=8), st.sampled_from(["n-triples", "n-quads"]))
def test_the_fast_way_agrees_with_the_parser(
    tmp_path_factory: pytest.TempPathFactory, content: list[str], format: str
) -> None:
    """Whatever stands in a file: the same graph in the same order, the same lines skipped."""
    path = tmp_path_factory.mktemp("nt") / "graph"
    path.write_text("<http://z.org/h> <http://z.org/r> <http://z.org/t> .\n" + "\n".join(content), encoding="utf-8")

    def outcome() -> tuple[object, ...]:
        graph = read_graph(path, format=format, skip_bad_lines=True)
        labels = [graph.entity_label(i) for i in range(graph.num_entities)]
        return list(graph.triples()), labels, graph.report

    fast = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ntriples, "_lines", lambda block: None)
        assert outcome() == fast


NT = b"<http://e/a> <http://e/p> <http://e/b> .\n"
BAD = {
    "unterminated IRI": b"<http://e/c> <http://e/p <http://e/d> .\n",
    "broken UTF-8": b'<http://e/c> <http://e/p> "Per\xfa" .\n',
    "no end": b"<http://e/c> <http://e/p> <http://e/d>\n",
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("extension", ["nt", "nq"])
def test_a_bad_line_is_named_or_skipped_and_counted(write: Write, extension: str, kind: str) -> None:
    path = write(f"g.{extension}", NT + BAD[kind] + NT)
    with pytest.raises(InputError, match=f"g.{extension}, line 2: not n-"):
        read_graph(path)
    graph = read_graph(path, skip_bad_lines=True)
    assert (graph.num_triples, graph.report.skipped, graph.report.duplicates) == (1, 1, 1)


def test_bad_turtle_is_named_and_cannot_be_skipped(write: Write) -> None:
    path = write("g.ttl", "@prefix ex: <http://e/> .\nex:a ex:p ex:b ;;; nonsense .\n")
    with pytest.raises(InputError, match=r"g\.ttl, line 2: not turtle"):
        read_graph(path)
    with pytest.raises(InputError, match="can be skipped in tables, JSON Lines, N-Triples and N-Quads, not in turtle"):
        read_graph(path, skip_bad_lines=True)


def test_only_literals_are_no_graph(write: Write) -> None:
    with pytest.raises(InputError, match=r"no triple in it \(only 1 statement about a literal value\)"):
        read_graph(write("g.nt", '<http://e/a> <http://e/p> "1" .\n'))


@pytest.mark.parametrize("extension", SYNTAXES)
def test_descriptions_are_kept_apart_from_labels(write: Write, tmp_path: Path, extension: str) -> None:
    text = TURTLE + (
        "@prefix schema: <http://schema.org/> .\n"
        'ex:Lima rdfs:comment "a city"@en ; schema:description "capital de Perú"@es, "capital of Peru"@en .\n'
        'ex:Peru rdfs:comment "a country" . ex:capital rdfs:comment "of a relation" .\n'
    )
    content = ox.serialize((q.triple for q in ox.parse(text, ox.RdfFormat.TURTLE)), format=SYNTAXES[extension])
    assert content is not None
    graph = read_graph(write(f"graph.{extension}", content))
    lima, peru = graph.entity("Lima"), graph.entity("Peru")
    assert (graph.entity_label(lima), graph.entity_description(lima)) == ("Lima", "capital of Peru")
    assert (graph.entity_label(peru), graph.entity_description(peru)) == ("Peru", "a country")
    assert graph.relation_label(graph.relation("has capital")) == "has capital"
    assert graph.report.literals == 1  # the population
    save_graph(graph, tmp_path / "saved")
    again = open_graph(tmp_path / "saved")
    assert again.entity_description(again.entity("Lima")) == "capital of Peru"
    assert read_graph([("a", "r", "b")]).entity_description(0) == ""


def test_labels_go_to_the_builder_in_chunks_as_facts_do(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    add_labels = GraphBuilder.add_labels

    def counted(self: GraphBuilder, names: list[str], labels: list[str], ranks: list[int]) -> None:
        sizes.append(len(names))
        add_labels(self, names, labels, ranks)

    monkeypatch.setattr(rdf, "CHUNK", 10)
    monkeypatch.setattr(GraphBuilder, "add_labels", counted)
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    read_graph(write("g.ttl", "<a:a> <a:p> <a:b> .\n" + "".join(f'<a:{i}> {label} "{i}" .\n' for i in range(50))))
    assert max(sizes) <= 10
