"""From the statements of a schema to rules by name, for each relation, and the list of classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl

from faan.graph.hierarchy import Hierarchy
from faan.graph.schema import FIRST, INCLUDES, NO_CLASSES, OWL, RDF, RDFS, REST, SHACL, SUBCLASS, TYPE, Schema

_STATEMENTS = 1_000_000  # statements that are read one by one; links between classes are not
_ITEMS = 100_000  # of a list
_NO_ENTITIES = (*NO_CLASSES, f"{RDFS}Literal", f"{RDF}langString", f"{OWL}Nothing")
_DATATYPES = "http://www.w3.org/2001/XMLSchema#"

Kind = Literal["class", "values", "most"]


@dataclass(frozen=True)
class Draft:
    """A rule for a relation, by the names of its classes and values."""

    kind: Kind
    side: int  # whose entities are named: 0 heads, 1 tails; "most": 0 limits the tails of a head
    names: tuple[str, ...] = ()  # classes ("class") or entities ("values"); one of them is enough
    most: int = 0
    scope: tuple[str, ...] = ()  # the rule applies to facts where an entity is of one of these classes:
    scope_side: int = 0  # the head, or the tail


class Drafts:
    """The rules of a schema, with the names of the schema."""

    def __init__(self, schema: Schema) -> None:
        rows = schema.rows()
        links, others = rows.filter(pl.col("relation") == SUBCLASS), rows.filter(pl.col("relation") != SUBCLASS)
        self.is_too_large = len(others) > _STATEMENTS
        self._by: dict[str, dict[str, list[str]]] = {}  # predicate -> subject -> objects
        for head, relation, tail in others.head(0 if self.is_too_large else _STATEMENTS).iter_rows():
            self._by.setdefault(relation, {}).setdefault(head, []).append(tail)
        self.number = {name: number for number, name in enumerate(schema.terms)}
        self.hierarchy = self._hierarchy(links, len(schema.terms))

    def __iter__(self) -> Iterator[tuple[str, Draft]]:
        """Each rule with the relation that it is for."""
        for side, name in enumerate(("domain", "range")):
            for relation, classes in self._of(f"{RDFS}{name}").items():
                for kind in classes:
                    yield from ((relation, Draft("class", side, names)) for names in self._classes([kind]))
        for name, side in INCLUDES.items():
            for relation, classes in self._of(name).items():
                yield from ((relation, Draft("class", side, names)) for names in self._classes(classes))
        for side, name in enumerate(("FunctionalProperty", "InverseFunctionalProperty")):
            yield from ((relation, Draft("most", side, most=1)) for relation in self.declared(f"{OWL}{name}"))
        yield from self._of_shapes()

    def declared(self, kind: str) -> list[str]:
        """The names that are declared to be of a kind."""
        return [name for name, kinds in self._of(TYPE).items() if kind in kinds]

    def pairs(self, relation: str) -> list[tuple[str, str]]:
        """What a relation of the schema links."""
        return [(one, other) for one, others in self._of(relation).items() for other in others]

    def _of(self, relation: str) -> dict[str, list[str]]:
        return self._by.get(relation, {})

    def _items(self, node: str) -> list[str]:
        """The items of a list, at most so many; a circular list ends where it repeats."""
        found: dict[str, None] = {}
        seen: set[str] = set()
        while node not in seen and len(seen) < _ITEMS:
            seen.add(node)
            found |= dict.fromkeys(self._of(FIRST).get(node, ()))
            node = next(iter(self._of(REST).get(node, ())), node)
        return list(found)

    def _hierarchy(self, links: pl.DataFrame, count: int) -> Hierarchy:
        equal, number = self.pairs(f"{OWL}equivalentClass"), self.number
        pairs = [*equal, *((other, one) for one, other in equal)]
        groups = [[one, other] for one, other in self.pairs(f"{OWL}disjointWith")]
        for node in self.declared(f"{OWL}AllDisjointClasses"):
            groups += [self._items(start) for start in self._of(f"{OWL}members").get(node, ())]
        for whole, start in self.pairs(f"{OWL}disjointUnionOf"):
            groups.append(self._items(start))
            pairs += [(part, whole) for part in groups[-1]]
        terms = pl.DataFrame({"name": list(number), "number": list(number.values())})
        below, above = (
            links.select(name=side).join(terms, on="name", how="left", maintain_order="left")["number"].to_numpy()
            for side in ("head", "tail")
        )
        more = np.array([(number[one], number[other]) for one, other in pairs], dtype=np.int64).reshape(-1, 2)
        numbered = dict.fromkeys(tuple(number[name] for name in sorted(group)) for group in groups if len(group) > 1)
        ends = np.concatenate([below, more[:, 0]]), np.concatenate([above, more[:, 1]])
        return Hierarchy(count, *ends, list(numbered))

    def _classes(self, given: Sequence[str]) -> list[tuple[str, ...]]:
        """The names of classes, one of which is enough; empty if the expression does not restrict entities."""
        unions = self._of(f"{OWL}unionOf")
        names: list[str] = []
        for kind in given:
            names += [item for start in unions[kind] for item in self._items(start)] if kind in unions else [kind]
        says_nothing = any(name.startswith(("_:", _DATATYPES)) or name in _NO_ENTITIES for name in names)
        return [] if says_nothing or not names else [tuple(dict.fromkeys(names))]

    def _of_shapes(self) -> Iterator[tuple[str, Draft]]:
        targets = self._of(f"{SHACL}targetClass")
        classes = {*self.declared(f"{RDFS}Class"), *self.declared(f"{OWL}Class")}
        off = {name for name, value in self.pairs(f"{SHACL}deactivated") if value in ("true", "1")}
        pairs = self.pairs(f"{SHACL}property")
        pairs += [(part, part) for part in self._of(f"{SHACL}path") if part in targets]
        for shape, part in pairs:
            scope = tuple(targets.get(shape, ())) + ((shape,) if shape in classes else ())
            if scope and shape not in off and part not in off:
                yield from self._of_property(part, scope)

    def _of_property(self, part: str, scope: tuple[str, ...]) -> Iterator[tuple[str, Draft]]:
        for path in self._of(f"{SHACL}path").get(part, ())[:1]:
            inverse = self._of(f"{SHACL}inversePath").get(path)
            relation = inverse[0] if inverse else path
            if relation.startswith("_:"):
                continue  # a path over several relations
            here, there = (1, 0) if inverse else (0, 1)  # the side of the shape's own node, and of its values
            for kind in self._of(f"{SHACL}class").get(part, ()):
                for names in self._classes([kind]):
                    yield relation, Draft("class", there, names, scope=scope, scope_side=here)
            for start in self._of(f"{SHACL}in").get(part, ()):
                yield relation, Draft("values", there, tuple(self._items(start)), scope=scope, scope_side=here)
            for count in self._of(f"{SHACL}maxCount").get(part, ()):
                if count.isascii() and count.isdecimal() and len(count) < 9:
                    yield relation, Draft("most", here, most=int(count), scope=scope, scope_side=here)
