"""The figures that the paper printed (`published.json`)."""

from __future__ import annotations

import json
from functools import cache
from importlib import resources
from typing import Any


@cache
def published() -> dict[str, Any]:
    """What `published.json` holds: the source, and what the paper has of each table."""
    content: dict[str, Any] = json.loads((resources.files("faan") / "paper" / "published.json").read_bytes())
    return content


def published_figures(table: str, dataset: str) -> dict[str, Any]:
    """The figures of a table, 5-shot, by row and metric; empty where the paper has none of this dataset.

    Rows of `relations` are numbers of candidates: the paper gives no names. Each has figures by method and metric.
    """
    found: dict[str, Any] = published()[table].get(dataset, {})
    return found


def source_note() -> str:
    """Where published figures come from."""
    return f"Published: {published()['source']}."
