"""Evidence against its definition, pair by pair, and what all evidence has to keep to."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from faan.base.ragged import Ints
from faan.embed import EmbedConfig, Embeddings
from faan.evidence import (
    CATALOGUE,
    Measure,
    RelationQuery,
    Sources,
    column_evidence,
    evidence_of,
    links,
    places,
    relation_query,
)
from faan.evidence import measure as measure_module
from faan.evidence.fit import fit_relation
from faan.evidence.head_query import Candidates, HeadQuery
from faan.evidence.places import count_each, count_higher
from faan.evidence.shared_facts import SharedFacts
from faan.evidence.vector_evidence import learnt_score
from faan.graph import Graph, Names, Types
from faan.models import TailCounts
from faan.tasks import PairSet, Task

ENTITIES, RELATIONS = 12, 3


def make_graph(seed: int = 0, edges: int = 40) -> Graph:
    rng = np.random.default_rng(seed)
    rows = np.unique(rng.integers(0, [ENTITIES - 1, RELATIONS, ENTITIES - 1], (edges, 3)), axis=0).astype(np.int32)
    types = Types(Names.from_strings(["a", "b"]), np.arange(ENTITIES + 1), np.arange(ENTITIES) % 2)
    names = Names.from_strings([f"e{i}" for i in range(ENTITIES)])  # the last one has no edge
    heads, relations, tails = np.ascontiguousarray(rows.T)
    return Graph(names, Names.from_strings(["r", "s", "t"]), heads, relations, tails, types=types)


def make_sources(graph: Graph) -> Sources:
    def vectors(model: str) -> Embeddings:
        config = EmbedConfig.model_validate({"model": model, "dimension": 4, "seed": 1, "init_scale": 0.5})
        return Embeddings.first(ENTITIES, RELATIONS, config)

    return Sources(graph, vectors("transe"), vectors("complex"), {"TailCounts": TailCounts(graph)}, vectors("complex"))


PAIRS = np.array([[0, 1], [2, 3], [4, 3], [5, 6], [7, 8]], np.int32)


def make_task(hidden: int | None = None) -> Task:
    candidates = np.array([1, 3, 4, 6, 8, 9, 11], np.int32)
    return Task("next", PAIRS, candidates, PairSet(PAIRS[:, 0], PAIRS[:, 1], ENTITIES), hidden)


@pytest.fixture
def sources() -> Sources:
    return make_sources(make_graph())


def measure(sources: Sources, task: Task | None = None, references: Ints = PAIRS[:3]) -> Measure:
    return Measure(RelationQuery(sources, task or make_task(), references), evidence_of(sources))


def value(sources: Sources, name: str, head: int, tail: int, task: Task | None = None) -> float:
    found = measure(sources, task)
    number = [one.name for one in found.evidence].index(name)
    return float(found.table(head, np.array([tail]))[0, number])


def test_every_piece_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "evidence.md").read_text(encoding="utf-8")
    for one in (*CATALOGUE, learnt_score("FAAN")):
        assert f"| {one.name} | {one.meaning} | {one.kind} | {'+' if one.direction > 0 else ''} |\n" in page


def test_every_piece_has_a_name_and_a_sentence_of_its_own() -> None:
    assert len({one.name for one in CATALOGUE}) == len({one.meaning for one in CATALOGUE}) == len(CATALOGUE)
    assert all(one.name and one.meaning and one.direction in (-1, 0, 1) for one in CATALOGUE)


def test_a_table_has_a_value_and_a_place_for_each_piece(sources: Sources) -> None:
    found = measure(sources)
    table = found.table(9, np.arange(ENTITIES))
    columns = column_evidence(found.evidence)
    assert table.shape == (ENTITIES, len(columns))
    assert np.isfinite(table).all()
    assert len(columns) == 2 * len(found.evidence) - sum(not one.is_compared for one in found.evidence)


def test_evidence_of_a_pair_does_not_depend_on_what_else_is_asked(sources: Sources) -> None:
    found = measure(sources)
    together = found.table(9, np.arange(ENTITIES))
    for tail in range(ENTITIES):
        assert np.allclose(found.table(9, np.array([tail]))[0], together[tail], atol=1e-6)


@pytest.mark.parametrize("in_graph", [False, True])
def test_candidates_asked_together_have_the_evidence_that_each_has_alone(
    sources: Sources, in_graph: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = replace(make_task(hidden=1), in_graph=in_graph, facts=PAIRS if in_graph else None)
    asked = Measure(RelationQuery(sources, task, PAIRS), evidence_of(sources, in_graph=in_graph))
    for head in (0, 2, 9):
        together = asked.table(head, np.arange(ENTITIES))
        with monkeypatch.context() as patched:
            patched.setattr(places, "_FEW", 0)  # each is looked up among the others
            assert np.array_equal(asked.table(head, np.arange(ENTITIES)), together)
            one_by_one = [asked.table(head, np.array([tail])) for tail in range(ENTITIES)]
            assert np.allclose(np.concatenate(one_by_one), together, atol=1e-6)


def test_the_order_of_references_does_not_matter(sources: Sources) -> None:
    one, other = (measure(sources, references=refs).table(9, np.arange(ENTITIES)) for refs in (PAIRS, PAIRS[::-1]))
    assert np.array_equal(one, other)


@given(st.lists(st.sampled_from([0.0, 1.0, 2.5, -1.0]), min_size=1, max_size=9))
def test_a_place_is_the_number_of_higher_values(values: list[float]) -> None:
    expected = [sum(other > value for other in values) for value in values]
    own = np.array(values, np.float32)
    assert np.array_equal(count_higher(np.sort(own), own), expected)


@given(st.lists(st.tuples(st.floats(width=32, allow_nan=False), st.booleans()), max_size=30))
@example([(0.0, True), (-0.0, True), (-1e-45, False), (float("inf"), True), (float("-inf"), True)])
def test_all_places_at_once_are_those_that_are_looked_up_one_by_one(candidates: list[tuple[float, bool]]) -> None:
    values = np.array([value for value, _ in candidates], np.float32)
    competes = np.array([own for _, own in candidates], dtype=bool)
    expected = [int((values[competes] > value).sum()) for value in values]
    assert count_each(values, competes).tolist() == expected


@pytest.mark.slow
@given(st.integers(0, 5), st.integers(0, ENTITIES - 1), st.none() | st.integers(0, RELATIONS - 1))
def test_links_are_counted_one_by_one(seed: int, head: int, hidden: int | None) -> None:
    graph = make_graph(seed)
    columns = graph.heads.tolist(), graph.relations.tolist(), graph.tails.tolist()
    edges = [(h, t) for h, r, t in zip(*columns, strict=True) if r != hidden]
    edges += [(t, h) for h, t in edges]
    degrees = [sum(a == entity for a, _ in edges) for entity in range(ENTITIES)]
    found = measure(make_sources(graph), make_task(hidden)).table(head, np.arange(ENTITIES))
    for tail in range(ENTITIES):
        middles = [b for a, b in edges if a == head for c, d in edges if c == b and d == tail and tail != head]
        rare = sum(1 / math.log2(1 + degrees[middle]) for middle in middles)
        assert np.allclose(found[tail, 5:8], [edges.count((head, tail)), len(middles), rare], atol=1e-4)


def test_an_entity_with_too_many_edges_links_nothing() -> None:
    hub = np.full(links.MAX_DEGREE + 1, 0, np.int32)
    names = Names.from_strings([f"e{i}" for i in range(len(hub) + 1)])
    graph = Graph(names, Names.from_strings(["r"]), hub, hub, np.arange(1, len(hub) + 1, dtype=np.int32))
    task = Task("next", PAIRS, np.arange(1, 9, dtype=np.int32), PairSet(PAIRS[:, 0], PAIRS[:, 1], len(names)))
    found = Measure(RelationQuery(Sources(graph), task, PAIRS[:2]), evidence_of(Sources(graph)))
    table = found.table(3, np.arange(9))
    assert table[0, 5] == 1
    assert not table[:, 6].any()


def test_tail_counts_types_and_degrees_are_what_they_say(sources: Sources) -> None:
    assert np.isclose(value(sources, "tail in references", 9, 3), 2 / 3)  # two of the three references
    assert np.isclose(value(sources, "type", 9, 11), 1)  # 1, 3 and 11 are odd
    assert np.isclose(value(sources, "type", 9, 4), 0)
    assert np.isclose(value(sources, "edges of the tail", 9, 3), math.log1p(sources.graph.neighbours.degrees[3]))


def test_profiles_are_cosines_of_relations_by_tf_idf(sources: Sources) -> None:
    graph, neighbours = sources.graph, sources.graph.neighbours

    def profile(entity: int) -> np.ndarray:
        counts = np.bincount(neighbours.of(entity)[0], minlength=2 * RELATIONS)
        spread = [sum(role in neighbours.of(e)[0] for e in range(ENTITIES)) for role in range(2 * RELATIONS)]
        found = np.log1p(counts) * np.log((1 + graph.num_entities) / (1 + np.array(spread)))
        return found / max(float(np.linalg.norm(found)), 1e-12)

    expected = [profile(8) @ profile(tail) for tail in (1, 3, 3)]
    assert np.isclose(value(sources, "relations like the references' tails", 9, 8), np.mean(expected), atol=1e-5)
    assert np.isclose(value(sources, "relations like one reference's tail", 9, 8), max(expected), atol=1e-5)
    assert value(sources, "relations like one reference's tail", 9, ENTITIES - 1) == 0


def test_translation_and_matching_are_what_they_say(sources: Sources) -> None:
    e = sources.vectors("translation").entities.numpy()
    way = np.mean([e[t] - e[h] for h, t in PAIRS[:3]], axis=0)
    assert np.isclose(value(sources, "mean translation", 9, 8), -np.abs(e[9] + way - e[8]).sum(), atol=1e-4)
    near = max(-np.abs(e[9] + e[t] - e[h] - e[8]).sum() for h, t in PAIRS[:3])
    assert np.isclose(value(sources, "nearest translation", 9, 8), near, atol=1e-4)
    rows = sources.vectors("matching").entities.numpy()
    c = rows[:, :4] + 1j * rows[:, 4:]
    products = [((c[9].conj() * c[8]) * (c[h].conj() * c[t]).conj()).sum().real for h, t in PAIRS[:3]]
    assert np.isclose(value(sources, "matching relations", 9, 8), np.mean(products), atol=1e-4)
    assert np.isclose(value(sources, "best matching relation", 9, 8), max(products), atol=1e-4)


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / max(float(np.linalg.norm(one) * np.linalg.norm(other)), 1e-12))


def profiles_of(graph: Graph) -> np.ndarray:
    """The relations of each entity by tf-idf, (entities, roles)."""
    counts = np.stack([np.bincount(graph.neighbours.of(e)[0], minlength=2 * RELATIONS) for e in range(ENTITIES)])
    return np.asarray(np.log1p(counts) * np.log((1 + ENTITIES) / (1 + (counts > 0).sum(0))))


def similarities(sources: Sources, head: int) -> list[float]:
    """How similar a head is to that of each reference: the mean cosine of profiles and of both kinds of vectors."""
    tables = [profiles_of(sources.graph), *(sources.vectors(kind).entities.numpy() for kind in KINDS)]
    return [float(np.mean([cosine(table[head], table[h]) for table in tables])) for h in PAIRS[:3, 0]]


KINDS = ("translation", "matching")
ASKED = [(9, 8), (9, 3), (0, 1), (4, 11)]  # the last tail has no edges
asked = pytest.mark.parametrize(("head", "tail"), ASKED)


@asked
def test_references_with_similar_heads_count_more(sources: Sources, head: int, tail: int) -> None:
    similar = similarities(sources, head)
    weights = np.exp(5 * np.array(similar)) / np.exp(5 * np.array(similar)).sum()
    tails, profiles = PAIRS[:3, 1], profiles_of(sources.graph)
    e = sources.vectors("translation").entities.numpy()
    rows = sources.vectors("matching").entities.numpy()
    c = rows[:, :4] + 1j * rows[:, 4:]
    by_reference = {
        "tail of similar heads": [float(t == tail) for t in tails],
        "relations like the tails of similar heads": [cosine(profiles[tail], profiles[t]) for t in tails],
        "translation of similar heads": [-np.abs(e[head] + e[t] - e[h] - e[tail]).sum() for h, t in PAIRS[:3]],
        "matching relations of similar heads": [
            ((c[head].conj() * c[tail]) * (c[h].conj() * c[t]).conj()).sum().real for h, t in PAIRS[:3]
        ],
        "closeness to the tails of similar heads (translation)": [cosine(e[tail], e[t]) for t in tails],
        "closeness to the tails of similar heads (matching)": [cosine(rows[tail], rows[t]) for t in tails],
    }
    for name, values in by_reference.items():
        assert np.isclose(value(sources, name, head, tail), weights @ values, atol=1e-4), name
    assert np.isclose(value(sources, "similar head", head, tail), max(similar), atol=1e-5)


@asked
@pytest.mark.parametrize("kind", KINDS)
def test_closeness_is_the_cosine_of_vectors(sources: Sources, kind: str, head: int, tail: int) -> None:
    table = sources.vectors(kind).entities.numpy()
    near = [cosine(table[tail], table[t]) for t in PAIRS[:3, 1]]
    expected = {"the head": cosine(table[head], table[tail]), "one reference's tail": max(near)}
    for name, number in (expected | {"the references' tails": np.mean(near)}).items():
        assert np.isclose(value(sources, f"closeness to {name} ({kind})", head, tail), number, atol=1e-5), name


@asked
def test_edges_count_in_the_roles_of_the_references_tails(sources: Sources, head: int, tail: int) -> None:
    profiles = profiles_of(sources.graph)
    units = [profiles[t] / max(float(np.linalg.norm(profiles[t])), 1e-12) for t in PAIRS[:3, 1]]
    found = value(sources, "edges in the references' roles", head, tail)
    assert np.isclose(found, profiles[tail] @ np.mean(units, axis=0), atol=1e-5)


@asked
def test_paths_are_walked_one_by_one(sources: Sources, head: int, tail: int) -> None:
    graph, paths = sources.graph, RelationQuery(sources, make_task(), PAIRS[:3]).paths

    def leads(path: list[int]) -> bool:
        level = {head}
        for relation in path:
            steps = [(relations, ends) for relations, ends in map(graph.neighbours.of, level)]
            level = {end for relations, ends in steps for end in ends[relations == relation].tolist()}
        return tail in level and tail != head

    steps = [[r for r in path.tolist() if r >= 0] for path in paths.paths]
    fired = [(len(path), sure) for path, sure in zip(steps, paths.confidence, strict=True) if leads(path)]
    short, long = (sum(-math.log1p(-sure) for hops, sure in fired if (hops == 3) == is_long) for is_long in (0, 1))
    best = max((sure for _, sure in fired), default=0.0)
    names = ("short paths", "long paths", "all paths", "best path", "number of paths")
    found = [value(sources, name, head, tail) for name in names]
    assert np.allclose(found, [short, long, short + long, best, len(fired)], atol=1e-5)


def test_some_of_the_pairs_that_are_asked_about_have_paths(sources: Sources) -> None:
    assert {value(sources, "number of paths", head, tail) > 0 for head, tail in ASKED} == {True, False}


def test_circumstances_describe_the_question(sources: Sources) -> None:
    expected = {
        "number of references": 3,
        "different tails": 2 / 3,  # 1, 3 and 3
        "different heads": 1,
        "number of candidates": math.log1p(7),
        "best rule": RelationQuery(sources, make_task(), PAIRS[:3]).paths.confidence.max(),
        "edges of the head": math.log1p(sources.graph.neighbours.degrees[9]),
    }
    for name, number in expected.items():
        assert np.isclose(value(sources, name, 9, 8), number), name


def test_a_fitted_relation_picks_the_references_out(sources: Sources) -> None:
    vectors, candidates = sources.vectors("matching"), make_task().candidates.astype(np.int64)
    references = PAIRS[:1].astype(np.int64)
    relation = fit_relation(vectors, references, candidates)
    scores = vectors.model.tail_query(vectors.entities[0], relation) @ vectors.entities[candidates].T
    assert candidates[int(scores.argmax())] == 1


def test_a_learnt_score_is_told_in_standard_deviations(sources: Sources) -> None:
    task = make_task()
    scores = TailCounts(sources.graph).prepare(task, PAIRS[:3]).score(np.array([9]), task.candidates)[0]
    expected = (scores[1] - scores.mean()) / scores.std()  # candidate 3
    assert np.isclose(value(sources, "TailCounts's score", 9, 3), expected, atol=1e-5)
    assert not learnt_score("FAAN").needs(sources)


def test_a_hidden_relation_leaves_no_trace(sources: Sources) -> None:
    """Evidence from the graph is the same as in a graph that never had the relation."""
    graph = sources.graph
    keep = graph.relations != 1
    without = replace(
        graph, heads=graph.heads[keep], relations=graph.relations[keep], tails=graph.tails[keep], entity_labels=None
    )

    def of_graph(graph: Graph, hidden: int | None) -> np.ndarray:
        own = Sources(graph)
        found = Measure(RelationQuery(own, make_task(hidden), PAIRS[:3]), evidence_of(own))
        return found.table(9, np.arange(ENTITIES))

    assert np.allclose(of_graph(graph, 1), of_graph(without, None), atol=1e-6)
    assert np.allclose(of_graph(graph, 1 + RELATIONS), of_graph(without, None), atol=1e-6)  # of an inverse task
    assert not np.allclose(of_graph(graph, None), of_graph(without, None), atol=1e-6)


def test_evidence_without_its_sources_is_left_out(sources: Sources) -> None:
    bare = {one.kind for one in evidence_of(Sources(replace(sources.graph, types=None)))}
    assert bare == {"paths", "links", "counts", "profiles", "context"}


def known_task(graph: Graph, relation: int, references: Ints) -> Task:
    truths = PairSet(references[:, 0], references[:, 1], ENTITIES)
    return Task("own", references, np.arange(ENTITIES, dtype=np.int32), truths, relation, True, references)


@given(st.integers(0, 5), st.integers(0, 2 * RELATIONS - 1))
def test_a_relation_of_the_graph_is_measured_pair_by_pair(seed: int, relation: int) -> None:
    """The contract of evidence holds for relations of the graph: a pair's evidence does not depend on the others."""
    graph = make_graph(seed)
    rows = graph.relations == relation % RELATIONS
    pairs = np.stack([graph.heads[rows], graph.tails[rows]], 1)[:, :: 1 if relation < RELATIONS else -1]
    own = make_sources(graph)
    task = known_task(graph, relation, np.ascontiguousarray(pairs))
    found = Measure(RelationQuery(own, task, pairs[:3]), evidence_of(own, in_graph=True))
    head = int(pairs[0, 0])
    together = found.table(head, np.arange(ENTITIES))
    assert np.isfinite(together).all()
    for tail in range(ENTITIES):
        assert np.allclose(found.table(head, np.array([tail]))[0], together[tail], atol=1e-5)


