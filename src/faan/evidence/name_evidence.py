"""Evidence from the names of entities."""

from __future__ import annotations

from faan.evidence.evidence import Context, PairEvidence, TailEvidence, group, mean_of

NAMES = group(
    "names",
    PairEvidence(
        "same name",
        "head and tail have the same name",
        lambda query: query.shared_name("letters") > 1 - 1e-6,
        direction=0,
    ),
    PairEvidence(
        "words of the head",
        "the names of head and tail have words in common",
        lambda query: query.shared_name("words"),
        direction=0,
    ),
    PairEvidence(
        "letters of the head",
        "the names of head and tail are spelt alike",
        lambda query: query.shared_name("letters"),
        direction=0,
    ),
    TailEvidence(
        "words of the references' tails",
        "the tail's name has words of the names of the references' tails",
        lambda candidates: mean_of(candidates.names["words"]),
    ),
    TailEvidence(
        "letters of the references' tails",
        "the tail's name is spelt like those of the references' tails",
        lambda candidates: mean_of(candidates.names["letters"]),
    ),
    PairEvidence(
        "tail of a head with a similar name",
        "the tail is one of a head whose name is spelt like the head's",
        lambda query: query.similar_names,
    ),
    PairEvidence(
        "paths among namesakes",
        "paths that link references lead from the head to the tail where entities of the same name are one",
        lambda query: query.namesake_paths.short + query.namesake_paths.long,
    ),
    PairEvidence(
        "best path among namesakes",
        "a reliable path leads from the head to the tail where entities of the same name are one",
        lambda query: query.namesake_paths.best,
    ),
    PairEvidence(
        "direct links among namesakes",
        "the graph links namesakes of the head with namesakes of the tail directly",
        lambda query: query.namesake_links[0],
        direction=0,
    ),
    PairEvidence(
        "rare common neighbours among namesakes",
        "namesakes of head and tail have neighbours in common that few others have",
        lambda query: query.namesake_links[2],
    ),
    Context(
        "alike names in references",
        "how alike the names of head and tail are in the references",
        lambda query, head: query.name_agreement[0],
    ),
    Context(
        "alike names of tails",
        "how alike the names of the references' tails are",
        lambda query, head: query.name_agreement[1],
    ),
    Context(
        "best rule among namesakes",
        "how reliable the best of the references' paths is where entities of the same name are one",
        lambda query, head: float(query.namesake_paths.confidence.max(initial=0.0)),
    ),
    needs=lambda sources: sources.has_names,
)
"""What names say: cosines of words (by idf) and of letters (three in a row), and the graph with namesakes as one."""
