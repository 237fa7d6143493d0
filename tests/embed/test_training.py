from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from faan.base import InputError, TrainingError
from faan.embed import EmbedConfig, Embeddings, EpochReport, TrainedVectors, evaluate, extend, resume, train
from faan.embed.checkpoint import load_tables

from .conftest import MODELS, kill_at, small


def same(a: Embeddings, b: Embeddings) -> bool:
    return torch.equal(a.entities, b.entities) and torch.equal(a.relations, b.relations)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_a_graph_with_a_rule_is_learnt(model: str, line: np.ndarray) -> None:
    config = small(model, dimension=24, epochs=40, negatives=16, learning_rate=0.2, init_scale=0.3)
    run = train(line, 40, 4, config)
    assert run.history[-1].loss < run.history[0].loss / 2
    # DistMult cannot tell a step ahead from a step back, so half of its answers are wrong by design
    assert evaluate(run.embeddings, line, line).both.mrr > (0.4 if model == "distmult" else 0.7)


@pytest.mark.slow
def test_facts_that_were_left_out_are_found(line: np.ndarray, rng: np.random.Generator) -> None:
    shuffled = rng.permutation(line)
    config = small("rotate", dimension=24, epochs=60, negatives=16, learning_rate=0.2)
    run = train(shuffled[16:], 40, 4, config)
    assert evaluate(run.embeddings, shuffled[:16], line).both.mrr > 0.5


@pytest.mark.parametrize("whole", [False, True])
def test_one_to_all_with_inverse_relations_learns(line: np.ndarray, whole: bool) -> None:
    settings = {"negatives": "all", "loss": "softmax", "inverse_relations": True, "whole_questions": whole}
    config = small("complex", dimension=24, epochs=40, chunk_size=8, **settings)
    run = train(line, 40, 4, config)
    assert evaluate(run.embeddings, line, line).both.mrr > 0.9


def test_the_same_seed_gives_the_same_vectors(line: np.ndarray) -> None:
    config = small("transe", dropout=0.1, adversarial_temperature=1.0)
    assert same(train(line, 40, 4, config).embeddings, train(line, 40, 4, config).embeddings)
    other = config.model_copy(update={"seed": 1})
    assert not same(train(line, 40, 4, config).embeddings, train(line, 40, 4, other).embeddings)


@pytest.mark.parametrize("integers", [np.int32, np.uint32, np.int64])
def test_any_kind_of_integer_gives_the_same_vectors(line: np.ndarray, integers: type) -> None:
    config = small("distmult", held_out=10)
    assert same(train(line.astype(integers), 40, 4, config).embeddings, train(line, 40, 4, config).embeddings)


