"""A small graph of evidence, and its picture."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal

from faan.base import InputError, shorten
from faan.complete.captions import Box, Label, place_captions, width_of

_WIDTH, _ROW, _TOP, _MIDDLE = 960, 74, 40, 0.5
_STRETCHES = (1.0, 1.15, 1.3, 1.5, 1.75, 2.0)  # factors of the width, tried until every label has a place
_RADIUS, _NAME, _CAPTION = 9, 12, 11  # of an entity, of its label's letters, of an edge's label's letters
_LONGEST = 32  # letters of a label
_FORBIDDEN = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML 1.0 cannot hold
_COLOURS = {"head": "#1f6feb", "tail": "#1a7f37", "path": "#9a6700", "neighbour": "#57606a", "example": "#8250df"}
_STROKES = {
    "suggested": ("#cf222e", "6 4"),
    "example": ("#8250df", ""),
    "path": ("#9a6700", ""),
    "neighbour": ("#8c959f", ""),
    "resembles": ("#8250df", "2 4"),
}


@dataclass(frozen=True)
class Node:
    """An entity in the drawing."""

    id: str
    label: str
    role: Literal["head", "tail", "neighbour", "path", "example"]


@dataclass(frozen=True)
class Edge:
    """An arrow in the drawing; `suggested` is the fact in question, `example` a known one of the same relation."""

    source: str
    target: str
    label: str
    kind: Literal["suggested", "example", "path", "neighbour", "resembles"]
    weight: float


@dataclass(frozen=True)
class EvidenceGraph:
    """What speaks for a suggestion, to be drawn."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def write_drawing(drawing: EvidenceGraph, path: Path) -> None:
    """Write a picture: SVG, or PNG where matplotlib is installed."""
    if path.suffix.lower() == ".svg":
        path.write_text(to_svg(drawing), encoding="utf-8")
    elif path.suffix.lower() == ".png":
        _write_png(drawing, path)
    else:
        raise InputError("expected a file name that ends in .svg or .png", source=str(path))


@dataclass(frozen=True)
class _Arranged:
    """A drawing with places for everything: (x, y) of each node, and of each edge's label, None where there is none."""

    width: float
    height: float
    places: dict[str, tuple[float, float]]
    captions: list[Box | None]


def _arrange(drawing: EvidenceGraph) -> _Arranged:
    """Places for entities and labels, as narrow as possible: no label of an edge lies under anything else."""
    best, most = None, -1
    for stretch in _STRETCHES:
        width = _WIDTH * stretch
        places = layout(drawing, width)
        boxes = [box for node in drawing.nodes for box in _boxes(node, *places[node.id])]
        captions = place_captions(boxes, [_label(edge, places) for edge in drawing.edges])
        free = sum(caption is not None for caption in captions)
        if free > most:
            height = max(y for _, y in places.values()) + _TOP
            best, most = _Arranged(width, height, places, captions), free
        if free == len(captions):
            break
    assert best is not None
    return best


def _boxes(node: Node, x: float, y: float) -> tuple[Box, Box]:
    """What an entity covers: its circle, and its label below."""
    width = width_of(shorten(node.label, _LONGEST), _NAME, bold=node.role in ("head", "tail"))
    return Box(x, y, 2 * _RADIUS, 2 * _RADIUS), Box(x, y + 20, width, _NAME + 2)


