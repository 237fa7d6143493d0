"""Draw what a model's probabilities are worth: python tools/plot_reliability.py MODEL FILE."""

from __future__ import annotations

import sys
from pathlib import Path

from matplotlib.figure import Figure

from faan.complete import About, calibration_error, read_about


def main(model: str, picture: str) -> None:
    """Read a model's own account of itself and draw it."""
    about = read_about(Path(model))
    if about.measured is None or not about.measured.reliability:
        sys.exit(f"{model}: nothing was measured")
    draw(about).savefig(picture, metadata={"Date": None} if picture.endswith(".svg") else None)


def draw(about: About) -> Figure:
    """Probabilities against the share that was right; the area of a dot says how many candidates it stands for."""
    assert about.measured is not None
    bins = about.measured.reliability
    most = max(one.count for one in bins)
    figure = Figure(figsize=(5, 4.2), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([0, 1], [0, 1], color="#8c959f", linestyle="--", linewidth=1)
    axes.plot([one.said for one in bins], [one.true for one in bins], color="#1f6feb", linewidth=1)
    sizes = [20 + 300 * (one.count / most) ** 0.5 for one in bins]
    axes.scatter([one.said for one in bins], [one.true for one in bins], s=sizes, color="#1f6feb", alpha=0.7)
    axes.set(xlim=(0, 1), ylim=(0, 1), xlabel="probability that was said", ylabel="share that was right")
    axes.set_title(
        f"{about.method} on {about.source.name}: {len(about.measured.relations)} relations,\n"
        f"on average off by {calibration_error(bins):.1%}",
        fontsize=10,
    )
    return figure


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
