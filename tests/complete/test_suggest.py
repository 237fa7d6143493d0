"""Suggesting facts of a relation that the graph has never heard of."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby, islice

import numpy as np
import pytest
from numpy.typing import NDArray

from faan.base import InputError, Ints, UnknownNameError
from faan.complete import Completer, Extended, ask
from faan.complete.because import Because
from faan.complete.scoring import Adjusted
from faan.graph import Graph
from faan.tasks import without_relations

from .conftest import CAPITALS, COUNTRIES

FIVE = CAPITALS[:5]


def test_the_capital_of_a_land_is_found_from_five_others(completer: Completer) -> None:
    for head, tail in CAPITALS[5:10]:
        first = completer.suggest(FIVE, heads=[head], top=1)[0]
        assert (first.head, first.tail, first.rank) == (head, tail, 1)
        assert any("court" in sentence or "sits_in" in sentence for sentence in first.because)
        assert not first.low_evidence


def test_without_heads_those_are_asked_that_look_like_the_examples_and_lack_the_fact(completer: Completer) -> None:
    found = list(completer.suggest(FIVE, top=2))
    heads = [head for head, _ in groupby(found, key=lambda one: one.head)]
    assert len(heads) == len(set(heads)) == COUNTRIES - 5
    assert all(head.startswith("land") for head in heads)
    assert heads == completer.heads_lacking(FIVE)
    assert not set(heads) & {head for head, _ in FIVE}


def test_with_tails_alone_heads_are_suggested(completer: Completer) -> None:
    found = list(completer.suggest(FIVE, tails=["town9a", "town8a"], top=3))
    assert [(one.tail, one.rank) for one in found] == [(t, r) for t in ("town9a", "town8a") for r in (1, 2, 3)]
    assert (found[0].head, found[3].head) == ("land9", "land8")


def test_a_fact_has_one_probability_whichever_way_it_was_asked(completer: Completer, unmeasured: Completer) -> None:
    for made in (completer, unmeasured):
        found = list(made.suggest(FIVE, tails=["town9a", "town12b"], top=5))
        assert len(found) == 10
        for one in found:
            explained = made.explain(one.head, one.tail, FIVE).suggestion
            assert replace(one, rank=explained.rank) == explained
        for _, group in groupby(found, key=lambda one: one.tail):
            assert (np.diff([one.probability for one in group]) <= 0).all()


def test_the_first_heads_of_a_tail_do_not_depend_on_how_many_are_wanted(unmeasured: Completer) -> None:
    ten = list(unmeasured.suggest(FIVE, tails=["town9a"], top=10))
    assert list(unmeasured.suggest(FIVE, tails=["town9a"], top=3)) == ten[:3]


def test_heads_of_a_tail_that_cannot_be_among_the_best_get_no_reasons(
    completer: Completer, monkeypatch: pytest.MonkeyPatch
) -> None:
    told, tell = list[int](), Because.tell

    def count(self: Because, head: int, tails: Ints) -> object:
        told.append(head)
        return tell(self, head, tails)

    monkeypatch.setattr(Because, "tell", count)
    assert len(completer.suggest(FIVE, tails=["town9a"], top=1)) == 1
    assert len(told) == 1  # the inverse relation proposes ten heads, the right one first


def test_heads_that_have_their_one_tail_are_not_suggested_for_another(
    completer: Completer, unmeasured: Completer
) -> None:
    for made in (completer, unmeasured):
        heads = {one.head for one in made.suggest(FIVE, tails=["town0b"], top=COUNTRIES)}
        assert len(heads) == COUNTRIES - 5
        assert not heads & {head for head, _ in FIVE}
        shown = {one.head: one for one in made.suggest(FIVE, tails=["town0b"], top=COUNTRIES, known="show")}
        assert "land0 already has town0a, and this relation usually has one value" in shown["land0"].warnings


def test_three_examples_with_one_tail_each_are_enough_to_leave_their_heads_out(completer: Completer) -> None:
    heads = {one.head for one in completer.suggest(CAPITALS[:3], tails=["town9a"], top=COUNTRIES)}
    assert not heads & {head for head, _ in CAPITALS[:3]}


def test_heads_with_other_tails_are_suggested_where_heads_have_several(completer: Completer) -> None:
    examples = [*FIVE, ("land0", "town0b"), ("land1", "town1b")]
    assert "land0" in {one.head for one in completer.suggest(examples, tails=["town0c"], top=COUNTRIES)}


def test_with_heads_and_tails_only_those_tails_are_suggested(completer: Completer) -> None:
    found = list(completer.suggest(FIVE, heads=["land7"], tails=["town7b", "town7a", "coin3"]))
    assert {one.tail for one in found} == {"town7a", "town7b", "coin3"}
    assert found[0].tail == "town7a"
    coin = next(one for one in found if one.tail == "coin3")
    assert "coin3 is of type currency, as no tail of the examples is" in coin.warnings


def test_suggestions_come_in_order_of_score_rank_and_probability(completer: Completer) -> None:
    for _, group in groupby(completer.suggest(FIVE, top=20), key=lambda one: one.head):
        found = list(group)
        assert [one.rank for one in found] == list(range(1, len(found) + 1))
        assert (np.diff([one.score for one in found]) <= 0).all()
        assert (np.diff([one.probability for one in found]) <= 1e-12).all()
        assert all(0 <= one.probability <= 1 for one in found)


def test_the_probability_of_a_fact_does_not_depend_on_which_other_tails_are_asked_for(completer: Completer) -> None:
    alone = completer.suggest(FIVE, heads=["land9"], tails=["town9a"])[0]
    some = list(completer.suggest(FIVE, heads=["land9"], tails=["town9a", "coin3", "coin5"]))  # coins are no candidates
    assert alone in some
    for one in some:
        assert one.probability == completer.explain(one.head, one.tail, FIVE).suggestion.probability


def test_known_facts_are_left_out_unless_they_are_wanted(completer: Completer) -> None:
    hidden = list(completer.suggest(FIVE, heads=["land0"]))
    assert "town0a" not in {one.tail for one in hidden}
    shown = list(completer.suggest(FIVE, heads=["land0"], known="show"))
    assert shown[0].tail == "town0a"
    assert "this fact is known already" in shown[0].warnings


def test_known_facts_are_scored_only_if_they_are_wanted(knowing: Completer, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = knowing.graph
    known, scored = graph.entity("p40"), list[Ints]()

    def score(self: Adjusted, heads: Ints, candidates: Ints) -> NDArray[np.float64]:
        scored.append(candidates)
        return plain(self, heads, candidates)

    def is_scored() -> bool:
        return any(known in candidates for candidates in scored)

    plain = Adjusted.score
    list(knowing.suggest("knows", heads=["p1"], top=1))  # its self-test asks for known facts
    monkeypatch.setattr(Adjusted, "score", score)
    best = list(knowing.suggest("knows", heads=["p0"], top=5))
    assert not is_scored()
    assert list(knowing.suggest("knows", heads=["p0"], tails=[one.tail for one in best], top=5)) == best
    assert [knowing.explain("p0", one.tail, "knows").suggestion for one in best] == best
    assert not is_scored()
    assert knowing.score([("p0", "p40")], "knows")[0].warnings == ("this fact is known already",)
    assert is_scored()
    scored.clear()
    assert any(one.tail == "p40" for one in knowing.suggest("knows", heads=["p0"], top=900, known="show"))
    assert is_scored()


def test_a_second_tail_is_warned_of_where_every_head_has_one(completer: Completer) -> None:
    first = completer.suggest(FIVE, heads=["land0"])[0]
    assert "land0 already has town0a, and this relation usually has one value" in first.warnings
    assert not completer.suggest(FIVE, heads=["land9"])[0].warnings


def test_a_relation_of_the_graph_is_asked_by_name_and_does_not_speak_for_itself(completer: Completer) -> None:
    [found] = completer.score([("town3a", "land3")], "lies_in")
    assert found.rank == 1  # over the court that sits in the town
    assert found.because
    assert not any("lies_in" in sentence or "town3a → land3" in sentence for sentence in found.because)


def test_accepted_facts_count_as_known_and_as_examples(completer: Completer) -> None:
    examples = Extended("minted_in", (("coin3", "town3b"),))
    found = list(completer.suggest(examples, heads=["coin3"], top=50))
    assert found
    assert not {"town3a", "town3b"} & {one.tail for one in found}
    weights = completer.explain("coin4", "town4a", examples).examples
    assert ("coin3", "town3b") in {(example.head, example.tail) for example in weights}


def test_a_relation_whose_facts_were_all_left_out_is_a_new_one(land: Graph) -> None:
    left = without_relations(land, [land.relation("minted_in")])
    pairs = (("coin3", "town3a"),)
    named, new = ask(left, Extended("minted_in", pairs)), ask(left, pairs)
    assert named.relation == "minted_in"
    assert named.hidden is None  # vectors and trees that know the graph's relations do not know this one
    assert not named.task.in_graph
    assert named.candidates.tolist() == new.candidates.tolist()


def test_a_suggestion_does_not_depend_on_what_else_is_asked(completer: Completer) -> None:
    alone = list(completer.suggest(FIVE, heads=["land12"], top=5))
    among = [one for one in completer.suggest(FIVE, top=5) if one.head == "land12"]
    assert alone == among


def test_score_judges_pairs_in_their_order(completer: Completer) -> None:
    pairs = [("land9", "town9b"), ("land9", "town9a"), ("land8", "coin1"), ("land9", "town9b")]
    found = completer.score(pairs, FIVE)
    assert [(one.head, one.tail) for one in found] == pairs
    assert found[1].probability > found[0].probability
    assert found[0] == found[3]
    assert completer.score([], FIVE) == []


def test_a_pair_is_judged_alike_whatever_else_is_asked(completer: Completer) -> None:
    """Tails that are no candidates, a court and a coin here, do not compete with the others."""
    pair = ("land9", "town9a")
    [alone] = completer.score([pair], FIVE)
    assert completer.score([pair, ("land9", "court9"), ("land9", "coin9")], FIVE)[0] == alone
    assert completer.suggest(FIVE, heads=["land9"], top=1)[0] == alone


def test_one_example_is_low_evidence(completer: Completer) -> None:
    assert completer.suggest(CAPITALS[:1], heads=["land9"])[0].low_evidence
    assert completer.suggest(CAPITALS[:2], heads=["land9"])[0].low_evidence
    assert not completer.suggest(CAPITALS[:3], heads=["land9"])[0].low_evidence


def test_an_example_whose_tail_looks_like_no_other_is_no_problem(completer: Completer) -> None:
    found = list(islice(completer.suggest([*FIVE, ("land20", "beast3")], heads=["land9"]), 3))
    assert found[0].tail == "town9a"


def test_an_unknown_name_is_an_error_that_names_near_ones(completer: Completer) -> None:
    for call in (
        lambda: completer.suggest(FIVE, heads=["lnad9"]),
        lambda: completer.suggest([("lnad9", "town9a")]),
        lambda: completer.explain("lnad9", "town9a", FIVE),
    ):
        with pytest.raises(UnknownNameError, match="land9"):
            call()
    with pytest.raises(UnknownNameError, match="minted_in"):
        completer.suggest("minted_im")


@pytest.mark.parametrize(
    ("examples", "message"),
    [([], "at least one"), (["ab"], r"pairs \(head, tail\)"), ([("land1", "a", "b")], "leave the relation out")],
)
def test_examples_that_are_none_are_refused(
    completer: Completer, examples: list[tuple[str, str]], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        completer.suggest(examples)


def test_wrong_settings_are_refused_at_once(completer: Completer) -> None:
    with pytest.raises(InputError, match="top"):
        completer.suggest(FIVE, top=0)
    with pytest.raises(InputError, match="known"):
        completer.suggest(FIVE, known="maybe")  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_million_heads_begin_at_once(completer: Completer) -> None:
    heads = [f"land{i % COUNTRIES}" for i in range(1_000_000)]
    assert completer.suggest(FIVE, heads=heads, top=1)[0].head == "land0"
    heads[999_999] = "lnad9"
    with pytest.raises(UnknownNameError, match="land9"):
        completer.suggest(FIVE, heads=heads, top=1)


def test_what_was_rejected_is_not_suggested_again_unless_shown_with_a_warning(completer: Completer) -> None:
    first = completer.suggest(FIVE, heads="land9", top=1)[0]
    wrong = [(first.head, first.tail)]
    left = completer.suggest(FIVE, heads="land9", rejected=wrong)
    assert first.tail not in {one.tail for one in left}
    by_tail = completer.suggest(FIVE, tails=first.tail, rejected=wrong)
    assert first.head not in {one.head for one in by_tail}
    shown = {one.tail: one for one in completer.suggest(FIVE, heads="land9", known="show", rejected=wrong)}
    assert "this fact was rejected" in shown[first.tail].warnings
    assert completer.explain("land9", first.tail, FIVE, rejected=wrong).suggestion.warnings == (
        "this fact was rejected",
    )


def test_a_pair_that_is_rejected_and_an_example_is_an_example(completer: Completer) -> None:
    assert list(completer.suggest(FIVE, heads="land9", rejected=FIVE[:1])) == list(
        completer.suggest(FIVE, heads="land9")
    )
