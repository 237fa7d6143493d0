"""Fitting: which relations are held out, what is said about it, what happens where there is little to learn from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools.attack.small_graph import QUICK, facts

from faan.base import InputError, UnknownNameError, ignore_progress
from faan.complete import Completer, fit, fit_methods
from faan.complete.about import MeasuredKnown
from faan.complete.calibration import MISSING
from faan.complete.fewshot import FittedModel
from faan.complete.fitting import choose_tasks
from faan.complete.registry import recipe_of
from faan.complete.selftest import measure_known, reserved_rows
from faan.embed import TrainedVectors, extend
from faan.graph import Graph, read_graph
from faan.models import METHODS, EvidenceRanker, PathRules

from .conftest import CAPITALS

ROOT = Path(__file__).parent.parent.parent


def test_tasks_keep_the_ids_of_the_graph_and_are_not_in_the_background(land: Graph) -> None:
    chosen = choose_tasks(land, 0)
    assert chosen is not None
    assert chosen.graph.entity_names is land.entity_names
    held_out = [land.relation(task.relation) for task in chosen.tasks]
    assert len(held_out) == 3  # of a third of 13 relations one would leave others without known entities
    assert not np.isin(chosen.graph.relations, held_out).any()
    for task, relation in zip(chosen.tasks, held_out, strict=True):
        rows = land.relations == relation
        own = {(int(h), int(t)) for h, t in zip(land.heads[rows], land.tails[rows], strict=True)}
        assert {(h, t) for h, t in task.pairs.tolist()} <= own
    again = choose_tasks(land, 0)
    assert again is not None
    assert [task.relation for task in again.tasks] == [task.relation for task in chosen.tasks]


def test_it_says_what_to_expect(completer: Completer) -> None:
    measured = completer.about.measured
    assert measured is not None
    assert len(measured.relations) == 3
    words = completer.about.in_words()
    assert words.startswith("On 3 relations that it had never seen, with 5 examples each, the right answer was among")
    assert f"{measured.hits_at_10:.0%}" in words
    assert measured.questions > 50


def test_a_graph_with_few_relations_is_fitted_without_a_measurement() -> None:
    graph = read_graph([(f"a{i}", "r", f"b{i}") for i in range(20)] + [(f"b{i}", "s", f"c{i}") for i in range(20)])
    completer = fit(graph)
    assert completer.about.measured is None
    assert "not measured" in completer.about.in_words()
    assert any("Too few relations of the graph can be held out" in note for note in completer.about.notes)
    assert completer.about.method == "rules"
    assert any("Too few relations to train evidence: it needs 8 beside" in note for note in completer.about.notes)
    first = completer.suggest([(f"a{i}", f"c{i}") for i in range(5)], heads=["a9"], top=1)[0]
    assert first.tail == "c9"


def test_no_more_than_a_third_of_the_relations_is_held_out() -> None:
    rows = [(f"a{i}", f"r{r}", f"b{r}-{i}") for r in range(9) for i in range(20)]
    chosen = choose_tasks(read_graph([*rows, *((f"b{r}-{i}", "r8", f"a{i}") for r in range(8) for i in range(20))]), 0)
    assert chosen is not None
    assert len(chosen.tasks) == 3
    assert choose_tasks(read_graph([row for row in rows if row[1] != "r8"]), 0) is None


def test_a_graph_without_enough_tasks_to_learn_and_to_measure_is_left_to_path_rules(land: Graph) -> None:
    about = fit(land).about
    assert about.method == "rules"
    assert about.measured is not None
    assert any("train evidence: it needs 8" in note and "the graph has 2 left." in note for note in about.notes)


def test_all_services_of_the_tutorial_are_found_in_their_buildings() -> None:
    graph = read_graph(ROOT / "examples" / "datacentre.tsv")
    examples = [("service-03", "building-A"), ("service-20", "building-A"), ("service-50", "building-B")]
    place = {(head, relation): tail for head, relation, tail in graph.triples()}
    buildings = {
        fact.head: (fact.tail, place[place[place[fact.head, "runs_on"], "in_room"], "in_building"])
        for fact in fit(graph).suggest(examples, top=1)
    }
    assert len(buildings) == 61
    assert all(found == right for found, right in buildings.values())


def test_a_head_that_has_all_candidates_already_is_measured_too() -> None:
    triples = [(f"h{(i + r) % 3}", f"r{r}", f"t{i}") for r in range(15) for i in range(12)]
    measured = fit(read_graph(triples, type_pattern="(.+)"), method="rules").about.measured  # a type for each name
    assert measured is not None
    assert measured.missed == 1.0  # a tail of another type than the examples' is no candidate


def test_a_model_that_needs_tasks_gives_way_to_one_that_does_not() -> None:
    graph = read_graph([(f"a{i}", "r", f"b{i}") for i in range(20)])
    about = fit(graph, method="faan").about
    assert about.method == "rules"
    assert any("train faan: it needs 5 beside" in note for note in about.notes)


def test_a_relation_can_be_left_out(land: Graph) -> None:
    completer = fit(land, method="rules", without=["sits_in"])
    assert completer.about.source.without == ("sits_in",)
    assert completer.graph.num_triples == land.num_triples - 30
    assert completer.about.source.relations == len(completer.graph.used_relations) == 12
    assert land.relation("sits_in") not in completer.graph.used_relations
    with pytest.raises(InputError, match="has no fact of 'sits_in'"):
        completer.suggest("sits_in")
    with pytest.raises(UnknownNameError, match="sits_in"):
        fit(land, without=["sitz_in"])


def test_wrong_calls_are_refused(land: Graph) -> None:
    with pytest.raises(
        InputError, match=r"no method is called 'magic'; expected one of evidence, gmatching, fsrl, metar, faan, rules"
    ):
        fit(land, method="magic")
    with pytest.raises(InputError, match="too few to learn from"):
        fit(read_graph([("a", "r", "b")]))


def test_progress_is_told_and_never_runs_backwards(land: Graph) -> None:
    told: list[tuple[str, float]] = []
    fit(land, method="rules", on_progress=lambda what, share: told.append((what, share)))
    assert {what for what, _ in told} == {"measuring", "measuring known relations"}
    for stage in ("measuring", "measuring known relations"):
        shares = [share for what, share in told if what == stage]
        assert shares == sorted(shares)
        assert shares[-1] == 1


def test_the_same_seed_gives_the_same_model(land: Graph) -> None:
    one, two = fit(land, method="rules", seed=3), fit(land, method="rules", seed=3)
    assert one.calibrations == two.calibrations
    assert one.about.measured == two.about.measured


def test_methods_are_made_with_configurations_that_ship() -> None:
    assert set(fit_methods()) == {"evidence", "faan", "metar", "gmatching", "fsrl", "rules"}
    for name in fit_methods():
        recipe = recipe_of(name)
        assert METHODS[name].kind == "untrained" or recipe.settings(3).model.method == name
    assert recipe_of(config="evidence").method == "evidence"
    with pytest.raises(InputError, match="is one of evidence, not of faan"):
        recipe_of("faan", "evidence")


@pytest.mark.slow
def test_a_few_shot_model_is_trained_saved_and_loaded(
    land: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = tmp_path / "tiny.toml"
    tiny.write_text(
        """
        model = {method = "faan", layers = 1}
        embed = {dimension = 8, epochs = 2, batch_size = 64, chunk_size = 16}
        train = {steps = 3, queries = 4, evaluate_every = 3, min_candidates = 2}
        """
    )
    monkeypatch.setattr(FittedModel, "min_tasks", 1)
    completer = fit(land, config=str(tiny))
    assert completer.about.method == "faan"
    completer.save(tmp_path / "model")
    loaded = Completer.load(tmp_path / "model")
    said, before = (list(one.suggest(CAPITALS[:3], heads=["land9"])) for one in (loaded, completer))
    assert [(fact.tail, fact.because) for fact in said] == [(fact.tail, fact.because) for fact in before]
    # Vectors that are memory maps begin elsewhere in a processor's word, so that sums are rounded otherwise.
    assert [fact.score for fact in said] == pytest.approx([fact.score for fact in before], abs=1e-5)
    found = loaded.explain("land9", "town9a", CAPITALS[:3])
    assert sum(one.weight for one in found.examples) == pytest.approx(1, abs=1e-5)  # FAAN's own attention
    assert found.head_neighbours
    assert not found.evidence


def test_fit_and_info_call_relations_by_their_labels_and_the_graph_by_its_name(
    faan: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    rows = facts()
    names = {relation: f"P{number}" for number, relation in enumerate(dict.fromkeys(row[1] for row in rows))}
    graph = tmp_path / "graph.tsv"
    graph.write_text("".join(f"{head}\t{names[relation]}\t{tail}\n" for head, relation, tail in rows))
    tables = []
    for place, (label, name) in enumerate(names.items()):  # one table for each relation: all of them count
        tables.append(tmp_path / f"nodes{place}.tsv")
        tables[-1].write_text(f"id\tname\n{name}\tcalled {label}\n")
    options = [word for table in tables for word in ("--nodes", table)]
    model = tmp_path / "model"
    code, fitted, err = faan("fit", graph, "-o", model, "--method", "rules", "--without", "P0", *options)
    assert code == 0, err
    for said in (fitted, faan("info", model)[1]):
        assert f"left out: called {next(iter(names))}\n" in said
        [held_out] = [line for line in said.splitlines() if line.startswith("held out: ")]
        assert all(name.startswith("called ") for name in held_out.removeprefix("held out: ").split(", "))
        assert said.startswith(f"rules for graph.tsv and {len(tables)} more files: ")


def test_a_graph_with_few_relations_and_many_facts_learns_to_complete_its_own(knowing: Completer) -> None:
    [note] = [note for note in knowing.about.notes if note.startswith("Too few relations to train evidence: ")]
    assert note.endswith(" left. The method rules is used for new relations.")
    assert isinstance(knowing.fitted.method, EvidenceRanker)
    assert knowing.fitted.method.sources.graph is knowing.graph  # not what was left of it while trees learnt
    for head, tail in (("p500", "tongue2"), ("p333", "tongue1")):  # by what others born in the town speak
        first = next(iter(knowing.suggest("speaks", heads=head, top=1, known="show")))
        assert first.tail == tail
    assert knowing.suggest([("town1", "tongue0"), ("town11", "tongue1")], heads="town21", top=1).to_polars().height == 1


def test_a_graph_with_few_relations_is_measured_on_their_own_facts(knowing: Completer) -> None:
    known = knowing.about.known
    assert known is not None
    assert known.relations == 4
    assert sum(step.count for step in known.reliability) == known.questions > 100
    assert knowing.calibrations.known is not None
    assert knowing.about.in_words() == "How good it is on new relations was not measured."


@pytest.mark.parametrize(
    ("relations", "each", "enough"), [(3, 20, True), (3, 10, False), (10, 6, False), (10, 10, True)]
)
def test_few_questions_are_enough_only_where_relations_are_few(relations: int, each: int, enough: bool) -> None:
    graph = read_graph(
        [(f"a{i}", f"r{number}", f"b{i % 7}") for number in range(relations) for i in range(each * 20)], progress=False
    )
    found = measure_known(graph, PathRules(graph), reserved_rows(graph, 0), ignore_progress)
    assert (found is not None) == enough


def test_what_a_graph_of_few_relations_lacks_is_not_estimated() -> None:
    """Whom somebody of a group follows cannot be known, which looks as if most were missing."""
    draw = np.random.default_rng(0)
    facts = [
        (f"p{group}-{i}", "follows", f"p{group}-{j}")
        for group in range(10)
        for i in range(20)
        for j in draw.permutation(20)[:7]
        if i != j
    ]
    completer = fit(facts, method="rules", progress=False)
    assert completer.calibrations.known is not None
    assert completer.calibrations.known.missing == MISSING
    heads = [f"p{group}-0" for group in range(10)]
    firsts = list(completer.suggest("follows", heads=heads, top=1))
    assert all(first.head.split("-")[0] == first.tail.split("-")[0] for first in firsts)
    assert np.mean([first.probability for first in firsts]) < 0.35


@pytest.mark.parametrize(("relations", "each"), [(1, 250), (2, 125), (5, 50), (20, 50)])
def test_more_facts_of_each_relation_are_reserved_where_there_are_few_relations(relations: int, each: int) -> None:
    graph = read_graph(
        [(f"a{i % 100}", f"r{number}", f"b{i // 100}") for number in range(relations) for i in range(6000)]
    )
    reserved = reserved_rows(graph, 0)
    assert np.bincount(graph.relations[reserved]).tolist() == [each] * relations


@pytest.mark.slow
def test_vectors_of_a_large_graph_are_trained_further_on_all_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Training them anew would take twice as long."""
    rows = [(f"p{i}", "born_in", f"town{i % 40}") for i in range(900)]
    rows += [(f"p{i}", "speaks", f"tongue{i % 40 // 10}") for i in range(900)]
    rows += [(f"p{i}", "knows", f"p{(i + 40) % 900}") for i in range(900)]
    quick = QUICK.read_text(encoding="utf-8")
    config = tmp_path / "large.toml"
    config.write_text(quick + "[model.known]\nwork = 0.0\ntrees = 20\nvectors = { model = 'complex', epochs = 12 }\n")
    asked: list[tuple[int, int]] = []

    def recorded(folder: Path, triples: np.ndarray, epochs: int, **options: Any) -> TrainedVectors:
        asked.append((len(triples), epochs))
        return extend(folder, triples, epochs, **options)

    monkeypatch.setattr("faan.complete.evidence.extend", recorded)
    graph = read_graph(rows)
    fitted = fit(graph, config=str(config), progress=False)
    seen = graph.num_triples - len(reserved_rows(graph, 0))
    assert asked == [(seen, 3), (seen, 3)]  # two sets with half of the epochs each, half of these again
    assert isinstance(fitted.fitted.method, EvidenceRanker)
    assert fitted.fitted.method.sources.completion is not None
    assert fitted.fitted.method.sources.completion.config.dimension == 200


def test_a_single_relation_is_told_in_the_singular() -> None:
    measured = MeasuredKnown(relations=1, questions=50, hits_at_1=0.5)
    assert measured.in_words().startswith("On 1 relation of the graph, ")
