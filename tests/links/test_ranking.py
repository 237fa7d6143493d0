from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from faan.base import Ints, ignore_progress
from faan.complete import ask
from faan.embed import EmbedConfig, evaluate, train, triples_of
from faan.graph import Graph
from faan.links import LinkSplit, evaluate_links, hide_facts, rank_embeddings, rank_questions
from faan.links.calibration import calibration_figures
from faan.models import TailCounts
from faan.rank import ResultFile
from faan.tasks import Task


@pytest.fixture(scope="module")
def split(land: Graph) -> LinkSplit:
    return hide_facts(land, "land", share=0.2)


class Closest:
    """Scores a pair by how near the two ids are."""

    def prepare(self, task: Task, references: Ints) -> Closest:
        return self

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        distances: NDArray[np.float64] = np.abs(heads[:, None] - candidates[None, :]).astype(np.float64)
        return -distances


def slow_ranks(split: LinkSplit, given: int, answer: int) -> list[float]:
    """The ranks by `Closest`, one entity at a time."""
    known, found = set(map(tuple, split.known.tolist())), []
    for fact in split.test.tolist():
        question = ask(split.graph, split.graph.relation_names[fact[1]])
        offered = set((question if given == 0 else question.inverse()).candidates.tolist())

        def score(entity: int, fact: list[int] = fact, offered: set[int] = offered) -> float:
            return -abs(fact[given] - entity) if entity in offered else -np.inf

        rank = 1.0
        for entity in range(split.graph.num_entities):
            other = [*fact]
            other[answer] = entity
            if tuple(other) not in known:
                rank += (score(entity) > score(fact[answer])) + (score(entity) == score(fact[answer])) / 2
        found.append(rank)
    return found


def test_ranks_are_those_of_one_entity_at_a_time(split: LinkSplit) -> None:
    ranks = rank_questions(Closest(), split, ignore_progress)
    assert ranks.tails.tolist() == slow_ranks(split, 0, 2)
    assert ranks.heads.tolist() == slow_ranks(split, 2, 0)


def test_known_facts_are_scored_only_if_they_are_asked_for(split: LinkSplit) -> None:
    scored: list[tuple[int, int]] = []

    class Recorded(Closest):
        def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
            scored.extend((head, tail) for head in heads.tolist() for tail in candidates.tolist())
            return super().score(heads, candidates)

    speaks = split.graph.relation("speaks")
    known, hidden = triples_of(split.graph), split.test[split.test[:, 1] == speaks]
    own = known[known[:, 1] == speaks]
    asked = replace(split, test=np.concatenate([hidden, own[:2]]), unasked=split.test)  # test files may repeat facts
    ranks = rank_questions(Recorded(), asked, ignore_progress)
    assert ranks.tails.tolist() == slow_ranks(asked, 0, 2)
    assert ranks.heads.tolist() == slow_ranks(asked, 2, 0)
    both_ways = {tuple(pair) for pairs in (own[:, [0, 2]], own[:, [2, 0]]) for pair in pairs.tolist()}
    wanted = {tuple(pair) for pairs in (own[:2, [0, 2]], own[:2, [2, 0]]) for pair in pairs.tolist()}
    assert both_ways & set(scored) == wanted


def test_the_most_frequent_answer_counts_all_known_facts(split: LinkSplit) -> None:
    ranks = rank_questions(TailCounts(split.graph), split, ignore_progress, all_references=True)
    speaks = split.graph.relation("speaks")
    facts = split.test[:, 1] == speaks
    most = facts & (split.test[:, 2] == split.graph.entity("tongue0"))
    assert most.any()
    assert (ranks.tails[most] == 1).all()
    assert (ranks.tails[facts & ~most] > 1).all()


def test_ranks_of_embeddings_are_those_of_their_own_evaluation(split: LinkSplit) -> None:
    graph = split.graph
    config = EmbedConfig(model="distmult", dimension=8, epochs=2, batch_size=32, chunk_size=8, negatives=8)
    vectors = train(triples_of(graph), graph.num_entities, graph.num_relations, config).embeddings
    ranks, found = rank_embeddings(vectors, split), evaluate(vectors, split.test, split.known)
    assert np.mean(1 / ranks.tails) == pytest.approx(found.tails.mrr)
    assert np.mean(1 / ranks.heads) == pytest.approx(found.heads.mrr)


def test_a_result_file_has_figures_by_relation_and_by_known_facts(split: LinkSplit, tmp_path: Path) -> None:
    result = evaluate_links("Rules", split, "faan evaluate completion land --method Rules")
    result.write(tmp_path / "result.json")
    assert ResultFile.read(tmp_path / "result.json") == result
    assert json.loads((tmp_path / "result.json").read_text())["protocol"] == "completion"
    queries = 2 * len(split.test)
    assert result.test["queries"] == queries
    assert result.by_known is not None
    for groups in (result.relations.values(), result.by_known):
        assert sum(one["queries"] for one in groups) == queries
        total = sum(one["queries"] * one["mrr"] for one in groups)
        assert total / queries == pytest.approx(result.test["mrr"])
    assert result.relations["lies_in"]["known"] == split.graph.relation_counts[split.graph.relation("lies_in")]
    assert (result.test["tails"]["mrr"] + result.test["heads"]["mrr"]) / 2 == pytest.approx(result.test["mrr"])


def test_calibration_compares_what_was_said_with_what_is_true() -> None:
    said = np.array([0.95, 0.95, 0.95, 0.95, 0.25, 0.25])
    right = np.array([True, True, True, False, False, True])
    figures = calibration_figures({"a": (said[:4], right[:4]), "b": (said[4:], right[4:])})
    assert figures["ece"] == pytest.approx((4 * 0.20 + 2 * 0.25) / 6)
    assert figures["share_at_90"] == pytest.approx(4 / 6)
    assert figures["precision_at_90"] == 0.75
    assert [one["count"] for one in figures["bins"]] == [2, 4]
    assert calibration_figures({"b": (said[4:], right[4:])})["precision_at_90"] is None
