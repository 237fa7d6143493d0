from __future__ import annotations

import json
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
import torch

from faan.base import InputError
from faan.base.tensors import write_tensors
from faan.embed import EmbedConfig, Embeddings, EpochReport, embed_graph, encode_triples, export_vectors, resume_run
from faan.graph import Graph, read_graph

CONFIG = EmbedConfig(dimension=8, epochs=6, evaluate_every=2, batch_size=16, chunk_size=8, negatives=4, seed=3)


@pytest.fixture
def ring() -> Graph:
    return read_graph([(f"n{i}", "next", f"n{(i + 1) % 20}") for i in range(20)] + [("n0", "same", "n0")])


def test_triples_are_encoded_by_name_and_strangers_left_out(ring: Graph) -> None:
    other = read_graph([("n3", "next", "n4"), ("n3", "next", "nobody"), ("n3", "likes", "n4")])
    triples, unknown = encode_triples(ring, other)
    assert triples.tolist() == [[ring.entity("n3"), ring.relation("next"), ring.entity("n4")]]
    assert unknown == 2


def test_the_last_held_out_mrr_is_that_of_the_table(ring: Graph, tmp_path: Path) -> None:
    valid, test = np.array([[0, 0, 5], [3, 0, 9], [7, 0, 2]]), np.array([[0, 0, 6], [0, 0, 7], [8, 0, 2], [3, 0, 1]])
    run = embed_graph(ring, CONFIG, tmp_path / "run", valid=valid, test=test)
    last = json.loads((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()[-1])
    assert last["mrr"] == pytest.approx(run.scores["valid"].both.mrr)


def test_a_run_leaves_vectors_metrics_and_result(ring: Graph, tmp_path: Path) -> None:
    held_out = np.array([[0, 0, 5]])
    run = embed_graph(ring, CONFIG, tmp_path / "run", valid=held_out, test=held_out)
    assert run.embeddings.entities.shape == (20, 8)
    result = json.loads((tmp_path / "run" / "result.json").read_text())
    assert result["test"]["both"]["queries"] == 2
    assert result["test"]["both"]["mrr"] == run.scores["test"].both.mrr
    metrics = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert [line["epoch"] for line in metrics] == [1, 2, 3, 4, 5, 6]


def test_an_interrupted_run_goes_on_without_its_source_and_ends_the_same(ring: Graph, tmp_path: Path) -> None:
    whole = embed_graph(ring, CONFIG, tmp_path / "whole", valid=np.array([[0, 0, 1]]))

    def stop(report: EpochReport) -> None:
        if report.epoch == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed_graph(ring, CONFIG, tmp_path / "cut", valid=np.array([[0, 0, 1]]), on_report=stop)
    resumed = resume_run(tmp_path / "cut")
    assert torch.equal(resumed.embeddings.entities, whole.embeddings.entities)
    assert torch.equal(resumed.embeddings.relations, whole.embeddings.relations)
    assert resumed.scores == whole.scores


def test_a_finished_run_can_be_resumed_without_harm(ring: Graph, tmp_path: Path) -> None:
    run = embed_graph(ring, CONFIG, tmp_path / "run")
    assert torch.equal(resume_run(tmp_path / "run").embeddings.entities, run.embeddings.entities)


def test_a_damaged_run_says_so(ring: Graph, tmp_path: Path) -> None:
    embed_graph(ring, CONFIG, tmp_path / "run")
    (tmp_path / "run" / "vectors.safetensors").write_bytes(b"\x08\x00\x00")
    with pytest.raises(InputError, match="the embeddings are damaged"):
        Embeddings.load(tmp_path / "run")
    (tmp_path / "run" / "checkpoint.safetensors").write_bytes(b"nothing")
    with pytest.raises(InputError, match="the checkpoint is damaged"):
        resume_run(tmp_path / "run")


def test_vectors_are_exported_by_name(ring: Graph, tmp_path: Path) -> None:
    config = CONFIG.model_copy(update={"inverse_relations": True})
    run = embed_graph(ring, config, tmp_path / "run")
    entities, relations = export_vectors(run, tmp_path)
    lines = [line.split("\t") for line in entities.read_text().splitlines()]
    assert [line[0] for line in lines] == list(ring.entity_names)
    assert np.allclose([[float(x) for x in line[1:]] for line in lines], run.embeddings.entities, atol=1e-5)
    assert [line.split("\t")[0] for line in relations.read_text().splitlines()] == [
        "next",
        "same",
        "next_inv",
        "same_inv",
    ]


def test_time_before_an_interruption_counts_too(ring: Graph, tmp_path: Path) -> None:
    embed_graph(ring, CONFIG, tmp_path / "run")
    (tmp_path / "run" / "seconds.json").write_text('{"embed": 1000}')
    resume_run(tmp_path / "run")
    assert 1000 <= json.loads((tmp_path / "run" / "result.json").read_text())["seconds"] < 2000


def test_what_cannot_be_run_says_why_and_leaves_nothing(ring: Graph, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one triple is too few to learn from"):
        embed_graph(read_graph([("a", "r", "b")]), CONFIG, tmp_path / "new")
    assert not (tmp_path / "new").exists()
    with pytest.raises(InputError, match=r"there is no run to resume: checkpoint.safetensors is missing"):
        resume_run(tmp_path / "nowhere")
    with pytest.raises(InputError, match="more than half"):
        embed_graph(ring, CONFIG.model_copy(update={"held_out": 15}), tmp_path / "new")
    assert not (tmp_path / "new").exists()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes").write_text("mine")
    with pytest.raises(InputError, match="resume the run in it or choose another folder"):
        embed_graph(ring, CONFIG, tmp_path / "full")


@pytest.mark.parametrize("wrong", [[[0, 0, 20]], [[0, 2, 1]], [[0, 0]], [0, 0, 1], [["a", "b", "c"]]])
def test_test_triples_that_are_none_of_the_graph_are_refused_before_training(
    ring: Graph, tmp_path: Path, wrong: list[object]
) -> None:
    with pytest.raises(InputError, match=r"a (tail|relation) has the number|must be integers of shape"):
        embed_graph(ring, CONFIG, tmp_path / "run", test=np.array(wrong))
    assert not (tmp_path / "run").exists()
    embed_graph(ring, CONFIG, tmp_path / "run", test=np.array([[0, 0, 1]]))
    np.save(tmp_path / "run" / "test.npy", np.array(wrong))
    with pytest.raises(InputError, match=r"test\.npy: the run is damaged"):
        resume_run(tmp_path / "run")


@pytest.mark.parametrize("moment", ["faan.embed.runs.save_graph", "faan.embed.runs.begin"])
def test_a_run_that_was_cut_before_its_first_state_can_begin_again(
    ring: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    def stop(*_: object, **__: object) -> NoReturn:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(moment, stop)
        embed_graph(ring, CONFIG, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    embed_graph(ring, CONFIG, tmp_path / "run")


def test_a_run_that_was_cut_in_its_first_epoch_can_be_resumed(ring: Graph, tmp_path: Path) -> None:
    def stop(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        embed_graph(ring, CONFIG, tmp_path / "run", on_progress=stop)
    whole = embed_graph(ring, CONFIG, tmp_path / "whole")
    assert torch.equal(resume_run(tmp_path / "run").embeddings.entities, whole.embeddings.entities)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b'{"dimension": "much"}'])
def test_damaged_settings_of_a_run_are_an_error_that_names_the_file(
    ring: Graph, tmp_path: Path, content: bytes
) -> None:
    embed_graph(ring, CONFIG, tmp_path / "run")
    (tmp_path / "run" / "config.json").write_bytes(content)
    with pytest.raises(InputError, match=r"config.json: the run is damaged .* begin it again"):
        resume_run(tmp_path / "run")


def test_vectors_of_another_shape_than_their_settings_are_refused(ring: Graph, tmp_path: Path) -> None:
    embed_graph(ring, CONFIG, tmp_path / "run")
    for wrong in (torch.zeros(20, 7), torch.zeros(20), torch.zeros(20, 8).double(), torch.full((20, 8), torch.nan)):
        write_tensors(tmp_path / "run" / "vectors.safetensors", {"entities": wrong, "relations": torch.zeros(2, 8)})
        with pytest.raises(InputError, match="the embeddings are damaged"):
            Embeddings.load(tmp_path / "run")
    vectors = Embeddings(CONFIG, torch.zeros(20, 8), torch.zeros(2, 8))
    vectors.check_graph(ring)
    for other in (read_graph([("a", "r", "b")]), read_graph([(f"n{i}", f"r{i}", "n0") for i in range(20)])):
        with pytest.raises(InputError, match="these do not belong together"):
            vectors.check_graph(other)
