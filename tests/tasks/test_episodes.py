from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.base import InputError, Purpose, Stream
from faan.graph import read_graph
from faan.tasks import Benchmark, EpisodeSampler, PairSet, Task, background_tasks, inverse_tasks

ENTITIES = 40


def task(relation: str, pairs: list[tuple[int, int]], candidates: int = ENTITIES) -> Task:
    array = np.array(pairs, np.int32)
    return Task(relation, array, np.arange(candidates, dtype=np.int32), PairSet(array[:, 0], array[:, 1], ENTITIES))


tasks = st.lists(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, ENTITIES - 1)), min_size=6, max_size=40, unique=True),
    min_size=1,
    max_size=3,
).map(lambda lists: [task(f"r{i}", pairs) for i, pairs in enumerate(lists)])


@given(tasks, st.integers(0, 2**32), st.integers(0, 10**9), st.integers(1, 5), st.integers(1, 6))
def test_an_episode_keeps_references_queries_and_negatives_apart(
    given_tasks: list[Task], seed: int, step: int, shots: int, negatives: int
) -> None:
    sampler = EpisodeSampler(given_tasks, shots=shots, queries=8, negatives=negatives, seed=seed)
    episode = sampler.draw(step)
    pairs = {tuple(pair) for pair in episode.task.pairs.tolist()}
    references = [tuple(pair) for pair in episode.references.tolist()]
    queries = [tuple(pair) for pair in episode.queries.tolist()]
    assert len(set(references)) == shots
    assert len(set(queries)) == min(8, len(pairs) - shots)
    assert not set(references) & set(queries)
    assert set(references) | set(queries) <= pairs
    assert episode.negatives.shape == (len(queries), negatives)
    for (head, _), wrong in zip(queries, episode.negatives.tolist(), strict=True):
        assert not {(head, tail) for tail in wrong} & pairs
        assert set(wrong) <= set(episode.task.candidates.tolist())


def test_the_same_seed_gives_the_same_episodes_on_every_machine() -> None:
    pairs = [(i % 4, (i * 7) % ENTITIES) for i in range(30)]
    episode = EpisodeSampler([task("r", pairs)], shots=2, queries=3, negatives=2, seed=1).draw(5)
    assert episode.references.tolist() == [[0, 36], [0, 4]]
    assert episode.queries.tolist() == [[0, 16], [3, 13], [0, 28]]
    assert episode.negatives.tolist() == [[6, 17], [31, 2], [39, 5]]


def test_an_episode_depends_on_the_seed_and_its_number_alone() -> None:
    given_tasks = [task(f"r{i}", [(j, (j * i) % 40) for j in range(20)]) for i in range(1, 4)]
    sampler, again = EpisodeSampler(given_tasks, seed=3), EpisodeSampler(given_tasks, seed=3)
    forwards = [sampler.draw(number) for number in range(12)]
    backwards = [again.draw(number) for number in reversed(range(12))]
    for old, new in zip(forwards, reversed(backwards), strict=True):
        assert old.task is new.task
        assert np.array_equal(old.queries, new.queries)
        assert np.array_equal(old.negatives, new.negatives)


def test_all_tasks_all_pairs_and_all_k_are_drawn() -> None:
    given_tasks = [task(f"r{i}", [(j, j) for j in range(12)]) for i in range(4)]
    sampler = EpisodeSampler(given_tasks, shots=(1, 4), seed=0)
    drawn = [sampler.draw(step) for step in range(300)]
    assert {episode.task.relation for episode in drawn} == {"r0", "r1", "r2", "r3"}
    assert {len(episode.references) for episode in drawn} == {1, 2, 3, 4}
    assert {head for episode in drawn for head, _ in episode.references.tolist()} == set(range(12))


def test_a_task_with_few_pairs_can_have_as_many_queries_as_any_other() -> None:
    few = task("r", [(head, head + 4) for head in range(4)] + [(0, 9)])
    episode = EpisodeSampler([few], shots=2, queries=100, repeat_queries=True, min_candidates=2).draw(0)
    assert len(episode.queries) == len(episode.negatives) == 100
    asked, known = ({tuple(pair) for pair in pairs.tolist()} for pairs in (episode.queries, episode.references))
    assert asked <= {tuple(pair) for pair in few.pairs.tolist()} - known


