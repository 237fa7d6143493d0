"""Names in other spellings: `original language`, `Original-Language` and `originalLanguage` are `original_language`."""

from __future__ import annotations

import re

from faan.graph.names import Names, local_name

_BETWEEN = re.compile(r"[\s_-]+")


def spelt_alike(name: str, names: Names, labels: Names | None) -> list[int]:
    """The numbers of the names that differ from `name` only in case, blanks, `_` and hyphens.

    A name is compared as a whole, by its last part, and by its label.
    """
    wanted = _letters(name)
    shown = [""] * len(names) if labels is None else labels
    return [
        number
        for number, (own, label) in enumerate(zip(names, shown, strict=True))
        if wanted and wanted in {_letters(own), _letters(local_name(own)), _letters(label)}
    ]


def _letters(name: str) -> str:
    return _BETWEEN.sub("", name).casefold()
