"""The evidence ranker: the contract of every method, what it learns, how it explains itself, how it is kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from faan.base import InputError, Purpose, Stream
from faan.base.ragged import Ints
from faan.embed import EmbedConfig, Embeddings, triples_of
from faan.evidence import Context, Evidence, Measure, RelationQuery
from faan.graph import Graph, Names
from faan.models import (
    EvidenceConfig,
    EvidenceRanker,
    EvidenceScorer,
    KnownConfig,
    OutOfFold,
    PathRules,
    TailCounts,
    fit_known,
    fit_ranker,
    known_questions,
    make_sources,
    parts_of,
)
from faan.models.evidence import KNOWN_FILE, RANKER_FILE, TREES_FILE
from faan.models.evidence_known import OWN, _bounded
from faan.models.evidence_training import _draw_rows
from faan.models.trees import Trees
from faan.rank import rank_tasks, split_metrics
from faan.tasks import Method, PairSet, Task, held_out_rows, without_rows

ENTITIES, TASKS = 60, 12
QUICK = EvidenceConfig(trees=30, min_rows=5, shots=(3, 2), heads=8, hard=5, random=10)


def make_graph() -> Graph:
    """A ring with steps of one to four; some edges at random."""
    ring = [(i, step - 1, (i + step) % ENTITIES) for step in range(1, 5) for i in range(ENTITIES - 1)]
    noise = np.random.default_rng(0).integers(0, [ENTITIES, 4, ENTITIES], (60, 3))
    rows = np.unique(np.concatenate([np.array(ring), noise]), axis=0).astype(np.int32)
    names = Names.from_strings([f"e{i}" for i in range(ENTITIES)])
    heads, relations, tails = np.ascontiguousarray(rows.T)
    return Graph(names, Names.from_strings(["one", "two", "three", "four"]), heads, relations, tails)


def make_task(step: int) -> Task:
    """Rare relations are longer steps, which paths of the graph's relations explain."""
    pairs = np.array([[i, (i + step) % ENTITIES] for i in range(step, ENTITIES, 3)], np.int32)
    every = np.arange(ENTITIES, dtype=np.int32)
    return Task(f"step{step}", pairs, every, PairSet(pairs[:, 0], pairs[:, 1], ENTITIES))


GRAPH, STEPS = make_graph(), [make_task(step) for step in range(5, 5 + TASKS)]


def vectors(model: str) -> Embeddings:
    return Embeddings.first(ENTITIES, 4, EmbedConfig.model_validate({"model": model, "dimension": 4, "seed": 1}))


VECTORS = [vectors("transe"), vectors("complex")]


def evidence_of_trees(ranker: EvidenceRanker) -> tuple[Evidence, ...]:
    assert ranker.judge is not None
    return ranker.judge.evidence


def prepared(ranker: EvidenceRanker, task: Task, references: Ints) -> EvidenceScorer:
    scorer = ranker.prepare(task, references)
    assert isinstance(scorer, EvidenceScorer)
    return scorer


def train(**changes: object) -> EvidenceRanker:
    return fit_ranker(GRAPH, STEPS[2:], VECTORS, QUICK.model_copy(update=changes))


@pytest.fixture(scope="module")
def trained() -> EvidenceRanker:
    return train()


def score(ranker: EvidenceRanker, heads: Ints, candidates: Ints, references: Ints | None = None) -> np.ndarray:
    task = STEPS[0]
    scorer = ranker.prepare(task, task.references(3) if references is None else references)
    return np.asarray(scorer.score(heads, candidates))


def test_it_learns_to_trust_what_leads_to_true_tails(trained: EvidenceRanker) -> None:
    figures = split_metrics(list(rank_tasks(trained, STEPS[:2], 3)))
    assert figures["mrr"] > max(0.5, split_metrics(list(rank_tasks(TailCounts(GRAPH), STEPS[:2], 3)))["mrr"])


def test_head_against_many_equals_pair_by_pair(trained: EvidenceRanker) -> None:
    heads, candidates = np.array([7, 1, 30]), np.arange(ENTITIES)
    together = score(trained, heads, candidates)
    assert together.shape == (3, ENTITIES)
    for row, head in enumerate(heads.tolist()):
        for candidate in (0, 12, 35, 59):
            assert np.isclose(score(trained, np.array([head]), np.array([candidate])), together[row, candidate])
    assert np.allclose(score(trained, heads[::-1], candidates[::-1]), together[::-1, ::-1])


