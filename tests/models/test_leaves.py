"""Sums of leaves against LightGBM's own, bit for bit."""

from __future__ import annotations

import lightgbm
import numpy as np
import pytest
from numpy.typing import NDArray

from faan.evidence import CATALOGUE, Values, column_evidence
from faan.models.leaves import Leaves
from faan.models.tree_text import parsed
from faan.models.trees import Trees

COLUMNS = 9


def booster(leaves: int, trees: int = 20, columns: int = COLUMNS, **settings: object) -> lightgbm.Booster:
    rng = np.random.default_rng(leaves)
    table = table_of(2000, columns, seed=1)
    wanted = table @ rng.normal(size=columns) + np.sin(5 * table[:, 0])
    everything = {"objective": "regression", "num_leaves": leaves, "verbosity": -1, "num_threads": 1} | settings
    return lightgbm.train(everything, lightgbm.Dataset(table, wanted), trees)


def table_of(rows: int, columns: int = COLUMNS, seed: int = 0) -> Values:
    """Values as evidence has them: many zeros, many equals."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(rows, columns)).astype(np.float32)
    table[:, ::3] = np.where(table[:, ::3] > 0.5, np.round(table[:, ::3]), 0)
    return table


def leaves_of(trained: lightgbm.Booster) -> Leaves | None:
    return Leaves.of(parsed(trained.model_to_string(), COLUMNS))


@pytest.mark.parametrize("leaves", [2, 7, 31, 32])
@pytest.mark.parametrize("rows", [0, 1, 511, 512, 3000])
def test_sums_are_those_of_lightgbm_bit_for_bit(leaves: int, rows: int) -> None:
    trained, table = booster(leaves), table_of(rows, seed=2)
    found = leaves_of(trained)
    assert found is not None
    expected = trained.predict(table) if rows else np.zeros(0)
    assert np.array_equal(found.sums(table), expected)
    assert np.array_equal(found.sums(np.asfortranarray(table)), expected)


def test_values_at_a_threshold_fall_on_the_side_that_lightgbm_says() -> None:
    trained = booster(7, extra_trees=True)
    found = leaves_of(trained)
    assert found is not None
    near: list[NDArray[np.float32]] = [found.thresholds]
    near += [np.nextafter(found.thresholds, np.float32(to)) for to in (-np.inf, np.inf)]
    values = np.concatenate([*near, np.array([np.nan, np.inf, -np.inf, 0.0, -0.0], np.float32)])
    table = np.repeat(values[:, None], COLUMNS, axis=1)
    assert np.array_equal(found.sums(table), trained.predict(table))


def test_trees_of_one_leaf_give_every_row_its_value() -> None:
    trained = booster(7, trees=3, min_data_in_leaf=5000)
    found, table = leaves_of(trained), table_of(10)
    assert found is not None
    assert np.array_equal(found.sums(table), trained.predict(table))


def test_large_trees_and_those_that_miss_values_are_left_to_lightgbm() -> None:
    assert leaves_of(booster(33, trees=2, min_data_in_leaf=1)) is None
    assert leaves_of(booster(7, zero_as_missing=True)) is None


@pytest.mark.parametrize("leaves", [7, 40])
def test_what_is_added_to_trees_counts_beside_them(leaves: int) -> None:
    columns = len(column_evidence(CATALOGUE))
    trained, table, name = booster(leaves, columns=columns), table_of(50, columns), CATALOGUE[3].name
    scores = Trees(trained, CATALOGUE).adding(name, 0.5, 2.0).score(table)
    assert np.array_equal(scores, trained.predict(table) + (table[:, 3].astype(np.float64) - 2.0) * 0.5)
