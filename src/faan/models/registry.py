"""Which few-shot models there are: add a class of settings to the union, and every command knows it."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field

from faan.models.faan import FaanConfig

ModelConfig: TypeAlias = Annotated[FaanConfig, Field(discriminator="method")]
"""The settings of any few-shot model, told apart by `method`; further classes are joined with `|`."""
