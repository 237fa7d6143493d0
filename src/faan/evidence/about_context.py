"""The circumstances of a question, which say how far other evidence is to be trusted."""

from __future__ import annotations

import math

import numpy as np

from faan.evidence.evidence import Context
from faan.evidence.question import Question


class Shots(Context):
    """K."""

    name = "number of references"
    meaning = "how many references there are"

    def of(self, question: Question, head: int) -> float:
        return len(question.references)


class DistinctTails(Context):
    """Low where few tails serve many heads."""

    name = "different tails"
    meaning = "how many of the references have a tail of their own"

    def of(self, question: Question, head: int) -> float:
        return len(np.unique(question.references[:, 1])) / len(question.references)


class DistinctHeads(Context):
    """Low where a head has many tails."""

    name = "different heads"
    meaning = "how many of the references have a head of their own"

    def of(self, question: Question, head: int) -> float:
        return len(np.unique(question.references[:, 0])) / len(question.references)


class NumCandidates(Context):
    """The logarithm of their number."""

    name = "number of candidates"
    meaning = "among how many candidates the tail is chosen"

    def of(self, question: Question, head: int) -> float:
        return math.log1p(len(question.field))


class BestRule(Context):
    """The highest confidence of a path, wherever it leads."""

    name = "best rule"
    meaning = "how reliable the best of the references' paths is"

    def of(self, question: Question, head: int) -> float:
        return float(question.paths.confidence.max(initial=0.0))


class HeadFamiliarity(Context):
    """The similarity of the head to the most similar reference's head."""

    name = "similar head"
    meaning = "how similar the head is to a head in the references"

    def of(self, question: Question, head: int) -> float:
        return float(question.head_similarities(head).max())


class HeadDegree(Context):
    """Edges of the head, those of a hidden relation left out."""

    name = "edges of the head"
    meaning = "how many edges the head has in the graph"

    def of(self, question: Question, head: int) -> float:
        return math.log1p(int(question.degrees[head]))
