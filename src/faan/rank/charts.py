"""Tables as files, with their figures as PNG and SVG: the same bytes each time with the same matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faan.base import InputError, shorten, write_text
from faan.rank.result_file import slug_of
from faan.rank.table import Chart, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "faan",  # else the names inside an SVG file are random
    "text.parse_math": False,  # a $ in a name is a $
    **{"axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True},
    **{"font.size": 9, "grid.color": "#dddddd", "grid.linewidth": 0.6},
}
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")  # Okabe and Ito, for all eyes
_MARKERS = "osD^vP*"


def write_tables(tables: Sequence[Table], dataset: str, folder: Path) -> list[Path]:
    """Write each table as DATASET-TABLE.md, .csv and, if there is something to draw, .png and .svg."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for table in tables:
        name = f"{slug_of(dataset)}-{table.name}"
        paths.append(write_text(folder / f"{name}.md", table.as_markdown()))
        paths.append(write_text(folder / f"{name}.csv", table.as_csv()))
        paths += write_figure(table.figure, folder / name) if table.figure else []
    return paths


def write_figure(chart: Chart, stem: Path, formats: tuple[str, ...] = ("png", "svg")) -> list[Path]:
    """Draw a chart into files that have this name and the ending of each format."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("figures need matplotlib: pip install 'faan[plots]'") from None
    paths = [stem.with_name(f"{stem.name}.{kind}") for kind in formats]
    with mpl.rc_context(_STYLE):
        for path in paths:
            figure = Figure(layout="constrained")
            {"dots": _dots, "lines": _lines, "heat": _heat}[chart.kind](chart, figure)
            figure.suptitle(chart.title, fontsize=10)
            figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else {"Software": None})
    return paths


def _dots(chart: Chart, figure: Figure) -> None:
    """A line for each label, on it a dot for each series."""
    figure.set_size_inches(7.5, 1.4 + 0.26 * len(chart.labels))
    axes = figure.add_subplot()
    for place, values in enumerate(zip(*chart.series.values(), strict=True)):
        known = _known(values)[1]
        if len(known) > 1:
            axes.plot([min(known), max(known)], [place, place], color="#bbbbbb", linewidth=1, zorder=1)
    for index, (name, some) in enumerate(chart.series.items()):
        places, known = _known(some)
        colour, marker = _look(index)
        fill = "white" if "published" in name else colour
        if known:
            axes.scatter(known, places, s=34, marker=marker, edgecolors=colour, facecolors=fill, label=name, zorder=2)
    axes.set_yticks(range(len(chart.labels)), chart.labels)
    axes.set_ylim(len(chart.labels) - 0.5, -0.5)
    axes.set_xlim(0, _limit(chart))
    axes.set_xlabel(chart.axis)
    _legend(axes, figure)


def _lines(chart: Chart, figure: Figure) -> None:
    """A line for each series along the labels."""
    figure.set_size_inches(7, 4)
    axes = figure.add_subplot()
    for index, (name, some) in enumerate(chart.series.items()):
        places, known = _known(some)
        colour, marker = _look(index)
        dashes = "-" if index < len(_COLOURS) else "--"
        if known:
            axes.plot(
                places, known, marker=marker, color=colour, markersize=4.5, linewidth=1.4, linestyle=dashes, label=name
            )
    axes.set_xticks(range(len(chart.labels)), chart.labels)
    axes.set_ylim(0, _limit(chart))
    axes.set_xlabel(chart.along)
    axes.set_ylabel(chart.axis)
    _legend(axes, figure)


def _heat(chart: Chart, figure: Figure) -> None:
    """A row for each label, a column for each series, the darker the higher."""
    figure.set_size_inches(7.5, 1.4 + 0.34 * len(chart.labels))
    axes = figure.add_subplot()
    rows = [[value or 0.0 for value in values] for values in zip(*chart.series.values(), strict=True)]
    image = axes.imshow(rows, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.grid(visible=False)
    for place, row in enumerate(rows):
        for column, value in enumerate(row):
            colour = "white" if value > 0.6 else "black"
            axes.text(column, place, f"{value:.2f}".lstrip("0"), ha="center", va="center", color=colour, fontsize=8)
    axes.set_yticks(range(len(chart.labels)), [shorten(label, 60) for label in chart.labels], fontsize=7)
    axes.set_xticks(range(len(chart.series)), list(chart.series), fontsize=7)
    figure.colorbar(image, ax=axes, label=chart.axis)


def _known(values: Sequence[float | None]) -> tuple[list[int], list[float]]:
    """The places of the known values, and these values."""
    found = {place: value for place, value in enumerate(values) if value is not None}
    return list(found), list(found.values())


def _look(index: int) -> tuple[str, str]:
    """Colour and marker of a series: another marker for each, also when the colours begin again."""
    return _COLOURS[index % len(_COLOURS)], _MARKERS[(index + index // len(_COLOURS)) % len(_MARKERS)]


def _limit(chart: Chart) -> float:
    """Where an axis ends: a little beyond the highest value."""
    return 1.05 * max((value for values in chart.series.values() for value in _known(values)[1]), default=1.0)


def _legend(axes: Axes, figure: Figure) -> None:
    if axes.get_legend_handles_labels()[0]:
        figure.legend(loc="outside right upper", frameon=False, fontsize=8)
