"""The documentation as a site: it builds without a warning, its links lead somewhere, and it needs no network."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from faan.base import config_names

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.slow


class _Page(HTMLParser):
    """The targets of a page's links, what it loads, and the anchors it has."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag == "link" and given.get("rel") not in ("canonical", "prev", "next"):
            self.loads.append(given["href"])
        elif "src" in given:
            self.loads.append(given["src"])


@pytest.fixture(scope="module")
def site(require_modules: Callable[..., None], tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_modules("mkdocs", "material", "mkdocstrings")
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, _Page]:
    return {path: _Page(path) for path in site.rglob("*.html")}


def _inside(path: Path, targets: list[str]) -> Iterator[tuple[Path, str]]:
    """Files of the site and anchors that a page points at."""
    for target in targets:
        parts = urlsplit(target)
        if not parts.scheme and not parts.netloc:
            yield ((path.parent / unquote(parts.path)).resolve() if parts.path else path), unquote(parts.fragment)


def test_every_page_of_the_documentation_is_in_the_site(pages: dict[Path, _Page], site: Path) -> None:
    assert {page.stem for page in (ROOT / "docs").glob("*.md")} <= {path.stem for path in pages}


def test_links_lead_to_files_and_anchors_of_the_site(pages: dict[Path, _Page], site: Path) -> None:
    counted = 0
    for path, page in pages.items():
        if path.name == "404.html":
            continue  # its links are those of the server's root
        for target, anchor in _inside(path, [*page.links, *page.loads]):
            counted += 1
            assert target.is_file(), f"{path.name} points at {target}"
            if anchor and target.suffix == ".html":
                assert anchor in pages[target].anchors, f"{path.name} points at {target.name}#{anchor}"
    assert counted > 100


def test_pages_load_nothing_from_the_network(pages: dict[Path, _Page], site: Path) -> None:
    for path, page in pages.items():
        assert not [target for target in page.loads if urlsplit(target).netloc], path
    for style in site.rglob("*.css"):
        assert "url(http" not in style.read_text(encoding="utf-8"), style


def test_the_reference_has_all_names_commands_settings_and_configurations(site: Path) -> None:
    import faan
    from faan.embed import EmbedConfig
    from faan.train import RunConfig, TrainConfig

    reference = {path.stem: path.read_text(encoding="utf-8") for path in (site / "reference").glob("*.html")}
    shown = set(re.findall(r'<h2 id="faan\.[\w.]*?(\w+)"', reference["python"]))
    assert shown >= set(faan.__all__)
    assert "<blockquote" not in reference["python"]  # examples are code, not quotations of quotations
    assert all(f'id="faan-{name}"' in reference["commands"] for name in ("fit", "suggest", "train", "benchmark-build"))
    unfilled = set(re.findall(r"\{[a-z]+\}", reference["commands"])) - {"{id}"}  # `--link` takes a template
    assert not unfilled  # help texts have their names filled in
    assert all(f'id="{name}"' in reference["configurations"] for name in config_names())
    for settings in (EmbedConfig, RunConfig, TrainConfig):
        assert f'id="{settings.__name__.lower()}"' in reference["settings"]
        for name, field in settings.model_fields.items():
            assert f"<code>{name}</code>" in reference["settings"]
            assert field.description or name in ("model", "embed", "train"), (
                f"{settings.__name__}.{name} is not explained"
            )
