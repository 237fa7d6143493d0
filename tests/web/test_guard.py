"""Who may ask, and what a stranger's names and pages cannot do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from faan.base import InputError
from faan.graph import read_graph
from faan.web.limits import MAX_BODY
from faan.web.server import check_access
from faan.web.service import Service

from .conftest import MakeService, client_of

TOKEN = "0123456789abcdef"
DECISION = {"relation": "currency", "head": "Peru", "tail": "Euro", "verdict": "accepted", "reviewer": "Ana"}
EVIL = '<script>alert("x")</script>'


def test_every_answer_is_marked_as_safe(client: TestClient) -> None:
    for path in ("/", "/healthz", "/api/relations", "/static/review.js", "/nowhere", "/api/entities"):
        headers = client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
    assert client.get("/nowhere").json()["error"] == "Not Found"


def test_an_answer_after_an_error_in_faan_is_marked_as_safe_too(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Service, "past", lambda *_: 1 / 0)
    broken = client_of(service).get("/api/decisions/past")
    assert broken.status_code == 500
    for name, value in client_of(service).get("/healthz").headers.items():
        assert name.startswith("content-") or broken.headers[name] == value
    assert "default-src 'none'" in broken.headers["content-security-policy"]


def test_the_page_has_no_script_or_style_in_it(client: TestClient) -> None:
    page = client.get("/").text
    assert not re.search(r"<script(?![^>]*\ssrc=)", page)
    assert "<style" not in page
    assert not re.search(r"\s(style|on\w+)=", page)
    for address in re.findall(r'(?:src|href)="([^"]+)"', page):
        assert address.startswith(("/", "#"))  # nothing from elsewhere
    scripts = Path(__file__).parents[2] / "src" / "faan" / "web" / "static"
    assert all("http" not in path.read_text() for path in scripts.glob("*.js"))


def test_names_are_escaped_wherever_they_appear(make_service: MakeService) -> None:
    graph = read_graph([(EVIL, EVIL, f"{EVIL}'\"&"), ("Peru", EVIL, "Euro"), ("Chile", "near", EVIL)])
    client = client_of(make_service(graph))
    for page in (
        client.get("/").text,
        client.post("/evidence", json={"relation": EVIL, "head": EVIL, "tail": f"{EVIL}'\"&"}).text,
    ):
        assert "&lt;script&gt;alert" in page
        assert "<script>alert" not in page
    answer = client.post("/api/suggest", json={"relation": EVIL})
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "[::", "10.0.0.1"])
def test_other_host_names_are_not_served_without_a_token(client: TestClient, host: str) -> None:
    answer = client.get("/api/relations", headers={"host": host})
    assert answer.status_code == 400
    assert "host name is not served" in answer.json()["error"]


@pytest.mark.parametrize("host", ["localhost:9", "LocalHost", "127.0.0.1", "127.0.0.2:8000", "[::1]:8000"])
def test_this_machine_is_served_by_all_its_names(client: TestClient, host: str) -> None:
    assert client.get("/api/relations", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "http://127.0.0.1:9999"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_cannot_decide(client: TestClient, headers: dict[str, str]) -> None:
    assert client.post("/api/decisions", json=DECISION, headers=headers).status_code == 403
    assert client.delete("/api/decisions/1?reviewer=x", headers=headers).status_code == 403
    assert client.get("/api/decisions").json()["facts"] == []


def test_our_own_page_and_programs_can(client: TestClient) -> None:
    own = {"origin": "http://127.0.0.1:8000", "sec-fetch-site": "same-origin"}
    assert client.post("/api/decisions", json=DECISION, headers=own).status_code == 200
    assert client.post("/api/decisions", json=DECISION).status_code == 200


@pytest.mark.parametrize("path", ["/reconcile?extend={}", "/api/entities?q=a", "/api/export?format=nt", "/reconcile"])
@pytest.mark.parametrize("mode", ["no-cors", "cors"])
def test_pictures_and_scripts_of_other_pages_make_the_server_compute_nothing(
    client: TestClient, path: str, mode: str
) -> None:
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": mode}
    assert client.get(path, headers=headers).status_code == 403


def test_a_link_from_another_page_and_a_frame_with_a_preview_work(client: TestClient) -> None:
    headers = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/", headers=headers).status_code == 200
    assert client.get("/reconcile/preview?id=Peru", headers=headers).status_code == 200


def test_a_form_of_another_site_cannot_decide(client: TestClient) -> None:
    answer = client.post("/api/decisions", content="{}", headers={"content-type": "text/plain"})
    assert answer.status_code == 415


def test_large_requests_are_refused(client: TestClient) -> None:
    answer = client.post("/api/suggest", content=b" " * (MAX_BODY + 1), headers={"content-type": "application/json"})
    assert answer.status_code == 413


def test_with_a_token_nothing_is_told_without_it(service: Service) -> None:
    client = client_of(service, TOKEN)
    assert client.get("/api/relations").status_code == 401
    assert client.post("/api/decisions", json=DECISION).status_code == 401
    page = client.get("/")
    assert page.status_code == 401
    assert "currency" not in page.text
    assert client.get("/", params={"token": "wrong"}).status_code == 401
    assert client.get("/api/relations", headers={"authorization": "Bearer wrong"}).status_code == 401
    assert client.get("/api/relations", headers={b"cookie": "faan-token-8000=ümlaut".encode()}).status_code == 401
    assert client.get("/healthz").status_code == 200


def test_the_token_works_as_header_and_as_link(service: Service) -> None:
    client = client_of(service, TOKEN)
    bearer = {"authorization": f"Bearer {TOKEN}", "host": "review.example.org"}
    assert client.get("/api/relations", headers=bearer).status_code == 200
    answer = client.get("/", params={"token": TOKEN, "relation": "currency"}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/?relation=currency")
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert client.get("/api/relations").status_code == 200


def test_servers_at_two_ports_of_a_host_keep_their_tokens_apart(service: Service) -> None:
    tokens = {"review.example.org:8001": TOKEN, "review.example.org:8002": TOKEN[::-1]}
    jar = {}
    for host, token in tokens.items():
        answer = client_of(service, token).get(f"/?token={token}", headers={"host": host}, follow_redirects=False)
        name, value = answer.headers["set-cookie"].split(";")[0].split("=")
        jar[name] = value
    for host, token in tokens.items():
        both = {"host": host, "cookie": "; ".join(f"{name}={value}" for name, value in jar.items())}
        assert client_of(service, token).get("/api/relations", headers=both).status_code == 200


def test_others_are_let_in_only_with_a_token() -> None:
    for host in ("127.0.0.1", "127.0.0.2", "localhost", "::1"):
        check_access(host, None)
    check_access("0.0.0.0", TOKEN)
    for host in ("0.0.0.0", "192.168.0.1", "example.org", "::"):
        with pytest.raises(InputError, match="protect it with --token"):
            check_access(host, None)
    for token in ("short", "ümlaut-und-noch-mehr", "0123456789\n01234567"):
        with pytest.raises(InputError, match="16 or more plain characters"):
            check_access("127.0.0.1", token)
