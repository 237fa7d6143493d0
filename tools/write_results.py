"""Write docs/results.md and its figures again, from results/ and docs/results-reading.md."""

from __future__ import annotations

from pathlib import Path

from faan.paper.page import write_results_page

ROOT = Path(__file__).parent.parent

if __name__ == "__main__":
    for path in write_results_page(ROOT / "results", ROOT / "docs"):
        print(f"wrote {path.relative_to(ROOT)}")
