"""Ranking the answers to a question, entity by entity, with probabilities and reasons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from faan.base import InputError, Ints, distinct
from faan.complete.because import Because
from faan.complete.probabilities import Judge
from faan.complete.question import Question
from faan.complete.reasons import Reasons
from faan.complete.scoring import Adjusted
from faan.complete.selftest import SelfTest
from faan.complete.types import Known, Suggestion
from faan.models import ExplainingScorer

SCORES_AT_ONCE = 1 << 18  # few enough that the first suggestions come soon
_ENTITIES_AT_ONCE = 32
_JUDGED = 10  # heads of a tail that are judged at least, so that `top` does not change which heads come first


class Ranking:
    """Ranks answers to one question with one method."""

    def __init__(self, question: Question, scorer: Adjusted, judge: Judge, reasons: Reasons, test: SelfTest) -> None:
        self.question, self.scorer, self.judge, self.reasons, self.test = question, scorer, judge, reasons, test
        self.because = Because(reasons, scorer)

    def best(
        self, asked: Ints, answers: Ints | None, top: int, known: Known, strict: bool, least: float
    ) -> Iterator[Suggestion]:
        """Suggest the best answers for each entity, all of them or some given ones, as they are found.

        With `strict`, answers that break a rule of the schema are skipped. Answers less likely than `least` are skipped
        before their reasons are computed, which takes most of the time.
        """
        for entity, choices, scores in self._scores(asked, answers, known):
            counts = self._competing(entity, choices, known, strict)
            wanted = counts if answers is None else counts & np.isin(choices, answers)
            places = np.flatnonzero(wanted)
            order = places[self._order(entity, choices[places], scores[places])[:top]]
            yield from self._judged(entity, choices, scores, order, counts, least)

    def candidates(self, entity: int, count: int, known: Known, without: Ints, strict: bool) -> Ints:
        """The ids of the best answers for one entity, best first, without those in `without`."""
        [(_, choices, scores)] = self._scores(np.array([entity]), None, known)
        places = np.flatnonzero(self._competing(entity, choices, known, strict) & ~np.isin(choices, without))
        return choices[places[self._order(entity, choices[places], scores[places])[:count]]]

    def _order(self, entity: int, choices: Ints, scores: NDArray[np.float64]) -> Ints:
        """The places of choices (C,), best first: those that follow from known facts by the schema, then by score."""
        return np.lexsort((-scores, -self._sure(entity, choices)))

    def _sure(self, entity: int, choices: Ints) -> NDArray[np.float64]:
        """The probability of choices that follow from known facts by the schema; 0 for all others."""
        constraints = self.scorer.constraints
        return np.zeros(len(choices)) if constraints is None else constraints.sure(entity, choices)

    def pairs(self, asked: Ints, answers: Ints, least: float = 0.0) -> Iterator[Suggestion]:
        """Judge pairs (n,), (n,), known or not, each ranked among the candidates that are not known.

        Pairs less likely than `least` are skipped before their reasons are computed.
        """
        for entity in distinct(asked).tolist():
            wanted = distinct(answers[asked == entity])
            for one, choices, scores in self._scores(np.array([entity]), wanted, "skip", kept=wanted):
                places, counts = np.flatnonzero(np.isin(choices, wanted)), self._competing(one, choices, "skip")
                yield from self._judged(one, choices, scores, places, counts, least)

    def _judged(
        self,
        entity: int,
        choices: Ints,
        scores: NDArray[np.float64],
        places: Ints,
        competing: NDArray[np.bool_],
        least: float,
    ) -> Iterator[Suggestion]:
        """A suggestion for each place among the choices; answers that are no candidates compete with no other."""
        candidates = self.question.candidates
        rivals = competing if choices is candidates else competing & np.isin(choices, candidates)
        if len(places) and rivals[places].all():
            yield from self._suggestions(entity, choices, scores, places, np.flatnonzero(rivals), least)
            return
        for place in places.tolist():
            compared = np.flatnonzero(rivals | (np.arange(len(choices)) == place))
            yield from self._suggestions(entity, choices, scores, np.array([place]), compared, least)

    def _scores(
        self, asked: Ints, answers: Ints | None, known: Known, kept: Ints | None = None
    ) -> Iterator[tuple[int, Ints, NDArray[np.float64]]]:
        """Each entity with its choices (C,) and their scores; the first is scored alone, later ones together.

        Where entities are scored one by one, known answers that are to be skipped are not scored, but for those that
        are `kept`: evidence about a known fact takes longer, and a hub has thousands of them.
        """
        candidates = self.question.candidates
        choices = candidates if answers is None else distinct(candidates, answers)
        if isinstance(self.scorer.scorer, ExplainingScorer):  # it caches what it computed for an entity, to explain it
            for entity in asked.tolist():
                own = choices if known == "show" else self._unknown(entity, choices, kept)
                yield entity, own, self._checked(np.array([entity]), own)[0]
            return
        most = min(max(1, SCORES_AT_ONCE // len(choices)), _ENTITIES_AT_ONCE)
        first, size = 0, 1
        while first < len(asked):
            chunk = asked[first : first + size]
            first, size = first + size, min(2 * size, most)
            scores = self._checked(chunk, choices)
            yield from ((entity, choices, scores[row]) for row, entity in enumerate(chunk.tolist()))

    def _unknown(self, entity: int, choices: Ints, kept: Ints | None) -> Ints:
        """The choices that are not known answers for an entity, and those that are kept."""
        known = self.question.known.tails_of(entity)
        known = known if kept is None else known[~np.isin(known, kept)]
        return choices[~np.isin(choices, known)] if len(known) else choices

    def _checked(self, asked: Ints, choices: Ints) -> NDArray[np.float64]:
        """The scores of entities (n,) with choices (C,), none of which may be no number: (n, C)."""
        if not len(choices):  # all of them are known
            return np.empty((len(asked), 0))
        scores = self.scorer.score(asked, choices)
        if np.isnan(scores).any():
            raise InputError("a score is not a number: the model's weights are broken; fit it again")
        return scores

    def _competing(self, entity: int, choices: Ints, known: Known, strict: bool = False) -> NDArray[np.bool_]:
        """Which choices are answers at all: not the entity itself (unless known facts say so), not what is known."""
        keep = np.ones(len(choices), dtype=bool)
        if not self.question.has_loops:
            keep &= choices != entity
        if known == "skip":
            keep &= ~self.question.known.contains(np.array([entity]), choices)
            keep &= ~self.question.rejected.contains(np.array([entity]), choices)
        if strict and self.scorer.constraints is not None:
            is_known = self.question.known.contains(np.array([entity]), choices)
            keep &= is_known | self.scorer.constraints.allows(entity, choices)
        return keep

    def _suggestions(
        self, entity: int, choices: Ints, scores: NDArray[np.float64], places: Ints, compared: Ints, least: float
    ) -> Iterator[Suggestion]:
        """Suggestions for some places among the choices, with rank and probability among those compared."""
        question, names = self.question, self.question.graph.entity_names
        rivals = scores[compared]
        among = np.searchsorted(compared, places)
        values = question.known.tails_of(entity)
        others = len(values) - np.isin(choices[places], values)  # known values but the answer itself
        sure = self._sure(entity, choices[compared])
        probabilities = self.judge.probabilities(rivals, among, others, sure)
        likely = probabilities >= least
        places, among, probabilities = places[likely], among[likely], probabilities[likely]
        if not len(places):
            return
        because = self.because.tell(entity, choices[places])
        order = self._order(entity, choices[compared], rivals)
        rank = np.empty(len(rivals), dtype=np.int64)
        rank[order] = np.arange(1, len(rivals) + 1)
        for i, place in enumerate(places.tolist()):
            answer = int(choices[place])
            yield Suggestion(
                head=names[entity],
                tail=names[answer],
                score=float(scores[place]),
                probability=float(probabilities[i]),
                rank=int(rank[among[i]]),
                low_evidence=question.low_evidence,
                because=tuple(reason.sentence for reason in because[i]),
                warnings=self.reasons.warnings.of(entity, answer),
            )


def heads_for(
    tails: Ints,
    ranking: Ranking,
    inverse: Ranking,
    top: int,
    known: Known,
    strict: bool,
    least: float,
) -> Iterator[Suggestion]:
    """The best heads for each tail, as they are found.

    The inverse relation proposes heads. Each is then judged among its own tails, like any other fact, so a fact has the
    same probability wherever it is shown. If heads have one tail each, heads that already have one are skipped.
    """
    question = ranking.question
    is_over = known == "skip" and question.one_value
    having = question.known.pairs[:, 0] if is_over else np.empty(0, dtype=np.int32)
    for tail in tails.tolist():
        heads = inverse.candidates(tail, max(top, _JUDGED), known, having, strict)
        best: list[Suggestion] = []
        for head in heads:  # reasons take most of the time: heads that cannot be among the best need none
            floor = max(least, best[-1].probability) if len(best) == top else least
            best += ranking.pairs(head[None], np.array([tail]), floor)
            best = sorted(best, key=lambda one: -one.probability)[:top]  # stable: proposed first, listed first
        yield from (replace(one, rank=rank) for rank, one in enumerate(best, 1))
