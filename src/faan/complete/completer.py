"""What a user calls: suggest missing facts, score given ones, explain one; save and load."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from faan.base import InputError, Ints
from faan.complete.about import About
from faan.complete.calibration import Calibration
from faan.complete.explaining import explain
from faan.complete.folder import read_model, write_model
from faan.complete.methods import Fitted
from faan.complete.question import Question, ask, entities, fitting
from faan.complete.ranking import Ranking, heads_for
from faan.complete.reasons import Reasons
from faan.complete.registry import load_by
from faan.complete.types import Examples, Explanation, Extended, Known, Suggestion
from faan.evidence import Profiles
from faan.graph import Graph

_RANKINGS = 8  # questions that are kept prepared


class Completer:
    """A graph, a method that was made for it, and what its scores are worth."""

    def __init__(self, graph: Graph, fitted: Fitted, calibration: Calibration, about: About) -> None:
        self.graph, self.fitted, self.calibration, self.about = graph, fitted, calibration, about
        self._rankings: dict[Hashable, Ranking] = {}  # of the last questions: who asks once asks again

    def __repr__(self) -> str:
        return f"Completer({self.about.method}, {self.graph!r})"

    def save(self, folder: str | Path) -> None:
        """Write a model folder, atomically."""
        write_model(Path(folder), self.graph, self.fitted, self.calibration, self.about)

    @classmethod
    def load(cls, folder: str | Path) -> Completer:
        """Open a model folder; nothing in it is executed."""
        return cls(*read_model(Path(folder), load_by))

    def suggest(
        self,
        examples: Examples,
        heads: Sequence[str] | None = None,
        tails: Sequence[str] | None = None,
        top: int = 10,
        known: Known = "skip",
    ) -> Iterator[Suggestion]:
        """Missing facts of a relation, `top` for each head, as they are found.

        `examples` is a relation of the graph by name or pairs of head and tail. Without heads, the entities are asked
        about that look like heads of the examples and lack the fact, most similar first. With heads and tails only
        these tails are suggested. With tails alone heads are suggested, `top` for each tail; where heads have one tail
        only, those that have one are left out as known.
        """
        if top < 1:
            raise InputError(f"top must be 1 or more, found {top}")
        if known not in ("skip", "show"):
            raise InputError(f"known must be 'skip' or 'show', found {known!r}")
        if heads is None and tails is not None:
            inverse = self._ranking(examples, inverse=True)
            return heads_for(entities(self.graph, tails), self._ranking(examples), inverse, top, known)
        ranking = self._ranking(examples)
        asked = self._lacking(ranking.question) if heads is None else entities(self.graph, heads)
        answers = entities(self.graph, tails) if tails is not None else None
        return ranking.best(asked, answers, top, known)

    def score(self, pairs: Sequence[tuple[str, str]], examples: Examples) -> list[Suggestion]:
        """Judge given pairs, in their order; each is ranked among the candidates of its head."""
        ranking = self._ranking(examples)
        ids = [(self.graph.entity(head), self.graph.entity(tail)) for head, tail in pairs]
        if not ids:
            return []
        asked, answers = np.array(ids, dtype=np.int32).T
        found = ranking.pairs(asked, answers)
        by_name = {(judged.head, judged.tail): judged for judged in found}
        names = self.graph.entity_names
        return [by_name[names[head], names[tail]] for head, tail in ids]

    def explain(self, head: str, tail: str, examples: Examples) -> Explanation:
        """All that speaks for and against one fact."""
        ranking = self._ranking(examples)
        pair = np.array([self.graph.entity(head)]), np.array([self.graph.entity(tail)])
        suggestion = next(ranking.pairs(*pair))
        return explain(ranking.question, ranking.reasons, self.fitted.method, ranking.scorer, suggestion)

    def heads_lacking(self, examples: Examples) -> list[str]:
        """The entities that look like heads of the examples and lack the fact, most similar first."""
        return [self.graph.entity_names[int(head)] for head in self._lacking(ask(self.graph, examples))]

    def looks_functional(self, examples: Examples) -> bool:
        """Whether nearly every known head of the relation has one tail only."""
        return self._ranking(examples).reasons.one_tail_each

    @cached_property
    def _profiles(self) -> Profiles:
        return Profiles.of(self.graph)

    def _ranking(self, examples: Examples, inverse: bool = False) -> Ranking:
        """What ranks answers to a question; what was prepared for the last few questions is used again."""
        given = examples if isinstance(examples, str | Extended) else tuple(map(tuple, examples))
        key = (given, inverse)
        if key not in self._rankings:
            question = ask(self.graph, examples)
            question = question.inverse() if inverse else question
            scorer = self.fitted.method.prepare(question.task, question.references)
            if len(self._rankings) == _RANKINGS:
                del self._rankings[next(iter(self._rankings))]
            self._rankings[key] = Ranking(question, scorer, self.calibration, Reasons(question, self._profiles))
        return self._rankings[key]

    def _lacking(self, question: Question) -> Ints:
        having = question.known.pairs[:, 0]
        heads = np.setdiff1d(fitting(self.graph, having), having)
        examples = self._profiles.dense(np.unique(question.references[:, 0]), question.hidden)
        alike = self._profiles.similarities(heads, examples, question.hidden).mean(1)
        return heads[np.argsort(-alike, kind="stable")]
