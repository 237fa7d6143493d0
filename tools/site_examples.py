"""A griffe extension for the site: examples in docstrings become code blocks, not quotations of quotations."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^>>> .*?(?=\n[ \t]*\n|\Z)", re.MULTILINE | re.DOTALL)  # to the next empty line


def fenced(text: str) -> str:
    """A docstring with each example, from `>>>` to the next empty line, in a fence."""
    return _EXAMPLE.sub(lambda example: f"```pycon\n{example[0]}\n```", text)


class FencedExamples(griffe.Extension):
    """Fences the examples of everything that is documented."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the docstring before it is parsed."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
