"""Which part of a graph to read: names of predicates and classes as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pyoxigraph as ox

from faan.base import InputError, shorten

WIKIDATA_ENTITY = "http://www.wikidata.org/entity/"
WIKIDATA_DIRECT = "http://www.wikidata.org/prop/direct/"
PREFIXES = {
    "dbo": "http://dbpedia.org/ontology/",
    "dbr": "http://dbpedia.org/resource/",
    "dct": "http://purl.org/dc/terms/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "owl": "http://www.w3.org/2002/07/owl#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "http://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "wd": WIKIDATA_ENTITY,
    "wdt": WIKIDATA_DIRECT,
}
_WIKIDATA = re.compile(r"[PQ][1-9][0-9]*")


def full_name(name: str) -> str:
    """A name in full: `wdt:P36` and `P36` are `http://www.wikidata.org/prop/direct/P36`."""
    name = name.removeprefix("<").removesuffix(">")
    if _WIKIDATA.fullmatch(name):
        return (WIKIDATA_DIRECT if name.startswith("P") else WIKIDATA_ENTITY) + name
    prefix, colon, rest = name.partition(":")
    return f"{PREFIXES[prefix]}{rest}" if colon and prefix in PREFIXES else name


def iri(name: str, what: str) -> ox.NamedNode:
    """The IRI that a name stands for."""
    full = full_name(name)
    try:
        if ":" in full:
            return ox.NamedNode(full)
    except ValueError:
        pass
    known = ", ".join(f"{prefix}:" for prefix in PREFIXES)
    raise InputError(f"the {what} {shorten(name)!r} is not an IRI; write it in full or with one of {known}")


def both_names(names: Iterable[str]) -> frozenset[str]:
    """Names as they were given and in full: a file may have either."""
    return frozenset(form for name in names for form in (name, full_name(name)))
