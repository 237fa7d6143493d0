"""Example pairs as people write them: a tab or a comma between head and tail."""

from __future__ import annotations

from collections.abc import Iterable

from faan.base import InputError, shorten
from faan.graph import Graph


def parse_pair(graph: Graph, text: str) -> tuple[str, str]:
    """Head and tail of `HEAD<tab>TAIL` or `HEAD,TAIL`; where names hold commas, the cut that gives two known names."""
    if "\t" in text:
        cells = [trimmed(graph, cell) for cell in text.split("\t")]
        if len(cells) != 2:
            raise InputError(f"expected two columns, head and tail, found {len(cells)} in {shorten(text)!r}")
        return cells[0], cells[1]
    parts = text.split(",")
    if len(parts) < 2:
        raise InputError(f"expected HEAD,TAIL (or a tab between the two), found {shorten(text)!r}")
    cuts = [(trimmed(graph, ",".join(parts[:i])), trimmed(graph, ",".join(parts[i:]))) for i in range(1, len(parts))]
    known = [pair for pair in cuts if all(_is_known(graph, name) for name in pair)]
    if len(known) > 1:
        ways = " or ".join(repr(pair) for pair in known[:2])
        raise InputError(f"{shorten(text)!r} can be read as {ways}: write a tab instead of the comma between the two")
    return known[0] if known else cuts[0]


def parse_pairs(graph: Graph, lines: Iterable[str], source: str) -> tuple[tuple[str, str], ...]:
    """A pair a line; empty lines are skipped, and every name must be one of the graph's."""
    pairs = []
    for number, line in enumerate(lines, 1):
        text = line.strip("\r\n")
        if not text.strip():
            continue
        try:
            pair = parse_pair(graph, text)
            graph.entity(pair[0]), graph.entity(pair[1])
        except InputError as error:
            raise InputError(str(error), source=source, line=number) from None
        pairs.append(pair)
    if not pairs:
        raise InputError("holds no pair of head and tail", source=source)
    return tuple(pairs)


def trimmed(graph: Graph, name: str) -> str:
    """A name without blanks at its ends, unless the graph has it with them."""
    return name if _is_known(graph, name) else name.strip()


def _is_known(graph: Graph, name: str) -> bool:
    return name in graph.entity_names or bool(graph.entity_labels and name and graph.entity_labels.find_all(name))
