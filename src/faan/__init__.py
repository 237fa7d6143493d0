"""faan: few-shot knowledge graph completion."""

__version__ = "0.1.0.dev0"
