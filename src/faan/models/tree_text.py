"""LightGBM's text format of trees: parsed and checked, then written again for LightGBM.

LightGBM believes what it reads: a feature or a child out of range makes it read anywhere in memory, and a text that
does not fit its own table of sizes ends the process. So a text from disk is taken apart, every number is checked, and
LightGBM is given a new text that holds these numbers and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Numbers = Sequence[float]

_MAX_LEAVES = 131_072  # of one tree; LightGBM's own limit
_MAX_DEPTH = 1_000  # LightGBM calls itself once for each level
_MAX_COUNT = 2**31 - 1
_DECISIONS = (0, 2, 4, 6, 8, 10)  # smaller or larger, which side is taken for what is missing; 1 would be categories
_SPLITS: dict[str, Callable[[str], float]] = {  # what each inner node has
    "split_feature": int,
    "split_gain": float,
    "threshold": float,
    "decision_type": int,
    "left_child": int,
    "right_child": int,
    "internal_value": float,
    "internal_weight": float,
    "internal_count": int,
}
_LEAVES: dict[str, Callable[[str], float]] = {"leaf_value": float, "leaf_weight": float, "leaf_count": int}


def checked(text: str, columns: int) -> str:
    """The same trees in a text that LightGBM can be trusted with; ValueError where they are not whole and sound."""
    trees = [_written(number, tree) for number, tree in enumerate(parsed(text, columns))]
    return _header(columns) + "\n".join(trees) + "\nend of trees\n"


def parsed(text: str, columns: int) -> list[dict[str, Numbers]]:
    """The numbers of each tree, checked; a ValueError where they are not whole and sound."""
    body, end, _ = text.partition("\nend of trees")
    _require(bool(end), "the text is cut off")
    _require(columns > 0, "there is no evidence to look at")
    head, *blocks = body.split("\nTree=")
    header = _settings(head)
    found = int(header["max_feature_idx"]) + 1
    if found != columns:
        raise ValueError(f"they were trained on {found} columns of evidence, and there are {columns}")
    one_each = (header["num_class"], header["num_tree_per_iteration"]) == ("1", "1")
    _require(one_each, "it gives several scores")
    _require(len(blocks) == len(header["tree_sizes"].split()), "trees are missing")
    return [_checked_tree(_settings(block), columns) for block in blocks]


def _settings(block: str) -> dict[str, str]:
    """The lines NAME=VALUE."""
    return {name: value for name, _, value in (line.partition("=") for line in block.splitlines())}


def _checked_tree(block: dict[str, str], columns: int) -> dict[str, Numbers]:
    """The numbers of a tree, each in its range, and such that its nodes are one tree."""
    leaves = int(block["num_leaves"])
    _require(1 <= leaves <= _MAX_LEAVES, "a tree has no leaves or too many")
    _require(block["num_cat"] == "0" and block.get("is_linear", "0") == "0", "a tree is of another kind")
    tree = {"shrinkage": _numbers(block["shrinkage"], 1, float)}
    tree |= {name: _numbers(block[name], leaves - 1, kind) for name, kind in _SPLITS.items()}
    for name, kind in _LEAVES.items():
        is_left_out = leaves == 1 and not block[name]  # a tree of one leaf has no such line
        tree[name] = _numbers(block[name], 0 if is_left_out else leaves, kind)
    _require(len(tree["leaf_value"]) == leaves, "a leaf has no value")
    _require(all(0 <= column < columns for column in tree["split_feature"]), "a tree looks at no column of evidence")
    _require(all(decision in _DECISIONS for decision in tree["decision_type"]), "a tree is of another kind")
    counts = (*tree["internal_count"], *tree["leaf_count"])
    _require(all(0 <= count <= _MAX_COUNT for count in counts), "a count is out of range")
    _check_shape([int(child) for child in tree["left_child"]], [int(child) for child in tree["right_child"]])
    return tree


def _numbers(text: str, count: int, kind: Callable[[str], float]) -> Numbers:
    """So many numbers, all of them finite."""
    words = text.split(maxsplit=count)
    _require(len(words) == count, "a tree lacks numbers or has too many")
    numbers = [kind(word) for word in words]
    _require(all(map(math.isfinite, numbers)), "a number is not finite")
    return numbers


def _check_shape(left: Sequence[int], right: Sequence[int]) -> None:
    """Child c is inner node c, or leaf -c - 1 where it is negative; each but the root has one parent, before it."""
    inner = len(left)
    everyone = [*range(-inner - 1, 0), *range(1, inner)] if inner else []
    _require(sorted([*left, *right]) == everyone, "the nodes are not a tree")
    depth = [0] * inner
    for node, children in enumerate(zip(left, right, strict=True)):
        _require(depth[node] < _MAX_DEPTH, "a tree is too deep")
        for child in children:
            if child >= 0:
                _require(child > node, "the nodes are not a tree")
                depth[child] = depth[node] + 1


def _written(number: int, tree: dict[str, Numbers]) -> str:
    first = [f"Tree={number}", f"num_leaves={len(tree['leaf_value'])}", "num_cat=0", "is_linear=0"]
    lines = [f"{name}={' '.join(map(repr, numbers))}" for name, numbers in tree.items()]
    return "\n".join([*first, *lines, ""])


def _header(columns: int) -> str:
    lines = {
        "version": "v4",
        "num_class": 1,
        "num_tree_per_iteration": 1,
        "label_index": 0,
        "max_feature_idx": columns - 1,
        "objective": "lambdarank",
        "feature_names": " ".join(f"c{number}" for number in range(columns)),
        "feature_infos": " ".join(["none"] * columns),
    }
    return "".join(["tree\n", *(f"{name}={value}\n" for name, value in lines.items()), "\n"])


def _require(holds: bool, problem: str) -> None:
    if not holds:
        raise ValueError(problem)
