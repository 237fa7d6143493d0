"""Prepares the ranking of a question when it is first asked for: its self-test, its probabilities, its reasons."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np

from faan.base import Ints, progress_bars
from faan.complete.cache import Cache
from faan.complete.calibration import Calibration, Calibrations
from faan.complete.lessons import learn
from faan.complete.methods import Fitted
from faan.complete.probabilities import Judge
from faan.complete.question import Question, ask
from faan.complete.ranking import Ranking
from faan.complete.reasons import Reasons
from faan.complete.scoring import Adjusted
from faan.complete.selftest import NOTHING, SelfTest, reserved_rows, run_self_test
from faan.complete.stored_tests import StoredTests
from faan.complete.types import Examples, Extended
from faan.evidence import Profiles
from faan.graph import Graph
from faan.tasks import PairSet, Scorer

_MAX_CACHED = 256 << 20  # bytes of cached questions


class Rankings:
    """The rankings of questions to one model; those of the last few questions are cached."""

    def __init__(
        self, graph: Graph, fitted: Fitted, calibrations: Calibrations, seed: int, folder: Path | None
    ) -> None:
        self._graph, self._fitted, self._calibrations, self._seed = graph, fitted, calibrations, seed
        self._tests = StoredTests(graph, folder)
        self._cache: Cache[Ranking] = Cache(_MAX_CACHED)

    def get(
        self,
        examples: Examples,
        rejected: tuple[tuple[str, str], ...] = (),
        *,
        inverse: bool = False,
        progress: bool = True,
    ) -> Ranking:
        """The ranking of a question, or of its inverse, which finds heads of a tail."""
        key = (examples, rejected, inverse)
        shared = (self._graph, self._fitted, self._calibrations, Profiles.of(self._graph))
        return self._cache.get(key, partial(self._prepare, examples, rejected, inverse, progress), shared)

    def accepted(self, examples: Examples, question: Question) -> tuple[PairSet, Scorer] | None:
        """Accepted pairs that are not facts of the graph, and a scorer that was not given them."""
        name = self._own_facts(examples)
        if name is None or isinstance(examples, str):
            return None
        own, pairs = self.get(name), question.known.pairs
        new = pairs[~own.question.known.contains(pairs[:, 0], pairs[:, 1])]
        return PairSet.of(new, self._graph.num_entities), own.scorer

    def _prepare(
        self, examples: Examples, rejected: tuple[tuple[str, str], ...], inverse: bool, progress: bool
    ) -> Ranking:
        question = ask(self._graph, examples, rejected)
        question = question.inverse() if inverse else question
        plain = self._fitted.method.prepare(question.task, question.references)
        calibration = self._calibration(question)
        scorer = Adjusted(question, plain, calibration)
        reasons = Reasons(question, scorer)
        # The inverse question only proposes heads: they are judged by the question itself, so it needs no self-test.
        test = NOTHING if inverse else self._test(examples, question, progress)
        judge = Judge.of(question, calibration, test.tuning)
        if len(question.rejected) and not inverse:
            accepted = self.accepted(examples, question)
            lessons = learn(question, reasons.relation_paths, scorer, accepted, judge, test.hits)
            scorer, judge = scorer.after(lessons), replace(judge, shift=lessons.shift)
        return Ranking(question, scorer, judge, reasons, test)

    def _calibration(self, question: Question) -> Calibration:
        return self._calibrations.of(question.hidden is not None)

    def _test(self, examples: Examples, question: Question, progress: bool) -> SelfTest:
        """The self-test of a relation: of its own facts in the graph, where it has any, made once."""
        name = self._own_facts(examples)
        found = None if name is None else self._tests.get(name)
        if found is not None:
            return found
        with progress_bars(wanted=progress) as on_progress:
            if name is None:
                return run_self_test(question, self._fitted.method, self._calibration(question), None, on_progress)
            own, relation = ask(self._graph, name), self._graph.relation(name)
            rows = self._reserved[self._graph.relations[self._reserved] == relation]
            unseen = np.stack([self._graph.heads[rows], self._graph.tails[rows]], axis=1)
            asked = unseen if self._fitted.is_trained else None
            found = run_self_test(own, self._fitted.method, self._calibration(own), asked, on_progress)
        self._tests.put(name, found)
        return found

    def _own_facts(self, examples: Examples) -> str | None:
        """The name of the relation whose facts in the graph are examples; None for a new one."""
        given = examples.relation if isinstance(examples, Extended) else examples
        if not isinstance(given, str):
            return None
        relation = self._graph.relation(given)
        return self._graph.relation_names[relation] if self._graph.relation_counts[relation] else None

    @cached_property
    def _reserved(self) -> Ints:
        """The facts that vectors were not trained with."""
        return reserved_rows(self._graph, self._seed)
