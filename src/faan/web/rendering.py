"""Templates that escape everything, so that names are escaped in one place."""

from __future__ import annotations

import math
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def percent(share: float) -> str:
    """A share as people read it, rounded as the scripts of the page do: 0 % and 100 % only where it is exactly that."""
    whole = math.floor(share * 100 + 0.5)
    if whole == 0 and share > 0:
        return "< 1 %"
    return "> 99 %" if whole == 100 and share < 1 else f"{whole} %"


_templates = Environment(
    loader=PackageLoader("faan.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
_templates.filters |= {"percent": percent, "thousands": lambda number: f"{number:,}"}


def render(name: str, **values: Any) -> str:
    """A template with its values."""
    return _templates.get_template(name).render(**values)
