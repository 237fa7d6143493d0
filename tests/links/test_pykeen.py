"""PyKEEN's models in our tables, our methods in PyKEEN's evaluators: both sides come to the same figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from pykeen.evaluation import RankBasedEvaluator
from pykeen.models import DistMult, TransE
from pykeen.training import SLCWATrainingLoop
from pykeen.triples import TriplesFactory

from faan.base import InputError, ignore_progress
from faan.graph import Graph, read_graph
from faan.links import LinkSplit, completion_tables, evaluate_pykeen, hide_facts, pykeen_model, rank_questions
from faan.models import (
    EvidenceConfig,
    EvidenceRanker,
    EvidenceScorer,
    PathRules,
    PyKeenMethod,
    PyKeenWitness,
    TailCounts,
    fit_ranker,
    make_sources,
    training_factory,
)
from faan.rank import Origin, evaluate_method, rank_splits
from faan.tasks import BuildSettings, build_benchmark

FACTS = [(f"land{i}", "next_to", f"land{(i + 1) % 12}") for i in range(12)]
FACTS += [(f"town{i}", "lies_in", f"land{i % 12}") for i in range(36)]
FACTS += [(f"land{i}", "capital", f"town{i}") for i in range(12)]


@pytest.fixture(scope="module")
def split() -> LinkSplit:
    return hide_facts(read_graph(FACTS), "towns", share=0.3)


def made(factory: TriplesFactory, kind: Any = DistMult) -> Any:
    """A model with random weights, which scores as well as any other."""
    return kind(triples_factory=factory, embedding_dim=8, random_seed=0)


def trained(factory: TriplesFactory) -> Any:
    model = made(factory)
    loop = SLCWATrainingLoop(model=model, triples_factory=factory, optimizer=torch.optim.Adam(model.parameters()))
    loop.train(triples_factory=factory, num_epochs=2, batch_size=32, use_tqdm=False, use_tqdm_batch=False)
    return model


def their_mrr(model: Any, split: LinkSplit, test: np.ndarray[Any, Any] | None = None) -> float:
    """PyKEEN's own filtered MRR of tails and heads; ties count half, as here."""
    known, asked = (torch.from_numpy(np.ascontiguousarray(part, dtype=np.int64)) for part in (split.known, split.test))
    evaluator = RankBasedEvaluator(filtered=True)
    found = evaluator.evaluate(
        model,
        asked if test is None else torch.from_numpy(test),
        additional_filter_triples=[known],
        batch_size=16,
        use_tqdm=False,
    )
    return float(found.get_metric("both.realistic.inverse_harmonic_mean_rank"))


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("kind", [DistMult, TransE])
def test_a_pykeen_model_has_the_same_mrr_here_as_there(split: LinkSplit, kind: Any, inverse: bool) -> None:
    factory = split.graph.to_pykeen(inverse_triples=inverse)
    model = made(factory, kind)
    result = evaluate_pykeen(model, factory, split)
    assert result.test["mrr"] == pytest.approx(their_mrr(model, split), abs=1e-6)
    assert result.label == f"PyKEEN {kind.__name__}"


@pytest.mark.parametrize("kind", [PathRules, TailCounts])
def test_our_methods_have_the_same_mrr_there_as_here(split: LinkSplit, kind: Any) -> None:
    method = kind(split.graph)
    ours = rank_questions(method, split, ignore_progress)
    theirs = their_mrr(pykeen_model(method, split.graph, split.graph.to_pykeen()), split)
    assert float((1 / ours.both).mean()) == pytest.approx(theirs, abs=1e-6)


def test_a_factory_with_other_numbers_gives_the_same_scores(split: LinkSplit) -> None:
    """PyKEEN numbers by name; entities that the graph lacks come last."""
    method, own = PathRules(split.graph), split.graph.to_pykeen()
    rows = np.array([*split.graph.triples(), ("nowhere", "lies_in", "land0")])
    other = TriplesFactory.from_labeled_triples(rows)
    assert other.entity_to_id != own.entity_to_id
    batch = [("land3", "capital"), ("land0", "next_to")]
    found = []
    for factory in (own, other):
        ids = torch.tensor([[factory.entity_to_id[head], factory.relation_to_id[r]] for head, r in batch])
        scores = pykeen_model(method, split.graph, factory).predict_t(ids)
        names = sorted(split.graph.entity_names)
        found.append(scores[:, [factory.entity_to_id[name] for name in names]].numpy())
        if "nowhere" in factory.entity_to_id:
            assert (scores[:, factory.entity_to_id["nowhere"]] == scores.min()).all()
    np.testing.assert_array_equal(*found)


def test_a_row_of_pykeen_stands_in_the_table_of_link_prediction(split: LinkSplit) -> None:
    factory = split.graph.to_pykeen()
    result = evaluate_pykeen(made(factory), factory, split, name="my model")
    table = completion_tables([result], "towns")[0]
    assert table.records[0]["method"] == "PyKEEN my model"


@pytest.fixture(scope="module")
def benchmark() -> Any:
    facts = [(f"a{i}", f"r{i % 6}", f"b{i % 7}") for i in range(60)]
    settings = BuildSettings(min_triples=5, max_triples=20, max_tasks=3)
    return build_benchmark(read_graph([*facts, *((a, "near", b) for a, _, b in facts)]), settings)[0]


