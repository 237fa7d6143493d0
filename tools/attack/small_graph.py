"""A small graph that is easy to remember (countries, towns, coins, tongues), and settings for a quick model of it.

The campaign and the tests of completers use both.
"""

from __future__ import annotations

from pathlib import Path

LANDS = 30
QUICK = Path(__file__).with_name("quick.toml")


def facts(trades: int = 0) -> list[tuple[str, str, str]]:
    """The first town of each land is the seat of its court; the land's coin is minted there."""
    rows = []
    for i in range(LANDS):
        land = f"land{i}"
        rows += [(f"town{i}{t}", "lies_in", land) for t in "abc"]
        rows += [(f"court{i}", "sits_in", f"town{i}a"), (f"court{i}", "judges", land)]
        rows += [(f"coin{i}", "minted_in", f"town{i}a"), (f"coin{i}", "shows", f"beast{i % 7}")]
        rows += [(land, "speaks", f"tongue{i % 4}"), (land, "next_to", f"land{(i + 1) % LANDS}")]
        rows += [(land, "is", "country"), (f"coin{i}", "is", "currency"), (f"court{i}", "is", "court")]
        rows += [(f"town{i}{t}", "is", "city") for t in "abc"]
        rows += [(land, f"custom{c}", f"custom{c}-{i % (c + 2)}") for c in range(6)]
        rows += [(land, f"trade{t}", f"land{(i + t + 2) % LANDS}") for t in range(trades)]
    return rows