def test_an_entity_that_is_no_candidate_can_be_asked_about(trained: EvidenceRanker) -> None:
    task = STEPS[0]
    few = Task(task.relation, task.pairs, task.candidates[10:40], task.truths)
    scorer = trained.prepare(few, task.references(3))
    together = scorer.score(np.array([7]), np.arange(ENTITIES))
    assert np.allclose(scorer.score(np.array([7]), np.array([50, 20])), together[:, [50, 20]])


def test_the_order_of_references_does_not_matter(trained: EvidenceRanker) -> None:
    references, heads = STEPS[0].references(4), np.array([3, 4])
    one = score(trained, heads, np.arange(ENTITIES), references)
    assert np.array_equal(one, score(trained, heads, np.arange(ENTITIES), references[::-1]))


def test_contributions_add_up_to_the_score(trained: EvidenceRanker) -> None:
    scorer = prepared(trained, STEPS[0], STEPS[0].references(3))
    found = scorer.explain(9, np.array([14, 2, 59]))
    assert [one.tail for one in found] == [14, 2, 59]
    sums = [sum(part.contribution for part in one.contributions) for one in found]
    constant = found[0].score - sums[0]
    for one, total in zip(found, sums, strict=True):
        assert np.isclose(one.score, score(trained, np.array([9]), np.array([one.tail]))[0, 0])
        assert np.isclose(one.score, total + constant)
        sizes = [abs(part.contribution) for part in one.contributions]
        assert sizes == sorted(sizes, reverse=True)
        assert {part.name for part in one.contributions} == {part.name for part in evidence_of_trees(trained)}
        context = {part.name for part in evidence_of_trees(trained) if isinstance(part, Context)}
        assert {part.name for part in one.contributions if part.kind == "context"} == context


def test_saving_and_loading_change_nothing(trained: EvidenceRanker, tmp_path: Path) -> None:
    trained.save(tmp_path)
    again = EvidenceRanker.load(tmp_path, make_sources(GRAPH, VECTORS))
    heads, candidates = np.array([7, 30]), np.arange(ENTITIES)
    assert np.array_equal(score(trained, heads, candidates), score(again, heads, candidates))


def test_the_same_seed_gives_the_same_trees(trained: EvidenceRanker, tmp_path: Path) -> None:
    trained.save(tmp_path / "one")
    train().save(tmp_path / "two")
    assert (tmp_path / "one" / TREES_FILE).read_bytes() == (tmp_path / "two" / TREES_FILE).read_bytes()


def test_trees_follow_the_known_direction_of_evidence(trained: EvidenceRanker) -> None:
    """A tail with better paths, all else the same, is never worth less."""
    number = [one.name for one in evidence_of_trees(trained)].index("all paths")
    table = np.repeat(prepared(trained, STEPS[0], STEPS[0].references(3)).measure.table(9, np.array([14])), 20, axis=0)
    table[:, number] = np.linspace(0, 3, 20)
    assert trained.judge is not None
    assert (np.diff(trained.judge.score(table)) >= 0).all()


def test_too_few_tasks_are_refused() -> None:
    with pytest.raises(InputError, match="learns from 8 tasks or more, and there are 2: use path rules instead"):
        fit_ranker(GRAPH, STEPS[:2], VECTORS, QUICK)


def test_kinds_of_evidence_can_be_left_out_and_need_no_vectors() -> None:
    ranker = fit_ranker(GRAPH, STEPS[2:], [], QUICK.model_copy(update={"without": ("paths", "links")}))
    assert {one.kind for one in evidence_of_trees(ranker)} == {"counts", "profiles", "context"}
    assert np.isfinite(score(ranker, np.array([9]), np.arange(ENTITIES))).all()


def test_learnt_scores_are_evidence_and_training_tasks_are_asked_out_of_fold() -> None:
    rules: Method = PathRules(GRAPH)
    counts: Method = TailCounts(GRAPH)
    parts = parts_of(STEPS, 2)
    witness = OutOfFold([rules, counts], counts, parts)
    heads, everyone = np.array([9]), np.arange(ENTITIES)
    for task in (STEPS[0], make_task(30)):
        expected = [rules, counts][parts[task.relation]] if task.relation in parts else counts
        one, other = (method.prepare(task, task.references(3)) for method in (witness, expected))
        assert np.array_equal(one.score(heads, everyone), other.score(heads, everyone))
    ranker = fit_ranker(GRAPH, STEPS[2:], [], QUICK, learnt={"Rules": rules})
    assert "Rules's score" in {one.name for one in evidence_of_trees(ranker)}
    assert np.isfinite(score(ranker, heads, everyone)).all()


