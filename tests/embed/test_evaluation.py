from __future__ import annotations

import numpy as np
import pytest
import torch
from pykeen.evaluation import RankBasedEvaluator

from faan.base import InputError
from faan.embed import Embeddings, evaluate
from faan.embed.evaluation import answer_ranks

from .conftest import MODELS, random_triples, small

ENTITIES, RELATIONS = 25, 3


def obvious_rank(embeddings: Embeddings, triple: np.ndarray, known: set[tuple[int, ...]], place: int) -> float:
    """One triple, one candidate at a time."""

    def score(candidate: int) -> float:
        changed = triple.copy()
        changed[place] = candidate
        return embeddings.score(*torch.from_numpy(changed[:, None])).item()

    def is_known(candidate: int) -> bool:
        changed = triple.copy()
        changed[place] = candidate
        return tuple(changed.tolist()) in known

    others = [score(e) for e in range(ENTITIES) if e != triple[place] and not is_known(e)]
    own = score(triple[place])
    return 1 + sum(s > own for s in others) + sum(s == own for s in others) / 2


@pytest.mark.parametrize("model", MODELS)
def test_ranks_are_those_of_the_obvious_way(model: str, rng: np.random.Generator) -> None:
    embeddings = Embeddings.first(ENTITIES, RELATIONS, small(model))
    triples = random_triples(rng, 40, ENTITIES, RELATIONS)
    known = np.concatenate([triples[:20], random_triples(rng, 400, ENTITIES, RELATIONS)])
    truths = {tuple(t) for t in known.tolist()}
    for asks_for, place in (("tail", 2), ("head", 0)):
        expected = [obvious_rank(embeddings, triple, truths, place) for triple in triples]
        assert answer_ranks(embeddings, triples, known, asks_for).tolist() == expected


def test_metrics_are_those_of_pykeen(rng: np.random.Generator) -> None:
    embeddings = Embeddings.first(ENTITIES, RELATIONS, small("distmult"))
    triples = random_triples(rng, 50, ENTITIES, RELATIONS)
    result = evaluate(embeddings, triples, triples[:0])
    evaluator = RankBasedEvaluator(filtered=False)
    heads, relations, tails = torch.from_numpy(triples).T
    for target, scores, answers in (
        ("head", embeddings.score_heads(relations, tails), heads),
        ("tail", embeddings.score_tails(heads, relations), tails),
    ):
        evaluator.process_scores_(torch.from_numpy(triples), target, scores, scores.gather(1, answers[:, None]))
    oracle = evaluator.finalize()
    for side, ours in (("head", result.heads), ("tail", result.tails), ("both", result.both)):
        assert ours.mrr == pytest.approx(oracle.get_metric(f"{side}.realistic.inverse_harmonic_mean_rank"))
        assert ours.hits_at_3 == pytest.approx(oracle.get_metric(f"{side}.realistic.hits_at_3"))
        assert ours.mean_rank == pytest.approx(oracle.get_metric(f"{side}.realistic.arithmetic_mean_rank"))


def test_equal_scores_share_the_mean_rank() -> None:
    embeddings = Embeddings.first(ENTITIES, RELATIONS, small("distmult"))
    embeddings.entities.fill_(1.0)
    triples = np.array([[0, 0, 1], [3, 1, 3]])
    assert evaluate(embeddings, triples, triples).both.mean_rank == (ENTITIES + 1) / 2


def test_ranks_do_not_depend_on_how_many_scores_fit_in_memory(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    embeddings = Embeddings.first(ENTITIES, RELATIONS, small("transe"))
    triples = random_triples(rng, 40, ENTITIES, RELATIONS)
    whole = evaluate(embeddings, triples, triples)
    monkeypatch.setattr("faan.embed.evaluation.SCORES_AT_ONCE", 70)
    assert evaluate(embeddings, triples, triples) == whole


def test_given_candidates_only_they_and_the_answers_compete(rng: np.random.Generator) -> None:
    embeddings = Embeddings.first(ENTITIES, RELATIONS, small("distmult"))
    triples = random_triples(rng, 1, ENTITIES, RELATIONS)
    assert evaluate(embeddings, triples, triples, candidates=np.arange(ENTITIES)) == evaluate(
        embeddings, triples, triples
    )
    assert evaluate(embeddings, triples, triples, candidates=np.array([], int)).both.mean_rank <= 2


def test_a_score_that_is_not_a_number_is_an_error_not_a_rank() -> None:
    embeddings = Embeddings.first(ENTITIES, RELATIONS, small("distmult"))
    embeddings.entities[7] = torch.nan
    with pytest.raises(InputError, match="lower learning rate"):
        evaluate(embeddings, np.array([[0, 0, 1]]), np.zeros((0, 3), int))


def test_nothing_to_evaluate_is_an_error() -> None:
    with pytest.raises(InputError, match="no triples"):
        evaluate(Embeddings.first(5, 2, small()), np.zeros((0, 3), int), np.zeros((0, 3), int))
