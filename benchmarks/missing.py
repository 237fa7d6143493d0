"""Whether probabilities hold however much a graph lacks: python benchmarks/missing.py FOLDER [GRAPH ...].

Hides a random share of the facts of a graph (1, 5, 10 and 20 %), fits a model on the rest and compares probabilities of
first suggestions with the truth, for heads that lack a fact of the relation. Graphs: `kinships` and `umls` (files of
PyKEEN), `part` (World without its cities and airports), `exact` (made up: people of the same group and trade have the
same facts), `noisy` (the same, with one fact in five left out at random: these are no facts, so nothing is missing).

Models are kept in FOLDER and used again; their calibration is always made anew.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from faan.base import ignore_progress
from faan.complete import Completer, fit
from faan.complete.calibration import Floats
from faan.complete.measuring import ask_about
from faan.complete.selftest import measure_known, reserved_rows
from faan.graph import Graph, read_graph
from faan.links.calibration import calibration_figures
from faan.links.hiding import LinkSplit, hide_facts
from faan.tasks import PairSet

SHARES = (0.01, 0.05, 0.1, 0.2)
ASKED = 600  # hidden facts
GRAPHS = ("kinships", "umls", "part", "exact", "noisy")
_BIG = ("city_", "airport_", "population_class", "highest_airport", "largest_city_of_state")

Triple = tuple[str, str, str]


def main(arguments: list[str]) -> None:
    """Print a line for each graph and share."""
    folder = Path(arguments[0])
    print("graph, hidden, first suggestions, ECE, at 90 %, right of these, said, true, missing for each known fact")
    for name in arguments[1:] or GRAPHS:
        for share in SHARES:
            print(", ".join(measured(graph_called(name), name, share, folder / f"{name}-{share}")), flush=True)


def measured(graph: Graph, name: str, share: float, folder: Path) -> list[str]:
    """The figures of one graph with a share of its facts hidden."""
    split = hide_facts(graph, name, share=share, most=graph.num_triples, sample=ASKED)
    if not folder.is_dir():
        fit(split.graph, progress=False).save(folder)
    completer = calibrated(Completer.load(folder))
    figures = calibration_figures(first_suggestions(completer, split))
    right, bins = figures["precision_at_90"], figures["bins"]
    said, true = (sum(one["count"] * one[what] for one in bins) / figures["suggestions"] for what in ("said", "true"))
    return [
        name,
        f"{share:.0%}",
        str(figures["suggestions"]),
        f"{figures['ece']:.3f}",
        f"{figures['share_at_90']:.2f}",
        "-" if right is None else f"{right:.3f}",
        f"{said:.3f}",
        f"{true:.3f}",
        f"{completer.calibrations.of(True).missing:.3f}",
    ]


def first_suggestions(completer: Completer, split: LinkSplit) -> dict[str, tuple[Floats, NDArray[np.bool_]]]:
    """For each relation the probabilities of first suggestions and whether they are true; reasons would take longer."""
    found = {}
    for relation in split.asked_relations:
        name, facts = split.graph.relation_names[relation], split.known[split.known[:, 1] == relation]
        ranking, truths = completer._rankings.get(name), PairSet(facts[:, 0], facts[:, 2], split.graph.num_entities)
        question, said, right = ranking.question, list[float](), list[bool]()
        for head in np.unique(split.test[split.test[:, 1] == relation, 0]).tolist():
            scores, true, _ = ask_about(
                ranking.scorer, head, question.candidates, question.known, truths, loops=question.has_loops
            )
            if len(scores):
                best, values = np.array([np.argmax(scores)]), np.array([len(question.known.tails_of(head))])
                said.append(float(ranking.judge.probabilities(scores, best, values)[0]))
                right.append(bool(true[best[0]]))
        found[name] = np.array(said, dtype=np.float64), np.array(right, dtype=bool)
    return found


def calibrated(completer: Completer) -> Completer:
    """The same model with the calibration of relations of the graph as it would be made now."""
    rows = reserved_rows(completer.graph, completer.about.seed)
    found = measure_known(completer.graph, completer.fitted.method, rows, ignore_progress, completer.about.seed)
    known = found[1] if found else None
    calibrations = completer.calibrations.model_copy(update={"known": known})
    about = completer.about.model_copy(update={"known": found[0] if found else None})
    return Completer(completer.graph, completer.fitted, calibrations, about)


def graph_called(name: str) -> Graph:
    """A graph by its name."""
    if name == "part":
        return read_graph([fact for fact in read_graph("world").triples() if not fact[1].startswith(_BIG)])
    if name in ("exact", "noisy"):
        return read_graph(list(dict.fromkeys(made_up(1.0 if name == "exact" else 0.8))))
    package = find_spec("pykeen")
    if package is None or package.origin is None:
        sys.exit("PyKEEN is not installed, whose package has the files of UMLS and Kinships")
    files = [Path(package.origin).parent / "datasets" / name / f"{part}.txt" for part in ("train", "valid", "test")]
    lines = [line.split("\t") for file in files for line in file.read_text().splitlines()]
    return read_graph([(head, relation, tail) for head, relation, tail in lines])


def made_up(kept: float, people: int = 300) -> list[Triple]:
    """People with three attributes, which decide who has which facts; a share of these is kept."""
    random = np.random.default_rng(0)
    group, tongue, trade = (random.integers(0, count, people) for count in (12, 8, 5))
    facts: list[Triple] = []
    for i in range(people):
        facts += [(f"p{i}", "in_group", f"g{group[i]}"), (f"p{i}", "speaks", f"l{tongue[i]}")]
        facts.append((f"p{i}", "works_as", f"j{trade[i]}"))
    for relation in range(10):
        each = int(random.integers(3, 9))
        key = (group, tongue, trade, (group + tongue) % 9, (tongue * 2 + trade) % 11)[relation % 5]
        tails = random.integers(0, 40, (20, each))
        for i in range(people):
            chosen = (tail for tail in tails[key[i]] if random.random() < kept)
            facts += [(f"p{i}", f"rel{relation}", f"t{relation % 4}_{tail}") for tail in chosen]
    for relation in range(4):
        own = (group, tongue) if relation % 2 else (tongue, trade)
        for i in range(people):
            alike = np.flatnonzero((own[0] == own[0][i]) & (own[1] == own[1][i]))
            near = (j for j in alike.tolist() if j != i and random.random() < kept)
            facts += [(f"p{i}", f"near{relation}", f"p{j}") for j in near]
    return facts


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
