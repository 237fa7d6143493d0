"""The evidence ranker: named facts about a pair, weighed by trees that were trained over many tasks.

It scores by evidence a person can check (`faan.evidence`) and says what each piece contributed. LambdaRank over trees
is by Burges (From RankNet to LambdaRank to LambdaMART, 2010), trained by LightGBM (Ke et al., NIPS 2017); what trees
make of a pair is taken apart by tree SHAP (Lundberg et al., 2018).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from faan.base import InputError, Ints, write_text
from faan.evidence import Evidence, Measure, RelationQuery, Sources, evidence_of
from faan.models.trees import Trees
from faan.tasks import Task

RANKER_FILE, TREES_FILE = "ranker.json", "trees.txt"


@dataclass(frozen=True)
class ScorePart:
    """What one piece of evidence says of a pair, and what that added to its score."""

    name: str
    meaning: str
    kind: str
    value: float
    contribution: float


@dataclass(frozen=True)
class ScoreParts:
    """Why a pair has its score: contributions, the largest first. They add up to the score but for a constant."""

    head: int
    tail: int
    score: float
    contributions: tuple[ScorePart, ...]


class EvidenceRanker:
    """Scores pairs by all evidence there is; `fit_ranker` trains one."""

    def __init__(self, sources: Sources, evidence: Sequence[Evidence], judge: Trees) -> None:
        self.sources, self.evidence, self.judge = sources, tuple(evidence), judge

    def prepare(self, task: Task, references: Ints) -> EvidenceScorer:
        """Find out what the references have in common."""
        return EvidenceScorer(self, Measure(RelationQuery(self.sources, task, references), self.evidence))

    def save(self, folder: Path | str) -> None:
        """Write which evidence it looks at, and the trees as text; what evidence is taken from is saved elsewhere."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.judge.save(folder / TREES_FILE)
        notes = {"evidence": [one.name for one in self.evidence]}
        write_text(folder / RANKER_FILE, json.dumps(notes, indent=1) + "\n")

    @classmethod
    def load(cls, folder: Path | str, sources: Sources) -> EvidenceRanker:
        """Read what `save` wrote."""
        path = Path(folder) / RANKER_FILE
        if not path.is_file():
            raise InputError(f"holds no evidence ranker: {RANKER_FILE} is missing", source=str(folder))
        try:
            notes = json.loads(path.read_text(encoding="utf-8"))
            wanted, is_old = [str(name) for name in notes["evidence"]], notes.get("trained") is False
        except (OSError, ValueError, KeyError, TypeError):
            raise InputError(
                "does not say which evidence the ranker looks at; train the ranker again", source=str(path)
            ) from None
        if is_old:
            raise InputError("is of an older version of faan, which added evidence up; fit it again", source=str(path))
        known = {one.name: one for one in evidence_of(sources)}
        missing = [name for name in wanted if name not in known]
        if missing:
            raise InputError(f"needs evidence that is not available here: {', '.join(missing)}", source=str(path))
        evidence = [known[name] for name in wanted]
        return cls(sources, evidence, Trees.load(Path(folder) / TREES_FILE, evidence))


class EvidenceScorer:
    """Scores pairs of one relation, and explains their scores."""

    def __init__(self, ranker: EvidenceRanker, measure: Measure) -> None:
        self._ranker, self.measure = ranker, measure

    @property
    def question(self) -> RelationQuery:
        """The references and what was found out about them, its `paths` among it."""
        return self.measure.query

    def score(self, heads: Ints, candidates: Ints) -> NDArray[np.floating]:
        """Score each head with each candidate: (H,) and (C,) to (H, C)."""
        candidates = np.asarray(candidates, dtype=np.int64)
        rows = [self._ranker.judge.score(self.measure.table(head, candidates)) for head in heads.tolist()]
        return np.stack(rows) if rows else np.zeros((0, len(candidates)))

    def explain(self, head: int, tails: Ints) -> list[ScoreParts]:
        """What each piece of evidence says of a head with each tail."""
        tails = np.asarray(tails, dtype=np.int64)
        table, evidence = self.measure.table(head, tails), self._ranker.evidence
        scores, parts = self._ranker.judge.score(table), self._ranker.judge.contributions(table)
        found = []
        for row, tail in enumerate(tails.tolist()):
            said = [
                ScorePart(one.name, one.meaning, one.kind, float(table[row, i]), float(parts[row, i]))
                for i, one in enumerate(evidence)
            ]
            said.sort(key=lambda one: -abs(one.contribution))
            found.append(ScoreParts(head, tail, float(scores[row]), tuple(said)))
        return found
