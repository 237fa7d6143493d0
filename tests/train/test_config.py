from __future__ import annotations

from pathlib import Path

import pytest
import typer
from pydantic import ValidationError

from faan.base import InputError
from faan.cli.options import with_changes
from faan.models import EvidenceConfig, KnownConfig
from faan.models.faan import FaanConfig
from faan.train import RunConfig, TrainConfig

from .conftest import SETTINGS, settings


@pytest.mark.parametrize("kind", [RunConfig, TrainConfig, FaanConfig, EvidenceConfig, KnownConfig])
def test_every_setting_is_explained_where_it_is_defined(kind: type[RunConfig]) -> None:
    for name, field in kind.model_fields.items():
        assert field.description, name


def test_a_file_has_tables_for_model_embeddings_and_training(tmp_path: Path) -> None:
    path = tmp_path / "run.toml"
    path.write_text(
        'seed = 7\n[model]\nmethod = "faan"\nmargin = 2\n[embed]\ndimension = 8\n'
        "[train]\nshots = [1, 5]\n[result]\ntest_mrr = 0.3\n"
    )
    config = RunConfig.from_toml(path)
    assert isinstance(config.model, FaanConfig)
    assert (config.model.margin, config.embed.dimension, config.train.shots, config.seed) == (2.0, 8, (1, 5), 7)
    assert RunConfig.model_validate_json(config.model_dump_json()) == config
    path.write_text('[model]\nmethod = "magic"\n')
    with pytest.raises(InputError, match=r"model: expected a method, one of embedding, .*, found 'magic'"):
        RunConfig.from_toml(path)


def test_a_run_has_one_seed() -> None:
    config = RunConfig.model_validate(SETTINGS | {"seed": 9, "embed": {"seed": 4}})
    assert (config.seed, config.embed.seed) == (9, 9)
    assert with_changes(config, ["seed=5"]).embed.seed == 5


def test_single_settings_are_changed_by_their_dotted_names() -> None:
    changes = ["model.dropout=.5", "model.margin=3", "train.shots=[2, 3]", "train.patience=4", "variant=A1"]
    config = with_changes(settings(), changes)
    assert isinstance(config.model, FaanConfig)
    assert (config.model.dropout, config.model.margin) == (0.5, 3.0)
    assert (config.train.shots, config.train.patience, config.variant) == ((2, 3), 4, "A1")
    assert config.train.steps == settings().train.steps


@pytest.mark.parametrize("change", ["train.speed=3", "speed=3", "model.speed.fast=1", "seed.x=1", "train.steps", "=1"])
def test_a_change_of_what_does_not_exist_is_refused(change: str) -> None:
    with pytest.raises(typer.BadParameter, match="expected NAME=VALUE with one of"):
        with_changes(settings(), [change])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"steps": 10, "warmup_steps": 10}, r"fewer than steps .10.: lower it too, say by --set train.warmup_steps=1"),
        ({"shots": [5, 1]}, "must rise"),
        ({"shots": [0, 1]}, "greater than or equal to 1"),
        ({"shots": 0}, "greater than or equal to 1"),
        ({"shots": "5"}, "valid integer"),
        ({"average": 1.0}, "less than 1"),
        ({"learning_rate": 0.0}, "greater than 0"),
        ({"schedule": "cosine"}, "linear"),
        ({"step": 3}, "not permitted"),
    ],
)
def test_settings_that_make_no_sense_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        TrainConfig.model_validate(given)


def test_a_variant_that_the_method_knows_makes_its_changes() -> None:
    config = RunConfig.model_validate(SETTINGS | {"variant": "C1"})
    assert isinstance(config.model, FaanConfig)
    assert config.model.matching == "mean"
    assert RunConfig.model_validate_json(config.model_dump_json()) == config
    assert RunConfig.model_validate(SETTINGS | {"variant": "mine"}).model == settings().model


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"variant": "c1"}, "FAAN has no variant 'c1'; expected A1, A2"),
        ({"variant": "C1", "model": {"method": "faan", "matching": "lstm"}}, "variant C1 changes model.matching"),
        ({"variant": "A1", "model": {"method": "metar"}}, "MetaR has no variant 'A1'; expected none"),
    ],
)
def test_a_variant_is_never_only_a_name(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        RunConfig.model_validate(SETTINGS | changes)
