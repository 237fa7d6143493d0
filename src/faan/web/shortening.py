"""Short forms of IRIs for things without labels: `http://example.org/city/Lima` is shown as `Lima` or `city/Lima`.

The *space* of an IRI is the IRI without its last part. The most common space is left out. Any other is shown as its
usual prefix (`dbr:`), or as its shortest end that no other space has, so IRIs with the same last part stay distinct.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from faan.graph import PREFIXES, Graph, Names

_SAMPLE = 2_000  # names of entities that are looked at; an IRI of another space is shown in full
_SPACE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S*[/#](?=\S)")
_USUAL = {space: f"{prefix}:" for prefix, space in PREFIXES.items()}


class ShortNames:
    """The short forms of the IRIs of a graph."""

    def __init__(self, graph: Graph) -> None:
        self._names, self._labels = graph.entity_names, graph.entity_labels
        types = () if graph.types is None else graph.types.names
        self._short = _short_spaces(_spaces(_some(self._names)), _spaces(graph.relation_names), _spaces(types))

    def of(self, name: str) -> str:
        """The short form of a name, unless an entity has this very name or label."""
        short = self.in_text(name)
        is_taken = short in self._names or bool(self._labels and self._labels.find_all(short))
        return name if is_taken else short

    def in_text(self, text: str) -> str:
        """A text with short forms in place of IRIs."""
        return _SPACE.sub(lambda space: self._short.get(space[0], space[0]), text)

    def entity(self, short: str) -> int | None:
        """The entity with a short form, None if there is none."""
        found = (
            self._names.find(space + short.removeprefix(start))
            for space, start in self._short.items()
            if short.startswith(start)
        )
        return next((number for number in found if number is not None and self.of(self._names[number]) == short), None)


def _some(names: Names) -> Iterable[str]:
    return (names[number] for number in range(0, len(names), max(1, len(names) // _SAMPLE)))


def _spaces(names: Iterable[str]) -> Counter[str]:
    found = (_SPACE.match(name) for name in names)
    return Counter(space[0] for space in found if space)


def _short_spaces(of_entities: Counter[str], of_relations: Counter[str], of_types: Counter[str]) -> Mapping[str, str]:
    """What to show for each space."""
    left_out = {space for space, _ in of_entities.most_common(1)}
    if left_out.isdisjoint(of_relations):  # else the names of two relations could become one
        left_out |= {space for space, _ in of_relations.most_common(1) if space not in of_entities}
    spaces = of_entities | of_relations | of_types
    return {space: "" if space in left_out else _USUAL.get(space) or _end(space, spaces) for space in spaces}


def _end(space: str, spaces: Iterable[str]) -> str:
    """The shortest end of a space that no other space has."""
    parts = re.findall(r"[^/#]+[/#]", space.partition("://")[2])
    ends = ("".join(parts[-count:]) for count in range(1, len(parts) + 1))
    return next((end for end in ends if sum(other.endswith(end) for other in spaces) == 1), space)