def _ends(edge: Edge, places: dict[str, tuple[float, float]]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Where the arrow of an edge begins and ends: beside the circles."""
    (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
    length = max(math.hypot(x2 - x1, y2 - y1), 1)
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    return (x1 + 12 * dx, y1 + 12 * dy), (x2 - 14 * dx, y2 - 14 * dy)


def _label(edge: Edge, places: dict[str, tuple[float, float]]) -> Label:
    width = width_of(shorten(edge.label, _LONGEST), _CAPTION)
    return Label(*_ends(edge, places), width, _CAPTION + 2 if edge.label else 0)


def layout(drawing: EvidenceGraph, width: float) -> dict[str, tuple[float, float]]:
    """Where each node is drawn: head left, tail right, paths between them, facts outside, examples below."""
    placed: dict[str, tuple[float, float]] = {}
    beside = {role: [n.id for n in drawing.nodes if n.role == role] for role in ("path", "neighbour", "example")}
    tail = next(node.id for node in drawing.nodes if node.role == "tail")
    of_tail = [n for n in beside["neighbour"] if any({n, tail} == {e.source, e.target} for e in drawing.edges)]
    columns = {
        0.10: [n for n in beside["neighbour"] if n not in of_tail],
        _MIDDLE: beside["path"],
        0.90: of_tail,
    }
    rows = max(3, *(len(column) + 1 for column in columns.values()))
    middle = _TOP + (rows - 1) * _ROW / 2
    for x, column in columns.items():
        offset = len(column) / 2 if x == _MIDDLE and len(column) % 2 else (len(column) - 1) / 2
        for i, name in enumerate(column):  # the middle stays free for the arrow from head to tail
            placed[name] = (x * width, middle + (i - offset) * _ROW)
    for node in drawing.nodes:
        if node.role in ("head", "tail"):
            placed[node.id] = ((0.30 if node.role == "head" else 0.70) * width, middle)
    below = _TOP + rows * _ROW
    for i, name in enumerate(beside["example"]):
        placed[name] = (width * (0.30 if i % 2 == 0 else 0.70), below + (i // 2) * _ROW * 0.75)
    return placed


def to_svg(drawing: EvidenceGraph) -> str:
    """A picture for a page or a document; names cannot break out of it."""
    arranged = _arrange(drawing)
    width, height = arranged.width, arranged.height
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'font-family="sans-serif" font-size="12">',
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#57606a"/></marker></defs>',
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
    ]
    parts += [_svg_edge(edge, arranged.places) for edge in drawing.edges]
    parts += [_svg_node(node, *arranged.places[node.id]) for node in drawing.nodes]
    parts += [_svg_caption(*pair) for pair in zip(drawing.edges, arranged.captions, strict=True)]
    return "\n".join([*filter(None, parts), "</svg>"]) + "\n"


def _svg_edge(edge: Edge, places: dict[str, tuple[float, float]]) -> str:
    (x1, y1), (x2, y2) = _ends(edge, places)
    colour, dashes = _STROKES[edge.kind]
    width = 1 + 2.5 * min(max(edge.weight, 0), 1)
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        f'stroke="{colour}" stroke-width="{width:.1f}" stroke-dasharray="{dashes}" marker-end="url(#arrow)"/>'
    )


def _svg_caption(edge: Edge, place: Box | None) -> str:
    """The label of an edge; omitted without a free place, because the text beside the drawing has it."""
    if place is None or not edge.label:
        return ""
    return (
        f'<text class="caption" x="{place.x:.1f}" y="{place.y + 4:.1f}" text-anchor="middle" font-size="{_CAPTION}" '
        f'fill="{_STROKES[edge.kind][0]}" paint-order="stroke" stroke="#ffffff" stroke-width="3">'
        f"{_text(edge.label)}</text>"
    )


def _svg_node(node: Node, x: float, y: float) -> str:
    bold = ' font-weight="bold"' if node.role in ("head", "tail") else ""
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_RADIUS}" fill="{_COLOURS[node.role]}"/>'
        f'<text x="{x:.1f}" y="{y + 24:.1f}" text-anchor="middle"{bold} paint-order="stroke" stroke="#ffffff" '
        f'stroke-width="3" fill="#1f2328">{_text(node.label)}</text>'
    )


def _write_png(drawing: EvidenceGraph, path: Path) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("PNG needs matplotlib (pip install 'faan[plots]'); .svg works without it") from None
    arranged = _arrange(drawing)
    places, width, height = arranged.places, arranged.width, arranged.height
    figure = Figure(figsize=(width / 80, height / 80))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, 0))
    axes.axis("off")
    for edge, caption in zip(drawing.edges, arranged.captions, strict=True):
        (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
        colour, dashes = _STROKES[edge.kind]
        stroke, line = 1 + 2 * min(max(edge.weight, 0), 1), "--" if dashes else "-"
        style = {"arrowstyle": "-|>", "color": colour, "lw": stroke, "linestyle": line, "shrinkA": 8, "shrinkB": 8}
        axes.annotate("", (x2, y2), (x1, y1), arrowprops=style)
        if edge.label and caption is not None:
            name = shorten(edge.label, _LONGEST).replace("$", r"\$")
            axes.text(caption.x, caption.y, name, color=colour, fontsize=7, ha="center", va="center")
    for node in drawing.nodes:
        x, y = places[node.id]
        axes.plot(x, y, "o", color=_COLOURS[node.role], markersize=9)
        axes.text(x, y + 24, shorten(node.label, _LONGEST).replace("$", r"\$"), fontsize=8, ha="center")
    figure.savefig(path, dpi=120)


def _text(label: str) -> str:
    """A label for XML, which knows no control characters."""
    return escape(_FORBIDDEN.sub("\ufffd", shorten(label, _LONGEST)))
