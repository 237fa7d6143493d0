"""Draw how dev MRR went while a model was trained: python tools/plot_training.py METRICS FILE.

METRICS is the file `metrics.jsonl` of a run, or the evaluations that were kept of one.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from matplotlib.figure import Figure


def main(metrics: str, picture: str) -> None:
    """Read the evaluations of a run and draw them."""
    lines = [json.loads(line) for line in Path(metrics).read_text(encoding="utf-8").splitlines()]
    points = [(line["step"], line["dev"]["mrr"]) for line in lines if "dev" in line]
    if not points:
        sys.exit(f"{metrics}: nothing was evaluated")
    draw(points).savefig(picture, metadata={"Date": None} if picture.endswith(".svg") else None)


def draw(points: list[tuple[int, float]]) -> Figure:
    """MRR on dev over the steps."""
    figure = Figure(figsize=(6, 3.2), layout="constrained")
    axes = figure.add_subplot()
    axes.plot(*zip(*points, strict=True), color="#1f6feb", marker="o", markersize=4, linewidth=1)
    axes.set(xlabel="steps", ylabel="dev MRR", ylim=(0, None))
    axes.grid(color="#dddddd", linewidth=0.6)
    return figure


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
