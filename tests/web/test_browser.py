"""The page in a real browser: a person's whole path, by keyboard and by mouse."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from .browser import DOWN, ENTER, Window, browser
from .serving import served


@pytest.fixture
def window(chromium: tuple[str, str], tmp_path: Path) -> Iterator[Window]:
    downloads = tmp_path / "downloads"
    downloads.mkdir()
    with browser(*chromium, downloads) as window:
        yield window
        assert window.errors() == []


def saved(folder: Path, name: str) -> str:
    """The text of a file that the browser saves."""
    for _ in range(300):
        if (folder / name).exists() and (folder / name).stat().st_size:
            return (folder / name).read_text()
        time.sleep(0.1)
    raise AssertionError(f"{name} was never saved: {sorted(path.name for path in folder.iterdir())}")


SHOWN = "#evidence:not([aria-busy])"  # the evidence of the fact that is open


def decide(window: Window, key: str) -> None:
    """Press the key of a verdict once the evidence is there."""
    window.one(SHOWN)
    window.press(key)


def open_names(window: Window) -> str:
    return window.one('.fact[aria-expanded="true"] .names').text


def test_a_new_relation_from_examples_to_a_file_by_keyboard_alone(model: Path, window: Window, tmp_path: Path) -> None:
    with served(model) as server:
        window.open(server.address)
        window.one("#start h1")
        window.press("?")
        window.wait_for_text("#help", "accept: the fact is true")
        window.press(ENTER)  # closes it
        window.press("/")
        window.press("capital")
        window.one("#examples-part summary").send_keys(" ")
        window.one("#example-head").click()
        for number in range(3):
            window.press(f"land{number}")
            window.wait_for_text(".options [role=option]", f"land{number}")
            window.press(DOWN, ENTER)
            window.press(f"town{number}a")
            window.wait_for_text(".options [role=option]", f"town{number}a")
            window.press(DOWN, ENTER)
        window.wait_for_text("#examples", "land2 → town2a")
        window.one("#relation").send_keys(ENTER)
        window.wait_for_text("#progress", "0 of 50 decided")
        window.wait_for_text(".fact-title", "capital")
        assert window.one(".canvas canvas").size["width"] > 100

        first = open_names(window)
        decide(window, "a")
        window.wait_for_text("#progress", "1 accepted")
        decide(window, "r")
        window.wait_for_text("#progress", "1 rejected")
        decide(window, "s")
        window.wait_for_text("#progress", "1 skipped")
        window.wait_for_text("#progress", "precision 50 %")
        window.press("u")
        window.wait_for_text("#progress", "0 skipped")
        here = open_names(window)
        window.press("j")
        assert open_names(window) != here
        window.press("k")
        assert open_names(window) == here

        window.press("x")
        window.one("#export-format")
        window.one("#export-form button.primary").send_keys(ENTER)
        head, tail = first.split(" → ")
        content = saved(tmp_path / "downloads", "accepted.nt")
        assert content == f"<urn:faan:{head}> <urn:faan:capital> <urn:faan:{tail}> .\n"

        window.press("e")  # accepted facts become examples
        window.wait_for_text("#progress", "of 48 decided")  # one land less lacks it
        assert "accepted=" in window.driver.current_url
        assert first not in [element.text for element in window.all(".fact .names")]


def test_a_relation_of_the_graph_to_a_file_by_mouse(model: Path, window: Window, tmp_path: Path) -> None:
    with served(model) as server:
        window.open(server.address)
        window.type("#reviewer", "Ana")
        window.click('.relations a[href="/?relation=minted_in"]')
        window.wait_for_text(".ending", "Nothing found")  # every coin is minted somewhere
        window.click("#more-part summary")
        window.click("#known")
        window.type("#head", "coin3")
        window.click('.options [role="option"]')
        window.wait_for_text("#heads", "coin3")
        window.click("#question .primary")
        window.wait_for_text("#progress", "of 3 decided")
        window.click("#suggestions li:nth-child(2) .fact")
        window.click("#suggestions li:nth-child(1) .fact")
        window.wait_for_text(".fact-title", "minted_in")
        window.click(f"{SHOWN} #accept")
        window.wait_for_text("#suggestions li:nth-child(1)", "accepted by Ana")
        window.click(f"{SHOWN} #reject")
        window.wait_for_text("#progress", "1 rejected")
        window.click("#undo")
        window.wait_for_text("#progress", "0 rejected")
        window.click(f"{SHOWN} #reject")
        window.wait_for_text("#progress", "1 rejected")
        link = window.driver.current_url
        window.click("#show-export")
        window.click("#export-decision option[value=all]")
        window.click("#export-form .primary")
        window.wait_for_text("#export-problem", "cannot say which facts were rejected")
        window.click("#export-format option[value=ttl]")
        window.click("#export-form .primary")
        assert "Ana" in saved(tmp_path / "downloads", "all.ttl")
        window.click("#show-export")
        window.click("#export-format option[value=sparql]")
        window.click("#export-form .primary")
        assert "DELETE DATA" in saved(tmp_path / "downloads", "all.ru")

        window.open(link)  # as somebody else would
        window.wait_for_text("#suggestions li:nth-child(1)", "accepted by Ana")
        assert window.one("#reviewer").get_attribute("value") == "Ana"


def test_two_windows_learn_from_each_other(model: Path, window: Window) -> None:
    with served(model) as server:
        address = f"{server.address}/?relation=speaks&head=land1&known=show"
        window.open(address)
        window.wait_for_text(".fact-title", "land1")
        first = window.driver.current_window_handle
        window.driver.switch_to.new_window("window")
        window.open(address)
        window.wait_for_text(".fact-title", "land1")
        decide(window, "a")
        window.wait_for_text("#suggestions li:nth-child(1)", "accepted by anonymous")
        window.driver.switch_to.window(first)
        window.press("r")  # before or after it has heard of the other window
        window.wait_for_text("#suggestions li:nth-child(1)", "by anonymous")


SLOW = """
const quick = window.fetch;
window.fetch = async (path, options) => {
  if (path === window.slow) await new Promise((resolve) => (window.go = resolve));
  return quick(path, options);
};
window.slow = "/api/decisions";
"""  # decisions, or what else is named, wait until the test lets them go


def test_keys_pressed_while_a_decision_is_saved_decide_nothing(model: Path, window: Window) -> None:
    with served(model) as server:
        window.open(f"{server.address}/?relation=speaks&head=land1&known=show")
        window.wait_for_text(".fact-title", "land1")
        window.driver.execute_script(SLOW)
        decide(window, "a")
        for key in ("a", "r", "u"):
            window.press(key)
            window.wait_for_text("#status", "still being saved")
        window.driver.execute_script("window.go()")
        window.wait_for_text("#progress", "1 accepted, 0 rejected")
        window.wait_for_text("#status", "accepted")
        assert not window.one("body").find_element("id", "problem").is_displayed()
        decide(window, "r")  # the next one
        window.driver.execute_script("window.go()")
        window.wait_for_text("#progress", "1 accepted, 1 rejected")


def test_nothing_is_decided_before_its_evidence_is_shown(model: Path, window: Window) -> None:
    with served(model) as server:
        window.open(f"{server.address}/?relation=speaks&head=land1&known=show")
        window.wait_for_text(".fact-title", "land1")
        window.driver.execute_script(SLOW + 'window.slow = "/evidence"')
        window.press("j")
        window.press("a")
        window.wait_for_text("#status", "not here yet")
        window.driver.execute_script("window.go()")
        decide(window, "a")
        window.wait_for_text("#progress", "1 accepted, 0 rejected")


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_the_verdicts_are_in_view(model: Path, window: Window, size: tuple[int, int]) -> None:
    with served(model) as server:
        window.show_as(*size)
        window.open(f"{server.address}/?relation=speaks&head=land1&known=show")
        window.wait_for_text(".fact-title", "land1")
        window.one(".canvas canvas")
        place = "const box = document.getElementById('accept').getBoundingClientRect(); return box.bottom - innerHeight"
        assert window.driver.execute_script(place) <= 0


def test_names_that_look_like_scripts_are_only_names(evil_model: Path, window: Window) -> None:
    with served(evil_model) as server:
        window.open(server.address)
        window.click(".relations a")
        window.wait_for_text(".fact-title", "<img src=x onerror=alert(1)>")
        assert window.all("main img") == []
        window.press("a")
        window.wait_for_text("#progress", "1 accepted")


def test_what_is_wrong_is_said_on_the_page(model: Path, window: Window) -> None:
    with served(model) as server:
        window.open(f"{server.address}/?relation=spekas")
        window.wait_for_text("#problem", "Did you mean 'speaks'?")


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_shows_the_page_without_scrolling_sideways(model: Path, window: Window, dark: bool) -> None:
    with served(model) as server:
        window.show_as(360, 740, dark=dark)
        window.open(f"{server.address}/?relation=speaks&head=land1&known=show")
        window.wait_for_text("#suggestions li:nth-child(1) .fact-title", "land1")
        width = window.driver.execute_script("return document.documentElement.scrollWidth")
        assert width <= 360
        window.click(f"{SHOWN} #accept")
        window.wait_for_text("#progress", "1 accepted")
