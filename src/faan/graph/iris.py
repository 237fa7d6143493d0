"""Names of a graph as IRIs."""

from __future__ import annotations

import re
from urllib.parse import quote

import pyoxigraph as ox

from faan.base import InputError
from faan.graph.selection import full_name

DEFAULT_BASE = "urn:faan:"
_ITEM, _PROPERTY = re.compile("Q[1-9][0-9]*"), re.compile("P[1-9][0-9]*")
_IRI = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://|(?:urn|tag|doi|info|mailto):)\S")


class Terms:
    """Turns names into IRIs: an IRI stays as it is, any other name is percent-encoded and appended to a base."""

    def __init__(self, base: str = DEFAULT_BASE, relation_base: str | None = None) -> None:
        self.base, self.relation_base = _checked(base), _checked(base if relation_base is None else relation_base)

    @property
    def is_default(self) -> bool:
        """Whether the base is the default."""
        return self.base == self.relation_base == DEFAULT_BASE

    def triple(self, head: str, relation: str, tail: str) -> ox.Triple:
        """A fact, whose relation may have a base of its own; one of Wikidata, by numbers alone, has Wikidata's IRIs."""
        if self.is_default and _ITEM.fullmatch(head) and _PROPERTY.fullmatch(relation) and _ITEM.fullmatch(tail):
            head, relation, tail = (full_name(name) for name in (head, relation, tail))
        return ox.Triple(self.of(head), self.relation(relation), self.of(tail))

    def relation(self, name: str) -> ox.NamedNode:
        """The IRI of a relation."""
        return self._of(name, self.relation_base)

    def of(self, name: str) -> ox.NamedNode:
        """The IRI of an entity.

        Different names have different ones, but for one case: a name that is such an IRI already (`urn:faan:Peru`) has
        the IRI of the name in it (`Peru`). So what was written here keeps its IRIs when it is read and written again.
        """
        return self._of(name, self.base)

    def under(self, kind: str, name: str) -> ox.NamedNode:
        """An IRI below the base, for things that are no part of the graph: reviewers, decisions."""
        return _below(f"{self.base}{kind}", name)

    def _of(self, name: str, base: str) -> ox.NamedNode:
        return (_valid(name) if _IRI.match(name) else None) or _below(base, name)


def _below(base: str, name: str) -> ox.NamedNode:
    return ox.NamedNode(f"{base}{quote(name, safe='', errors='replace')}")


def _checked(base: str) -> str:
    if not _IRI.match(f"{base}x") or _valid(f"{base}x") is None:
        raise InputError(f"the base {base!r} is not an IRI; give one such as https://example.org/ or {DEFAULT_BASE}")
    return base


def _valid(iri: str) -> ox.NamedNode | None:
    try:
        return ox.NamedNode(iri)
    except ValueError:
        return None