def test_a_head_with_hardly_any_wrong_tail_still_gets_one() -> None:
    pairs = [(0, tail) for tail in range(39)]  # only entity 39 is wrong for head 0
    episode = EpisodeSampler([task("r", pairs)], negatives=3).draw(0)
    assert set(episode.negatives.ravel().tolist()) == {39}


def test_what_cannot_be_drawn_is_an_error_at_once() -> None:
    few = task("few", [(0, i) for i in range(5)])
    with pytest.raises(InputError, match="none of the 1 tasks has more than 5 pairs and 21 candidates"):
        EpisodeSampler([few])
    narrow = task("narrow", [(i, i) for i in range(10)], candidates=20)
    with pytest.raises(InputError, match="none of the 1 tasks"):
        EpisodeSampler([narrow])
    full = task("full", [(0, i) for i in range(40)])
    with pytest.raises(InputError, match="there is no negative"):
        EpisodeSampler([full])
    for shots in (0, (3, 2)):
        with pytest.raises(InputError, match="K must be at least 1"):
            EpisodeSampler([full], shots=shots)
    with pytest.raises(InputError, match=r"expected a seed from 0 to 2\*\*64 - 1"):
        EpisodeSampler([task("r", [(i, i) for i in range(9)])], seed=-1).draw(0)
    with pytest.raises(InputError, match="needs a query and a negative"):
        EpisodeSampler([full], negatives=0)


def test_background_relations_can_be_tasks_with_their_edge_hidden() -> None:
    graph = read_graph(
        [(f"c{i}", "in", f"s{i % 6}") for i in range(60)] + [(f"c{i}", "near", f"c{i + 1}") for i in range(20)]
    )
    (found,) = background_tasks(graph)
    assert found.relation == "in"
    assert found.hidden == graph.relation("in")
    heads, tails = found.pairs[:, 0], found.pairs[:, 1]
    _, relations, _ = graph.neighbours.gather_hiding(heads, found.hidden, tails)
    assert found.hidden not in relations.tolist()
    assert graph.relation("near") in relations.tolist()


def test_inverse_tasks_ask_for_heads_and_those_without_negatives_are_left_out() -> None:
    rows = [(f"p{i}", "lives", f"c{i % 2}") for i in range(30)] + [("c0", "in", "x"), ("c1", "in", "x")]
    graph = read_graph(rows)

    def pairs(names: list[tuple[str, str]]) -> list[tuple[int, int]]:
        return [(graph.entity(head), graph.entity(tail)) for head, tail in names]

    def with_truths(relation: str, names: list[tuple[str, str]]) -> Task:
        array = np.array(pairs(names), np.int32)
        return Task(relation, array, array[:, 1], PairSet(array[:, 0], array[:, 1], graph.num_entities))

    born = with_truths("born", [(f"p{i}", f"c{i % 2}") for i in range(8)])
    everybody = with_truths("loves", [(f"p{i}", "c0") for i in range(30)])  # every candidate head loves c0
    (found,) = inverse_tasks(graph, [born, everybody])
    assert found.relation == "born_inv"
    assert found.pairs.tolist() == [[tail, head] for head, tail in born.pairs.tolist()]
    assert found.candidates.tolist() == sorted(graph.entity(f"p{i}") for i in range(30))
    assert found.truths.contains(found.pairs[:, 0], found.pairs[:, 1]).all()
    assert len(found.truths) == len(born.truths)
    (hidden,) = inverse_tasks(graph, [Task("born", born.pairs, born.candidates, born.truths, hidden=1)])
    assert hidden.hidden == 1 + graph.num_relations


@given(st.integers(1, 2**31), st.integers(0, 2**40))
def test_integers_stay_below_their_bound(below: int, step: int) -> None:
    drawn = Stream(1, Purpose.TASK_PAIRS, step).integers(below, 50)
    assert drawn.min() >= 0
    assert drawn.max() < below


def test_integers_are_uniform() -> None:
    counts = np.bincount(Stream(5, Purpose.EPISODES).integers(10, 100_000))
    assert abs(counts - 10_000).max() < 500


@pytest.mark.nell
def test_episodes_of_nell_one_are_fast_and_right(nell: Benchmark) -> None:
    sampler = EpisodeSampler(nell.splits["train"], negatives=4, seed=1)
    for step in range(200):
        episode = sampler.draw(step)
        assert not episode.task.truths.contains(episode.queries[:, :1], episode.negatives).any()
