"""The evidence ranker: named facts about a pair, weighed by trees that were trained over many tasks.

It scores by evidence a person can check (`faan.evidence`) and says what each piece contributed. LambdaRank over trees
is by Burges (From RankNet to LambdaRank to LambdaMART, 2010), trained by LightGBM (Ke et al., NIPS 2017); what trees
make of a pair is taken apart by tree SHAP (Lundberg et al., 2018).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, FiniteFloat

from faan.base import InputError, Ints, read_small, write_text
from faan.evidence import (
    Candidates,
    Context,
    Evidence,
    HeadQuery,
    Measure,
    RelationPaths,
    RelationQuery,
    Sources,
    Values,
    evidence_of,
)
from faan.models.evidence_rows import Rows
from faan.models.parts import ScorePart, ScoreParts
from faan.models.rules import PathRules
from faan.models.threads import single_products
from faan.models.trees import Added, Trees
from faan.tasks import Scorer, Task

RANKER_FILE, TREES_FILE, KNOWN_FILE = "ranker.json", "trees.txt", "trees-known.txt"


class _Notes(BaseModel):
    """What `ranker.json` says."""

    evidence: tuple[str, ...] = ()  # what the trees for new relations look at
    known: tuple[str, ...] = ()  # what the trees for relations of the graph look at
    added: dict[str, tuple[FiniteFloat, FiniteFloat]] = {}  # weight and usual value of what is added to their scores
    trained: bool = True  # false in files of older versions only


class EvidenceRanker:
    """Scores pairs by all evidence there is; `fit_ranker` trains one.

    There are two sets of trees. Those of `fit_ranker` know how far to trust evidence about a new relation, given a few
    references; without them path rules rank new relations. Those of `fit_known` know the same of relations of the
    graph, whose facts are edges that vectors know; without them such a relation is asked about as if it were new.
    """

    def __init__(
        self, sources: Sources, judge: Trees | None, known: Trees | None = None, rows: Rows | None = None
    ) -> None:
        self.sources, self.judge, self.known = sources, judge, known
        self.rows = rows  # what `judge` learnt from, right after training

    def prepare(self, task: Task, references: Ints) -> Scorer:
        """Find out what the references have in common."""
        judge = self.known if task.in_graph and self.known is not None else self.judge
        if judge is None:
            return PathRules(self.sources.graph).prepare(task, references)
        if judge is not self.known:
            task = replace(task, in_graph=False)
        return EvidenceScorer(judge, Measure(RelationQuery(self.sources, task, references), judge.evidence))

    @property
    def knows_names(self) -> bool:
        """Whether names of entities are among its evidence."""
        trees = (trees for trees in (self.judge, self.known) if trees is not None)
        return any(one.kind == "names" for own in trees for one in own.evidence)

    def on(self, sources: Sources) -> EvidenceRanker:
        """The same trees with evidence from elsewhere."""
        return EvidenceRanker(sources, self.judge, self.known, self.rows)

    def save(self, folder: Path | str) -> None:
        """Write which evidence it looks at, and the trees as text; what evidence is taken from is saved elsewhere."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        notes: dict[str, Any] = {}
        for name, file, trees in (("evidence", TREES_FILE, self.judge), ("known", KNOWN_FILE, self.known)):
            if trees is not None:
                trees.save(folder / file)
                notes[name] = [one.name for one in trees.evidence]
        if self.known is not None and self.known.added:
            notes["added"] = {name: list(sums) for name, sums in self.known.added.items()}
        write_text(folder / RANKER_FILE, json.dumps(notes, indent=1) + "\n")

    @classmethod
    def load(cls, folder: Path | str, sources: Sources) -> EvidenceRanker:
        """Read what `save` wrote."""
        path = Path(folder) / RANKER_FILE
        if not path.is_file():
            raise InputError(f"holds no evidence ranker: {RANKER_FILE} is missing", source=str(folder))
        try:
            notes = _Notes.model_validate_json(read_small(path))
        except (OSError, ValueError):
            notes = _Notes()
        if not notes.trained:
            raise InputError("was saved by an older version of faan; fit it again", source=str(path))
        if not (notes.evidence or notes.known) or not set(notes.added) <= set(notes.known):
            raise InputError(
                "does not say which evidence the ranker looks at; train the ranker again", source=str(path)
            )
        judge = _load_trees(Path(folder) / TREES_FILE, notes.evidence, evidence_of(sources), path)
        there = evidence_of(sources, in_graph=True)
        return cls(sources, judge, _load_trees(Path(folder) / KNOWN_FILE, notes.known, there, path, notes.added))


