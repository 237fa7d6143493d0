"""A real browser, and what a person does in it. Everything waits for a state of the page, nothing for time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    StaleElementReferenceException,
    TimeoutException,
)
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

_T = TypeVar("_T")
_PATIENCE = 120  # seconds until a state is given up that never comes; machines are slow at times
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-dev-shm-usage", "--hide-scrollbars"),
)
READY = '[aria-disabled="false"]'  # a button that can be pressed

# Tests can hold requests back, or let them fail as if the server were gone. `what` begins like "POST /evidence".
_HOLDABLE = """
const pass = window.fetch;
const held = [];
const unanswered = new Set();
const rule = { what: null, after: 0, answers: false, broken: false };
async function passed(path, options) {
  const request = { what: `${options.method ?? "GET"} ${path}` };
  unanswered.add(request);
  try {
    return await pass(path, options);
  } finally {
    unanswered.delete(request);
  }
}
window.fetch = async (path, options = {}) => {
  if (rule.what && `${options.method ?? "GET"} ${path}`.startsWith(rule.what) && --rule.after < 0) {
    if (rule.broken) throw new TypeError("Failed to fetch");
    const letGo = new Promise((resolve) => held.push(resolve));
    const answer = rule.answers && (await passed(path, options));
    await letGo;
    if (answer) return answer;
  }
  return passed(path, options);
};
window.requests = {
  unanswered: () => [...unanswered].map(({ what }) => what),
  hold: (what, after = 0, answers = false) => Object.assign(rule, { what, after, answers, broken: false }),
  lose: (what) => Object.assign(rule, { what, after: 0, broken: true }),
  release: () => { rule.what = null; held.splice(0).forEach((go) => go()); },
};
"""

_VERDICTS = """
const texts = (row) => [".names", ".verdict"].map((part) => row.querySelector(part).textContent);
return [...document.querySelectorAll(".fact")].map(texts);
"""

# The visible things that can be pressed and that a box lies over; the evidence scrolls below the verdicts by design.
_COVERED = """
const box = document.querySelector(arguments[0]).getBoundingClientRect();
const beside = (other) => box.left >= other.right || other.left >= box.right;
const apart = (other) => beside(other) || box.top >= other.bottom || other.top >= box.bottom;
return [...document.querySelectorAll("button, a, input, select")]
  .filter((element) => element.checkVisibility() && !element.closest("#reasons"))
  .filter((element) => !apart(element.getBoundingClientRect()))
  .map((element) => element.id || element.textContent);
