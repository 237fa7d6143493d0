"""Which few-shot models can be trained: add a class of settings to the union, and every command knows it."""

from __future__ import annotations

from typing import TypeAlias

from faan.models.faan import FaanConfig
from faan.models.fsrl import FsrlConfig
from faan.models.gmatching import GMatchingConfig
from faan.models.metar import MetaRConfig

FewShotConfig: TypeAlias = FaanConfig | FsrlConfig | GMatchingConfig | MetaRConfig
"""The settings of any few-shot model, told apart by `method`; further classes are joined with `|`."""
