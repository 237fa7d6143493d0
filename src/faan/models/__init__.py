"""Few-shot methods, one file each, behind one interface."""

from faan.models.interface import Method, Scorer

__all__ = ["Method", "Scorer"]
