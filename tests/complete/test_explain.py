"""Explanations: everything in them can be checked in the graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from numpy.typing import NDArray
from tools.attack.small_graph import LANDS, facts

from faan.base import InputError, Ints
from faan.complete import Completer, Fact, Hop, Question, Reason, ask, fit
from faan.complete.because import Because
from faan.complete.drawing import layout, to_svg, write_drawing
from faan.complete.reasons import Reasons
from faan.complete.scoring import Adjusted
from faan.evidence import Measure, RelationPaths, RelationQuery, evidence_of, find_paths
from faan.graph import Graph, read_graph
from faan.models import EvidenceRanker, EvidenceScorer, ExplainingScorer, ScorePart, ScoreParts, make_sources
from faan.tasks import without_rows

from .conftest import CAPITALS

FIVE = CAPITALS[:5]
FACTS = {(head, relation, tail) for head, relation, tail in facts()}


def test_paths_are_walks_in_the_graph_from_head_to_tail(completer: Completer) -> None:
    found = completer.explain("land9", "town9a", FIVE)
    assert found.paths
    for path in found.paths:
        assert (path.entities[0], path.entities[-1], path.of) == ("land9", "town9a", 5)
        assert 0 < path.support <= 5
        for hop, one, two in zip(path.hops, path.entities, path.entities[1:], strict=False):
            assert ((one, hop.relation, two) if hop.forward else (two, hop.relation, one)) in FACTS


def test_neighbours_are_facts_about_head_and_tail(completer: Completer) -> None:
    found = completer.explain("land9", "town9a", FIVE)
    for centre, around in (("land9", found.head_neighbours), ("town9a", found.tail_neighbours)):
        assert around
        assert sum(one.weight for one in around) <= 1 + 1e-6
        assert [one.weight for one in around] == sorted((one.weight for one in around), reverse=True)
        for one in around:
            fact = (centre, one.relation, one.entity) if one.forward else (one.entity, one.relation, centre)
            assert fact in FACTS


def test_examples_are_weighed_and_a_shared_fact_makes_them_heavier(completer: Completer) -> None:
    found = completer.explain("land8", "town8a", FIVE)
    assert {(one.head, one.tail) for one in found.examples} == set(FIVE)
    assert sum(one.weight for one in found.examples) == pytest.approx(1)
    weights = {one.head: one.weight for one in found.examples}
    assert weights["land0"] > weights["land1"]  # it speaks the same tongue as land8


def test_a_known_fact_is_not_explained_by_itself(completer: Completer) -> None:
    found = completer.explain("land0", "town0a", FIVE)
    assert {one.head: one.weight for one in found.examples}["land0"] == 0
    named = completer.explain("coin3", "town3a", "minted_in")
    for path in named.paths:
        assert all(hop.relation != "minted_in" for hop in path.hops)
    assert all(one.relation != "minted_in" for one in (*named.head_neighbours, *named.tail_neighbours))


def test_labels_are_used_in_words_and_names_in_data(tmp_path: Path) -> None:
    rows = [(f"Q{i}", "P1", f"Q{100 + i}") for i in range(9)] + [(f"Q{100 + i}", "P2", f"Q{200 + i}") for i in range(9)]
    labels = [(f"Q{i}", "rdfs:label", f"Land {i}") for i in range(9)]
    text = "\n".join(f"<urn:{h}> <urn:{r}> <urn:{t}> ." for h, r, t in rows)
    text += "\n" + "\n".join(
        f'<urn:{h}> <http://www.w3.org/2000/01/rdf-schema#label> "{label}" .' for h, _, label in labels
    )
    (tmp_path / "graph.nt").write_text(text, encoding="utf-8")
    completer = fit(read_graph(tmp_path / "graph.nt"), method="rules")
    found = completer.explain("Land 7", "urn:Q207", [(f"Land {i}", f"urn:Q{200 + i}") for i in range(3)])
    assert (found.suggestion.head, found.label("urn:Q7")) == ("urn:Q7", "Land 7")
    assert found.suggestion.because[0].startswith("Land 7 — urn:P1 → urn:Q107 — urn:P2 → urn:Q207: right for 3 of 3")
    told = found.reasons[0].paths[0]
    assert (told.entities, told.right, told.reached) == (("Land 7", "urn:Q107", "urn:Q207"), 3, 3)
    assert told.hops == (Hop("urn:P1", True), Hop("urn:P2", True))


def test_the_drawing_has_the_pair_and_what_speaks_for_it(completer: Completer) -> None:
    drawing = completer.explain("land9", "town9a", FIVE).draw()
    roles = {node.id: node.role for node in drawing.nodes}
    assert (roles["land9"], roles["town9a"], roles["court9"]) == ("head", "tail", "path")
    assert len(roles) == len(drawing.nodes)
    assert {edge.kind for edge in drawing.edges} == {"suggested", "path", "neighbour", "example", "resembles"}
    assert {name for edge in drawing.edges for name in (edge.source, edge.target)} <= set(roles)
    places = layout(drawing, 960)
    assert set(places) == set(roles)
    assert len(set(places.values())) == len(places), "two nodes in one place"


def test_names_cannot_break_out_of_a_picture() -> None:
    evil = '"><script>alert(1)</script>&'
    rows = [(f"{evil}{i}", f"r{evil}", f"b{i}") for i in range(4)]
    completer = fit(read_graph(rows), method="rules")
    text = to_svg(completer.explain(f"{evil}3", "b3", [(f"{evil}{i}", f"b{i}") for i in range(2)]).draw())
    assert "<script" not in text
    assert any("script" in (element.text or "") for element in ElementTree.fromstring(text).iter())


def test_a_picture_is_xml_whatever_names_hold() -> None:
    rows = [(f"\x1b[31m\x00{i}", "on", f"b{i}\ufffe") for i in range(4)]
    drawing = fit(read_graph(rows), method="rules").explain(rows[3][0], rows[3][2], [(rows[0][0], rows[0][2])]).draw()
    assert ElementTree.fromstring(to_svg(drawing)).tag.endswith("svg")


def test_pictures_are_written_as_svg_and_png(completer: Completer, tmp_path: Path, matplotlib_version: str) -> None:
    drawing = completer.explain("land9", "town9a", FIVE).draw()
    write_drawing(drawing, tmp_path / "a.svg")
    write_drawing(drawing, tmp_path / "a.png")
    assert (tmp_path / "a.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(InputError, match=r"\.svg or \.png"):
        write_drawing(drawing, tmp_path / "a.gif")


@pytest.mark.slow
def test_without_the_facts_that_the_first_reason_names_the_score_falls(trained: Completer) -> None:
    """A mutation test: reasons are the ranker's own, for capitals, to which several paths lead, and for other towns."""
    asked = [(head, tail[:-1] + letter) for head, tail in CAPITALS[5:] for letter in "abc"]
    changes = [one for one in (change(trained, *pair) for pair in asked) if one is not None]
    assert len(changes) > 60
    assert max(changes) <= 0
    assert np.mean([one < 0 for one in changes]) >= 0.95