def test_heads_with_the_same_facts_are_counted_one_by_one(sources: Sources) -> None:
    graph = sources.graph
    references = np.array([[h, t] for h in range(8) for t in ((h * 3) % 5, (h + 2) % 7)], np.int64)
    for hidden in (None, 1):
        found = SharedFacts.of(graph, references, hidden)

        def facts(entity: int, hidden: int | None = hidden) -> set[tuple[int, int]]:
            kinds, others = graph.neighbours.of(entity)
            return {(r, e) for r, e in zip(kinds.tolist(), others.tolist(), strict=True) if r % RELATIONS != hidden}

        for head in range(ENTITIES):
            best, total = found.of_head(head)
            for place, tail in enumerate(found.tails.tolist()):
                shares = []
                for fact in facts(head):
                    having = [t for h, t in references.tolist() if h != head and fact in facts(h)]
                    shares.append(having.count(tail) / (len(having) + 2))
                assert np.isclose(best[place], max(shares, default=0))
                assert np.isclose(total[place], -np.log1p(-np.array(shares)).sum())
                told = found.supporting(head, tail)
                assert [one.support for one in told] == sorted((share for share in shares if share), reverse=True)
                for one in told:
                    fact = one.relation, one.entity
                    others = {h for h, _ in references.tolist() if h != head and fact in facts(h)}
                    right = {h for h, t in references.tolist() if h in others and t == tail}
                    assert fact in facts(head)
                    assert (one.heads, one.right) == (len(others), len(right))


