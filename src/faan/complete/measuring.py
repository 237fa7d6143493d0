"""Measuring a method the way it will be used, and calibrating its probabilities, on relations that were held out.

Ranks and metrics are those of `faan.rank`; its ranker itself is not used, because here an answer can be missing among
the candidates, known tails are no candidates (nor is mostly the head), and calibration needs the scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from faan.base import Ints, OnProgress, Purpose, Stream, distinct, distinct_without
from faan.complete.about import Measured
from faan.complete.calibration import NEW_RIDGE, UNMEASURED, Answered, Calibration, Tuning, fit_calibration
from faan.complete.question import fitting
from faan.complete.shape import has_loops, has_one_value
from faan.complete.trust import First, first_of, reliability_of, trade_off
from faan.graph import Graph
from faan.models import map_in_threads
from faan.rank import mean_ranks, summarise_ranks
from faan.tasks import Method, PairSet, Scorer, Task

SHOTS = 5  # examples of a relation in the figures
_MORE_SHOTS = (1, 3, 30, None)  # further numbers of examples, None for most facts: what few and many are worth
_ASKED = 5  # where most facts are examples, one of so many is asked for
_HEADS = 60  # heads of each relation that are asked about, at most
_PAIRS = 400_000  # scores that this may take in each relation
_FEWER = 3  # for calibration alone a third of that will do
_GROUPS = 10  # of relations: the probabilities of one are fitted on the others, to see what they are worth


@dataclass(frozen=True, eq=False)
class Measurement:
    """What a method made of one relation: the ranks of answers; how candidates stood, and which were right."""

    relation: str
    is_main: bool  # with as many examples as in the figures
    ranks: NDArray[np.float64]  # infinite for an answer that was no candidate
    questions: tuple[Answered, ...]
    one_value: bool  # whether heads have one value
    looks_so: bool  # whether they seem to have one value by the examples


def measure(
    methods: Iterable[tuple[Method, Sequence[Task]]], graph: Graph, progress: OnProgress, seed: int = 0
) -> tuple[Measured, Calibration]:
    """How good methods are, each on tasks that it has never seen, and how to make probabilities of their scores.

    Candidates are found from the examples alone, as they are for a user; so an answer can be missing among them, and
    then counts as not found. Reliability is that of probabilities fitted on other relations than the one they are of.
    """
    found: list[Measurement] = []
    for method, tasks in methods:
        jobs = [(task, shots) for task in tasks for shots in _shots(task)]
        for number, one in enumerate(map_in_threads(partial(_measure, method, graph, seed=seed), jobs)):
            found.append(one)
            progress("measuring", (number + 1) / len(jobs))
    main = [one for one in found if one.is_main]
    ranks = np.concatenate([one.ranks for one in main])
    figures = summarise_ranks(ranks)
    firsts = _firsts(found)
    measured = Measured(
        relations=tuple(one.relation for one in main),
        shots=SHOTS,
        questions=len(ranks),
        mrr=figures["mrr"],
        hits_at_10=figures["hits@10"],
        hits_at_1=figures["hits@1"],
        missed=float(np.isinf(ranks).mean()),
        reliability=reliability_of(firsts),
        trade_off=trade_off(firsts),
    )
    return measured, _calibrate(found)


def _shots(task: Task) -> list[int]:
    """How many examples to measure with: few, and nearly all."""
    most = len(task.pairs) - max(1, len(task.pairs) // _ASKED)
    wanted = (SHOTS, *(shots or most for shots in _MORE_SHOTS))
    return [shots for shots in dict.fromkeys(wanted) if shots < len(task.pairs)]


def _measure(method: Method, graph: Graph, asked_about: tuple[Task, int], *, seed: int) -> Measurement:
    """Measure a method on a task with a number of examples."""
    task, shots = asked_about
    references = task.references(shots)
    candidates = fitting(graph, references[:, 1])
    asked = replace(task, pairs=references, candidates=candidates)
    limit = max(1, min(_HEADS, _PAIRS // len(candidates)) // (1 if shots == SHOTS else _FEWER))
    queries = task.queries(shots)
    heads = distinct(queries[:, 0])
    heads = np.sort(heads[Stream(seed, Purpose.MEASURED_HEADS, shots).permutation(len(heads))[:limit]])
    scorer = method.prepare(asked, references)
    known, one_value = PairSet.of(references, graph.num_entities), has_one_value(task.pairs)
    ranks, questions, loops = [], [], has_loops(references)
    for head in heads.tolist():
        scores, right, rivals = ask_about(scorer, head, candidates, known, task.truths, loops=loops)
        answers = distinct_without(queries[queries[:, 0] == head, 1], known.tails_of(head))
        found = np.isin(answers, rivals)
        ranks.append(np.full(len(answers), np.inf))
        ranks[-1][found] = mean_ranks(scores[np.searchsorted(rivals, answers[found])], scores[~right])
        questions.append(Answered.of(scores, right, shots, one_value))
    looks_so, ranked = has_one_value(references), np.concatenate(ranks)
    return Measurement(task.relation, shots == SHOTS, ranked, tuple(questions), one_value, looks_so)


def ask_about(
    scorer: Scorer, head: int, candidates: Ints, known: PairSet, truths: PairSet, *, loops: bool
) -> tuple[NDArray[np.float64], NDArray[np.bool_], Ints]:
    """The scores of all candidates of a head that are not known, which of them are right, and their ids.

    The head itself is a candidate only with `loops`, as it is for a user.
    """
    asked = np.array([head])
    rivals = candidates[~known.contains(asked, candidates) & (loops | (candidates != head))]
    if not len(rivals):
        return np.empty(0), np.empty(0, dtype=bool), rivals
    scores = np.asarray(scorer.score(asked, rivals), dtype=np.float64)[0]
    return scores, truths.contains(asked, rivals), rivals


def _calibrate(found: Sequence[Measurement]) -> Calibration:
    """Fit a calibration in which each relation counts the same, however many questions it had."""
    questions = [one for measurement in found for one in measurement.questions if len(one.count)]
    if not questions:
        return UNMEASURED
    alike = [one.one_value for one in found if one.is_main and one.looks_so]
    likely = sum(alike) / len(alike) if alike else 1.0
    return fit_calibration(questions, _weights(found), NEW_RIDGE).model_copy(update={"one_value": likely})


def _weights(found: Sequence[Measurement]) -> NDArray[np.float64]:
    """The weight of each question: all questions of a relation together count as one observation."""
    kept = [sum(1 for one in measurement.questions if len(one.count)) for measurement in found]
    times = Counter(measurement.relation for measurement in found)
    shares = [1 / (max(count, 1) * times[one.relation]) for count, one in zip(kept, found, strict=True)]
    return np.repeat(shares, kept)


def _firsts(found: Sequence[Measurement]) -> list[First]:
    """The first suggestions of the main questions, with probabilities that were fitted on other relations."""
    relations = list(dict.fromkeys(one.relation for one in found))
    if len(relations) < 2:
        return []
    firsts: list[First] = []
    for group in range(min(_GROUPS, len(relations))):
        held_out = set(relations[group::_GROUPS])
        calibration = _calibrate([one for one in found if one.relation not in held_out])
        for one in found:
            if one.is_main and one.relation in held_out:
                likely = calibration.one_value if one.looks_so else 0.0
                firsts += [first_of(question, calibration, Tuning(), likely) for question in one.questions]
    return firsts