def test_what_is_hidden_by_its_number_in_another_graph_is_not_hidden_from_a_witness() -> None:
    rules: Method = PathRules(GRAPH)
    witness = OutOfFold([rules, rules], rules, parts_of(STEPS, 2))

    def scores(method: Method | OutOfFold, task: Task) -> np.ndarray:
        return method.prepare(task, task.references(3)).score(np.array([9]), np.arange(ENTITIES))

    task = STEPS[0]
    hiding = replace(task, hidden=0)
    assert np.array_equal(scores(witness, hiding), scores(rules, task))
    assert not np.array_equal(scores(rules, hiding), scores(rules, task))


def test_an_inverse_task_is_in_the_part_of_its_task() -> None:
    task = STEPS[0]
    inverse = Task("step5_inv", task.pairs, task.candidates, task.truths)
    parts = parts_of([*STEPS, inverse], 3)
    assert parts["step5"] == parts["step5_inv"]
    assert set(parts.values()) == {0, 1, 2}


def test_a_relation_that_is_called_an_inverse_has_its_inverse_in_its_part() -> None:
    task = STEPS[0]
    names = ("a_inv", "a_inv_inv", "b_inv", "b_inv_inv", "b")
    parts = parts_of([Task(name, task.pairs, task.candidates, task.truths) for name in names], 2)
    assert parts["a_inv"] == parts["a_inv_inv"] != parts["b"]
    assert parts["b"] == parts["b_inv"] == parts["b_inv_inv"]


def test_two_directions_are_not_two_tasks_to_learn_from() -> None:
    inverses = [replace(task, relation=f"{task.relation}_inv") for task in STEPS]
    config = QUICK.model_copy(update={"min_tasks": len(STEPS) + 1})
    with pytest.raises(InputError, match=f"and there are {len(STEPS)}"):
        fit_ranker(GRAPH, [*STEPS, *inverses], [], config)


def test_vectors_of_other_models_are_refused() -> None:
    with pytest.raises(InputError, match="evidence is taken from TransE vectors and from either ComplEx or DistMult"):
        make_sources(GRAPH, [vectors("rotate")])


def test_a_ranker_that_does_not_fit_is_refused(trained: EvidenceRanker, tmp_path: Path) -> None:
    sources = make_sources(GRAPH, VECTORS)
    with pytest.raises(InputError, match="holds no evidence ranker"):
        EvidenceRanker.load(tmp_path, sources)
    trained.save(tmp_path)
    with pytest.raises(InputError, match="needs evidence that is not available here: mean translation"):
        EvidenceRanker.load(tmp_path, make_sources(GRAPH, VECTORS[1:]))
    notes = json.loads((tmp_path / RANKER_FILE).read_text())
    (tmp_path / RANKER_FILE).write_text(json.dumps(notes | {"evidence": notes["evidence"][1:]}))
    with pytest.raises(InputError, match="they were trained on"):
        EvidenceRanker.load(tmp_path, sources)
    trained.save(tmp_path)
    (tmp_path / TREES_FILE).write_text("no trees")
    with pytest.raises(InputError, match="the trees cannot be read"):
        EvidenceRanker.load(tmp_path, sources)


HELD_OUT = held_out_rows(GRAPH, 0.3, 50, 0, Purpose.HELD_OUT_FACTS)
THINNED, FACTS = without_rows(GRAPH, HELD_OUT), triples_of(GRAPH)[HELD_OUT]


@pytest.fixture(scope="module")
def knowing() -> EvidenceRanker:
    """Trees for new relations and for relations of the graph, which steps of two ones and the like explain."""
    sources = make_sources(THINNED, VECTORS, completion=VECTORS[1])
    known = fit_known(sources, FACTS)
    return EvidenceRanker(sources, fit_ranker(THINNED, STEPS, VECTORS, QUICK).judge, known)


def test_facts_that_are_held_out_leave_every_entity_one() -> None:
    assert len(HELD_OUT) > 50
    assert (THINNED.neighbours.degrees > 0).all()
    assert np.bincount(FACTS[:, 1]).max() <= 50
    assert THINNED.num_triples + len(FACTS) == GRAPH.num_triples


