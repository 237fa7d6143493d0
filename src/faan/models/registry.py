"""Which few-shot methods can be trained: add a class of settings to the union, and every command knows it."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from faan.models.evidence_training import EvidenceConfig
from faan.models.faan import FaanConfig
from faan.models.fsrl import FsrlConfig
from faan.models.gmatching import GMatchingConfig
from faan.models.metar import MetaRConfig

ModelConfig: TypeAlias = Annotated[
    EvidenceConfig | FaanConfig | FsrlConfig | GMatchingConfig | MetaRConfig, Field(discriminator="method")
]
"""The settings of any few-shot method, told apart by `method`; further classes are joined with `|`."""
