"""Named facts about a (head, tail) pair, given the references of a relation."""

from faan.evidence.paths import PathEvidence, PathInstance, RelationPaths, find_paths, path_instances

__all__ = ["PathEvidence", "PathInstance", "RelationPaths", "find_paths", "path_instances"]
