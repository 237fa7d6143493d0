"""Evidence from ways through the graph: relation paths that references have too, and links of any kind."""

from __future__ import annotations

import numpy as np

from faan.evidence.evidence import PairEvidence
from faan.evidence.question import Asked, Values


class ShortPaths(PairEvidence):
    """Noisy-or of paths of one and two hops."""

    name = "short paths"
    meaning = "paths of one or two steps that link references lead from the head to the tail"
    kind = "paths"

    def of(self, asked: Asked) -> Values:
        return asked.paths.short.astype(np.float32)


class LongPaths(PairEvidence):
    """Noisy-or of paths of three hops."""

    name = "long paths"
    meaning = "paths of three steps that link references lead from the head to the tail"
    kind = "paths"

    def of(self, asked: Asked) -> Values:
        return asked.paths.long.astype(np.float32)


class AllPaths(PairEvidence):
    """Noisy-or of all paths."""

    name = "all paths"
    meaning = "paths that link references lead from the head to the tail"
    kind = "paths"

    def of(self, asked: Asked) -> Values:
        return (asked.paths.short + asked.paths.long).astype(np.float32)


class BestPath(PairEvidence):
    """The highest confidence."""

    name = "best path"
    meaning = "the most reliable of the paths from the head to the tail"
    kind = "paths"

    def of(self, asked: Asked) -> Values:
        return asked.paths.best.astype(np.float32)


class PathsFired(PairEvidence):
    """How many paths there are."""

    name = "number of paths"
    meaning = "how many paths that link references lead from the head to the tail"
    kind = "paths"

    def of(self, asked: Asked) -> Values:
        return asked.paths.fired.astype(np.float32)


class DirectLink(PairEvidence):
    """Edges between the two, of any relation."""

    name = "direct links"
    meaning = "the graph links head and tail directly"
    kind = "links"
    direction = 0

    def of(self, asked: Asked) -> Values:
        return asked.links[0]


class CommonNeighbours(PairEvidence):
    """Links over one entity in between."""

    name = "common neighbours"
    meaning = "head and tail have neighbours in common"
    kind = "links"

    def of(self, asked: Asked) -> Values:
        return asked.links[1]


class RareNeighbours(PairEvidence):
    """The same, where an entity with few edges counts more."""

    name = "rare common neighbours"
    meaning = "head and tail have neighbours in common that few others have"
    kind = "links"

    def of(self, asked: Asked) -> Values:
        return asked.links[2]
