"""The result files of a folder as one frame, a line for each file. Reads them without loading torch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from faan.base import InputError
from faan.rank.metrics import METRICS
from faan.rank.result_file import ResultFile, key_of

_FIGURES, _COUNTS = dict.fromkeys(METRICS, pl.Float64), dict.fromkeys(("queries", "candidates"), pl.Float64)
_SCHEMA: dict[str, Any] = {
    **dict.fromkeys(("path", "key", "label", "method", "dataset", "protocol", "config", "command"), pl.String),
    **{"shots": pl.Int64, "seed": pl.UInt64, "steps": pl.Int64, "broken_off": pl.String},
    **{"changes": pl.List(pl.String), "seconds": pl.Float64, "evaluate": pl.Float64},
    **_FIGURES,  # of test
    **{"macro MRR": pl.Float64, "dev MRR": pl.Float64},
    "relations": pl.List(
        pl.Struct({"relation": pl.String, "queries": pl.Float64, "candidates": pl.Float64, **_FIGURES})
    ),
}


def read_results(folder: Path, dataset: str | None = None) -> pl.DataFrame:
    """Read the few-shot results of a folder, or those of one dataset; a folder that is not there holds none."""
    files = ((path, ResultFile.read(path)) for path in sorted(folder.glob("*.json")))
    few_shot = [_line(path, result) for path, result in files if result.protocol != "completion"]
    found = pl.DataFrame(few_shot, schema=_SCHEMA)
    if dataset is None:
        return found
    found = found.filter(pl.col("dataset") == dataset)
    first = pl.col("path").first().over("key", "shots", "protocol", "seed")
    for one in found.with_columns(first=first).filter(pl.col("path") != pl.col("first")).iter_rows(named=True):
        raise InputError(
            f"holds a second result of {one['label']}, {one['shots']}-shot, seed {one['seed']}; the first is "
            f"{one['first']}: remove one of them",
            source=one["path"],
        )
    return found


def _line(path: Path, found: ResultFile) -> dict[str, Any]:
    fields = {"method", "dataset", "protocol", "config", "command", "shots", "seed", "steps", "broken_off", "changes"}
    return {
        **{"path": str(path), "key": key_of(found.label), "label": found.label},
        **{name: getattr(found, name) for name in fields},
        **{"seconds": sum(found.seconds.values()), "evaluate": found.seconds.get("evaluate", 0.0)},
        **{metric: found.test[metric] for metric in METRICS},
        **{"macro MRR": found.test.get("macro_mrr"), "dev MRR": found.dev.get("mrr")},
        "relations": [{"relation": name} | figures for name, figures in found.relations.items()],
    }


def by_relation(results: pl.DataFrame) -> pl.DataFrame:
    """A line for each relation of each result, with the figures of that relation."""
    relations = results.select("shots", "relations").explode("relations")
    return relations.unnest("relations").drop_nulls("relation")