def _kind(evidence: Evidence) -> str:
    """The kind of a part of a score; what is the same for all candidates is context, whatever it is about."""
    return "context" if isinstance(evidence, Context) else evidence.kind


def _load_trees(
    file: Path, wanted: Sequence[str], there: Sequence[Evidence], notes: Path, added: Added = MappingProxyType({})
) -> Trees | None:
    if not wanted:
        return None
    by_name = {one.name: one for one in there}
    missing = [name for name in wanted if name not in by_name]
    if missing:
        raise InputError(f"needs evidence that is not available here: {', '.join(missing)}", source=str(notes))
    return Trees.load(file, [by_name[name] for name in wanted], added)


class EvidenceScorer:
    """Scores pairs of one relation, and explains their scores."""

    def __init__(self, judge: Trees, measure: Measure) -> None:
        self._judge, self.measure = judge, measure
        self._last: tuple[int, Ints, Values] | None = None  # who scores a head wants to know why

    @property
    def question(self) -> RelationQuery:
        """The references and what was found out about them, its `paths` among it."""
        return self.measure.query

    @property
    def paths(self) -> RelationPaths:
        """The relation paths of the references."""
        return self.question.paths

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        """Score each head with each candidate: (H,) and (C,) to (H, C)."""
        candidates = np.asarray(candidates, dtype=np.int64)
        scores = np.zeros((len(heads), len(candidates)))
        with single_products():
            for row, head in enumerate(heads.tolist()):
                table = self.measure.table(head, candidates)
                self._last = head, candidates, table
                scores[row] = self._judge.score(table)
        return scores

    def explain(self, head: int, tails: Ints) -> list[ScoreParts]:
        """What each piece of evidence says of a head with each tail."""
        tails = np.asarray(tails, dtype=np.int64)
        table, evidence = self._rows(head, tails), self._judge.evidence
        scores, parts = self._judge.score(table), self._judge.contributions(table)
        found = []
        for row, tail in enumerate(tails.tolist()):
            said = [
                ScorePart(one.name, one.meaning, _kind(one), float(table[row, i]), float(parts[row, i]))
                for i, one in enumerate(evidence)
            ]
            said.sort(key=lambda one: -abs(one.contribution))
            found.append(ScoreParts(head, tail, float(scores[row]), tuple(said)))
        return found

    def ways(self, head: int, tail: int) -> tuple[Ints, NDArray[np.floating]]:
        """The references (K, 2), and how much the way from a head to a tail is like each of theirs in the vectors."""
        query = HeadQuery(Candidates(self.question, np.array([tail])), head)
        kinds = [query.translated[0, :-1]] if self.question.sources.translation is not None else []
        kinds += [query.matched[0, :-1]] if self.question.sources.matching is not None else []
        found = [(row - row.mean()) / max(float(row.std()), 1e-9) for row in kinds]
        return self.question.references, np.mean(found, axis=0) if found else np.zeros(len(self.question.references))

    def _rows(self, head: int, tails: Ints) -> Values:
        """The rows of some tails, from the last table if they are in it: evidence does not depend on what is asked."""
        if self._last is not None and self._last[0] == head:
            _, candidates, table = self._last
            order = np.argsort(candidates, kind="stable")
            places = order[np.searchsorted(candidates, tails, sorter=order).clip(max=len(order) - 1)]
            if (candidates[places] == tails).all():
                return np.asarray(table[places])
        return self.measure.table(head, tails)