def test_own_relation_is_the_log_softmax_of_its_own_vector(sources: Sources) -> None:
    task = known_task(sources.graph, 1, PAIRS.astype(np.int64))
    vectors = sources.vectors("completion")
    for hidden, relation in ((1, vectors.relations[1]), (1 + RELATIONS, vectors.model.inverse(vectors.relations[1]))):
        evidence = evidence_of(sources, in_graph=True)
        query = RelationQuery(sources, replace(task, hidden=hidden), PAIRS[:3])
        table = Measure(query, evidence).table(9, np.arange(ENTITIES))
        scores = (vectors.model.tail_query(vectors.entities[9], relation) @ vectors.entities.T).log_softmax(0)
        place = [one.name for one in evidence].index("own relation")
        assert np.allclose(table[:, place], scores.numpy(), atol=1e-4)


def test_counts_are_of_all_references_and_the_rest_of_a_sample(sources: Sources) -> None:
    many = np.array([[h, 3 if h % 4 else 1] for h in range(12)] * 5, np.int64)  # 60 pairs
    query = RelationQuery(sources, replace(make_task(), facts=many), many[:40])
    assert len(query.references) == 30
    assert query.num_references == 60
    found = Measure(query, evidence_of(sources)).table(9, np.array([1, 3]))
    place = [one.name for one in evidence_of(sources)].index("tail in references")
    assert np.allclose(found[:, place], [0.25, 0.75])


