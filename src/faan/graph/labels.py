"""Which of several labels to show."""

from __future__ import annotations

from collections.abc import Sequence

ANY = "mul"  # Wikidata's labels for all languages


def language_rank(language: str | None, preferred: Sequence[str]) -> int:
    """The rank of a label's language, 0 is best: preferred ones in order, then no language, then any other."""
    if language is None or language == ANY:
        return len(preferred)
    for rank, wanted in enumerate(preferred):
        if f"{language.lower()}-".startswith(f"{wanted.lower()}-"):
            return rank
    return len(preferred) + 1