@pytest.mark.slow
def test_a_pykeen_model_is_a_row_of_the_few_shot_table(benchmark: Any, tmp_path: Path, faan: Any) -> None:
    factory = training_factory(benchmark, shots=5)
    known = {tuple(triple) for triple in factory.label_triples(factory.mapped_triples)}
    names = benchmark.graph.entity_names
    (task,) = benchmark.splits["test"]
    pairs = [(names[int(head)], task.relation, names[int(tail)]) for head, tail in task.pairs]
    assert all(pair in known for pair in pairs[:5])
    assert not any(pair in known for pair in pairs[5:])
    method = PyKeenMethod(trained(factory), factory, benchmark.graph)
    figures = rank_splits(method, benchmark, 5)
    result = evaluate_method(benchmark, method, "PyKEEN DistMult", 5, Origin("", "python my_model.py"))
    assert result.test == figures["test"]
    result.write(tmp_path / "pykeen.json")
    code, out, err = faan("reproduce", "main", "--dataset", benchmark.name, "--results", tmp_path, "--json")
    assert code == 0, err
    assert "PyKEEN DistMult" in out


def test_a_witness_scores_a_new_relation_by_the_relations_that_its_references_look_like(benchmark: Any) -> None:
    """The references are what one relation of the model likes best: it speaks for them, and so do its scores."""
    graph = benchmark.graph
    factory = graph.to_pykeen()
    model = made(factory)
    own = PyKeenMethod(model, factory, graph).scorer(graph.relation_names[1], "head")
    (task,) = benchmark.splits["test"]
    heads, everyone = np.arange(8), np.arange(graph.num_entities)
    liked = own.score(heads, everyone)
    references = np.stack([heads[:5], liked[:5].argmax(1)], axis=1)
    scorer = PyKeenWitness(model, factory, graph).prepare(replace(task, candidates=everyone), references)
    found = scorer.score(heads, everyone)
    for row in range(5, 8):
        assert np.corrcoef(found[row], liked[row])[0, 1] > 0.7
    np.testing.assert_array_equal(scorer.score(heads[6:7], everyone[3:9]), found[6:7, 3:9])


@pytest.fixture(scope="module")
def tasks() -> Any:
    """A benchmark with tasks enough to learn from."""
    facts = [(f"a{i}", f"r{i % 12}", f"b{(i * 5 + i % 12) % 9}") for i in range(120)]
    near = [(a, f"near{i % 3}", b) for i, (a, _, b) in enumerate(facts)]
    settings = BuildSettings(min_triples=5, max_triples=20, max_tasks=12)
    return build_benchmark(read_graph([*facts, *near]), settings)[0]


@pytest.mark.slow
def test_a_pykeen_model_is_evidence_of_the_evidence_ranker(tasks: Any, tmp_path: Path) -> None:
    factory = tasks.graph.to_pykeen()
    witness = PyKeenWitness(trained(factory), factory, tasks.graph)
    train = tasks.splits["train"]
    config = EvidenceConfig(min_tasks=2, heads=3, trees=5, min_rows=5)
    ranker = fit_ranker(tasks.graph, train, [], config, learnt={"DistMult": witness})
    figures = rank_splits(ranker, tasks, 3)
    assert 0 < figures["test"]["mrr"] <= 1
    task = tasks.splits["test"][0]
    scorer = ranker.prepare(task, task.references(3))
    assert isinstance(scorer, EvidenceScorer)
    (parts,) = scorer.explain(int(task.pairs[4][0]), task.pairs[4:5, 1])
    assert "DistMult finds that the pair fits the references" in [part.meaning for part in parts.contributions]
    ranker.save(tmp_path)
    again = EvidenceRanker.load(tmp_path, make_sources(tasks.graph, [], {"DistMult": witness}))
    assert rank_splits(again, tasks, 3) == figures
    with pytest.raises(InputError, match="needs evidence that is not available here: DistMult's score"):
        EvidenceRanker.load(tmp_path, make_sources(tasks.graph, []))


def test_a_witness_is_silent_about_strangers_and_refuses_what_it_was_trained_on(benchmark: Any) -> None:
    factory = TriplesFactory.from_labeled_triples(np.array([("a0", "r", "b0"), ("b0", "r", "a0"), ("a1", "s", "b0")]))
    witness = PyKeenWitness(made(factory), factory, benchmark.graph)
    (task,) = benchmark.splits["test"]
    known, strange = (np.array([benchmark.graph.entity(name)]) for name in ("a0", "a2"))
    for references in (np.array([[known[0], strange[0]]]), np.array([[known[0], benchmark.graph.entity("b0")]])):
        scorer = witness.prepare(task, references)
        assert scorer.score(strange, known).tolist() == [[0.0]] == scorer.score(known, strange).tolist()
    with pytest.raises(InputError, match="knows the relation 's', which is to be learnt from; train it on the backgro"):
        witness.prepare(replace(task, relation="s"), task.references(1))


def test_what_the_model_does_not_know_comes_last_or_is_said(benchmark: Any) -> None:
    factory = TriplesFactory.from_labeled_triples(np.array([("a0", "r", "b0"), ("b0", "r", "a0")]))
    method = PyKeenMethod(made(factory), factory, benchmark.graph)
    ids = np.array([benchmark.graph.entity(name) for name in ("a0", "b0", "a1")])
    scores = method.scorer("r").score(ids, ids)
    assert np.isfinite(scores).tolist() == [[True, True, False], [True, True, False], [False, False, False]]
    with pytest.raises(InputError, match="has no relation 'r0'; train it on what `training_factory` gives"):
        method.scorer("r0")
    with pytest.raises(InputError, match="knows none of the graph's entities"):
        PyKeenMethod(method.model, factory, read_graph([("x", "r", "y")]))
    graph: Graph = read_graph([("a0", "other", "b0"), ("a1", "other", "b0")])
    with pytest.raises(InputError, match="the graph has no relation 'r'"):
        pykeen_model(TailCounts(graph), graph, factory).predict_t(torch.tensor([[0, 0]]))