@pytest.mark.parametrize("in_graph", [False, True])
def test_many_candidates_are_measured_in_parts(
    sources: Sources, in_graph: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = replace(make_task(0), in_graph=in_graph, facts=PAIRS[:3] if in_graph else None)
    evidence = evidence_of(sources, in_graph=in_graph)

    def table() -> np.ndarray:
        return Measure(RelationQuery(sources, task, PAIRS[:3]), evidence).table(2, np.arange(ENTITIES))

    whole = table()
    monkeypatch.setattr(measure_module, "_AT_ONCE", 3)
    monkeypatch.setattr(relation_query, "_AT_ONCE", 2)
    np.testing.assert_allclose(table(), whole, atol=1e-5)


@pytest.mark.parametrize("hidden", [-1, 0, 2])
def test_edges_are_counted_without_those_of_a_hidden_relation(hidden: int) -> None:
    graph = make_graph()
    around, entities = graph.neighbours, np.array([3, 0, 11, 3])
    found = links.count_edges(around.offsets, around.relations, RELATIONS, entities, hidden)
    wanted = [int((around.of(int(entity))[0] % RELATIONS != hidden).sum()) for entity in entities]
    assert found.tolist() == wanted


def test_links_to_candidates_in_any_order_are_the_same() -> None:
    question = RelationQuery(make_sources(make_graph()), make_task(), PAIRS)
    ids = np.array([8, 1, 11, 3, 3])
    for of in ("links", "namesake_links"):
        together = getattr(HeadQuery(Candidates(question, ids), 9), of)
        alone = [getattr(HeadQuery(Candidates(question, np.array([one])), 9), of) for one in ids]
        for number, values in enumerate(together):
            assert values.tolist() == [one[number][0] for one in alone]
