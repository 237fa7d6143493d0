"""Where the labels of edges go in a drawing: on their edge, beside every box and every other label."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_ALONG = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82)  # places on an edge, best first
_BESIDE = 2.0  # the least distance between a label and its neighbours


@dataclass(frozen=True)
class Box:
    """A rectangle around its middle."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Box) -> bool:
        """Whether two rectangles have a point in common, or nearly."""
        return (
            abs(self.x - other.x) < (self.width + other.width) / 2 + _BESIDE
            and abs(self.y - other.y) < (self.height + other.height) / 2 + _BESIDE
        )


@dataclass(frozen=True)
class Label:
    """A text that belongs to the line between two points."""

    start: tuple[float, float]
    end: tuple[float, float]
    width: float
    height: float


def place_captions(boxes: Sequence[Box], labels: Sequence[Label]) -> list[Box | None]:
    """A free place for each label on its line; None without a free place."""
    taken, placed = list(boxes), []
    for label in labels:
        (x1, y1), (x2, y2) = label.start, label.end
        along = (Box(x1 + t * (x2 - x1), y1 + t * (y2 - y1), label.width, label.height) for t in _ALONG)
        found = next((box for box in along if not any(box.overlaps(other) for other in taken)), None)
        placed.append(found)
        if found is not None:
            taken.append(found)
    return placed


def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a text is at most in a common sans-serif type; letters of East Asia are as wide as high."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return size * ((0.72 if bold else 0.65) * (len(text) - wide) + 1.05 * wide)
