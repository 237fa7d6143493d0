"""Templates that escape everything, so that names are escaped in one place."""

from __future__ import annotations

from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def _percent(share: float) -> str:
    """A share as people read it, never quite nothing or certain."""
    if 0 < share < 0.005:
        return "< 1 %"
    if 0.995 < share < 1:
        return "> 99 %"
    return f"{share * 100:.0f} %"


_templates = Environment(
    loader=PackageLoader("faan.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
_templates.filters |= {"percent": _percent, "thousands": lambda number: f"{number:,}"}


def render(name: str, **values: Any) -> str:
    """A template with its values."""
    return _templates.get_template(name).render(**values)
