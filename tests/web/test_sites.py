"""Pages of other sites may call the reconciliation service if they are of this machine or named, and nothing else."""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient

from faan.base import InputError
from faan.web.app import create_app
from faan.web.guard import reconcile_path
from faan.web.service import Service
from faan.web.sites import Sites

from .conftest import client_of
from .reconciling import Refine

TOKEN = "0123456789abcdef"
QUERIES = {"queries": '{"q0": {"query": "Peru"}}'}
DECISION = {"relation": "currency", "head": "Peru", "tail": "Euro", "verdict": "accepted", "reviewer": "Ana"}


def client_for(service: Service, *origins: str, token: str | None = None) -> TestClient:
    return TestClient(create_app(service, token, Sites(origins)), base_url="http://127.0.0.1:8000")


@pytest.mark.parametrize(
    "origin", ["http://127.0.0.1:3333", "http://localhost:3333", "http://[::1]:1", "https://localhost"]
)
def test_pages_of_this_machine_may_reconcile(client: TestClient, origin: str) -> None:
    headers = {"origin": origin, "sec-fetch-site": "cross-site"}
    for answer in (
        client.get("/reconcile", headers=headers),
        client.post("/reconcile", data=QUERIES, headers=headers),
        client.get("/reconcile/suggest/type?prefix=a", headers=headers),
        client.get("/reconcile/suggest/type", headers=headers),  # what is wrong with a request can be read too
    ):
        assert answer.headers["access-control-allow-origin"] == origin
        assert answer.headers["vary"] == "Origin"
        assert "access-control-allow-credentials" not in answer.headers
    asked = client.options("/reconcile", headers={**headers, "access-control-request-method": "POST"})
    assert (asked.status_code, asked.headers["access-control-allow-methods"]) == (204, "GET, POST")


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        "http://localhost@evil.example",
        "null",
        "http://[",
        "file://",
        "http://127.0.0.1:3333/",
        "",
    ],
)
def test_pages_of_other_sites_may_not(client: TestClient, origin: str) -> None:
    headers = {"origin": origin, "sec-fetch-site": "cross-site"}
    refused = client.post("/reconcile", data=QUERIES, headers=headers)
    assert refused.status_code == 403
    assert "--allow-origin" in refused.json()["error"]
    for answer in (refused, client.get("/reconcile", headers=headers), client.options("/reconcile", headers=headers)):
        assert "access-control-allow-origin" not in answer.headers


def test_a_named_site_may_reconcile_and_nothing_else(service: Service) -> None:
    client = client_for(service, "https://Refine.example.org/")
    headers = {"origin": "https://refine.example.org", "sec-fetch-site": "cross-site"}
    assert client.post("/reconcile", data=QUERIES, headers=headers).status_code == 200
    preview = client.get("/reconcile/preview?id=Peru", headers=headers)
    assert "https://refine.example.org" in preview.headers["content-security-policy"]
    assert "default-src 'none'" in preview.headers["content-security-policy"]
    assert client.post("/api/decisions", json=DECISION, headers=headers).status_code == 403
    for path in ("/", "/api/relations", "/reconciled", "/static/review.css"):
        others = client.get(path, headers=headers).headers
        assert "access-control-allow-origin" not in others
        assert "frame-ancestors 'none'" in others["content-security-policy"]


@pytest.mark.parametrize("text", ["*", "refine.example.org", "ftp://x", "https://x/path", "https://x; img-src *", ""])
def test_a_site_is_a_scheme_and_a_host(text: str) -> None:
    with pytest.raises(InputError, match="expected a site such as"):
        Sites([text])


def test_other_host_names_are_not_served(client: TestClient) -> None:
    answer = client.post("/reconcile", data=QUERIES, headers={"host": "evil.example"})
    assert answer.status_code == 400


def test_forms_are_for_reconciliation_only(client: TestClient) -> None:
    assert client.post("/api/suggest", data=QUERIES).status_code == 415
    assert client.post("/reconcile", json={}).status_code == 415


def test_with_a_token_the_address_holds_a_key_that_opens_nothing_else(service: Service) -> None:
    client, path = client_of(service, TOKEN), reconcile_path(TOKEN)
    key = path.removesuffix("/reconcile")
    assert TOKEN not in path
    assert client.post("/reconcile", data=QUERIES).status_code == 401
    assert client.get("/reconcile").status_code == 401
    refine = Refine(client, f"http://127.0.0.1:8000{path}")
    assert refine.reconcile(["Peru"])[0][0].match
    assert refine.suggest("entity", "peru") == ["Peru"]
    assert dict(refine.extend(["Peru"], {"id": "near"})) == {"Peru": {"near": ["Chile"]}}
    assert "Chile" in refine.preview("Peru")
    for other in ("/", "/api/relations", "/api/decisions", "/reconcile/../api/relations", "/reconciled"):
        assert client.get(f"{key}{other}").status_code in (401, 404)
    assert client.post(f"{key}/api/decisions", json=DECISION).status_code == 401
    assert client.get(f"/{'0' * 32}/reconcile").status_code == 401
    assert client.get("/api/relations", headers={"authorization": f"Bearer {key[1:]}"}).status_code == 401
    bearer = {"authorization": f"Bearer {TOKEN}"}
    assert client.get("/reconcile", headers=bearer).json()["suggest"]["type"]["service_url"].endswith("/reconcile")
    assert path in client.get("/", headers=bearer).text


def test_without_a_token_no_key_is_needed_and_none_is_taken(client: TestClient) -> None:
    assert reconcile_path(None) == "/reconcile"
    assert client.get(f"{reconcile_path(TOKEN)}").status_code == 404


def test_a_proxy_with_encryption_gets_encrypted_addresses(client: TestClient) -> None:
    manifest = client.get("/reconcile", headers={"x-forwarded-proto": "https"}).json()
    assert manifest["preview"]["url"].startswith("https://127.0.0.1:8000/reconcile/preview?id=")