def test_questions_about_relations_of_the_graph_know_its_facts_and_ask_for_others() -> None:
    questions = list(known_questions(THINNED, FACTS))
    assert len(questions) == 2 * len(np.unique(FACTS[:, 1]))
    for task, asked in questions:
        assert task.in_graph
        assert task.facts is not None
        known = PairSet(task.facts[:, 0], task.facts[:, 1], ENTITIES)
        assert not known.contains(asked[:, 0], asked[:, 1]).any()
        assert task.truths.contains(asked[:, 0], asked[:, 1]).all()


@pytest.mark.slow
def test_relations_of_the_graph_are_ranked_by_their_own_trees(knowing: EvidenceRanker) -> None:
    places = []
    for task, asked in known_questions(THINNED, FACTS):
        if task.hidden == 0:  # a step of one: what precedes is linked by the others
            scorer = prepared(knowing, task, task.pairs[:5])
            assert scorer.measure.evidence == (knowing.known.evidence if knowing.known else None)
            scores = scorer.score(asked[:, 0], np.arange(ENTITIES))
            places += (scores > scores[np.arange(len(asked)), asked[:, 1]][:, None]).sum(1).tolist()
    assert np.mean(places) < 5  # of 60


def test_the_own_vector_is_added_to_the_trees_and_told_as_its_part(knowing: EvidenceRanker, tmp_path: Path) -> None:
    assert knowing.known is not None
    names = [one.name for one in knowing.known.evidence]
    place, (weight, usual) = names.index(OWN), knowing.known.added[OWN]
    task, asked = next(known_questions(THINNED, FACTS))
    head, tails = int(asked[0, 0]), np.arange(5)
    scorer = prepared(knowing, task, task.pairs[:5])
    table = scorer.measure.table(head, tails)
    plain = Trees(knowing.known.booster, knowing.known.evidence)
    expected = weight * (table[:, place] - usual)
    scores = scorer.score(np.array([head]), tails)[0]
    assert np.allclose(scores - plain.score(table), expected, atol=1e-5)
    parts = knowing.known.contributions(table) - plain.contributions(table)
    assert np.allclose(parts[:, place], expected, atol=1e-5)
    assert np.allclose(np.ptp(scores - knowing.known.contributions(table).sum(1)), 0, atol=1e-6)
    knowing.save(tmp_path)
    loaded = EvidenceRanker.load(tmp_path, knowing.sources)
    assert np.allclose(prepared(loaded, task, task.pairs[:5]).score(np.array([head]), tails)[0], scores)
    notes = json.loads((tmp_path / RANKER_FILE).read_text())
    for wrong in ({"magic": [1, 0]}, {OWN: ["nan", 0]}, {OWN: [1]}, [OWN]):
        (tmp_path / RANKER_FILE).write_text(json.dumps(notes | {"added": wrong}))
        with pytest.raises(InputError, match="does not say which evidence"):
            EvidenceRanker.load(tmp_path, knowing.sources)


def test_small_graphs_get_thorough_vectors() -> None:
    config = KnownConfig()
    assert [one.seed for one in config.vectors_for(GRAPH)] == [0, 1]
    assert config.vectors_for(GRAPH)[0] == config.thorough


def test_larger_graphs_get_two_sets_of_vectors_that_share_the_epochs_and_the_largest_get_one() -> None:
    config = KnownConfig(work=1.0)
    assert [(one.seed, one.epochs, one.budget) for one in config.vectors_for(GRAPH)] == [(0, 20, 0), (1, 20, 0)]
    for changes in ({"budget": 9 * GRAPH.num_triples}, {"budget": 0, "epochs": 9}):  # 4.5 epochs each would be too few
        few = config.model_copy(update={"vectors": config.vectors.model_copy(update=changes)})
        assert few.vectors_for(GRAPH) == [few.vectors]


@pytest.mark.parametrize("work", [1.0, 1e15])
def test_vectors_whose_score_is_a_distance_are_not_joined(work: float) -> None:
    distance = EmbedConfig(model="transe", epochs=20)
    config = KnownConfig(work=work, vectors=distance, thorough=distance)
    assert config.vectors_for(GRAPH) == [distance]


