"""What the HTTP service does, without HTTP: questions to a completer, decisions, names."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice

from faan.base import InputError, UnknownNameError
from faan.complete import Completer, Examples, Explanation, Extended, Suggestion
from faan.graph import Graph
from faan.web.answers import Explained, Relation, Suggested
from faan.web.decision import Decision, NewDecision
from faan.web.decisions import Decisions
from faan.web.gate import Gate
from faan.web.limits import MAX_SECONDS, SLICE
from faan.web.requests import DecideRequest, ExplainRequest, QuestionRequest, ScoreRequest, SuggestRequest
from faan.web.search import Search

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True)
class Service:
    """A model, the search for its entities, and the decisions about its suggestions."""

    completer: Completer
    search: Search
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
        """What to write beside a decision about where its suggestion came from."""
        about = self.completer.about
        return f"{self.name} ({about.method} on {about.source.name}, {about.date})"

    @cached_property
    def relations(self) -> list[Relation]:
        """The relations of the graph, those with few facts first: they are what examples help with."""
        graph, counts = self.graph, self.graph.relation_counts.tolist()
        listed = [
            Relation(name=name, label=graph.relation_label(number), facts=counts[number])
            for number, name in enumerate(graph.relation_names)
            if counts[number]  # one that was left out of the model has none
        ]
        return sorted(listed, key=lambda relation: (relation.facts, relation.label))

    def find_relations(self, text: str) -> list[Relation]:
        """The relations whose name or label contains all words of a text."""
        words = text.casefold().split()
        return [
            relation
            for relation in self.relations
            if all(word in f"{relation.name} {relation.label}".casefold() for word in words)
        ]

    def entity(self, name: str) -> str:
        """The name of an entity that was given by name or label; the nearest names come from the index."""
        graph = self.graph
        number = graph.entity_names.find(name)
        if number is None and graph.entity_labels is not None and graph.entity_labels.find(name) is not None:
            number = graph.entity(name)
        if number is None:
            raise UnknownNameError("entity", name, [found.name for found in self.search.find(name, 3)])
        return graph.entity_names[number]

    def relation_name(self, question: QuestionRequest) -> str:
        """What decisions call the relation of a question; without examples it must be one of the graph."""
        if question.examples is None:
            return self.graph.relation_names[self.graph.relation(question.relation)]
        name = self.called(question.relation)
        if _CONTROL.search(name) and self.graph.relation_names.find(name) is None:
            raise InputError("relation: a new name must not hold line ends or control characters; leave them out")
        return name

    def called(self, relation: str) -> str:
        """The name of a relation that was given by name or label; a new one keeps its name."""
        names, labels = self.graph.relation_names, self.graph.relation_labels
        found = labels.find_all(relation) if labels is not None else []
        return names[found[0]] if len(found) == 1 and names.find(relation) is None else relation

    def suggest(self, request: SuggestRequest) -> Iterator[Suggested | None]:
        """Suggestions as they come; None at the end where time is over before all were found.

        What is wrong with the request is said before the first of them.
        """
        examples, relation = self._examples(request), self.relation_name(request)
        heads, tails = self._entities(request.heads), self._entities(request.tails)
        deadline = time.monotonic() + self.seconds
        with self.gate.turn():
            found = self.completer.suggest(examples, heads=heads, tails=tails, top=request.top, known=request.known)
            limited = islice(found.stream(), request.limit)
            first = _some(limited)
        return self._stream(first, limited, relation, deadline)

    def _stream(
        self, first: list[Suggestion], others: Iterator[Suggestion], relation: str, deadline: float
    ) -> Iterator[Suggested | None]:
        some = first
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
        examples, relation = self._examples(request), self.relation_name(request)
        pairs = [(self.entity(head), self.entity(tail)) for head, tail in request.pairs]
        with self.gate.turn():
            judged = self.completer.score(pairs, examples)
        return [self._suggested(suggestion, relation) for suggestion in judged]

    def explain(self, request: ExplainRequest) -> Explained:
        """All that speaks for and against one fact."""
        examples, relation = self._examples(request), self.relation_name(request)
        head, tail = self.entity(request.head), self.entity(request.tail)
        with self.gate.turn():
            explanation = self.completer.explain(head, tail, examples)
        return self._explained(explanation, relation)

    def decide(self, request: DecideRequest) -> Decision:
        """Write a decision down."""
        relation = self.relation_name(request)
        origin: dict[str, object] = {"accepted_until": request.accepted_until} if request.accepted_until else {}
        if self.graph.relation_names.find(relation) is not None:
            origin["relation"] = relation  # its own facts are examples
        if request.examples is not None:
            origin["examples"] = [(self.entity(head), self.entity(tail)) for head, tail in request.examples]
        return self.decisions.decide(
            NewDecision(
                reviewer=request.reviewer,
                relation=relation,
                head=self.entity(request.head),
                tail=self.entity(request.tail),
                verdict=request.verdict,
                probability=request.probability,
                score=request.score,
                rank=request.rank,
                examples=json.dumps(origin, ensure_ascii=False),
                model=self.model,
                key=request.key,
                seen=request.seen,
            )
        )

    def _entities(self, names: Sequence[str] | None) -> list[str] | None:
        return None if names is None else [self.entity(name) for name in names]

    def _examples(self, question: QuestionRequest) -> Examples:
        """The examples for a completer: facts of the graph, given pairs, accepted facts where asked for."""
        relation = self.relation_name(question)
        accepted = []
        if question.accepted_until:
            standing = self.decisions.current(relation, ("accepted",), question.accepted_until)
            accepted = [(decision.head, decision.tail) for decision in standing]
        given = [(self.entity(head), self.entity(tail)) for head, tail in question.examples or ()]
        if self.graph.relation_names.find(relation) is None:
            return (*given, *accepted)
        return Extended(relation, (*given, *accepted)) if given or accepted else relation

    def _suggested(self, suggestion: Suggestion, relation: str) -> Suggested:
        graph, head, tail = self.graph, suggestion.head, suggestion.tail
        return Suggested(
            **vars(suggestion),
            head_label=graph.entity_label(graph.entity(head)),
            tail_label=graph.entity_label(graph.entity(tail)),
            decision=self.decisions.of_fact(relation, head, tail),
        )

    def _explained(self, explanation: Explanation, relation: str) -> Explained:
        number = self.graph.relation_names.find(relation)
        shown = relation if number is None else self.graph.relation_label(number)
        named = replace(explanation, relation=shown, labels={**explanation.labels, relation: shown})
        values = vars(named) | {"suggestion": self._suggested(explanation.suggestion, relation), "relation": relation}
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
