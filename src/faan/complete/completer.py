"""What a user calls: suggest missing facts, score given ones, explain one; save and load."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from faan.base import (
    InputError,
    Ints,
    as_path,
    check_flags,
    check_share,
    check_whole,
    distinct,
    distinct_without,
    html_table,
    wrong,
)
from faan.complete.about import About
from faan.complete.calibration import Calibrations
from faan.complete.constraints import Constraints
from faan.complete.doubts import doubts_about
from faan.complete.explaining import explain
from faan.complete.folder import read_model, write_model
from faan.complete.given import ExamplesLike, NamesLike, PairsLike, as_examples, as_name, as_names, as_pairs
from faan.complete.methods import Fitted
from faan.complete.preparing import Rankings
from faan.complete.question import Question, ask, entities, fitting
from faan.complete.ranking import Ranking, heads_for
from faan.complete.suggestions import Asked, Suggestions
from faan.complete.trust import Trust, reliability_of, trade_off
from faan.complete.types import Examples, Explanation, Known, Suggestion
from faan.evidence import Profiles
from faan.graph import Graph


class Completer:
    """A model of a graph that suggests missing facts; `faan.fit` makes one and `faan.load` opens one.

    Attributes:
        graph: The graph.
        about: The model's method, its graph, and how good it was on relations that it had never seen.
        fitted: The method that ranks.
        calibrations: What turns scores into probabilities.

    >>> import faan
    >>> facts = [(f"land{i}", "next_to", f"land{i + 1}") for i in range(9)]
    >>> facts += [(f"town{i}", "lies_in", f"land{i}") for i in range(9)]
    >>> completer = faan.fit(facts, method="rules", progress=False)
    >>> completer
    Completer(rules, Graph(19 entities, 2 relations, 18 triples, from list))
    """

    def __init__(
        self, graph: Graph, fitted: Fitted, calibrations: Calibrations, about: About, folder: Path | None = None
    ) -> None:
        self.graph, self.fitted, self.calibrations, self.about = graph, fitted, calibrations, about
        self._rankings = Rankings(graph, fitted, calibrations, about.seed, folder)

    def __repr__(self) -> str:
        return f"Completer({self.about.method}, {self.graph!r})"

    def _repr_html_(self) -> str:
        source = self.about.source
        rows = [
            ("method", self.about.method),
            ("graph", source.name),
            ("entities", source.entities),
            ("relations", source.relations),
            ("facts", source.triples),
            *(("without", name) for name in source.without),
        ]
        return html_table(("completer", ""), rows, footer=" ".join([self.about.in_words(), *self.about.notes]))

    def save(self, folder: str | Path) -> None:
        """Write a model folder, atomically; an older model is replaced.

        Args:
            folder: Where to write; `faan.load` and the command `faan` open it.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     completer.save(f"{folder}/model")
        ...     faan.load(f"{folder}/model")
        Completer(rules, Graph(19 entities, 2 relations, 18 triples, from list))
        """
        write_model(as_path(folder, "folder"), self.graph, self.fitted, self.calibrations, self.about)

    @classmethod
    def load(cls, folder: str | Path) -> Completer:
        """Open a model folder; nothing in it is executed. The same as `faan.load`.

        Args:
            folder: A folder that `save` or the command `faan fit` wrote.

        >>> faan.Completer.load("no-such-model")
        Traceback (most recent call last):
        faan.base.errors.InputError: no-such-model: there is no model: config.json is missing; `faan fit` makes one
        """
        folder = as_path(folder, "folder")
        return cls(*read_model(folder), folder)

    def suggest(
        self,
        examples: ExamplesLike,
        heads: NamesLike | None = None,
        tails: NamesLike | None = None,
        top: int = 10,
        known: Known = "skip",
        *,
        rejected: PairsLike = (),
        not_like: NamesLike = (),
        strict: bool = False,
        min_probability: float = 0.0,
        progress: bool = True,
    ) -> Suggestions:
        """Suggest missing facts of a relation.

        With heads, it suggests tails for each of them. With tails alone, it suggests heads for each tail; if heads of
        the relation have one tail each, heads that already have one are skipped. Without both, it takes the entities
        that look like heads of the examples and lack the fact, most similar first.

        Args:
            examples: A relation of the graph by name, whose facts are the examples; or pairs (head, tail) of any
                relation, five are good: a list, a dict of head to tail, a polars or pandas frame with the columns head
                and tail, or a `Path` of a file with one pair a line. The name of a relation that the graph lacks is
                judged as if it were like the relations with the nearest names; `as_if_like` of the answer has these.
                `notes` of the answer say which examples look wrong, such as a pair that looks reversed.
            heads: One name or several (list, array, series) whose facts are wanted.
            tails: Only these tails are suggested; without heads: heads are suggested for these tails.
            top: Suggestions for each head (or tail).
            known: `"skip"` leaves out facts that are known already or were rejected, `"show"` ranks them among the
                others.
            rejected: Pairs that a reviewer found to be wrong. They count against what resembles them.
            not_like: Relations of the graph that a new relation, given by its name, is not like.
            strict: Suggest nothing that breaks a rule of the graph's schema; otherwise that counts against a suggestion
                and gives it a warning.
            min_probability: Leave out suggestions that are less likely; that also saves time.
            progress: Show a progress bar in terminals and notebooks where all suggestions are computed at once.

        Returns:
            Suggestions, computed when they are looked at.

        Raises:
            InputError: A name is not in the graph, or an argument makes no sense; the message says what to do.

        >>> completer.suggest([("land1", "town1"), ("land2", "town2")], heads="land6", top=1)
        Suggested tails for 1 head, the new relation: 1
        head   tail   rank  probability  because
        land6  town6     1        0...  land6 ← lies_in — town6: right for 2 of 2 that it reaches
        >>> [fact.head for fact in completer.suggest({"land1": "town1", "land2": "town2"}, top=1)][:2]
        ['land3', 'land4']
        """
        check_whole("top", top, 1)
        check_share("min_probability", min_probability)
        if known not in ("skip", "show"):
            raise wrong("known", "'skip' or 'show'", known)
        check_flags(progress=progress)
        self._check_strict(strict)
        given, refused = as_examples(examples, self.graph, not_like), as_pairs(rejected, "rejected")
        ranking = self._rankings.get(given, refused, progress=progress)
        question, by_tail = ranking.question, heads is None and tails is not None
        answers = None if tails is None else entities(self.graph, as_names(tails, "tails"))
        if heads is None and answers is not None:
            asked, inverse = answers, self._rankings.get(given, refused, inverse=True, progress=progress)
            stream = partial(heads_for, asked, ranking, inverse, top, known, strict, min_probability)
        else:
            asked = self._lacking(question, strict) if heads is None else entities(self.graph, as_names(heads, "heads"))
            stream = partial(ranking.best, asked, answers, top, known, strict, min_probability)
        about = Asked(self.graph, question.relation, len(asked), by_tail, question.as_if_like, doubts_about(question))
        return Suggestions(stream, about, progress=progress)

    def score(self, pairs: PairsLike, examples: ExamplesLike, *, rejected: PairsLike = ()) -> list[Suggestion]:
        """Judge given pairs, in their order; each is ranked among the candidates of its head.

        Args:
            pairs: Pairs (head, tail), in any of the forms that `suggest` takes for examples; suggestions too.
            examples: As for `suggest`.
            rejected: As for `suggest`.

        >>> judged = completer.score([("land6", "town6"), ("land6", "town3")], {"land1": "town1", "land2": "town2"})
        >>> judged[0].probability > judged[1].probability
        True
        """
        ranking = self._rankings.get(as_examples(examples, self.graph), as_pairs(rejected, "rejected"))
        ids = [(self.graph.entity(head), self.graph.entity(tail)) for head, tail in as_pairs(pairs, "pairs")]
        if not ids:
            return []
        asked, answers = np.array(ids, dtype=np.int32).T
        found = ranking.pairs(asked, answers)
        by_name = {(judged.head, judged.tail): judged for judged in found}
        names = self.graph.entity_names
        return [by_name[names[head], names[tail]] for head, tail in ids]

    def explain(self, head: str, tail: str, examples: ExamplesLike, *, rejected: PairsLike = ()) -> Explanation:
        """Explain the evidence for and against one fact; a notebook draws the answer.

        Args:
            head: The head of the fact, by name or label.
            tail: Its tail.
            examples: As for `suggest`.
            rejected: As for `suggest`.

        >>> why = completer.explain("land6", "town6", {"land1": "town1", "land2": "town2"})
        >>> why.paths[0].entities
        ('land6', 'town6')
        """
        given, refused = as_examples(examples, self.graph), as_pairs(rejected, "rejected")
        ends = self.graph.entity(as_name(head, "head")), self.graph.entity(as_name(tail, "tail"))
        ranking = self._rankings.get(given, refused)
        pair = np.array(ends[:1]), np.array(ends[1:])
        suggestion = next(ranking.pairs(*pair))
        return explain(ranking, self.fitted.method, suggestion, self._trust(given, ranking).in_words())

    def heads_lacking(self, examples: ExamplesLike, *, strict: bool = False, by_likeness: bool = True) -> list[str]:
        """The entities that look like heads of the examples and lack the fact, most similar first.

        Args:
            examples: As for `suggest`.
            strict: Skip entities that can have no such fact by the schema.
            by_likeness: Whether to compare them with the heads of the examples; otherwise they come in the graph's
                order.

        >>> completer.heads_lacking({"land1": "town1", "land2": "town2"})[:3]
        ['land3', 'land4', 'land5']
        """
        self._check_strict(strict)
        check_flags(by_likeness=by_likeness)
        question = ask(self.graph, as_examples(examples, self.graph))
        heads = self._lacking(question, strict, by_likeness)
        return [self.graph.entity_names[head] for head in heads.tolist()]

    def looks_functional(self, examples: ExamplesLike) -> bool:
        """Whether nearly every known head of the relation has one tail only.

        Args:
            examples: As for `suggest`.

        >>> completer.looks_functional("lies_in")
        True
        """
        return ask(self.graph, as_examples(examples, self.graph)).one_value

    def trust(self, examples: ExamplesLike, *, rejected: PairsLike = ()) -> Trust:
        """What the probabilities of a relation rest on, and how reliable they are.

        Args:
            examples: As for `suggest`.
            rejected: As for `suggest`.

        >>> completer.trust("lies_in").one_value
        True
        """
        given = as_examples(examples, self.graph)
        return self._trust(given, self._rankings.get(given, as_pairs(rejected, "rejected")))

    def _trust(self, examples: Examples, ranking: Ranking) -> Trust:
        question, firsts = ranking.question, ranking.test.firsts
        accepted = self._rankings.accepted(examples, question)
        return Trust(
            questions=ranking.test.questions,
            examples=question.num_examples,
            decisions=len(question.rejected) + (0 if accepted is None else len(accepted[0])),
            one_value=ranking.judge.one_value,
            measured=self.about.measured is not None,
            reliability=reliability_of(firsts),
            trade_off=trade_off(firsts),
        )

    def _check_strict(self, strict: bool) -> None:
        check_flags(strict=strict)
        if strict and self.graph.schema is None:
            raise InputError(
                "the model has no schema to check suggestions against: fit it again with one "
                "(`faan fit GRAPH --schema FILE`)"
            )

    def _lacking(self, question: Question, strict: bool, by_likeness: bool = True) -> Ints:
        having = question.known.pairs[:, 0]
        heads = distinct_without(fitting(self.graph, question.looks_like[:, 0]), having)
        constraints = Constraints.of(question) if strict else None
        heads = heads if constraints is None else heads[constraints.may_have(heads)]
        if not by_likeness:
            return heads
        profiles = Profiles.of(self.graph)
        examples = profiles.dense(distinct(question.references[:, 0]), question.hidden)
        alike = profiles.similarities(heads, examples, question.hidden).mean(1)
        return heads[np.argsort(-alike, kind="stable")]
