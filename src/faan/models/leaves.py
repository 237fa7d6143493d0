"""Which leaves of trees rows fall into, and the sum of their values: as LightGBM adds them up, several times as fast.

A row goes right at a node if its value is above the node's threshold, and then it is in none of the leaves on the left.
What is left after all nodes is told by a bit for each leaf: the row is in the first one (QuickScorer: Lucchese et al.,
SIGIR 2015). All rows of a block are compared with one node after the other, which processors do for many at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from faan.evidence import Values

_MOST = 32  # leaves of a tree: a bit each
_BLOCK = 512  # rows whose bits stay in the processor's cache
_PLAIN = (0, 2)  # decisions that compare a value with the threshold; others treat what is missing in some other way
_FACTOR = 0x077CB531  # a de Bruijn sequence: multiplied by a single bit, its first five bits tell which bit that is
_WHICH = np.empty(32, np.int64)
_WHICH[[((_FACTOR << bit) & 0xFFFFFFFF) >> 27 for bit in range(32)]] = np.arange(32)


@dataclass(frozen=True, eq=False)
class Leaves:
    """The nodes and leaves of trees, one tree after the other."""

    nodes: NDArray[np.int64]  # (trees + 1,) where the nodes of each tree begin
    columns: NDArray[np.int64]  # (nodes,) what each node looks at
    thresholds: NDArray[np.float32]  # (nodes,)
    kept: NDArray[np.uint32]  # (nodes,) the leaves that are left of a row that goes right
    values: NDArray[np.float64]  # (trees, most leaves) from left to right

    @classmethod
    def of(cls, trees: Sequence[Mapping[str, Sequence[float]]]) -> Leaves | None:
        """The same trees by bits; None if one is too large for that or treats missing values in its own way."""
        if any(len(tree["leaf_value"]) > _MOST or not set(tree["decision_type"]) <= set(_PLAIN) for tree in trees):
            return None
        nodes, kept, values = [0], [], np.zeros((len(trees), _MOST))
        for number, tree in enumerate(trees):
            order, left = _in_order(tree)
            nodes.append(nodes[-1] + len(left))
            kept += [0xFFFFFFFF ^ bits for bits in left]
            values[number, : len(order)] = [tree["leaf_value"][leaf] for leaf in order]
        columns = [int(column) for tree in trees for column in tree["split_feature"]]
        exact = np.array([value for tree in trees for value in tree["threshold"]], np.float64)
        return cls(np.array(nodes), np.array(columns, np.int64), _below(exact), np.array(kept, np.uint32), values)

    def sums(self, table: Values) -> NDArray[np.float64]:
        """The sum of the values of each row's leaves, (C, F) to (C,); what is not a number counts as 0."""
        sums = np.zeros(len(table))
        by_column = np.asfortranarray(table, np.float32).T
        _add(by_column, self.nodes, self.columns, self.thresholds, self.kept, self.values, _WHICH, sums)
        return sums


def _in_order(tree: Mapping[str, Sequence[float]]) -> tuple[list[int], list[int]]:
    """The leaves of a tree from left to right, and for each node bits for the leaves to its left."""
    sides = tree["left_child"], tree["right_child"]
    order: list[int] = []
    left = [0] * len(sides[0])
    todo: list[tuple[int, bool]] = [(0 if left else -1, False)]
    while todo:
        child, is_back = todo.pop()
        if child < 0:
            order.append(-child - 1)
        elif is_back:  # all on its left have been seen; what was there before is in the bits already
            left[child] = ((1 << len(order)) - 1) & ~left[child]
        else:
            left[child] = (1 << len(order)) - 1
            todo += [(int(sides[1][child]), False), (child, True), (int(sides[0][child]), False)]
    return order, left


def _below(thresholds: NDArray[np.float64]) -> NDArray[np.float32]:
    """The largest number of 32 bits that is not above each threshold: the same numbers of 32 bits are above it."""
    with np.errstate(over="ignore"):
        found = thresholds.astype(np.float32)
    return np.where(found > thresholds, np.nextafter(found, np.float32(-np.inf)), found)


@njit(nogil=True, cache=True)
def _add(
    table: np.ndarray,
    nodes: np.ndarray,
    columns: np.ndarray,
    thresholds: np.ndarray,
    kept: np.ndarray,
    values: np.ndarray,
    which: np.ndarray,
    sums: np.ndarray,
) -> None:
    bits = np.empty(_BLOCK, np.uint32)
    for start in range(0, len(sums), _BLOCK):
        size = min(_BLOCK, len(sums) - start)
        for tree in range(len(nodes) - 1):
            for i in range(size):
                bits[i] = np.uint32(0xFFFFFFFF)
            for node in range(nodes[tree], nodes[tree + 1]):
                column, threshold, others = table[columns[node], start : start + size], thresholds[node], kept[node]
                for i in range(size):
                    value = column[i] if column[i] == column[i] else np.float32(0)  # so LightGBM reads what is missing
                    bits[i] &= others if value > threshold else np.uint32(0xFFFFFFFF)
            own = values[tree]
            for i in range(size):
                first = bits[i] & (~bits[i] + np.uint32(1))
                sums[start + i] += own[which[np.uint32(first * np.uint32(_FACTOR)) >> np.uint32(27)]]
