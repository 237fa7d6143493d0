"""Help texts that name the methods of the register, which is loaded only when help is shown."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand


class MethodsCommand(TyperCommand):
    """A command in whose help `{methods}`, `{untrained}` and `{links}` stand for the names of methods."""

    def format_help(self, *context: Any) -> None:
        """Fill in the names, then show the help."""
        for parameter in self.params:
            if getattr(parameter, "help", None):
                parameter.help = with_methods(parameter.help)  # type: ignore[attr-defined]
        super().format_help(*context)


def with_methods(text: str) -> str:
    """A help text with the names of methods filled in."""
    for name, names in _NAMES.items():
        if name in text:
            text = text.replace(name, names())
    return text


def _fit_methods() -> str:
    from faan.complete import fit_methods  # torch takes seconds to load

    return ", ".join(fit_methods())


def _untrained() -> str:
    from faan.rank import untrained_methods

    return ", ".join(f"`{name}`" for name in untrained_methods())


def _links() -> str:
    from faan.links import DEFAULT_METHODS, LINK_METHODS

    others = [name for name in LINK_METHODS if name not in DEFAULT_METHODS]
    return f"{', '.join(DEFAULT_METHODS)}; also {', '.join(others)}"


_NAMES = {"{methods}": _fit_methods, "{untrained}": _untrained, "{links}": _links}
