"""The figures that the paper printed (`published.json`)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from faan.base import read_json


@cache
def published() -> Any:
    """What `published.json` holds: the source, and what the paper has of each table."""
    return read_json(Path(__file__).with_name("published.json"))


def published_figures(table: str, dataset: str) -> Any:
    """The figures of a table, 5-shot, by row and metric; empty if the paper has none of this dataset.

    Rows of `relations` are numbers of candidates: the paper gives no names. Each has figures by method and metric.
    """
    return published().get(table, {}).get(dataset, {})


def source_note() -> str:
    """Where published figures come from."""
    return f"Published: {published()['source']}."
