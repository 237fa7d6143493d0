from __future__ import annotations

import pytest

from faan.graph import Graph, read_graph

LANDS = 40


def facts() -> list[tuple[str, str, str]]:
    """Towns lie in lands, courts sit in their first towns; half of the lands have one tongue; lands are twins."""
    rows = []
    for i in range(LANDS):
        land = f"land{i}"
        rows += [(f"town{i}{t}", "lies_in", land) for t in "abc"]
        rows += [(f"court{i}", "sits_in", f"town{i}a"), (f"court{i}", "judges", land)]
        rows += [
            (land, "speaks", "tongue0" if i % 2 else f"tongue{i % 5}"),
            (land, "next_to", f"land{(i + 1) % LANDS}"),
        ]
        rows += [(land, "twin_of", f"land{i ^ 1}")]
    return [*rows, ("land0", "founded", "town0a"), ("land1", "founded", "town1a"), ("moon", "orbits", "land3")]


@pytest.fixture(scope="session")
def land() -> Graph:
    return read_graph(facts())
