"""The command line: each command parses, calls the library and prints."""

from faan.cli.root import app, main

__all__ = ["app", "main"]
