"""Link prediction: for each held-out triple, the rank of its tail and of its head among all entities.

The ranker of `faan.rank` is not used, because it ranks tails of one relation at a time; this ranks heads too, of
batches of triples with different relations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from faan.base import InputError, distinct, places_of
from faan.embed.embeddings import Embeddings

SCORES_AT_ONCE = 20_000_000
"""How many scores are held in memory at a time."""


@dataclass(frozen=True)
class Metrics:
    """Averages over queries; each triple asks for its tail and for its head."""

    queries: int
    mrr: float
    hits_at_1: float
    hits_at_3: float
    hits_at_10: float
    mean_rank: float

    @classmethod
    def of(cls, ranks: np.ndarray) -> Metrics:
        """Averages over ranks that start at 1."""
        return cls(
            queries=len(ranks),
            mrr=float((1.0 / ranks).mean()),
            hits_at_1=float((ranks <= 1).mean()),
            hits_at_3=float((ranks <= 3).mean()),
            hits_at_10=float((ranks <= 10).mean()),
            mean_rank=float(ranks.mean()),
        )


@dataclass(frozen=True)
class LinkPrediction:
    """The result of ``evaluate``: for tails, for heads, and for both together."""

    tails: Metrics
    heads: Metrics
    both: Metrics


def evaluate(
    embeddings: Embeddings, triples: np.ndarray, known: np.ndarray, candidates: np.ndarray | None = None
) -> LinkPrediction:
    """Filtered ranks of the triples (n, 3): other answers that ``known`` (m, 3) says are true do not compete.

    Ties count half (mean rank); a score that is not a number is an error. Give ``known`` all of training, validation
    and test, as the literature does. Candidates, if given, are the entities to rank among; the answers are added.
    """
    if len(triples) == 0:
        raise InputError("there are no triples to evaluate; give at least one")
    if candidates is not None:
        candidates = distinct(candidates, triples[:, 0], triples[:, 2])
    tails = answer_ranks(embeddings, triples, known, asks_for="tail", candidates=candidates)
    heads = answer_ranks(embeddings, triples, known, asks_for="head", candidates=candidates)
    return LinkPrediction(Metrics.of(tails), Metrics.of(heads), Metrics.of(np.concatenate([tails, heads])))


@torch.no_grad()
def answer_ranks(
    embeddings: Embeddings,
    triples: np.ndarray,
    known: np.ndarray,
    asks_for: str,
    candidates: np.ndarray | None = None,
) -> np.ndarray:
    """Rank of each triple's tail or head among the candidates, which hold all answers; all entities if not given."""
    given_column, answer_column = (0, 2) if asks_for == "tail" else (2, 0)
    place = np.arange(embeddings.num_entities)  # of an entity among the candidates, -1 if it is none
    if candidates is not None:
        place = np.full(embeddings.num_entities, -1)
        place[candidates] = np.arange(len(candidates))
    known_keys, known_places = _answers_by_query(known, place, given_column, answer_column, embeddings.num_relations)
    keys = triples[:, given_column].astype(np.int64) * embeddings.num_relations + triples[:, 1]
    first, last = np.searchsorted(known_keys, keys, "left"), np.searchsorted(known_keys, keys, "right")
    answers = place[triples[:, answer_column]]

    size = max(1, SCORES_AT_ONCE // (embeddings.num_entities if candidates is None else len(candidates)))
    candidate_ids = None if candidates is None else torch.from_numpy(candidates)
    ranks = np.empty(len(triples))
    for start in range(0, len(triples), size):
        part = slice(start, start + size)
        given = torch.from_numpy(triples[part, given_column].astype(np.int64))
        relations = torch.from_numpy(triples[part, 1].astype(np.int64))
        if asks_for == "tail":
            scores = embeddings.score_tails(given, relations, candidate_ids)  # (B, N)
        else:
            scores = embeddings.score_heads(relations, given, candidate_ids)  # (B, N)
        if not torch.isfinite(scores).all():
            raise InputError("a score is not finite: the embeddings are broken; train them with a lower learning rate")
        counts = last[part] - first[part]
        rows = np.repeat(np.arange(len(counts)), counts)
        columns = known_places[places_of(first[part], counts)[0]]
        answer = torch.from_numpy(answers[part, None])  # (B, 1)
        answer_scores = scores.gather(1, answer)  # (B, 1)
        scores[rows, columns] = -torch.inf
        scores.scatter_(1, answer, -torch.inf)  # so that an answer does not tie with itself
        better = (scores > answer_scores).sum(1)
        equal = (scores == answer_scores).sum(1)
        ranks[part] = (1 + better + equal / 2).numpy()
    return ranks


def _answers_by_query(
    known: np.ndarray, place: np.ndarray, given_column: int, answer_column: int, num_relations: int
) -> tuple[np.ndarray, np.ndarray]:
    """Known answers that are candidates, sorted by (given entity, relation): keys and places, (m,) each."""
    places = place[known[:, answer_column]]
    kept = known[places >= 0]
    keys = kept[:, given_column].astype(np.int64) * num_relations + kept[:, 1]
    order = np.argsort(keys, kind="stable")
    return keys[order], places[places >= 0][order]
