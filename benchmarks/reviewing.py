"""How much decisions teach: python benchmarks/reviewing.py MODEL FACTS [MODEL FACTS ...].

FACTS are facts of relations that the model has not seen: a graph, of which the relations count that the model was
fitted without, or a benchmark, of which the dev and test tasks count. For World and NELL-One:

    faan fit world -o world-model --without capital --without ...
    faan fit NELL-One/path_graph -o nell-model
    python benchmarks/reviewing.py world-model world nell-model NELL-One

A simulated reviewer knows the truth. The relation is given by five facts; its other facts are the truth. Heads are some
that have the relation, and as many that look like the examples' heads and lack it. The reviewer decides the surest
suggestions, some at a time. With learning, accepted facts become examples and rejected ones counter-examples before the
next ones are chosen; without, the first list is worked through.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from faan.base import Purpose, Stream
from faan.complete import Completer, Suggestion
from faan.complete.question import fitting
from faan.graph import Graph, read_graph
from faan.tasks import find_benchmark, read_benchmark

DECISIONS, ROUND = 100, 20
EXAMPLES, HEADS, TOP = 5, 200, 3
LEAST = 40  # facts of a relation
RELATIONS = 16  # of each model at most

Pair = tuple[str, str]


def main(arguments: list[str]) -> None:
    """Review relations with each model and print how many facts were accepted, with and without learning."""
    totals = np.zeros(2)
    print("relation, decisions, accepted without learning, with learning, change")
    for folder, facts in zip(arguments[::2], arguments[1::2], strict=True):
        completer = Completer.load(folder)
        for relation, pairs in list(unseen(completer.graph, facts))[:RELATIONS]:
            plain, decisions = review(completer, relation, pairs, learns=False)
            learning, _ = review(completer, relation, pairs, learns=True)
            totals += plain, learning
            print(f"{relation}, {decisions}, {plain}, {learning}, {learning / max(plain, 1) - 1:+.0%}", flush=True)
    print(f"in all {totals[0]:.0f} without, {totals[1]:.0f} with learning: {totals[1] / max(totals[0], 1) - 1:+.1%}")


def unseen(graph: Graph, facts: str) -> Iterator[tuple[str, list[Pair]]]:
    """Relations with enough facts about entities of the graph of which it has none, each with its facts."""
    found: dict[str, list[Pair]] = {}
    if facts != "world" and (path := find_benchmark(facts)).is_dir():
        benchmark = read_benchmark(path)
        names = benchmark.graph.entity_names
        for task in (*benchmark.splits["dev"], *benchmark.splits["test"]):
            found[task.relation] = [(names[head], names[tail]) for head, tail in task.pairs.tolist()]
    else:
        for head, relation, tail in read_graph(facts if facts == "world" else Path(facts)).triples():
            found.setdefault(relation, []).append((head, tail))
    for relation, pairs in sorted(found.items()):
        number = graph.relation_names.find(relation)
        if number is not None and graph.relation_counts[number]:
            continue
        known = [pair for pair in pairs if all(graph.entity_names.find(name) is not None for name in pair)]
        if len(known) >= LEAST:
            yield relation, known


def review(completer: Completer, relation: str, facts: list[Pair], *, learns: bool) -> tuple[int, int]:
    """Facts accepted, and decisions made."""
    order = Stream(0, Purpose.EXAMPLES, len(facts)).permutation(len(facts)).tolist()
    examples, truth = [facts[i] for i in order[:EXAMPLES]], {facts[i] for i in order[EXAMPLES:]}
    heads = list(asked(completer.graph, examples, [facts[i] for i in order[EXAMPLES:]]))
    accepted: list[Pair] = []
    rejected: list[Pair] = []
    listed = surest(completer.suggest(examples, heads=heads, top=TOP, progress=False))
    while len(accepted) + len(rejected) < DECISIONS:
        decided = {*accepted, *rejected}
        left = [pair for pair in listed if pair not in decided][:ROUND]
        if not left:
            break
        for pair in left:
            (accepted if pair in truth else rejected).append(pair)
        if learns:
            known = [*examples, *accepted]
            listed = surest(completer.suggest(known, heads=heads, top=TOP, rejected=rejected, progress=False))
    return len(accepted), len(accepted) + len(rejected)


def asked(graph: Graph, examples: list[Pair], others: list[Pair]) -> Iterator[str]:
    """Heads that have the relation, and as many that look like the examples' heads and lack it."""
    known = {head for head, _ in examples}
    having = [head for head in dict.fromkeys(head for head, _ in others) if head not in known]
    yield from having[: HEADS // 2]
    ids = np.array([graph.entity(head) for head in (*known, *having)])
    alike = np.setdiff1d(fitting(graph, ids[: len(known)]), ids)
    lacking = alike[Stream(0, Purpose.MEASURED_HEADS, len(alike)).permutation(len(alike))[: HEADS // 2]]
    yield from (graph.entity_names[head] for head in lacking.tolist())


def surest(suggestions: Iterable[Suggestion]) -> list[Pair]:
    """The likeliest first, whatever the head."""
    return [(one.head, one.tail) for one in sorted(suggestions, key=lambda one: -one.probability)]


if __name__ == "__main__":
    if len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        sys.exit(__doc__)
    main(sys.argv[1:])