"""


class Window:
    """A window of the browser."""

    def __init__(self, driver: webdriver.Chrome, downloads: Path) -> None:
        self.driver, self.downloads = driver, downloads
        self._run("Page.addScriptToEvaluateOnNewDocument", source=_HOLDABLE)

    def _run(self, command: str, **settings: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, settings)

    def until(self, holds: Callable[[], _T], otherwise: str) -> _T:
        """Wait until something holds, and return it."""
        ignored = [StaleElementReferenceException]
        wait = WebDriverWait(self.driver, _PATIENCE, poll_frequency=0.05, ignored_exceptions=ignored)
        try:
            return wait.until(lambda _: holds())
        except TimeoutException:
            raise AssertionError(f"{otherwise}; the page says {self.state()}") from None

    def state(self) -> dict[str, Any]:
        """What the page says, and which requests have no answer yet: for errors of tests."""
        said = {what: [element.text for element in self.all(what)] for what in ("#status", "#problem", "#progress")}
        unanswered = self.driver.execute_script("return window.requests.unanswered()")
        return {**said, "unanswered": unanswered, "verdicts": self.verdicts(), "errors": self.errors()}

    def open(self, address: str, *, hold: str | None = None, after: int = 0) -> None:
        """Open a page; requests that begin like `hold` are held back, but for the first ones."""
        if hold is None:
            self.driver.get(address)
            return
        source = f"window.requests.hold({hold!r}, {after})"
        script = self._run("Page.addScriptToEvaluateOnNewDocument", source=source)["identifier"]
        self.driver.get(address)
        self._run("Page.removeScriptToEvaluateOnNewDocument", identifier=script)

    def hold(self, what: str, *, answers: bool = False) -> None:
        """Hold requests back from now on, or the answers to them."""
        self.driver.execute_script("window.requests.hold(arguments[0], 0, arguments[1])", what, answers)

    def lose(self, what: str) -> None:
        """Let requests fail from now on, as if the server were gone."""
        self.driver.execute_script("window.requests.lose(arguments[0])", what)

    def release(self) -> None:
        """Let all requests pass, those too that were held back."""
        self.driver.execute_script("window.requests.release()")

    def one(self, selector: str) -> WebElement:
        """The first thing that fits and is visible, as soon as it is there."""

        def visible() -> WebElement | None:
            return next((element for element in self.all(selector) if element.is_displayed()), None)

        found = self.until(visible, f"nothing visible fits {selector}")
        assert found is not None
        return found

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        return str(self.until(lambda: (self.one(selector).text,), f"{selector} cannot be read")[0])

    def click(self, selector: str) -> None:
        """Click a thing once it can be clicked."""

        def clicked() -> bool:
            try:
                self.one(selector).click()
            except (ElementClickInterceptedException, ElementNotInteractableException):
                return False  # it moves, or comes and goes
            return True

        self.until(clicked, f"{selector} cannot be clicked")

    def click_twice(self, selector: str, gap: float) -> None:
        """Click twice on the same spot; that so many seconds lie between is only said, not waited for."""
        now = time.time()
        for count in (1, 2):
            box = self.driver.execute_script("return arguments[0].getBoundingClientRect()", self.one(selector))
            place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2, "button": "left"}
            for kind in ("mousePressed", "mouseReleased"):
                stamp = now + count * gap
                self._run("Input.dispatchMouseEvent", type=kind, clickCount=count, timestamp=stamp, **place)

    def press(self, *keys: str) -> None:
        """Press keys without looking where the focus is."""
        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def keep_pressed(self, key: str) -> None:
        """What a key sends that is not let go."""
        self._run("Input.dispatchKeyEvent", type="keyDown", key=key, text=key, autoRepeat=True)

    def type(self, selector: str, text: str) -> None:
        self.one(selector).send_keys(text)

    def choose(self, name: str) -> None:
        """Take a name from what a field offers, by keyboard."""

        def chosen() -> bool:
            self.press(DOWN)  # the offers may have changed since
            return any(item.text.split("\n")[0] == name for item in self.all('.options [aria-selected="true"]'))

        self.wait_for_text(".options [role=option]", name)
        self.until(chosen, f"{name} is never offered")
        self.press(ENTER)

    def wait_for_text(self, selector: str, text: str) -> None:
        """Wait until a thing says something."""

        def says() -> bool:
            return any(text in element.text for element in self.all(selector))

        self.until(says, f"{selector} never says {text!r}")

    def switch_to(self, handle: str) -> None:
        """Go to another window, as a person does: it is in front and has the keyboard."""
        self.driver.switch_to.window(handle)
        self._run("Page.bringToFront")
        in_front = "return document.hasFocus() && !document.hidden"
        self.until(lambda: self.driver.execute_script(in_front), "the window never comes to the front")

    def decide(self, key: str) -> str:
        """Press the key of a verdict as soon as that is possible; returns which fact it is about."""
        self.one(f"#accept{READY}")
        names = self.open_names()
        self.press(key)
        return names

    def open_names(self) -> str:
        return self.text('.fact[aria-expanded="true"] .names')

    def verdicts(self) -> dict[str, str]:
        """What the list says about each fact."""
        return dict(self.driver.execute_script(_VERDICTS))

    def covered_by(self, selector: str) -> list[str]:
        """The buttons, links and fields that a thing lies over."""
        return list(self.driver.execute_script(_COVERED, selector))

    def saved(self, name: str) -> str:
        """The text of a file that the browser saves."""
        path = self.downloads / name
        self.until(lambda: path.exists() and path.stat().st_size > 0, f"{name} is never saved")
        return path.read_text(encoding="utf-8")

    def errors(self) -> list[str]:
        """What the browser complains about: broken scripts, what the policy forbids; not requests that fail."""
        entries = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        said = [entry["message"] for entry in entries if entry["level"] == "SEVERE"]
        return [text for text in said if "Failed to load resource" not in text]

    def show_as(self, width: int, height: int, *, dark: bool = False, scale: float = 1) -> None:
        """Be a screen of some size, by day or by night."""
        self._run(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._run("Emulation.setEmulatedMedia", features=[scheme])


@contextmanager
def started(chromium: str, chromedriver: str, profile: Path) -> Iterator[webdriver.Chrome]:
    """A browser without windows of its own that matter; `window_of` opens them."""
    options = Options()
    options.binary_location = chromium
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(chromedriver))
    try:
        yield driver
    finally:
        driver.quit()


@contextmanager
def window_of(driver: webdriver.Chrome, downloads: Path) -> Iterator[Window]:
    """A new window that saves files in a folder; it and all windows that it opens are closed at the end.

    What pages stored in the browser is removed: the next test may get the same port, and so the same storage.
    """
    home = driver.current_window_handle
    driver.switch_to.new_window("window")
    driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(downloads)})
    window = Window(driver, downloads)
    window.show_as(1300, 900)
    try:
        yield window
    finally:
        for handle in driver.window_handles:
            if handle != home:
                driver.switch_to.window(handle)
                origin = driver.execute_script("return window.origin")
                if origin != "null":  # of a blank page
                    driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
                driver.close()
        driver.switch_to.window(home)


@contextmanager
def browser(chromium: str, chromedriver: str, downloads: Path) -> Iterator[Window]:
    """A browser with one window that saves files in a folder."""
    with started(chromium, chromedriver, downloads / "profile") as driver, window_of(driver, downloads) as window:
        yield window


DOWN, ENTER = Keys.ARROW_DOWN, Keys.ENTER
