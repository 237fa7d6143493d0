"""The graph under construction: one name per entity, one set of triples, one way to write them."""

import lzma
from dataclasses import dataclass, field

TYPE_RELATION = "rdf:type"


@dataclass
class World:
    """Triples and entity types, plus the look-up tables that the sources share."""

    triples: set[tuple[str, str, str]] = field(default_factory=set)
    kind_of: dict[str, str] = field(default_factory=dict)
    countries: dict[str, str] = field(default_factory=dict)  # ISO 3166-1 alpha-2 code -> entity
    languages: dict[str, str] = field(default_factory=dict)  # BCP 47 code -> entity
    scripts: dict[str, str] = field(default_factory=dict)  # ISO 15924 code -> entity
    currencies: dict[str, str] = field(default_factory=dict)  # ISO 4217 code -> entity
    zones: dict[str, str] = field(default_factory=dict)  # any IANA name, old ones too -> entity

    def entity(self, kind: str, name: str) -> str:
        """Register an entity and return its name, with the kind in brackets where another kind has that name."""
        name = " ".join(name.split())
        if not name:
            raise ValueError(f"a {kind} without a name")
        if self.kind_of.get(name, kind) != kind:
            name = f"{name} ({kind})"
        if self.kind_of.setdefault(name, kind) != kind:
            raise ValueError(f"{name!r} is both a {kind} and a {self.kind_of[name]}")
        return name

    def add(self, head: str, relation: str, tail: str) -> None:
        """Add one fact between two registered entities."""
        for name in (head, tail):
            if name not in self.kind_of:
                raise ValueError(f"({head}, {relation}, {tail}): {name!r} was never registered as an entity")
        if head == tail:
            raise ValueError(f"({head}, {relation}, {tail}) links an entity to itself")
        self.triples.add((head, relation, tail))

    def rows(self) -> list[tuple[str, str, str]]:
        """All rows in order: the facts, and one type for each entity that takes part in a fact."""
        used = {name for head, _, tail in self.triples for name in (head, tail)}
        types = {(name, TYPE_RELATION, self.kind_of[name]) for name in used}
        return sorted(self.triples | types)

    def text(self) -> bytes:
        """Return the graph as TSV."""
        return "".join("\t".join(row) + "\n" for row in self.rows()).encode()

    def compressed(self) -> bytes:
        """Return the TSV compressed, with fixed settings so that equal graphs are equal bytes."""
        preset = 9 | lzma.PRESET_EXTREME
        return lzma.compress(self.text(), format=lzma.FORMAT_XZ, check=lzma.CHECK_CRC64, preset=preset)
