"""The figures that the paper printed (`published.json`), and how figures are written."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any

from faan.rank import METRICS
from faan.tasks import SPLITS

DATASETS = {"NELL-One": "NELL", "Wiki-One": "Wiki"}
"""The benchmarks of the paper, and what it calls them."""

Figures = dict[str, float]


@cache
def _published() -> dict[str, Any]:
    content: dict[str, Any] = json.loads((resources.files("faan") / "paper" / "published.json").read_bytes())
    return content


def source() -> str:
    """The paper."""
    return str(_published()["source"])


def published_main(dataset: str) -> dict[str, Figures]:
    """Method -> metric -> figure, 5-shot; empty where the paper has none of this dataset."""
    own = DATASETS.get(dataset)
    return {method: _named(found[own]) for method, found in _published()["main_5shot"].items() if own in found}


def published_ablation(dataset: str) -> dict[str, Figures]:
    """The same for FAAN and its variants A1 to C3."""
    found = _published()["ablation_NELL_5shot"] if dataset == "NELL-One" else {}
    return {variant: _named(figures) for variant, figures in found.items()}


def published_relations(dataset: str) -> dict[int, dict[str, Figures]]:
    """Number of candidates of a test relation (the paper gives no names) -> method -> metric -> figure, 5-shot."""
    found = _published()["per_relation_NELL_5shot"] if dataset == "NELL-One" else []
    return {row["candidates"]: {name: _named(row[name]) for name in row if name != "candidates"} for row in found}


def published_datasets() -> dict[str, dict[str, Any]]:
    """Dataset -> its statistics."""
    found = {name: _published()["datasets"][own] for name, own in DATASETS.items()}
    return {name: one | dict(zip(SPLITS, one["tasks"], strict=True)) for name, one in found.items()}


def published_reference_attention() -> dict[str, list[Any]]:
    """The five references of SubPartOf, and for two queries how much each counts."""
    return dict(_published()["reference_attention_SubPartOf"])


def _named(figures: Figures) -> Figures:
    return {name: figures[theirs] for name, theirs in METRICS.items() if theirs in figures}


def written(figure: float | None, *, signed: bool = False) -> str:
    """A figure as the paper writes it: .279."""
    if figure is None:
        return ""
    text = f"{figure:+.3f}" if signed else f"{figure:.3f}"
    return text.replace("0.", ".", 1) if abs(figure) < 0.9995 else text