def change(completer: Completer, head: str, tail: str) -> float | None:
    """By how much the score of a pair rises without the facts that the first reason names; None if it names none."""
    graph, found = completer.graph, completer.explain(head, tail, FIVE)
    if not found.reasons or found.reasons[0].contribution <= 0 or not found.reasons[0].facts:
        return None
    gone = {(fact.head, fact.relation, fact.tail) for fact in found.reasons[0].facts}
    rows = [row for row, fact in enumerate(graph.triples()) if tuple(fact) in gone]
    ranker = completer.fitted.method
    assert isinstance(ranker, EvidenceRanker)
    vectors = [one for one in (ranker.sources.translation, ranker.sources.matching) if one is not None]
    mutant = ranker.on(make_sources(without_rows(graph, np.array(rows, dtype=np.int64)), vectors))
    question = ask(graph, tuple(pair for pair in FIVE if (pair[0], found.relation, pair[1]) not in gone))
    pair = np.array([graph.entity(head)]), np.array([graph.entity(tail)])
    whole = ask(graph, tuple(FIVE))
    before = ranker.prepare(whole.task, whole.references).score(*pair)[0, 0]
    after = mutant.prepare(replace(whole.task, pairs=question.references), question.references).score(*pair)[0, 0]
    return float(after - before)


def test_what_is_the_same_twice_is_told_once() -> None:
    rows = [(f"a{i}", "married_to", f"b{i}") for i in range(20)] + [(f"b{i}", "married_to", f"a{i}") for i in range(20)]
    completer = fit(read_graph(rows), method="rules")
    because = completer.explain("a9", "b9", [(f"a{i}", f"b{i}") for i in range(5)]).suggestion.because
    assert sum("married_to" in sentence for sentence in because) == 1


class OnePart:
    """A scorer whose scores are one part."""

    def __init__(self, part: ScorePart, paths: RelationPaths) -> None:
        self.part, self.paths = part, paths

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.float64]:
        return np.full((len(heads), len(candidates)), self.part.contribution)

    def explain(self, head: int, tails: Ints) -> list[ScoreParts]:
        return [ScoreParts(head, tail, self.part.contribution, (self.part,)) for tail in tails.tolist()]


