"""Named facts about a (head, tail) pair, given the references of a relation."""

from faan.evidence.paths import Firings, PathEvidence, PathInstance, RelationPaths, find_paths, path_instances

__all__ = ["Firings", "PathEvidence", "PathInstance", "RelationPaths", "find_paths", "path_instances"]
