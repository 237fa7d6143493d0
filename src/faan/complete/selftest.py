"""The self-test of a relation: hide some of its facts, ask for them, and see what probabilities are worth there.

What was measured on other relations is the beginning. The facts of the relation itself then move it, the more of them
there are (`fit_tuning`). Methods that are trained on the graph are tested on facts that they have not seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from faan.base import Ints, OnProgress, Purpose, Stream
from faan.complete.calibration import Answered, Calibration, Tuning, features, fit_tuning, logit, probabilities
from faan.complete.measuring import ask_about
from faan.complete.question import Question
from faan.complete.scoring import Adjusted
from faan.complete.shape import has_one_value
from faan.complete.trust import First, first_of
from faan.tasks import Method, PairSet

_QUESTIONS = 100  # asked at most,
_SCORES = 400_000  # and no more than so many scores,
_FEWEST = 20  # but so many questions in any case
_FOLDS = 4  # where all facts are examples, a quarter is hidden at a time
_ENOUGH = 8  # facts of a relation, from which on it is tested
_LEAST_ASKED = 2


@dataclass(frozen=True)
class Hit:
    """A hidden fact that was among the candidates, by ids, and its logit by what is known of other relations."""

    head: int
    tail: int
    logit: float


@dataclass(frozen=True, eq=False)
class SelfTest:
    """What came of it."""

    facts: int  # that were hidden and asked for
    tuning: Tuning
    firsts: tuple[First, ...]  # with probabilities that were fitted on the other half of the questions
    hits: tuple[Hit, ...]


NOTHING = SelfTest(0, Tuning(), (), ())


def run_self_test(
    question: Question, method: Method, calibration: Calibration, unseen: Ints | None, on_progress: OnProgress
) -> SelfTest:
    """Test a relation; `unseen` are the facts (n, 2) that the method was not trained with, None where it saw none."""
    known = question.known.pairs
    asked = known if unseen is None else unseen
    if len(asked) < _LEAST_ASKED or len(known) < _ENOUGH:
        return NOTHING
    limit = min(_QUESTIONS, max(_FEWEST, _SCORES // max(len(question.candidates), 1)))
    asked = asked[np.sort(Stream(0, Purpose.SELF_TEST, len(known)).permutation(len(asked))[:limit])]
    questions: list[Answered] = []
    hits: list[Hit] = []
    for hidden in _parts(asked, len(known), question.graph.num_entities):
        part = _without(question, hidden)
        if not len(part.references):
            continue
        scorer = Adjusted.of(part, method.prepare(part.task, part.references), calibration)
        shots, one_value = len(part.references), has_one_value(part.known.pairs)
        for head in np.unique(hidden.pairs[:, 0]).tolist():
            scores, right, rivals = ask_about(scorer, head, part.candidates, part.known, hidden)
            questions.append(Answered.of(scores, right, shots, one_value))
            said = probabilities(calibration.logits(features(scores, shots, one_value)), one_value)[right]
            hits += [Hit(head, *hit) for hit in zip(rivals[right].tolist(), logit(said).tolist(), strict=True)]
            on_progress("testing the relation", min(len(questions) / len(asked), 1.0))
    tuning, firsts = fit_tuning(questions, calibration), _firsts(questions, calibration)
    return SelfTest(len(questions), tuning, firsts, tuple(hits))


def _parts(asked: Ints, known: int, num_entities: int) -> Iterator[PairSet]:
    """What is hidden at a time: all that is asked for, or where that is much, some of it."""
    folds = min(_FOLDS, -(-len(asked) * _FOLDS // known))
    order = Stream(0, Purpose.SELF_TEST, known).permutation(len(asked))
    for fold in range(folds):
        rows = asked[order[fold::folds]]
        yield PairSet(rows[:, 0], rows[:, 1], num_entities)


def _without(question: Question, hidden: PairSet) -> Question:
    """The same question, asked by somebody who does not know some facts."""
    references, known = question.references, question.known.pairs
    left = known[~hidden.contains(known[:, 0], known[:, 1])]
    return replace(
        question,
        references=references[~hidden.contains(references[:, 0], references[:, 1])],
        known=PairSet(left[:, 0], left[:, 1], question.graph.num_entities),
    )


def _firsts(questions: Sequence[Answered], calibration: Calibration) -> tuple[First, ...]:
    """First suggestions, each half with probabilities that were fitted on the other."""
    found = []
    for half in (0, 1):
        tuning = fit_tuning(questions[1 - half :: 2], calibration)
        found += [first_of(question, calibration, tuning) for question in questions[half::2]]
    return tuple(found)
