"""Entities in partitions: every edge is trained on once an epoch, with less in memory, and a kill loses nothing."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from faan.base import Cluster, InputError
from faan.embed import EmbedConfig, Embeddings, evaluate, resume, train
from faan.embed.optimizer import RowTable
from faan.embed.partitions import Partitions, walk
from faan.embed.rounds import BucketDone, _average, arrays_of, tournament

from .conftest import kill_at, random_triples, small


@given(st.integers(2, 12))
def test_the_walk_meets_each_pair_once_and_swaps_one_partition_a_step(count: int) -> None:
    pairs = walk(count)
    assert {frozenset(pair) for pair in pairs} == {frozenset((a, b)) for a in range(count) for b in range(a)}
    assert len(pairs) == count * (count - 1) // 2
    assert all(len({*one} & {*other}) == 1 for one, other in pairwise(pairs))


@pytest.mark.parametrize("count", [2, 3, 4, 7])
def test_every_edge_is_in_one_bucket_an_epoch(count: int, rng: np.random.Generator, tmp_path: Path) -> None:
    triples = random_triples(rng, 300, 41, 5)
    partitions = Partitions(triples, 41, small(partitions=count), tmp_path)
    assert len(partitions.table.rows) == 2 * -(-41 // count)
    first = {tuple(row) for row in partitions.vectors().tolist()}
    for epoch in range(3):
        seen, updates = [], partitions.updates(epoch)
        for bucket in partitions.buckets(triples, epoch):
            assert bucket.number >= updates
            rows = partitions.table.rows  # as nothing is trained, each row still is the first of some entity
            seen += [(tuple(rows[h].tolist()), r, tuple(rows[t].tolist())) for h, r, t in bucket.triples.tolist()]
        vectors = [tuple(row) for row in partitions.vectors().tolist()]
        assert sorted(seen) == sorted((vectors[h], r, vectors[t]) for h, r, t in triples.tolist())
    assert {tuple(row) for row in partitions.vectors().tolist()} == first


def test_the_updates_of_an_epoch_are_counted_once(rng: np.random.Generator, tmp_path: Path) -> None:
    partitions = Partitions(random_triples(rng, 300, 41, 5), 41, small(partitions=4), tmp_path)
    with patch.object(partitions, "_order", wraps=partitions._order) as order:
        before = [partitions.updates(epoch) for epoch in (*range(10), *range(10))]
    assert before[:10] == before[10:] == sorted(before[:10])
    assert order.call_count == 9


@pytest.mark.slow
def test_vectors_come_back_in_the_order_of_entities(line: np.ndarray) -> None:
    config = small("complex", dimension=24, epochs=60, negatives=16, loss="softmax", learning_rate=0.2, partitions=4)
    run = train(line, 40, 4, config)
    assert run.embeddings.entities.shape == (40, 48)
    assert evaluate(run.embeddings, line, line).both.mrr > 0.7
    assert run.history[-1].loss < run.history[0].loss


@given(st.integers(2, 12))
def test_partitions_of_a_round_are_in_one_bucket_each_and_all_meet(count: int) -> None:
    pairs, at_once = tournament(count), count // 2
    assert {frozenset(pair) for pair in pairs} == {frozenset((a, b)) for a in range(count) for b in range(a)}
    assert len(pairs) == count * (count - 1) // 2
    for start in range(0, len(pairs), at_once):
        together = [number for pair in pairs[start : start + at_once] for number in pair]
        assert len(together) == len(set(together)) == 2 * at_once


@pytest.mark.parametrize("optimizer", ["adagrad", "adam"])
def test_a_relation_becomes_the_mean_of_what_buckets_made_of_it(optimizer: str) -> None:
    config = small("complex", optimizer=optimizer, inverse_relations=True)
    relations = RowTable(torch.ones(6, 2), config)
    for state in relations.state.values():
        state.fill_(1)
    results = [BucketDone([], {name: array + plus for name, array in arrays_of(relations).items()}) for plus in (1, 3)]
    _average(relations, results, [np.array([0, 0, 0, 1]), np.array([0])])
    assert relations.rows[:, 0].tolist() == [2.5, 2, 1, 2.5, 2, 1]  # inverse relations in the second half
    added = [5.0] * 6 if optimizer == "adagrad" else [2.5, 2, 1, 2.5, 2, 1]
    assert relations.state["squares"][:, 0].tolist() == added


@pytest.mark.slow
def test_rounds_learn_too(line: np.ndarray) -> None:
    changes: dict[str, object] = {"negatives": 16, "loss": "softmax", "learning_rate": 0.2, "epochs": 60}
    run = train(line, 40, 4, small("complex", dimension=24, rounds=True, partitions=3, **changes))
    assert evaluate(run.embeddings, line, line).both.mrr > 0.7


@pytest.mark.slow
@pytest.mark.parametrize("killed_at", [1, 9, 30, 61, 130, 200, 250])
@pytest.mark.parametrize("optimizer", ["adagrad", "adam", "rounds"])
def test_a_kill_in_any_bucket_resumes_to_the_same_result(
    killed_at: int, optimizer: str, line: np.ndarray, tmp_path: Path
) -> None:
    changes: dict[str, object] = {"epochs": 5, "held_out": 20, "patience": 5, "partitions": 4}
    changes |= {"rounds": True} if optimizer == "rounds" else {"optimizer": optimizer}
    config = small("complex", **changes)
    whole = train(line, 40, 4, config, folder=tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train(line, 40, 4, config, folder=tmp_path / "part", on_progress=kill_at(killed_at))
    resumed = resume(tmp_path / "part", line)
    assert torch.equal(resumed.embeddings.entities, whole.embeddings.entities)
    assert resumed.history == whole.history
    for name in ("metrics.jsonl", "vectors.safetensors"):
        assert (tmp_path / "part" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert len(list((tmp_path / "part" / "partitions").glob("part-*"))) == 4  # nothing is left of older versions
    assert torch.equal(Embeddings.load(tmp_path / "part").entities, whole.embeddings.entities)


def test_a_damaged_partition_is_one_error(line: np.ndarray, tmp_path: Path) -> None:
    config = small(partitions=4, epochs=1)
    train(line, 40, 4, config, folder=tmp_path)
    (tmp_path / "config.json").write_text(config.model_copy(update={"epochs": 2}).model_dump_json())
    for file in (tmp_path / "partitions").glob("part-*"):
        file.write_bytes(b"short")
    with pytest.raises(InputError, match="a partition of the vectors is damaged"):
        resume(tmp_path, line)


def test_the_number_of_partitions_follows_from_the_size_of_the_tables() -> None:
    config = EmbedConfig(dimension=100, partitions="auto")

    def partitions(entities: int, **changes: object) -> int:
        found = config.model_copy(update=changes).for_graph(1000, entities).partitions
        assert found != "auto"
        return found

    assert partitions(1000) == partitions(1_000_000) == 1
    assert partitions(20_000_000) in (8, 16, 32)  # less memory in the machine makes more of them
    assert partitions(50) == 1  # compared with all
    assert partitions(20_000_000, optimizer="adam", model="complex") > partitions(20_000_000)


def test_an_engine_needs_rounds(line: np.ndarray, tmp_path: Path) -> None:
    train(line, 40, 4, small(partitions=4, epochs=1), folder=tmp_path)
    with pytest.raises(InputError, match="set rounds = true"):
        resume(tmp_path, line, engine=Cluster())
    with pytest.raises(ValueError, match="rounds need several partitions"):
        small(rounds=True)
    assert not EmbedConfig(partitions="auto", rounds=True).for_graph(1000, 1000).rounds


def test_partitions_need_drawn_negatives() -> None:
    with pytest.raises(ValueError, match="leave partitions at 1"):
        small(negatives="all", partitions=4)
    with pytest.raises(ValueError, match="at least 1"):
        small(partitions=0)


def test_only_versions_that_a_checkpoint_names_are_kept_beside_the_newest(line: np.ndarray, tmp_path: Path) -> None:
    config = small(partitions=4)
    partitions = Partitions(line, 40, config, tmp_path)
    partitions.save()
    saved = {partitions.file(part): partitions.file(part).read_bytes() for part in range(4)}
    for epoch in range(2):
        for _ in partitions.buckets(line, epoch):
            partitions.table.rows += 1
    partitions.vectors()
    assert all(path.read_bytes() == content for path, content in saved.items())
    newest = {partitions.file(part): partitions.file(part).stat().st_ino for part in range(4)}
    assert set(tmp_path.glob("part-*")) == {*saved, *newest}
    for _ in partitions.buckets(line, 2):
        partitions.table.rows += 1
    partitions.vectors()
    assert {partitions.file(part).stat().st_ino for part in range(4)} == set(
        newest.values()
    )  # the files are used again
