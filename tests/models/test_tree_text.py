"""Trees from disk: checked before LightGBM sees them, and then the same trees."""

from __future__ import annotations

import re

import lightgbm
import numpy as np
import pytest

from faan.models.tree_text import checked

COLUMNS = 6
RNG = np.random.default_rng(0)
ROWS = np.where(RNG.random((600, COLUMNS)) < 0.1, np.nan, RNG.normal(size=(600, COLUMNS)))
SETTINGS = {"objective": "lambdarank", "num_leaves": 7, "min_data_in_leaf": 5, "verbosity": -1, "num_threads": 1}


def trained(rows: np.ndarray = ROWS, rounds: int = 30) -> lightgbm.Booster:
    right = (np.nan_to_num(rows[:, 0]) + rows[:, -1] > 0.5).astype(int)
    return lightgbm.train(SETTINGS, lightgbm.Dataset(rows, right, group=[100] * 6), rounds)


TEXT = trained().model_to_string()


def test_lightgbm_makes_the_same_of_a_checked_text() -> None:
    before, after = lightgbm.Booster(model_str=TEXT), lightgbm.Booster(model_str=checked(TEXT, COLUMNS))
    assert after.num_trees() == before.num_trees() == 30
    assert np.array_equal(after.predict(ROWS), before.predict(ROWS))
    assert np.array_equal(after.predict(ROWS, pred_contrib=True), before.predict(ROWS, pred_contrib=True))
    assert checked(after.model_to_string(), COLUMNS) == checked(TEXT, COLUMNS)


def test_a_tree_that_is_one_leaf_is_a_tree() -> None:
    alone = trained(np.ones((600, COLUMNS)), rounds=1)
    again = lightgbm.Booster(model_str=checked(alone.model_to_string(), COLUMNS))
    assert np.array_equal(again.predict(ROWS), alone.predict(ROWS))


def changed(**lines: str) -> str:
    """The text with some lines of its fourth tree changed."""
    before, _, block = TEXT.partition("\nTree=3\n")
    for name, value in lines.items():
        block = re.sub(rf"^{name}=.*", f"{name}={value}", block, count=1, flags=re.MULTILINE)
    return f"{before}\nTree=3\n{block}"


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("split_feature", "0 0 0 0 0 6", "no column of evidence"),
        ("split_feature", "0 0 0 0 0 -1", "no column of evidence"),
        ("split_feature", "0 0 0 0 0", "lacks numbers"),
        ("split_feature", "0 0 0 0 0 0 0", "has too many"),
        ("split_feature", "0 0 0 0 0 x", "invalid literal"),
        ("left_child", "1 2 3 4 5 99", "not a tree"),
        ("left_child", "0 0 0 0 0 0", "not a tree"),
        ("left_child", "-1 -2 -3 -4 -5 -1000000", "not a tree"),
        ("decision_type", "1 2 2 2 2 2", "of another kind"),
        ("num_cat", "1", "of another kind"),
        ("is_linear", "1", "of another kind"),
        ("num_leaves", "0", "no leaves or too many"),
        ("num_leaves", "1000000000", "no leaves or too many"),
        ("num_leaves", "6", "has too many"),
        ("threshold", "nan 0 0 0 0 0", "not finite"),
        ("leaf_value", "1e999 0 0 0 0 0 0", "not finite"),
        ("leaf_count", "99999999999 1 1 1 1 1 1", "out of range"),
    ],
)
def test_what_lightgbm_would_stumble_over_is_refused(name: str, value: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        checked(changed(**{name: value}), COLUMNS)


def test_nodes_in_a_circle_are_no_tree() -> None:
    circle = changed(left_child="-1 2 1 -5 -6 -7", right_child="-2 -3 -4 4 5 3")  # 1 and 2 lead to each other
    with pytest.raises(ValueError, match="not a tree"):
        checked(circle, COLUMNS)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8])
def test_a_text_that_was_cut_is_refused(share: float) -> None:
    cut = TEXT[: int(len(TEXT[: TEXT.index("end of trees")]) * share)]
    with pytest.raises(ValueError, match="cut off"):
        checked(cut, COLUMNS)


def test_a_text_that_lacks_a_tree_is_refused() -> None:
    start, end = TEXT.index("\nTree=3\n"), TEXT.index("\nTree=4\n")
    with pytest.raises(ValueError, match="trees are missing"):
        checked(TEXT[:start] + TEXT[end:], COLUMNS)


def test_trees_too_deep_for_lightgbm_are_refused() -> None:
    inner = 5000
    zeros = " ".join(["0"] * inner)
    chain = {
        "left_child": " ".join(map(str, [*range(1, inner), -inner - 1])),
        "right_child": " ".join(map(str, range(-1, -inner - 1, -1))),
        "leaf_value": f"{zeros} 0",
        "leaf_weight": f"{zeros} 0",
        "leaf_count": f"{zeros} 0",
    }
    names = ("split_feature", "split_gain", "threshold", "decision_type", "internal_value", "internal_weight")
    chain |= dict.fromkeys((*names, "internal_count"), zeros) | {"num_cat": "0", "shrinkage": "1"}
    lines = [f"num_leaves={inner + 1}", *(f"{name}={value}" for name, value in chain.items())]
    head = TEXT.partition("\nTree=0\n")[0].partition("tree_sizes=")[0] + "tree_sizes=1\n"
    with pytest.raises(ValueError, match="too deep"):
        checked("\n".join([head, "Tree=0", *lines, "", "end of trees"]), COLUMNS)
