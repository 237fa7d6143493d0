"""Examples that look wrong are named: reversed pairs, and pairs of an entity with itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from faan.base import Ints
from faan.complete import Completer, Extended, as_examples, ask, doubts_about
from faan.graph import Graph, read_graph
from faan.tasks import without_rows

from .conftest import CAPITALS

FIVE = CAPITALS[:5]
TURNED = (CAPITALS[0][1], CAPITALS[0][0])


def doubts(graph: Graph, examples: object) -> tuple[str, ...]:
    return doubts_about(ask(graph, as_examples(examples, graph)))  # type: ignore[arg-type]


def test_a_reversed_pair_among_the_examples_of_a_new_relation_is_named(land: Graph) -> None:
    told = ("the example town0a → land0 looks reversed: is land0 the head, and town0a the tail?",)
    assert doubts(land, [TURNED, *FIVE[1:]]) == told
    assert doubts(replace(land, types=None), [TURNED, *FIVE[1:]]) == told  # by their roles alone
    assert doubts(land, FIVE) == ()
    assert doubts(land, [(tail, head) for head, tail in FIVE]) == ()  # all of them: the relation is the inverse one


def test_too_few_examples_do_not_show_which_one_is_reversed(land: Graph) -> None:
    assert doubts(land, [TURNED, *FIVE[1:3]]) == ()
    assert doubts(land, [TURNED, *FIVE[1:4]]) != ()


def test_a_reversed_example_of_a_relation_of_the_graph_is_named(land: Graph) -> None:
    assert "looks reversed" in doubts(land, Extended("lies_in", (("land3", "town5a"),)))[0]
    assert doubts(land, Extended("lies_in", (("town5a", "land3"),))) == ()
    assert doubts(land, "lies_in") == ()
    many = doubts(land, Extended("lies_in", tuple((f"land{i}", f"town{i + 1}a") for i in range(9))))
    assert (len(many), many[-1]) == (6, "4 more examples look wrong in these ways")


def test_things_of_one_kind_give_no_doubt(land: Graph) -> None:
    assert doubts(land, [(f"land{i + 1}", f"land{i}") for i in range(5)]) == ()
    assert doubts(land, Extended("next_to", (("land9", "land3"),))) == ()


def test_a_pair_of_an_entity_with_itself_is_named_unless_others_are_so() -> None:
    rows = [(f"a{i}", "r", f"b{i}") for i in range(9)] + [(f"a{i}", "same", f"a{i}") for i in range(9)]
    graph = read_graph(rows)
    told = "the head and the tail of an example are the same entity: a3"
    assert doubts(graph, [("a1", "b1"), ("a3", "a3")]) == (told,)
    assert doubts(graph, Extended("r", (("a3", "a3"),))) == (told,)
    assert doubts(graph, [("a1", "a1"), ("a3", "a3")]) == ()
    assert doubts(graph, Extended("same", (("b3", "b3"),))) == ()


def test_suggestions_carry_the_notes(completer: Completer) -> None:
    found = completer.suggest([TURNED, *FIVE[1:]], heads="land9", top=1)
    assert found[0].tail == "town9a"  # the answers go on
    assert "note: the example town0a → land0 looks reversed" in repr(found)
    assert "Note: the example town0a" in found._repr_html_()
    assert "note" not in repr(completer.suggest(FIVE, heads="land9", top=1))


@pytest.fixture(scope="module")
def world() -> Graph:
    return read_graph("world")


def facts_of(graph: Graph, relation: int) -> Ints:
    rows = np.flatnonzero(graph.relations == relation)
    return np.stack([graph.heads[rows], graph.tails[rows]], axis=1)


def by_name(graph: Graph, pairs: Ints) -> tuple[tuple[str, str], ...]:
    return tuple((graph.entity_names[head], graph.entity_names[tail]) for head, tail in pairs.tolist())


def counted(world: Graph, change: Callable[[Ints], Ints]) -> tuple[int, int]:
    """Five facts of each relation of World as examples of a new one: for how many relations is there a doubt?"""
    random, found, asked = np.random.default_rng(0), 0, 0
    for relation in world.used_relations.tolist():
        pairs = facts_of(world, relation)
        five = change(pairs[random.choice(len(pairs), 5, replace=False)]) if len(pairs) >= 5 else pairs[:0]
        if len(five):
            without = without_rows(world, np.flatnonzero(world.relations == relation))
            asked += 1
            found += bool(doubts(without, by_name(world, five)))
    return found, asked


def first_turned(pairs: Ints) -> Ints:
    return np.concatenate([pairs[:1, ::-1], pairs[1:]])


@pytest.mark.slow
def test_facts_of_world_give_no_doubt_and_most_reversed_ones_do(world: Graph) -> None:
    assert counted(world, lambda pairs: pairs) == (0, 87)
    found, asked = counted(world, first_turned)
    assert found > 0.8 * asked
