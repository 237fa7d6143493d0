"""What the HTTP service does, without HTTP: questions to a completer, decisions, names."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import islice

from faan.base import InputError
from faan.complete import Completer, Examples, Explanation, Extended, Suggestion, Trust
from faan.graph import Graph
from faan.web.answers import Explained, PastDecision, PastDecisions, Suggested
from faan.web.decision import Decided, Decision, NewDecision
from faan.web.decisions import Decisions
from faan.web.gate import Gate
from faan.web.limits import MAX_SECONDS, SLICE
from faan.web.naming import Naming
from faan.web.requests import DecideRequest, ExplainRequest, QuestionRequest, ScoreRequest, SuggestRequest

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True)
class Found:
    """Suggestions as they are found; None at the end if the time was over before all were found."""

    notes: tuple[str, ...]  # what looks wrong with the examples
    suggestions: Iterator[Suggested | None]


@dataclass(frozen=True)
class Service:
    """A model, the names of its graph, and the decisions about its suggestions."""

    completer: Completer
    naming: Naming
    decisions: Decisions
    name: str  # of the model
    gate: Gate = field(default_factory=Gate)
    seconds: float = MAX_SECONDS

    @property
    def graph(self) -> Graph:
        """The graph behind the model."""
        return self.completer.graph

    @cached_property
    def model(self) -> str:
        """The model, as decisions record it."""
        about = self.completer.about
        return f"{self.name} ({about.method} on {about.source.name}, {about.date})"

    def relation_name(self, question: QuestionRequest) -> str:
        """The name of a question's relation in decisions; without examples it must be one of the graph."""
        if question.examples is None:
            return self.graph.relation_names[self.graph.relation(question.relation)]
        name = self.naming.called(question.relation)
        if _CONTROL.search(name) and self.graph.relation_names.find(name) is None:
            raise InputError("relation: a new name must not hold line ends or control characters; leave them out")
        return name

    def past(self, relation: str | None, before: int | None, limit: int) -> PastDecisions:
        """Current decisions, the latest first, with labels."""
        called = None if relation is None else self.naming.called(relation)
        return PastDecisions([self._past(decision) for decision in self.decisions.past(called, before, limit)])

    def _past(self, decision: Decision) -> PastDecision:
        return PastDecision(
            **{field.name: getattr(decision, field.name) for field in fields(Decided)},
            head_label=self.naming.label(decision.head),
            relation_label=self.naming.relation_label(decision.relation),
            tail_label=self.naming.label(decision.tail),
        )

    def suggest(self, request: SuggestRequest) -> Found:
        """Suggestions as they are found.

        Errors about the request are raised at once, before the first suggestion.
        """
        relation, examples, rejected = self._asked(request)
        heads, tails = self._entities(request.heads), self._entities(request.tails)
        deadline = time.monotonic() + self.seconds
        with self.gate.turn():
            found = self.completer.suggest(
                examples,
                heads=heads,
                tails=tails,
                top=request.top,
                known=request.known,
                rejected=rejected,
                strict=request.strict,
            )
            limited = islice(found.stream(), request.limit)
            first = _some(limited)
        notes = tuple(map(self.naming.short.in_text, found.notes))
        return Found(notes, self._stream(first, limited, relation, deadline))

    def _stream(
        self, some: list[Suggestion], others: Iterator[Suggestion], relation: str, deadline: float
    ) -> Iterator[Suggested | None]:
        while some:
            for suggestion in some:
                yield self._suggested(suggestion, relation)
            if time.monotonic() > deadline:
                yield None
                return
            with self.gate.turn():
                some = _some(others)

    def score(self, request: ScoreRequest) -> list[Suggested]:
        """A judgement of given pairs, in their order."""
        relation, examples, rejected = self._asked(request)
        pairs = self._pairs(request.pairs)
        with self.gate.turn():
            judged = self.completer.score(pairs, examples, rejected=rejected)
        return [self._suggested(suggestion, relation) for suggestion in judged]

    def explain(self, request: ExplainRequest) -> Explained:
        """The evidence for and against one fact."""
        relation, examples, rejected = self._asked(request)
        head, tail = self.naming.entity(request.head), self.naming.entity(request.tail)
        with self.gate.turn():
            explanation = self.completer.explain(head, tail, examples, rejected=rejected)
        return self._explained(explanation, relation)

    def trust(self, request: QuestionRequest) -> Trust:
        """How reliable the probabilities of a relation are."""
        _, examples, rejected = self._asked(request)
        with self.gate.turn():
            return self.completer.trust(examples, rejected=rejected)

    def decide(self, request: DecideRequest) -> Decision:
        """Save a decision."""
        relation = self.relation_name(request)
        origin: dict[str, object] = {"accepted_until": request.accepted_until} if request.accepted_until else {}
        if self.graph.relation_names.find(relation) is not None:
            origin["relation"] = relation  # its own facts are examples
        if request.examples is not None:
            origin["examples"] = self._pairs(request.examples)
        return self.decisions.decide(
            NewDecision(
                reviewer=request.reviewer,
                relation=relation,
                head=self.naming.entity(request.head),
                tail=self.naming.entity(request.tail),
                verdict=request.verdict,
                probability=request.probability,
                score=request.score,
                rank=request.rank,
                reasons=request.reasons,
                examples=json.dumps(origin, ensure_ascii=False),
                model=self.model,
                key=request.key,
                seen=request.seen,
            )
        )

    def _entities(self, names: Sequence[str] | None) -> list[str] | None:
        return None if names is None else [self.naming.entity(name) for name in names]

    def _pairs(self, pairs: Sequence[tuple[str, str]] | None) -> list[tuple[str, str]]:
        return [(self.naming.entity(head), self.naming.entity(tail)) for head, tail in pairs or ()]

    def _asked(self, question: QuestionRequest) -> tuple[str, Examples, tuple[tuple[str, str], ...]]:
        """A relation with its examples and the pairs that are known to be wrong, as a completer takes them.

        Examples are facts of the graph, given pairs and accepted facts; rejected facts are wrong.
        """
        relation = self.relation_name(question)
        examples, wrong = self._pairs(question.examples), self._pairs(question.rejected)
        if question.accepted_until:
            for decision in self.decisions.current(relation, ("accepted", "rejected"), question.accepted_until):
                (examples if decision.verdict == "accepted" else wrong).append((decision.head, decision.tail))
        rejected = tuple(dict.fromkeys(wrong))
        if self.graph.relation_names.find(relation) is None:
            return relation, tuple(examples), rejected
        return relation, Extended(relation, tuple(examples)) if examples else relation, rejected

    def _suggested(self, suggestion: Suggestion, relation: str) -> Suggested:
        naming, head, tail = self.naming, suggestion.head, suggestion.tail
        texts = {what: tuple(map(naming.short.in_text, getattr(suggestion, what))) for what in ("because", "warnings")}
        return Suggested(
            **vars(suggestion) | texts,
            head_label=naming.label(head),
            tail_label=naming.label(tail),
            decision=self.decisions.of_fact(relation, head, tail),
        )

    def _explained(self, explanation: Explanation, relation: str) -> Explained:
        shown = self.naming.relation_label(relation)
        named = replace(explanation, relation=shown, labels={**explanation.labels, relation: shown})
        values = vars(named) | {"suggestion": self._suggested(explanation.suggestion, relation), "relation": relation}
        fact = explanation.suggestion
        values |= {"about_head": self.naming.about(fact.head), "about_tail": self.naming.about(fact.tail)}
        return Explained(**values, drawing=named.draw())


def _some(suggestions: Iterator[Suggestion]) -> list[Suggestion]:
    """The next suggestions, as many as come in a moment, at least one if there is one."""
    end = time.monotonic() + SLICE
    some = []
    for suggestion in suggestions:
        some.append(suggestion)
        if time.monotonic() > end:
            break
    return some
