from __future__ import annotations

import numpy as np
import pytest

from faan.base import InputError
from faan.embed import triples_of
from faan.graph import Graph, read_graph
from faan.links import given_facts, hide_facts

from .conftest import facts


def rows(triples: np.ndarray) -> set[tuple[int, ...]]:
    return set(map(tuple, triples.tolist()))


def test_hidden_and_other_facts_are_all_facts_and_share_none(land: Graph) -> None:
    split = hide_facts(land, "land", share=0.3, most=10)
    known, hidden = rows(triples_of(split.graph)), rows(split.test)
    assert not known & hidden
    assert known | hidden == rows(triples_of(land)) == rows(split.known)


def test_of_a_relation_a_share_is_hidden_and_never_more_than_the_most(land: Graph) -> None:
    split = hide_facts(land, "land", share=0.3, most=10)
    counts = np.bincount(split.test[:, 1], minlength=land.num_relations)
    assert counts[land.relation("lies_in")] == 10  # 120 facts
    assert counts[land.relation("founded")] == 1  # 2 facts: one stays
    assert counts[land.relation("orbits")] == 0  # the only fact


def test_every_entity_and_every_relation_keeps_a_fact(land: Graph) -> None:
    split = hide_facts(land, "land", share=0.9, most=1000)
    left = triples_of(split.graph)
    assert set(left[:, 0]) | set(left[:, 2]) == set(range(land.num_entities))
    assert set(left[:, 1]) == set(range(land.num_relations))


def test_the_seed_decides_what_is_hidden(land: Graph) -> None:
    first, same, other = (hide_facts(land, "land", seed=seed) for seed in (0, 0, 1))
    assert rows(first.test) == rows(same.test) != rows(other.test)


def test_a_sample_is_asked_for_and_all_hidden_facts_stay_true(land: Graph) -> None:
    split = hide_facts(land, "land", share=0.3, sample=7)
    assert len(split.test) == 7
    assert rows(split.known) == rows(triples_of(land))
    assert not rows(split.unasked) & rows(triples_of(split.graph))
    assert any("7 of the hidden facts" in note for note in split.notes)


def test_a_symmetric_relation_is_noted_as_given_away(land: Graph) -> None:
    split = hide_facts(land, "land", share=0.05, seed=3)
    assert any("twin_of by twin_of_inv" in note for note in split.notes)


def test_facts_of_files_are_found_by_name_and_strangers_are_skipped(land: Graph) -> None:
    valid = read_graph([("land7", "next_to", "land9")])
    test = read_graph([("land7", "next_to", "land12"), ("land7", "next_to", "atlantis")])
    split = given_facts(land, "land", valid, test)
    assert split.test.tolist() == [[land.entity("land7"), land.relation("next_to"), land.entity("land12")]]
    assert split.valid.tolist() == [[land.entity("land7"), land.relation("next_to"), land.entity("land9")]]
    assert split.notes[0].startswith("1 test fact was skipped")
    with pytest.raises(InputError, match="none of the test facts"):
        given_facts(land, "land", None, read_graph([("mars", "orbits", "sun")]))


def test_a_graph_in_which_nothing_can_be_hidden_is_refused() -> None:
    with pytest.raises(InputError, match="no fact can be hidden"):
        hide_facts(read_graph(facts()[-1:]), "one")
    with pytest.raises(InputError, match="between 0 and 1"):
        hide_facts(read_graph(facts()), "land", share=1.0)
