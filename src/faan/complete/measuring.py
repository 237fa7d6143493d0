"""Measuring a method the way it will be used, and calibrating its probabilities, on relations that were held out.

Ranks and metrics are those of `faan.rank`; its ranker itself is not used, because here an answer can be missing among
the candidates, the head and known tails are no candidates, and calibration needs the scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, OnProgress, Purpose, Stream
from faan.complete.about import Bin, Measured
from faan.complete.calibration import UNMEASURED, Calibration, features, fit_calibration, reliability
from faan.complete.question import fitting
from faan.graph import Graph
from faan.rank import mean_ranks, summarise_ranks
from faan.tasks import Method, Scorer, Task

SHOTS = 5  # examples of a relation in the figures
_CALIBRATION_SHOTS = (1, 3)  # further numbers of examples, from which probabilities learn what few are worth
_HEADS = 60  # asked for in each relation at most,
_PAIRS = 400_000  # and no more than so many scores
_FEWER = 3  # for calibration alone a third of that will do
_KEPT = 30  # best candidates of a head that calibration looks at; of all others it would learn that they are wrong


@dataclass(frozen=True, eq=False)
class Answers:
    """What a method made of one relation: the ranks of answers; how candidates stood, and which were right."""

    relation: str
    shots: int
    ranks: NDArray[np.float64]  # infinite for an answer that was no candidate
    features: NDArray[np.float64]
    right: NDArray[np.bool_]


def measure(
    methods: Iterable[tuple[Method, Sequence[Task]]], graph: Graph, progress: OnProgress, seed: int = 0
) -> tuple[Measured, Calibration]:
    """How good methods are, each on tasks that it has never seen, and how to make probabilities of their scores.

    Candidates are found from the examples alone, as they are for a user; so an answer can be missing among them, and
    then counts as not found. Reliability is that of probabilities fitted on all relations but the one they are of.
    """
    found: list[Answers] = []
    for method, tasks in methods:
        jobs = [(task, shots) for task in tasks for shots in (SHOTS, *_CALIBRATION_SHOTS) if len(task.pairs) > shots]
        for number, (task, shots) in enumerate(jobs):
            found.append(_answer(method, graph, task, shots, seed))
            progress("measuring", (number + 1) / len(jobs))
    main = [answers for answers in found if answers.shots == SHOTS]
    ranks = np.concatenate([answers.ranks for answers in main])
    figures = summarise_ranks(ranks)
    measured = Measured(
        relations=tuple(answers.relation for answers in main),
        shots=SHOTS,
        questions=len(ranks),
        mrr=figures["mrr"],
        hits_at_10=figures["hits@10"],
        hits_at_1=figures["hits@1"],
        missed=float(np.isinf(ranks).mean()),
        reliability=tuple(_reliability(found)),
    )
    return measured, _calibrate(found)


def _answer(method: Method, graph: Graph, task: Task, shots: int, seed: int) -> Answers:
    references = task.references(shots)
    candidates = fitting(graph, references[:, 1])
    asked = Task(task.relation, references, candidates, task.truths, task.hidden)
    limit = max(1, min(_HEADS, _PAIRS // len(candidates)) // (1 if shots == SHOTS else _FEWER))
    queries = task.queries(shots)
    heads = np.unique(queries[:, 0])
    heads = np.sort(heads[Stream(seed, Purpose.MEASURED_HEADS, shots).permutation(len(heads))[:limit]])
    scorer = method.prepare(asked, references)
    ranks, rows, right = [], [], []
    for head, scores in _score(scorer, heads, candidates):
        known = np.isin(candidates, references[references[:, 0] == head, 1]) | (candidates == head)
        true = task.truths.contains(np.array([head]), candidates) & ~known
        answers = queries[queries[:, 0] == head, 1]
        places = np.searchsorted(candidates, answers) % len(candidates)
        is_candidate = candidates[places] == answers
        rank = mean_ranks(scores[places], scores[~true & ~known])
        ranks.append(np.where(is_candidate, rank, np.inf))
        best = np.argsort(-scores[~known], kind="stable")[:_KEPT]
        rows.append(features(scores[~known], shots, best))
        right.append(true[~known][best])
    return Answers(task.relation, shots, np.concatenate(ranks), np.concatenate(rows), np.concatenate(right))


def _score(scorer: Scorer, heads: Ints, candidates: Ints) -> Iterator[tuple[int, NDArray[np.float64]]]:
    for head in heads.tolist():
        yield head, np.asarray(scorer.score(np.array([head]), candidates), dtype=np.float64)[0]


def _calibrate(found: Sequence[Answers]) -> Calibration:
    """Each relation counts the same, however many questions it had."""
    rows, right = np.concatenate([a.features for a in found]), np.concatenate([a.right for a in found])
    if not len(rows):
        return UNMEASURED
    return fit_calibration(rows, right, _weights(found))


def _weights(found: Sequence[Answers]) -> NDArray[np.float64]:
    """What each row counts, on average 1."""
    weights = np.concatenate([np.full(len(a.right), 1 / max(len(a.right), 1)) for a in found])
    return np.asarray(weights / weights.mean()) if len(weights) else weights


def _reliability(found: Sequence[Answers]) -> list[Bin]:
    """What probabilities are worth on relations that they were not fitted on."""
    said, main = [], [answers for answers in found if answers.shots == SHOTS]
    if len(main) < 2:
        return []
    for left_out in [answers.relation for answers in main]:
        calibration = _calibrate([answers for answers in found if answers.relation != left_out])
        said += [calibration.of_features(answers.features) for answers in main if answers.relation == left_out]
    right = np.concatenate([answers.right for answers in main])
    return reliability(np.concatenate(said), right, _weights(main))
