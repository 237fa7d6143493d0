"""Finding the names of a schema among those of a graph."""

from __future__ import annotations

import re

from faan.graph.names import Names, local_name
from faan.graph.selection import full_name

_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|urn:")
_NOT_LETTERS = re.compile(r"[\W_]+")


class Finder:
    """Finds IRIs among the names of a graph: as they are, or by their last part if the graph's names are not IRIs."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.aliases: dict[str, int] = {}
        for number, name in enumerate(names):
            if not is_iri(name):
                for key in {full_name(name), _key(name)}:
                    self.aliases[key] = -1 if key in self.aliases else number  # ambiguous: neither of the two

    def find(self, name: str) -> int | None:
        """The number of a name in the graph, None if it lacks the name or the name is ambiguous."""
        number = self.names.find(name)
        if number is None:
            number = self.alias(name)
        return None if number < 0 else number

    def alias(self, name: str) -> int:
        """The number of the name in the graph that has the same last part as an IRI, -1 for none."""
        return self.aliases.get(name, self.aliases.get(_key(name), -1)) if is_iri(name) else -1


def is_iri(name: str) -> bool:
    """Whether a name looks like an IRI."""
    return _IRI.match(name) is not None


def _key(name: str) -> str:
    """The last part of a name in a normal form: `livesIn` and `lives_in` are the same."""
    return _NOT_LETTERS.sub("", local_name(name)).casefold()
