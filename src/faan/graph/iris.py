"""Names of a graph as IRIs."""

from __future__ import annotations

import re
from urllib.parse import quote

import pyoxigraph as ox

from faan.base import InputError

DEFAULT_BASE = "urn:faan:"
_IRI = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://|(?:urn|tag|doi|info|mailto):)\S")


class Terms:
    """Makes IRIs of names: a name that is an IRI stays as it is, any other one is percent-encoded behind a base."""

    def __init__(self, base: str = DEFAULT_BASE) -> None:
        if not _IRI.match(f"{base}x") or _valid(f"{base}x") is None:
            raise InputError(f"the base {base!r} is no IRI; give one such as https://example.org/ or {DEFAULT_BASE}")
        self.base = base

    def of(self, name: str) -> ox.NamedNode:
        """The IRI of an entity or a relation.

        Different names have different ones, but for one case: a name that is such an IRI already (`urn:faan:Peru`) has
        the IRI of the name in it (`Peru`). So what was written here keeps its IRIs when it is read and written again.
        """
        return (_valid(name) if _IRI.match(name) else None) or self.under("", name)

    def under(self, kind: str, name: str) -> ox.NamedNode:
        """An IRI below the base, for names and for things that are no part of the graph: reviewers, decisions."""
        return ox.NamedNode(f"{self.base}{kind}{quote(name, safe='', errors='replace')}")


def _valid(iri: str) -> ox.NamedNode | None:
    try:
        return ox.NamedNode(iri)
    except ValueError:
        return None
