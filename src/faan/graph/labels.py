"""Which statements of RDF are labels and descriptions, and which of several labels to show."""

from __future__ import annotations

from collections.abc import Sequence

from faan.graph.builder import DESCRIPTION

LABEL_RELATIONS = (  # best first
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://schema.org/name",
    "https://schema.org/name",
)
DESCRIPTION_RELATIONS = (  # best first
    "http://schema.org/description",
    "https://schema.org/description",
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://purl.org/dc/terms/description",
)
TEXT_RELATIONS = (*LABEL_RELATIONS, *DESCRIPTION_RELATIONS)
_ANY = "mul"  # Wikidata's labels for all languages


def language_rank(language: str | None, preferred: Sequence[str]) -> int:
    """The rank of a label's language, 0 is best: preferred ones in order, then no language, then any other."""
    if language is None or language == _ANY:
        return len(preferred)
    for rank, wanted in enumerate(preferred):
        if f"{language.lower()}-".startswith(f"{wanted.lower()}-"):
            return rank
    return len(preferred) + 1


def label_rank(relation: str, language: str | None, preferred: Sequence[str]) -> int:
    """How good a label is, 0 the best: first by its language, then by the relation; descriptions come last."""
    rank = language_rank(language, preferred) * len(TEXT_RELATIONS) + TEXT_RELATIONS.index(relation)
    return rank if relation in LABEL_RELATIONS else DESCRIPTION + rank