def test_what_is_known_of_a_head_takes_no_place_among_its_candidates(knowing: EvidenceRanker) -> None:
    assert knowing.known is not None
    for task, _ in known_questions(THINNED, FACTS):
        assert task.facts is not None
        query = RelationQuery(knowing.sources, task, task.facts)
        evidence = [one for one in knowing.known.evidence if one.is_compared]
        measure, head = Measure(query, evidence), int(task.facts[0, 0])
        known = query.known_tails(head)
        table = measure.table(head, query.candidates)
        rivals = ~np.isin(query.candidates, known)
        assert not rivals.all()
        values, places = table[:, : len(evidence)], table[:, len(evidence) :]
        higher = (values[None, rivals] > values[:, None]).sum(1)  # (C, E)
        assert np.allclose(places, np.log2(1 + higher), atol=1e-5)


def test_without_such_trees_a_relation_of_the_graph_is_asked_about_as_if_it_were_new(knowing: EvidenceRanker) -> None:
    task, asked = next(known_questions(THINNED, FACTS))
    plain = EvidenceRanker(knowing.sources, knowing.judge)
    one = plain.prepare(task, task.pairs[:5]).score(asked[:2, 0], np.arange(ENTITIES))
    other = knowing.prepare(replace(task, in_graph=False), task.pairs[:5]).score(asked[:2, 0], np.arange(ENTITIES))
    assert np.array_equal(one, other)


def test_both_sets_of_trees_are_saved(knowing: EvidenceRanker, tmp_path: Path) -> None:
    knowing.save(tmp_path)
    loaded = EvidenceRanker.load(tmp_path, knowing.sources)
    task, asked = next(known_questions(THINNED, FACTS))
    for same in (task, replace(task, in_graph=False)):
        one, other = (
            ranker.prepare(same, task.pairs[:5]).score(asked[:3, 0], task.candidates) for ranker in (knowing, loaded)
        )
        assert np.array_equal(one, other)
    (tmp_path / KNOWN_FILE).unlink()
    with pytest.raises(InputError, match="the trees cannot be read"):
        EvidenceRanker.load(tmp_path, knowing.sources)


def test_without_trees_for_new_relations_path_rules_rank_them(knowing: EvidenceRanker, tmp_path: Path) -> None:
    partial = EvidenceRanker(knowing.sources, None, knowing.known)
    partial.save(tmp_path)
    task = STEPS[0]
    expected = PathRules(THINNED).prepare(task, task.references(3)).score(np.array([9]), task.candidates)
    for ranker in (partial, EvidenceRanker.load(tmp_path, knowing.sources)):
        assert np.array_equal(ranker.prepare(task, task.references(3)).score(np.array([9]), task.candidates), expected)
        assert isinstance(ranker.prepare(next(known_questions(THINNED, FACTS))[0], task.pairs), EvidenceScorer)


@pytest.mark.parametrize(("share", "kept"), [(1.0, 8), (0.5, None), (0.0, 2)])
def test_questions_with_too_many_candidates_for_the_budget_are_drawn(
    share: float, kept: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faan.models.evidence_known._FEWEST", 2)
    questions = list(known_questions(THINNED, FACTS))
    order = Stream(0, Purpose.KNOWN_ROWS, len(questions)).permutation(len(questions))
    sizes = np.cumsum([2 * len(questions[number][0].candidates) for number in order])
    pairs = int(share * sizes[-1])
    count = max(2, int((sizes <= pairs).sum()))
    assert count == (kept or count)
    found = _bounded(THINNED, FACTS, pairs, seed=0)
    expected = [questions[number] for number in sorted(order[:count].tolist())]
    assert [(task.relation, task.hidden) for task, _ in found] == [(task.relation, task.hidden) for task, _ in expected]
    for (task, asked), (other, wanted) in zip(found, expected, strict=True):
        assert np.array_equal(task.candidates, other.candidates)
        assert np.array_equal(asked, wanted)


def test_heads_to_learn_from_are_bounded_by_their_pairs_with_candidates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn: list[int] = []

    def draw_groups(measure: object, asked: object, heads: int, *_: object) -> list[object]:
        drawn.append(heads)
        return []

    monkeypatch.setattr("faan.models.evidence_training.draw_groups", draw_groups)
    task = Task("r", np.zeros((9, 2), np.int32), np.arange(100), PairSet(np.zeros(1, int), np.zeros(1, int), 200))
    for pairs, heads in ((10**6, 15), (1800, 9), (1, 2)):
        drawn.clear()
        config = EvidenceConfig(shots=(5, 3), pairs=pairs)
        _draw_rows([None], [], [task], config, 0, lambda *_: None)  # type: ignore[list-item]
        assert drawn == [heads, heads]
