"""Link prediction: hide facts of a graph, or take a benchmark's own files, and rank them. Judging given facts."""

from faan.links.evaluating import evaluate_links
from faan.links.facts import Judged, judge_facts, probabilities
from faan.links.hiding import MOST, SAMPLE, SHARE, LinkSplit, given_facts, hide_facts
from faan.links.methods import DEFAULT_METHODS, LINK_METHODS, method_called
from faan.links.pykeen import evaluate_pykeen, pykeen_model
from faan.links.ranking import LinkRanks, rank_embeddings, rank_questions
from faan.links.tables import completion_tables

__all__ = [
    "DEFAULT_METHODS",
    "LINK_METHODS",
    "MOST",
    "SAMPLE",
    "SHARE",
    "Judged",
    "LinkRanks",
    "LinkSplit",
    "completion_tables",
    "evaluate_links",
    "evaluate_pykeen",
    "given_facts",
    "hide_facts",
    "judge_facts",
    "method_called",
    "probabilities",
    "pykeen_model",
    "rank_embeddings",
    "rank_questions",
]
