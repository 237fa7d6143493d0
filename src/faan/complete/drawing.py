"""A small graph of evidence, and its picture."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal

from faan.base import InputError, shorten

_WIDTH, _ROW, _TOP, _MIDDLE = 960, 74, 40, 0.5
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


def layout(drawing: EvidenceGraph) -> dict[str, tuple[float, float]]:
    """Where each node is drawn: head left, tail right, paths between them, facts outside, examples below."""
    placed: dict[str, tuple[float, float]] = {}
    beside = {
        role: [n.id for n in drawing.nodes if n.role == role] for role in ("path", "neighbour", "example")
    }  # what stands in each column
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
        for i, name in enumerate(column):  # the middle itself is left to the arrow from head to tail
            placed[name] = (x * _WIDTH, middle + (i - offset) * _ROW)
    for node in drawing.nodes:
        if node.role in ("head", "tail"):
            placed[node.id] = ((0.30 if node.role == "head" else 0.70) * _WIDTH, middle)
    below = _TOP + rows * _ROW
    for i, name in enumerate(beside["example"]):
        placed[name] = (_WIDTH * (0.30 if i % 2 == 0 else 0.70), below + (i // 2) * _ROW * 0.75)
    return placed


def to_svg(drawing: EvidenceGraph) -> str:
    """A picture for a page or a document; names cannot break out of it."""
    places = layout(drawing)
    height = max(y for _, y in places.values()) + _TOP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height:.0f}" '
        f'font-family="sans-serif" font-size="12">',
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0L8 4L0 8z" fill="#57606a"/></marker></defs>',
        f'<rect width="{_WIDTH}" height="{height:.0f}" fill="#ffffff"/>',
    ]
    parts += [_svg_edge(edge, places) for edge in drawing.edges]
    parts += [_svg_node(node, *places[node.id]) for node in drawing.nodes]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _svg_edge(edge: Edge, places: dict[str, tuple[float, float]]) -> str:
    (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
    length = max(math.hypot(x2 - x1, y2 - y1), 1)
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    colour, dashes = _STROKES[edge.kind]
    width = 1 + 2.5 * min(max(edge.weight, 0), 1)
    line = (
        f'<line x1="{x1 + 12 * dx:.1f}" y1="{y1 + 12 * dy:.1f}" x2="{x2 - 14 * dx:.1f}" y2="{y2 - 14 * dy:.1f}" '
        f'stroke="{colour}" stroke-width="{width:.1f}" stroke-dasharray="{dashes}" marker-end="url(#arrow)"/>'
    )
    if not edge.label:
        return line
    text = _text(edge.label, 32)
    place = f'x="{(x1 + x2) / 2:.1f}" y="{(y1 + y2) / 2 - 5:.1f}"'
    halo = 'paint-order="stroke" stroke="#ffffff" stroke-width="3"'
    return f'{line}\n<text {place} text-anchor="middle" fill="{colour}" font-size="11" {halo}>{text}</text>'


def _svg_node(node: Node, x: float, y: float) -> str:
    bold = ' font-weight="bold"' if node.role in ("head", "tail") else ""
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="{_COLOURS[node.role]}"/>'
        f'<text x="{x:.1f}" y="{y + 24:.1f}" text-anchor="middle"{bold} paint-order="stroke" stroke="#ffffff" '
        f'stroke-width="3" fill="#1f2328">{_text(node.label, 34)}</text>'
    )


def _write_png(drawing: EvidenceGraph, path: Path) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("PNG needs matplotlib (pip install 'faan[plots]'); an .svg needs nothing") from None
    places = layout(drawing)
    height = max(y for _, y in places.values()) + _TOP
    figure = Figure(figsize=(_WIDTH / 80, height / 80))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, _WIDTH), ylim=(height, 0))
    axes.axis("off")
    for edge in drawing.edges:
        (x1, y1), (x2, y2) = places[edge.source], places[edge.target]
        colour, dashes = _STROKES[edge.kind]
        style = {
            "arrowstyle": "-|>",
            "color": colour,
            "lw": 1 + 2 * min(max(edge.weight, 0), 1),
            "shrinkA": 8,
            "shrinkB": 8,
        }
        axes.annotate("", (x2, y2), (x1, y1), arrowprops=style | {"linestyle": "--" if dashes else "-"})
        if edge.label:
            name = shorten(edge.label, 32).replace("$", r"\$")
            axes.text((x1 + x2) / 2, (y1 + y2) / 2 - 5, name, color=colour, fontsize=7, ha="center")
    for node in drawing.nodes:
        x, y = places[node.id]
        axes.plot(x, y, "o", color=_COLOURS[node.role], markersize=9)
        axes.text(x, y + 24, shorten(node.label, 34).replace("$", r"\$"), fontsize=8, ha="center")
    figure.savefig(path, dpi=120)


def _text(label: str, length: int) -> str:
    """A label for XML, which knows no control characters."""
    return escape(_FORBIDDEN.sub("\ufffd", shorten(label, length)))
