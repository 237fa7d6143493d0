"""A real browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

_PATIENCE = 60  # seconds; machines are slow at times
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-dev-shm-usage", "--hide-scrollbars"),
)


class Window:
    """A window of the browser, with what a person does in it."""

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        self.driver.get(address)

    def one(self, selector: str) -> WebElement:
        """The one thing that is visible and fits, as soon as it is there."""

        def visible(driver: webdriver.Chrome) -> WebElement | None:
            found = [element for element in driver.find_elements(By.CSS_SELECTOR, selector) if element.is_displayed()]
            return found[0] if found else None

        found = WebDriverWait(self.driver, _PATIENCE).until(visible, f"nothing visible fits {selector}")
        assert found is not None
        return found

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector: str) -> None:
        self.one(selector).click()

    def press(self, *keys: str) -> None:
        """Press keys without looking where the focus is."""
        for key in keys:
            self.driver.switch_to.active_element.send_keys(key)

    def type(self, selector: str, text: str) -> None:
        self.one(selector).send_keys(text)

    def wait_for_text(self, selector: str, text: str) -> None:
        """Wait until a thing says something."""

        def says(driver: webdriver.Chrome) -> bool:
            return any(text in element.text for element in driver.find_elements(By.CSS_SELECTOR, selector))

        wait = WebDriverWait(self.driver, _PATIENCE, ignored_exceptions=[StaleElementReferenceException])
        wait.until(says, f"{selector} never says {text!r}")

    def errors(self) -> list[str]:
        """What the browser complains about: broken scripts, what the policy forbids; not requests that fail."""
        entries = self.driver.get_log("browser")  # type: ignore[no-untyped-call]
        said = [entry["message"] for entry in entries if entry["level"] == "SEVERE"]
        return [text for text in said if "Failed to load resource" not in text]

    def show_as(self, width: int, height: int, *, dark: bool = False, scale: float = 1) -> None:
        """Be a screen of some size, by day or by night."""
        size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


@contextmanager
def browser(chromium: str, chromedriver: str, downloads: Path) -> Iterator[Window]:
    """Start a browser that saves files in a folder."""
    options = Options()
    options.binary_location = chromium
    for flag in (*_FLAGS, f"--user-data-dir={downloads / 'profile'}"):
        options.add_argument(flag)
    options.add_experimental_option("prefs", {"download.default_directory": str(downloads)})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(chromedriver))
    try:
        window = Window(driver)
        window.show_as(1300, 900)
        yield window
    finally:
        driver.quit()


DOWN, ENTER, ESCAPE, TAB = Keys.ARROW_DOWN, Keys.ENTER, Keys.ESCAPE, Keys.TAB
