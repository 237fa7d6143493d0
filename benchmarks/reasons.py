"""Whether reasons are the reasons: python benchmarks/reasons.py MODEL [FACTS].

Takes first suggestions apart, removes from the graph what the first reason names, and scores the same pair again: if
the reason is one, the score falls. Suggestions are for relations of the model's graph, by name, and with FACTS (as for
`benchmarks/reviewing.py`) for relations that the model has not seen, by five examples.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from faan.base import Purpose, Stream
from faan.complete import Completer, Explanation
from faan.complete.question import Question, ask
from faan.embed import Embeddings
from faan.evidence import Sources
from faan.graph import Graph
from faan.models import EvidenceRanker, make_sources
from faan.tasks import PairSet, without_rows
from reviewing import EXAMPLES, unseen

ANSWERS = 120  # of each kind
EACH = 4  # answers of one relation

Pair = tuple[str, str]


def main(arguments: list[str]) -> None:
    """Print how often the score falls, for each kind of first reason."""
    completer = Completer.load(arguments[0])
    asked = [("by name", list(by_name(completer)))]
    if len(arguments) > 1:
        asked.append(("by five examples", list(by_examples(completer, arguments[1]))))
    for kind, questions in asked:
        fell = defaultdict[str, list[bool]](list)
        unnamed = 0
        for examples, head in questions:
            for fact in completer.suggest(examples, heads=[head], top=1, progress=False):
                why = completer.explain(fact.head, fact.tail, examples)
                change = change_without(completer, why, examples)
                if change is None:
                    unnamed += 1
                else:
                    fell[kind_of(why.reasons[0].sentence)].append(change < 0)
        told = [one for own in fell.values() for one in own]
        print(f"{kind}: {sum(told)} of {len(told)} fall ({np.mean(told):.0%}); {unnamed} name no fact", flush=True)
        for topic, own in sorted(fell.items()):
            print(f"  {topic}: {sum(own)} of {len(own)}", flush=True)


def kind_of(sentence: str) -> str:
    """What a reason is about."""
    words = ("right for", "neighbours of both", "is the tail of", "linked directly", "vectors", "takes part in")
    return next((word for word in words if word in sentence), "other")


def by_name(completer: Completer) -> Iterator[tuple[str, str]]:
    """Relations of the graph, each with some heads that lack it."""
    graph = completer.graph
    relations = Stream(0, Purpose.EXAMPLES, 1).permutation(graph.num_relations).tolist()
    names = [graph.relation_names[number] for number in relations if graph.relation_counts[number] > EXAMPLES]
    for name in names[: ANSWERS // EACH]:
        yield from ((name, head) for head in completer.heads_lacking(name)[:EACH])


def by_examples(completer: Completer, facts: str) -> Iterator[tuple[tuple[Pair, ...], str]]:
    """Relations that the model has not seen, with some heads of other facts than the examples."""
    for _, pairs in unseen(completer.graph, facts):
        order = Stream(0, Purpose.EXAMPLES, len(pairs)).permutation(len(pairs)).tolist()
        examples = tuple(pairs[place] for place in order[:EXAMPLES])
        known = {head for head, _ in examples}
        heads = dict.fromkeys(pairs[place][0] for place in order[EXAMPLES:])
        yield from ((examples, head) for head in [head for head in heads if head not in known][: 2 * EACH])


def change_without(completer: Completer, why: Explanation, examples: str | Sequence[Pair]) -> float | None:
    """By how much a score rises without what the first reason names; None if that names no fact."""
    if not why.reasons or not why.reasons[0].facts:
        return None
    graph, ranker = completer.graph, completer.fitted.method
    assert isinstance(ranker, EvidenceRanker)
    facts = why.reasons[0].facts
    own = {(graph.entity(fact.head), graph.entity(fact.tail)) for fact in facts if fact.relation == why.relation}
    name = examples if isinstance(examples, str) else why.relation
    gone = {(one.head, name if one.relation == why.relation else one.relation, one.tail) for one in facts}
    mutant = ranker.on(_without(ranker.sources, _rows(graph, gone)))
    question = ask(graph, examples if isinstance(examples, str) else tuple(examples))
    left, one = _lacking(question, own), why.suggestion
    pair = np.array([graph.entity(one.head)]), np.array([graph.entity(one.tail)])
    before = ranker.prepare(question.task, question.references).score(*pair)[0, 0]
    after = mutant.prepare(replace(left.task, candidates=question.candidates), left.references).score(*pair)[0, 0]
    return float(after - before) * (1 if why.reasons[0].contribution > 0 else -1)


def _rows(graph: Graph, facts: set[tuple[str, str, str]]) -> np.ndarray:
    found = [row for row, fact in enumerate(graph.triples()) if tuple(fact) in facts]
    return np.array(found, dtype=np.int64)


def _without(sources: Sources, rows: np.ndarray) -> Sources:
    """The same vectors with a graph that lacks some triples."""
    vectors: list[Embeddings] = [one for one in (sources.translation, sources.matching) if one is not None]
    return make_sources(without_rows(sources.graph, rows), vectors, completion=sources.completion)


def _lacking(question: Question, pairs: set[tuple[int, int]]) -> Question:
    """The question of somebody who does not know some of its examples."""
    known, references = (
        np.array([pair for pair in rows.tolist() if tuple(pair) not in pairs], dtype=np.int32).reshape(-1, 2)
        for rows in (question.known.pairs, question.references)
    )
    count = question.graph.num_entities
    return replace(question, references=references, known=PairSet(known[:, 0], known[:, 1], count))


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1:])
