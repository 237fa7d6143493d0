from __future__ import annotations

import inspect
import re

import pytest
from pydantic import ValidationError

from faan.base import InputError, config_names
from faan.embed import EmbedConfig
from faan.embed import config as config_module

from .conftest import MODELS


@pytest.mark.parametrize("name", [name for name in config_names() if name.startswith("embed-")])
def test_a_shipped_configuration_holds_what_differs_from_the_defaults(name: str) -> None:
    config, default = EmbedConfig.from_toml(name), EmbedConfig()
    same = [setting for setting in config.model_fields_set if getattr(config, setting) == getattr(default, setting)]
    assert set(same) <= {"model"}


@pytest.mark.parametrize("model", MODELS)
def test_settings_for_link_prediction_are_those_of_a_file(model: str) -> None:
    config = EmbedConfig.for_completion(model, has_valid=False)  # type: ignore[arg-type]
    assert (config.model, config.inverse_relations, config.patience) == (model, True, 0)
    watched = EmbedConfig.for_completion(model, has_valid=True)  # type: ignore[arg-type]
    assert watched == config.model_copy(update={"patience": 3})


def test_a_small_graph_has_every_entity_as_a_negative_and_a_large_one_fewer_epochs() -> None:
    config = EmbedConfig(negatives=100, epochs=60, budget=10_000)
    assert config.for_graph(200, 100).negatives == "all"
    assert config.for_graph(200, 101).negatives == 100
    assert [config.for_graph(facts, 1000).epochs for facts in (100, 500, 10_000)] == [60, 20, 5]


def test_recommended_settings_can_be_changed() -> None:
    assert EmbedConfig.recommended("complex", epochs=3).epochs == 3


def test_every_setting_is_explained_where_it_is_defined() -> None:
    source = inspect.getsource(config_module)
    for name in EmbedConfig.model_fields:
        assert re.search(rf'^    {name}: .*\n    """\S', source, re.MULTILINE), name


def test_settings_cannot_change_after_they_were_checked() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        EmbedConfig().epochs = 5  # type: ignore[misc]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"batch_size": 100}, "multiple of 2"),
        ({"negatives": 0}, "at least 1"),
        ({"negatives": "some"}, "all"),
        ({"whole_questions": True, "loss": "logistic"}, "needs the softmax loss"),
        ({"loss": "margin"}, "margin above 0"),
        ({"loss": "softmax", "adversarial_temperature": 1.0}, "leave adversarial_temperature at 0"),
        ({"learning_rate": -1.0}, "greater than 0"),
        ({"dimension": "100"}, "valid integer"),
        ({"epoch": 3}, "not permitted"),
        ({"model": "TransD"}, "transe"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        EmbedConfig.model_validate(settings)


def test_the_settings_of_a_few_shot_method_are_told_apart() -> None:
    with pytest.raises(InputError, match=r"faan: these are the settings of a few-shot method.*`faan train`"):
        EmbedConfig.from_toml("faan")
