"""OpenRefine itself, where it is installed (`apt-get install openrefine`): its server and its page use ours."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from selenium import webdriver

PROGRAM = shutil.which("openrefine")
ALL_ROWS = json.dumps({"facets": [], "mode": "row-based"})

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(PROGRAM is None, reason="OpenRefine is not installed: apt-get install openrefine"),
]


class OpenRefine:
    """A running OpenRefine, and what its page tells its server to do."""

    def __init__(self, address: str) -> None:
        self.address = address

    def get(self, command: str, **query: str) -> Any:
        """Ask for something."""
        with urllib.request.urlopen(f"{self.address}/command/core/{command}?{urlencode(query)}", timeout=60) as answer:
            return json.load(answer)

    def post(self, command: str, query: dict[str, str], **fields: str) -> Any:
        """Have something done."""
        query = {**query, "csrf_token": self.get("get-csrf-token")["token"]}
        address = f"{self.address}/command/core/{command}?{urlencode(query)}"
        with urllib.request.urlopen(address, urlencode(fields).encode(), timeout=60) as answer:
            return json.load(answer)

    def create(self, table: str) -> str:
        """A project from a table; its number."""
        part = 'Content-Disposition: form-data; name="project-file"; filename="t.csv"\r\nContent-Type: text/csv'
        body = f"--b\r\n{part}\r\n\r\n{table}\r\n--b--\r\n".encode()
        query = urlencode({"csrf_token": self.get("get-csrf-token")["token"]})
        address = f"{self.address}/command/core/create-project-from-upload?{query}"
        request = urllib.request.Request(address, body, {"Content-Type": "multipart/form-data; boundary=b"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return str(parse_qs(urlsplit(answer.geturl()).query)["project"][0])

    def run(self, command: str, project: str, **fields: str) -> None:
        """Have a column worked on, to the end."""
        self.post(command, {"project": project}, engine=ALL_ROWS, **fields)
        while self.get("get-processes", project=project)["processes"]:
            time.sleep(0.05)

    def cells(self, project: str, column: int) -> list[dict[str, Any] | None]:
        """The cells of a column, each with what it was reconciled with."""
        answer = self.post("get-rows", {"project": project, "start": "0", "limit": "100"}, engine=ALL_ROWS)
        cells = [row["cells"][column] if len(row["cells"]) > column else None for row in answer["rows"]]
        recons = answer["pool"]["recons"]  # cells name these by their ids
        return [cell and {**cell, "r": recons.get(cell.get("r"))} for cell in cells]


@pytest.fixture(scope="module")
def openrefine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenRefine]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder: Path = tmp_path_factory.mktemp("openrefine")
    command = [PROGRAM or "", "-d", str(folder), "-p", str(port), "-m", "400M", "-x", "refine.headless=true"]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ) as process:
        try:
            running = OpenRefine(f"http://127.0.0.1:{port}")
            until = time.monotonic() + 120
            while time.monotonic() < until and process.poll() is None:
                try:
                    running.get("get-version")
                    break
                except OSError:
                    time.sleep(0.2)
            yield running
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # its script started a process of its own


def test_openrefine_reconciles_and_extends(openrefine: OpenRefine, page: str) -> None:
    service = f"{page}/reconcile"
    with urllib.request.urlopen(service, timeout=60) as answer:
        manifest = json.load(answer)
    spaces = {name: manifest[name] for name in ("identifierSpace", "schemaSpace")}
    project = openrefine.create("place\n" + "\n".join(f"land{i}" for i in range(1, 12)) + "\ntown2a\nlnad3\n")
    guessed = openrefine.post("guess-types-of-column", {"project": project, "columnName": "place", "service": service})
    assert guessed["types"][0]["id"] == "country"
    config = {"mode": "standard-service", "service": service, **spaces, "autoMatch": True, "columnDetails": []}
    kind = {"id": "country", "name": "country"}
    openrefine.run("reconcile", project, columnName="place", config=json.dumps(config | {"type": kind, "limit": 0}))
    cells = openrefine.cells(project, 0)
    judged = [cell["r"]["j"] for cell in cells if cell]
    assert judged == ["matched"] * 11 + ["none", "none"]  # a town is no country
    assert [cell["r"]["m"]["id"] for cell in cells[:11] if cell] == [f"land{i}" for i in range(1, 12)]
    settings = {"min_probability": "0", "limit": "1", "source": "suggested"}
    columns = [{"id": "speaks"}, {"id": "next_to", "settings": settings}, {"id": "next_to#probability"}]
    openrefine.run(
        "extend-data",
        project,
        baseColumnName="place",
        columnInsertIndex="1",
        endpoint=service,
        extension=json.dumps({"properties": columns}),
        **spaces,
    )
    filled = [[cell and cell["v"] for cell in openrefine.cells(project, column)] for column in (1, 2, 3)]
    assert filled[0][:11] == [f"tongue{i % 4}" for i in range(1, 12)]
    assert all(name and name.startswith("land") for name in filled[1][:11])
    assert filled[2][:11] == [1.0] * 11


def test_the_page_of_openrefine_may_call_the_service(
    openrefine: OpenRefine, page: str, chrome: webdriver.Chrome
) -> None:
    project = openrefine.create("place\nland1\n")
    before = chrome.current_window_handle
    chrome.switch_to.new_window("tab")
    try:
        chrome.set_script_timeout(60)
        chrome.get(f"{openrefine.address}/project?project={project}")
        register = "ReconciliationManager.registerStandardService(arguments[0], arguments[1], true)"
        chrome.execute_async_script(register, f"{page}/reconcile")
        services = "return ReconciliationManager.standardServices.map(s => [s.name, s.ui.access])"
        assert ["land (faan)", "json"] in chrome.execute_script(services)
        suggest = "fetch(arguments[0]).then(a => a.json()).then(arguments[1], () => arguments[1](null))"
        found = chrome.execute_async_script(suggest, f"{page}/reconcile/suggest/type?prefix=c")
        assert found["result"][0]["id"] == "city"
        assert chrome.execute_async_script(suggest, f"{page}/api/relations") is None
        frame = """
            const frame = document.createElement("iframe");
            frame.id = "shown";
            frame.onload = () => arguments[1]();
            frame.src = arguments[0];
            document.body.append(frame);
        """
        chrome.execute_async_script(frame, f"{page}/reconcile/preview?id=land1")
        chrome.switch_to.frame("shown")
        assert "tongue1" in chrome.find_element("tag name", "body").text
    finally:
        chrome.close()
        chrome.switch_to.window(before)
