from __future__ import annotations

from pathlib import Path

import pytest
import torch

from faan.base import InputError
from faan.embed import Embeddings, export_tsv, joined

from .conftest import MODELS, small


@pytest.mark.parametrize("model", MODELS)
def test_saving_and_loading_changes_nothing(model: str, tmp_path: Path) -> None:
    first = Embeddings.first(9, 3, small(model, inverse_relations=True))
    first.save(tmp_path)
    loaded = Embeddings.load(tmp_path)
    assert loaded.config == first.config
    assert torch.equal(loaded.entities, first.entities)
    assert torch.equal(loaded.relations, first.relations)
    assert {path.name for path in tmp_path.iterdir()} == {"config.json", "vectors.safetensors"}


def test_a_folder_without_embeddings_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config\.json is missing"):
        Embeddings.load(tmp_path)


def test_exported_text_reads_back(tmp_path: Path) -> None:
    vectors = torch.randn(3, 4)
    export_tsv(tmp_path / "vectors.tsv", ["Peru", "New York", "東京"], vectors)
    lines = [line.split("\t") for line in (tmp_path / "vectors.tsv").read_text(encoding="utf-8").splitlines()]
    assert [line[0] for line in lines] == ["Peru", "New York", "東京"]
    torch.testing.assert_close(
        torch.tensor([[float(x) for x in line[1:]] for line in lines]), vectors, rtol=1e-5, atol=0
    )


def test_export_refuses_names_that_would_break_the_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tab"):
        export_tsv(tmp_path / "v.tsv", ["a", "a\tb"], torch.zeros(2, 2))
    assert not list(tmp_path.iterdir())
    with pytest.raises(InputError, match="2 names for 1 vectors"):
        export_tsv(tmp_path / "v.tsv", ["a", "b"], torch.zeros(1, 2))


@pytest.mark.parametrize("model", ["complex", "distmult", "simple"])
def test_joined_vectors_have_the_mean_of_the_scores(model: str) -> None:
    settings = ({"dimension": 3, "seed": 0}, {"dimension": 5, "seed": 1})
    several = [Embeddings.first(7, 4, small(model, inverse_relations=True, **one)) for one in settings]
    heads, relations = torch.tensor([0, 3, 6]), torch.tensor([1, 5, 7])
    mean = torch.stack([one.score_tails(heads, relations) for one in several]).mean(0)
    torch.testing.assert_close(joined(several).score_tails(heads, relations), mean)


def test_distances_cannot_be_joined() -> None:
    several = [Embeddings.first(7, 4, small("transe", seed=seed)) for seed in (0, 1)]
    with pytest.raises(ValueError, match="whose score is a product"):
        joined(several)


@pytest.mark.parametrize("number", [1e30, -1e30, float("inf"), float("nan")])
def test_vectors_out_of_range_are_refused(number: float, tmp_path: Path) -> None:
    vectors = Embeddings.first(4, 2, small("transe"))
    vectors.entities[2, 1] = number
    vectors.save(tmp_path)
    with pytest.raises(InputError, match="entities hold a number that is not finite, or larger than 1e"):
        Embeddings.load(tmp_path)
