"""The self-test of a relation: hide some of its facts, ask for them, and measure the probabilities.

What was measured on other relations is the beginning. The facts of the relation itself then move it, the more of them
there are (`fit_tuning`). A fact that vectors were trained with looks truer than one that is missing, so a share of each
relation's facts is kept from the vectors (`reserved_rows`), more of each where there are few relations, and these are
asked for. The model's graph has them, as edges and as examples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, TypeAlias

import numpy as np
from pydantic import Field

from faan.base import Ints, OnProgress, Purpose, Stream, distinct
from faan.complete.about import MeasuredKnown
from faan.complete.calibration import Answered, Calibration, Floats, Tuning, fit_calibration
from faan.complete.completeness import estimate_missing
from faan.complete.lessons import Hit
from faan.complete.measuring import ask_about
from faan.complete.probabilities import Judge
from faan.complete.question import Question, ask
from faan.complete.scoring import Adjusted
from faan.complete.trust import First, first_of, reliability_of, trade_off
from faan.complete.tuning import fit_tuning
from faan.graph import Graph
from faan.models import map_in_threads
from faan.tasks import Method, PairSet, Scorer, held_out_rows

_QUESTIONS = 100  # facts of a relation that are asked for, at most
_SCORES = 800_000  # scores that this may take: where candidates are many, fewer facts are asked for
_FEWEST = 20  # facts that are asked for however many candidates there are
_FOLDS = 4  # where all facts are examples, a quarter is hidden at a time
_ENOUGH = 8  # a relation with fewer facts is not tested
_LEAST_ASKED = 2
_RELATIONS = 60  # relations of the graph that are measured when a model is made, at most
_EACH = 20  # facts of each of them that are asked for, on average at most
_SCORES_IN_ALL = 8_000_000  # scores that this may take
_FEWEST_MEASURED = 100  # questions about relations of the graph; with fewer, little can be said
_FEWEST_OF_FEW = 40  # the same where relations are few: each of them is then asked about often
_LIKELY = 0.5  # that a new relation has one value, from which on its examples are thought to be all that is true
_GROUPS = 5  # of relations, or of questions if there are fewer relations: one is judged by the others
_RESERVED, _RESERVED_MOST = 0.05, 50  # of each relation's facts: the share that vectors are not trained with, at most
_RESERVED_ENOUGH = 250  # in all: where relations are few, more of each are kept from the vectors


@dataclass(frozen=True, eq=False)
class SelfTest:
    """The result of the self-test of a relation."""

    questions: Annotated[int, Field(ge=0)]  # that were asked: each for the hidden facts of one head
    tuning: Tuning
    firsts: tuple[First, ...]  # with probabilities that were fitted on the other half of the questions
    hits: tuple[Hit, ...]


@dataclass(frozen=True, eq=False)
class _Tested:
    """A head that was asked about."""

    head: int
    values: int  # that it is known to have
    answered: Answered
    right: Ints  # hidden tails that were candidates
    scores: Floats  # the scores of all candidates
    places: Ints  # the places of the hidden tails among them

    def hits(self, judge: Judge) -> Iterator[Hit]:
        """The hidden facts with their logits."""
        logits = judge.logits(self.scores, self.places, self.values)
        return (Hit(self.head, *hit) for hit in zip(self.right.tolist(), logits.tolist(), strict=True))


_ByRelation: TypeAlias = Sequence[Sequence[Answered]]

NOTHING = SelfTest(0, Tuning(), (), ())


def reserved_rows(graph: Graph, seed: int) -> Ints:
    """The triples that vectors are not trained with, sorted."""
    most = max(_RESERVED_MOST, _RESERVED_ENOUGH // max(len(graph.used_relations), 1))
    return held_out_rows(graph, _RESERVED, most, seed, Purpose.RESERVED)


def run_self_test(
    question: Question, method: Method, calibration: Calibration, unseen: Ints | None, on_progress: OnProgress
) -> SelfTest:
    """Test a relation; `unseen` are the facts (n, 2) that the method was not trained with, None where it saw none."""
    known = question.known.pairs
    asked = known if unseen is None else unseen
    if len(asked) < _LEAST_ASKED or len(known) < _ENOUGH:
        return NOTHING
    limit = min(_QUESTIONS, max(_FEWEST, _SCORES // len(question.candidates)))
    asked = _drawn(asked, limit)
    found: list[_Tested] = []
    for hidden in _parts(asked, len(known), question.graph.num_entities):
        for one in _answers(question, method, hidden, calibration):
            found.append(one)
            on_progress("testing the relation", min(len(found) / len(asked), 1.0))
    questions = [one.answered for one in found]
    tells = _tells(question, calibration)
    tuning = fit_tuning(questions, calibration) if tells else Tuning()
    judge = Judge.of(question, calibration, tuning)
    hits = tuple(hit for one in found for hit in one.hits(judge))
    firsts = _firsts(questions, calibration) if tells else ()
    return SelfTest(len(questions) if tells else 0, tuning, firsts, hits)


def _tells(question: Question, calibration: Calibration) -> bool:
    """Whether hidden facts say how often suggestions are right.

    Of a new relation the examples are a small part of what is true. Where heads have several values, suggestions that
    are no examples would count as wrong.
    """
    is_likely = question.is_functional or calibration.one_value >= _LIKELY
    return question.hidden is not None or (question.one_value and is_likely)


def measure_known(
    graph: Graph, method: Method, rows: Ints, on_progress: OnProgress, seed: int = 0
) -> tuple[MeasuredKnown, Calibration] | None:
    """How good a method is at relations of the graph, from facts (rows of triples) that it has not seen.

    None where there are too few of them. The probabilities of a relation are judged by those of others; where there are
    few relations, those of a question by other questions.
    """
    relations = distinct(graph.relations[rows])
    relations = np.sort(relations[Stream(seed, Purpose.SELF_TEST).permutation(len(relations))[:_RELATIONS]])
    each, scores = (most // max(len(relations), 1) for most in (_EACH * _RELATIONS, _SCORES_IN_ALL))

    def test(relation: int) -> list[Answered]:
        question, own = ask(graph, graph.relation_names[relation]), rows[graph.relations[rows] == relation]
        asked = np.stack([graph.heads[own], graph.tails[own]], axis=1)
        asked = _drawn(asked, max(1, min(each, scores // len(question.candidates))))
        hidden = PairSet.of(asked, graph.num_entities)
        return [one.answered for one in _answers(question, method, hidden, None)]

    found: list[list[Answered]] = []
    for number, questions in enumerate(map_in_threads(test, relations.tolist())):
        found += [questions] if questions else []
        on_progress("measuring known relations", (number + 1) / len(relations))
    if sum(map(len, found)) < (_FEWEST_MEASURED if len(found) >= _GROUPS else _FEWEST_OF_FEW):
        return None
    firsts: list[First] = []
    for others, judged in _folds(found):
        calibration = _calibrate(others)
        firsts += [first_of(one, calibration, Tuning()) for own in judged for one in own]
    measured = MeasuredKnown(
        relations=len(found),
        questions=len(firsts),
        hits_at_1=sum(first.right > 0 for first in firsts) / len(firsts),
        reliability=reliability_of(firsts),
        trade_off=trade_off(firsts),
    )
    return measured, _calibrate(found)


def _folds(found: _ByRelation) -> Iterator[tuple[_ByRelation, _ByRelation]]:
    """The questions of all relations but those of a group, and those of the group."""
    for group in range(_GROUPS):
        if len(found) >= _GROUPS:
            yield [own for number, own in enumerate(found) if number % _GROUPS != group], found[group::_GROUPS]
        else:
            others = [[one for number, one in enumerate(own) if number % _GROUPS != group] for own in found]
            yield others, [own[group::_GROUPS] for own in found]


def _calibrate(found: _ByRelation) -> Calibration:
    """Fit a calibration in which all questions count the same, and those of a relation together as one observation.

    A few relations are as many observations as a group of them needs: what is measured is what will be asked about.
    """
    questions = [one for own in found for one in own if len(one.count)]
    calibration = fit_calibration(questions, np.full(len(questions), max(len(found), _GROUPS) / len(questions)))
    if len(found) < _GROUPS:  # a rule of one relation with exceptions looks like one with missing facts
        return calibration
    return calibration.model_copy(update={"missing": estimate_missing(found)})


def _answers(question: Question, method: Method, hidden: PairSet, calibration: Calibration | None) -> Iterator[_Tested]:
    """Ask for hidden facts of a relation, head by head; with a calibration, types that never go together count."""
    part = _without(question, hidden)
    if not len(part.references):
        return
    scorer: Scorer = method.prepare(part.task, part.references)
    if calibration is not None:
        scorer = Adjusted(part, scorer, calibration)
    shots, one_value = len(part.known), part.one_value
    for head in distinct(hidden.pairs[:, 0]).tolist():
        scores, right, rivals = ask_about(scorer, head, part.candidates, part.known, hidden, loops=question.has_loops)
        values = len(part.known.tails_of(head))
        answered = Answered.of(scores, right, shots, one_value, None if question.hidden is None else values)
        yield _Tested(head, values, answered, rivals[right], scores, np.flatnonzero(right))


def _drawn(pairs: Ints, count: int) -> Ints:
    """A fixed sample of pairs (n, 2)."""
    return pairs[np.sort(Stream(0, Purpose.SELF_TEST, len(pairs)).permutation(len(pairs))[:count])]


def _parts(asked: Ints, known: int, num_entities: int) -> Iterator[PairSet]:
    """The facts that are hidden at a time: all that are asked for, or a part if these are most of the known ones."""
    folds = min(_FOLDS, -(-len(asked) * _FOLDS // known))
    order = Stream(0, Purpose.SELF_TEST, known).permutation(len(asked))
    for fold in range(folds):
        rows = asked[order[fold::folds]]
        yield PairSet.of(rows, num_entities)


def _without(question: Question, hidden: PairSet) -> Question:
    """The same question with some facts unknown."""
    references, known = question.references, question.known.pairs
    left = known[~hidden.contains(known[:, 0], known[:, 1])]
    return replace(
        question,
        references=references[~hidden.contains(references[:, 0], references[:, 1])],
        known=PairSet.of(left, question.graph.num_entities),
    )


def _firsts(questions: Sequence[Answered], calibration: Calibration) -> tuple[First, ...]:
    """First suggestions, each half with probabilities that were fitted on the other."""
    found = []
    for half in (0, 1):
        tuning = fit_tuning(questions[1 - half :: 2], calibration)
        found += [first_of(question, calibration, tuning) for question in questions[half::2]]
    return tuple(found)