class OnePiece(EvidenceScorer):
    """A scorer whose scores are one piece of evidence."""

    def __init__(self, piece: str, contribution: float, query: RelationQuery) -> None:
        self._piece, self._contribution = piece, contribution
        self.measure = Measure(query, evidence_of(query.sources))

    def explain(self, head: int, tails: Ints) -> list[ScoreParts]:
        table, evidence = self.measure.table(head, tails), self.measure.evidence
        place = [one.name for one in evidence].index(self._piece)
        one = evidence[place]
        return [
            ScoreParts(head, tail, 0.0, (ScorePart(one.name, one.meaning, one.kind, value, self._contribution),))
            for tail, value in zip(tails.tolist(), table[:, place].tolist(), strict=True)
        ]


class Unadjusted(Adjusted):
    """A scorer to whose scores neither types nor the schema nor decisions add anything."""

    def __init__(self, scorer: ExplainingScorer) -> None:
        self.scorer, self.types, self.constraints, self._unit = scorer, None, None, 1.0


def told(graph: Graph, relation: str, pair: tuple[str, str], part: ScorePart) -> list[str]:
    """What is said of one part of the score of a pair."""
    question = ask(graph, relation)
    paths = find_paths(graph, question.references, question.candidates, question.hidden)
    return [reason.sentence for reason in reasons_of(question, OnePart(part, paths), pair)]


def told_of_piece(
    graph: Graph, relation: str | list[tuple[str, str]], pair: tuple[str, str], piece: str, added: float = 0.5
) -> list[Reason]:
    """What is said of one piece of evidence for a pair."""
    question = ask(graph, relation if isinstance(relation, str) else tuple(relation))
    query = RelationQuery(make_sources(graph, []), question.task, question.references)
    return reasons_of(question, OnePiece(piece, added, query), pair)


def reasons_of(question: Question, scorer: ExplainingScorer, pair: tuple[str, str]) -> list[Reason]:
    """The reasons for a pair."""
    graph = question.graph
    unadjusted = Unadjusted(scorer)
    because = Because(Reasons(question, unadjusted), unadjusted)
    head, tail = (graph.entity(name) for name in pair)
    return list(because.tell(head, np.array([tail]))[0])


def test_a_shared_fact_is_told_with_how_many_heads_that_have_it_have_the_tail(land: Graph) -> None:
    piece = "tail of heads with the same fact"
    (reason,) = told_of_piece(land, "speaks", ("land3", "tongue3"), piece)
    others = [i for i in range(LANDS) if i % 4 == 3 and i != 3]
    shared = [c for c in range(6) if any(i % (c + 2) == 3 % (c + 2) for i in others)]
    assert reason.sentence == (
        f"land3 — custom2 → custom2-3: {len(others)} of {len(others)} other known heads with this fact have tongue3 "
        f"(and {len(shared) - 1} more shared facts)"
    )
    assert {tuple_of(fact) for fact in reason.facts} == {
        ("land3", f"custom{c}", f"custom{c}-{3 % (c + 2)}") for c in shared
    }
    assert not told_of_piece(land, "speaks", ("coin3", "tongue3"), piece)
    (reason,) = told_of_piece(land, "speaks", ("coin3", "tongue3"), piece, -0.5)
    assert reason.sentence == "against: no fact that coin3 shares with others speaks for tongue3"


def test_shared_facts_count_heads_and_not_values(land: Graph) -> None:
    examples = [("land7", "land0"), ("land7", "land1"), ("land4", "land1")]  # land7 shares tongue3 with land3
    (reason,) = told_of_piece(land, examples, ("land3", "land1"), "tail of heads with the same fact", -0.5)
    assert "1 of 1 other example with this fact has land1" in reason.sentence
    assert reason.sentence.startswith("against: land3 — ")


def test_heads_that_are_most_alike_are_named_with_their_facts(land: Graph) -> None:
    """All lands take part in the same relations, so the first ten others are as near as any."""
    piece, first = "tail of the nearest heads", [i for i in range(11) if i != 3]
    named = [f"land{i}" for i in sorted(first, key=lambda i: f"land{i}") if i % 4 == 3]
    (reason,) = told_of_piece(land, "speaks", ("land3", "tongue3"), piece)
    assert [tuple_of(fact) for fact in reason.facts] == [(head, "speaks", "tongue3") for head in named]
    has = "has" if len(named) == 1 else "have"
    said = f"{len(named)} of 10 known heads most like land3 {has} tongue3: {', '.join(named)}"
    assert reason.sentence == said
    (reason,) = told_of_piece(land, "speaks", ("land3", "tongue3"), piece, -0.5)
    assert reason.sentence == f"against: {said}"
    assert not told_of_piece(land, "speaks", ("land3", "coin1"), piece)
    (reason,) = told_of_piece(land, "speaks", ("land3", "coin1"), piece, -0.5)
    assert reason.sentence == "against: none of 10 known heads most like land3 has coin1"
    assert not told_of_piece(land, [("land3", "tongue3")], ("land3", "coin1"), piece, -0.5)  # there is no other head