@pytest.mark.slow
@pytest.mark.parametrize("killed_at", [1, 25, 40, 41])
@pytest.mark.parametrize("optimizer", ["adagrad", "adam"])
def test_a_killed_run_resumes_to_the_same_result(
    killed_at: int, optimizer: str, line: np.ndarray, tmp_path: Path
) -> None:
    config = small("complex", optimizer=optimizer, epochs=6, held_out=20, patience=5, dropout=0.1)
    whole = train(line, 40, 4, config, folder=tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train(line, 40, 4, config, folder=tmp_path / "part", on_progress=kill_at(killed_at))
    resumed = resume(tmp_path / "part", line)
    assert same(resumed.embeddings, whole.embeddings)
    assert resumed.history == whole.history
    for name in ("config.json", "metrics.jsonl", "vectors.safetensors", "checkpoint.safetensors"):
        assert (tmp_path / "part" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_training_stops_when_patience_is_at_its_end_and_keeps_the_best(line: np.ndarray, tmp_path: Path) -> None:
    config = small("distmult", epochs=200, evaluate_every=1, held_out=20, patience=3, learning_rate=1.0)
    reports: list[EpochReport] = []
    run = train(line, 40, 4, config, folder=tmp_path, on_report=reports.append)
    assert reports == run.history
    mrrs = [report.mrr or 0.0 for report in run.history]
    assert len(mrrs) < 200
    best = mrrs.index(max(mrrs))
    assert len(mrrs) == best + 1 + 3
    assert same(Embeddings.load(tmp_path), run.embeddings)
    shorter = config.model_copy(update={"epochs": best + 1, "patience": 0})
    assert same(train(line, 40, 4, shorter).embeddings, run.embeddings)
    finished: TrainedVectors = resume(tmp_path, line)
    assert same(finished.embeddings, run.embeddings)


def test_a_wild_learning_rate_is_an_error_and_the_last_good_checkpoint_stays(line: np.ndarray, tmp_path: Path) -> None:
    config = small("distmult", learning_rate=1e18, epochs=30, evaluate_every=1)
    with pytest.raises(TrainingError, match="Lower learning_rate"):
        train(line, 40, 4, config, folder=tmp_path)
    tables, _ = load_tables(tmp_path, config)
    assert all(torch.isfinite(tables[name].rows).all() for name in ("entities", "relations"))


def test_entities_that_never_occur_keep_a_finite_vector(line: np.ndarray) -> None:
    run = train(line, 1000, 4, small("transe"))
    assert run.embeddings.entities.shape == (1000, 8)
    assert torch.isfinite(run.embeddings.entities).all()


@pytest.mark.parametrize(
    ("triples", "message"),
    [
        (np.array([[0, 0, 1]]), "at least 2"),
        (np.zeros((0, 3), int), "at least 2"),
        (np.array([[0, 0], [1, 1]]), "shape"),
        (np.array([[0.0, 0.0, 1.0]] * 3), "integers"),
        (np.array([[0, 0, 1], [0, 0, 40]]), "a tail has the number 40, but they go from 0 to 39"),
        (np.array([[0, 0, 1], [0, 4, 1]]), "a relation has the number 4"),
        (np.array([[0, 0, 1], [-1, 0, 1]]), "a head has the number -1"),
    ],
)
def test_triples_that_cannot_be_trained_on_are_refused(triples: np.ndarray, message: str) -> None:
    with pytest.raises(InputError, match=message):
        train(triples, 40, 4, small())


def test_two_triples_are_enough() -> None:
    run = train(np.array([[0, 0, 1], [1, 0, 2]]), 3, 1, EmbedConfig())
    assert torch.isfinite(run.embeddings.entities).all()


def test_a_folder_with_a_run_is_not_overwritten(line: np.ndarray, tmp_path: Path) -> None:
    train(line, 40, 4, small(), folder=tmp_path)
    with pytest.raises(InputError, match="resume it"):
        train(line, 40, 4, small(), folder=tmp_path)


def test_resume_refuses_other_data_and_empty_folders(line: np.ndarray, tmp_path: Path) -> None:
    train(line, 40, 4, small(), folder=tmp_path / "run")
    with pytest.raises(InputError, match="other triples"):
        resume(tmp_path / "run", line[1:])
    with pytest.raises(InputError, match="no run to resume"):
        resume(tmp_path / "nothing", line)


def test_patience_without_held_out_triples_is_refused(line: np.ndarray) -> None:
    with pytest.raises(InputError, match="held_out"):
        train(line, 40, 4, small(patience=2))
    with pytest.raises(InputError, match="more than half"):
        train(line, 40, 4, small(patience=2, held_out=100))


def test_vectors_that_are_trained_further_know_old_and_new_triples(tmp_path: Path) -> None:
    """Further epochs on all triples begin where the run ended, and leave its folder as it is."""
    facts = np.array([(h, r, (h + 1 + r) % 30) for r in range(3) for h in range(30)])
    old, new = facts[:60], facts[60:]
    config = EmbedConfig(model="complex", dimension=16, epochs=40, negatives="all", loss="softmax", seed=1)
    first = train(old, 30, 3, config, folder=tmp_path / "run").embeddings
    before = (tmp_path / "run" / "vectors.safetensors").read_bytes()
    further = extend(tmp_path / "run", facts, 5)
    anew = train(facts, 30, 3, config.model_copy(update={"epochs": 5}))
    assert further.history[0].loss < anew.history[0].loss / 2
    assert evaluate(first, new, facts).both.mrr < 0.5 < 0.9 < evaluate(further.embeddings, facts, facts).both.mrr
    assert (tmp_path / "run" / "vectors.safetensors").read_bytes() == before
    again = extend(tmp_path / "run", facts, 5).embeddings
    assert torch.equal(again.entities, further.embeddings.entities)
    with pytest.raises(InputError, match="but they go from 0 to 29"):
        extend(tmp_path / "run", np.array([(0, 0, 30), (1, 0, 2)]), 1)


def test_a_run_of_several_partitions_cannot_be_extended(line: np.ndarray, tmp_path: Path) -> None:
    train(line, 40, 4, small(partitions=2, epochs=1), folder=tmp_path / "run")
    with pytest.raises(InputError, match="has its entities in several partitions"):
        extend(tmp_path / "run", line, 1)


def test_a_folder_with_a_run_is_refused_before_anything_is_tried(line: np.ndarray, tmp_path: Path) -> None:
    train(line, 40, 4, small(epochs=1), folder=tmp_path / "run")
    config, tried = small(epochs=20, regularization_choices=(0.1, 0.2)), list[float]()
    with pytest.raises(InputError, match="holds a run already; resume it, or choose another folder"):
        train(line, 40, 4, config, folder=tmp_path / "run", on_progress=lambda _, share: tried.append(share))
    assert not tried
