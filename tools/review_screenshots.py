"""Take pictures of the review page: `python tools/review_screenshots.py [MODEL]`.

Writes docs/images/review.png, and the page by night and on a phone into the folder that --beside names, to look at.
Without a model folder one is made of World without its capitals, of which five are then given as examples. Needs
`faan[dev]`, Chromium and chromedriver.
"""

from __future__ import annotations

import argparse
import importlib
import json
import shutil
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "images" / "review.png"
EXAMPLES = [
    line.split("	") for line in (ROOT / "examples" / "capitals.tsv").read_text(encoding="utf-8").splitlines()
]
HEADS = ["Germany", "Peru", "Turkey", "Sweden", "Canada"]
TOP = 2
LINK = "https://en.wikipedia.org/wiki/{id}"
QUERY = [
    ("relation", "capital"),
    *(("example", json.dumps(pair)) for pair in EXAMPLES),
    *(("head", head) for head in HEADS),
    ("top", str(TOP)),
]
SCREENS = {"light": (1280, 900, False), "dark": (1280, 900, True), "phone": (390, 844, False)}


def main() -> None:
    """Fit if need be, serve, take pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--beside", type=Path, default=Path(tempfile.gettempdir()))
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT / "tests"))
    browser, serving = importlib.import_module("web.browser"), importlib.import_module("web.serving")
    programs = shutil.which("chromium"), shutil.which("chromedriver")
    if None in programs:
        raise SystemExit("no Chromium with chromedriver: apt-get install chromium chromium-driver")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        model = arguments.model or fitted(folder / "world")
        decisions = folder / "decisions.sqlite"
        with (
            serving.served(model, "--decisions", str(decisions), "--link", LINK) as server,
            browser.browser(*programs, folder) as window,
        ):
            for name, (width, height, dark) in SCREENS.items():
                window.show_as(width, height, dark=dark)
                window.open(f"{server.address}/?{urlencode(QUERY)}")
                window.wait_for_text("#progress", f"of {TOP * len(HEADS)} decided")
                if name == "light":
                    window.decide("a")
                    window.wait_for_text("#progress", "1 accepted")
                    window.press("h")
                    window.wait_for_text("#progress", "1 rejected")
                window.one(f"#accept{browser.READY}")  # the evidence is drawn
                path = PICTURE if name == "light" else arguments.beside / f"review-{name}.png"
                path.parent.mkdir(parents=True, exist_ok=True)
                window.driver.save_screenshot(str(path))
                print(path)


def fitted(folder: Path) -> Path:
    """A model of World that was never told a capital."""
    from faan.complete import fit
    from faan.graph import read_graph

    fit(read_graph("world"), without=["capital", "nearest_capital_abroad"]).save(folder)
    return folder


if __name__ == "__main__":
    main()