@pytest.fixture(scope="module")
def named() -> Graph:
    """Towns with names that people read, and their streams."""
    towns = ["Oberau", "Unterau", "Mittelau", "Steinbach", "Steinbrunn", "Kirchbach", "Altdorf"]
    return read_graph(
        [(town, "lies_on", f"River {town[-2:]}") for town in towns]
        + [(f"River {town[-2:]}", "passes", town) for town in towns]
    )


def test_the_head_whose_name_is_most_alike_is_named(named: Graph) -> None:
    piece, pair = "tail of a head with a similar name", ("Unterau", "River au")
    (reason,) = told_of_piece(named, "lies_on", pair, piece)
    assert reason.sentence == "Oberau has River au, and its name is spelt like Unterau"
    assert [tuple_of(fact) for fact in reason.facts] == [("Oberau", "lies_on", "River au")]
    (reason,) = told_of_piece(named, "lies_on", pair, piece, -0.5)
    assert reason.sentence == (
        "against: of the known heads that have River au, none has a name more like Unterau than Oberau"
    )
    alone = ("Altdorf", "River rf")
    assert not told_of_piece(named, "lies_on", alone, piece)
    (reason,) = told_of_piece(named, "lies_on", alone, piece, -0.5)
    assert reason.sentence == "against: no other known head has River rf"


@pytest.mark.parametrize(
    ("plain", "among_namesakes"),
    [("best path", "best path among namesakes"), ("direct links", "direct links among namesakes")],
)
def test_where_no_names_are_the_same_namesakes_are_not_mentioned(
    named: Graph, plain: str, among_namesakes: str
) -> None:
    pair = ("Unterau", "River au")
    reasons = told_of_piece(named, "lies_on", pair, among_namesakes)
    assert reasons == told_of_piece(named, "lies_on", pair, plain) != []


def tuple_of(fact: Fact) -> tuple[str, str, str]:
    return fact.head, fact.relation, fact.tail


@pytest.mark.parametrize(
    ("pair", "added", "sentences"),
    [
        (("coin3", "town3a"), 0.5, []),  # they are linked by the relation that is asked for alone
        (("coin3", "town3b"), -0.5, ["against: nothing links coin3 and town3b directly"]),
        (("land3", "town3b"), 0.5, ["land3 and town3b are linked directly: ← lies_in —"]),
        (("land3", "town3b"), -0.5, ["against: land3 and town3b are linked directly: ← lies_in —"]),
    ],
)
def test_only_a_link_of_the_graph_is_told_as_a_link(
    land: Graph, pair: tuple[str, str], added: float, sentences: list[str]
) -> None:
    linked = float(pair[0] == "land3")
    part = ScorePart("direct links", "the graph links head and tail directly", "links", linked, added)
    assert told(land, "minted_in", pair, part) == sentences


def test_a_number_of_edges_is_told_as_it_is(land: Graph) -> None:
    part = ScorePart("edges of the tail", "the tail has many edges in the graph", "counts", 1.4, -0.5)
    edges = sum("court3" in (head, tail) for head, relation, tail in FACTS if relation != "is")
    assert told(land, "minted_in", ("coin3", "court3"), part) == [f"against: court3 has {edges} edges in the graph"]


def test_what_does_not_hold_is_not_told_as_if_it_did(land: Graph) -> None:
    absent = ScorePart("same name", "head and tail have the same name", "names", 0.0, -0.5)
    assert told(land, "minted_in", ("coin3", "town3b"), absent) == [
        "against: it is not so that head and tail have the same name"
    ]


def test_reasons_for_and_against_come_by_size(trained: Completer) -> None:
    found = completer_reasons(trained)
    sizes = [abs(one.contribution) for one in found]
    assert sizes == sorted(sizes, reverse=True)
    for one in found:
        assert one.sentence.startswith("against: ") == (one.contribution < 0)


def completer_reasons(completer: Completer) -> tuple[Reason, ...]:
    explained = completer.explain("land9", "town9b", FIVE)
    assert explained.suggestion.because == tuple(one.sentence for one in explained.reasons)
    return explained.reasons
