"""Access control: checks host, site and token before a request is handled, and sets security headers on every answer.

A page of a stranger, open in the same browser, must neither read nor decide anything here. Without a token only
requests to this very machine by its own name are answered: a name that a stranger points at it (DNS rebinding) is not.

The reconciliation service alone may be called by pages of some other sites (`sites.py`). With a token it also has an
address that holds a key: clients like OpenRefine know no tokens, and keep the address in projects that people share.
The key follows from the token, not the other way round, and opens nothing else.
"""

from __future__ import annotations

import hmac
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from faan.web.answers import refusal
from faan.web.limits import MAX_BODY
from faan.web.sites import Sites, is_loopback

RECONCILE = "/reconcile"  # the reconciliation service is there and below

_SAFE = {"GET", "HEAD", "OPTIONS"}
_OPEN = ("/static/", "/healthz")  # what needs no token
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-cache",
}


def reconcile_path(token: str | None) -> str:
    """Where clients that know no token find the reconciliation service: behind a key, if the server has a token."""
    if token is None:
        return RECONCILE
    return f"/{hmac.new(token.encode(), b'faan reconcile', 'sha256').hexdigest()[:32]}{RECONCILE}"


class Guard:
    """Wraps an application."""

    def __init__(self, app: ASGIApp, token: str | None, token_page: str, sites: Sites) -> None:
        self._app = app
        self._token = token
        self._key = reconcile_path(token).removesuffix(RECONCILE)
        self._sites = sites
        self._token_page = token_page  # the form that asks for the token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            has_key = self._has_key(scope)
            if has_key:
                scope = {**scope, "root_path": self._key}
            path = scope["path"].removeprefix(scope.get("root_path", ""))
            is_open = path == RECONCILE or path.startswith(f"{RECONCILE}/")
            origin = Headers(scope=scope).get("origin")
            send = _marked(send, path, self._sites.headers(origin, _POLICY) if is_open else {})
            refused = self._refusal(scope, is_open, has_key)
            await (refused or _Limited(self._app))(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _has_key(self, scope: Scope) -> bool:
        """Whether a request has the key of the reconciliation service in its address."""
        given = scope["path"][: len(self._key)]
        below = scope["path"][len(self._key) :]
        return bool(self._key) and _equal(given, self._key) and f"{below}/".startswith(f"{RECONCILE}/")

    def _refusal(self, scope: Scope, is_open: bool, has_key: bool) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self._token is None and not is_loopback(_name_of(host)):
            return refusal(
                400, "this host name is not served: open the address that `faan serve` printed, or serve with a token"
            )
        is_allowed = is_open and self._sites.allow(headers.get("origin", ""))
        if scope["method"] not in _SAFE and not is_allowed and not _same_site(headers, host):
            hint = ": open the reconciliation service to it with --allow-origin" if is_open else ""
            return refusal(403, f"the request comes from another site{hint}")
        if not is_allowed and _is_part_of_another_page(headers):
            return refusal(403, "the request comes from a page of another site")
        if is_allowed and scope["method"] == "OPTIONS":
            return Response(status_code=204)
        form = "application/x-www-form-urlencoded" if is_open else "application/json"
        if scope["method"] == "POST" and headers.get("content-type", "").split(";")[0].strip().lower() != form:
            return refusal(415, f"expected a body with Content-Type: {form}")
        if self._token is None or has_key or scope["path"].startswith(_OPEN):
            return None
        return self._refusal_without_token(scope, headers, self._token)

    def _refusal_without_token(self, scope: Scope, headers: Headers, token: str) -> Response | None:
        given = headers.get("authorization", "").removeprefix("Bearer ")
        if _equal(given, token) or _equal(_cookie(headers), token):
            return None
        asked = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        if scope["path"] == "/" and _equal(asked.pop("token", [""])[0], token):
            answer = RedirectResponse("/?" + urlencode(asked, doseq=True) if asked else "/", status_code=303)
            secure = scope["scheme"] == "https"
            answer.set_cookie(_cookie_name(headers), token, httponly=True, samesite="strict", secure=secure)
            return answer
        if scope["path"] == "/":
            return HTMLResponse(self._token_page, status_code=401)
        what = "the token is missing or wrong: send Authorization: Bearer TOKEN, or open the page with ?token=TOKEN"
        return refusal(401, what, {"www-authenticate": "Bearer"})


class _Limited:
    """Wraps an application to limit the size of request bodies."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body first: it is small, or it is refused."""
        body, more = bytearray(), True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > MAX_BODY:
                await refusal(413, f"the request is larger than {MAX_BODY:,} bytes")(scope, receive, send)
                return
        pending: list[Message] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

        async def receive_again() -> Message:
            return pending.pop() if pending else await receive()

        await self._app(scope, receive_again, send)


def _marked(send: Send, path: str, others: dict[str, str]) -> Send:
    """Add the security headers to every answer."""

    async def send_marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in (HEADERS | others).items():
                headers[name] = value
            if path.startswith("/static/vendor/"):
                headers["cache-control"] = "max-age=3600"
        await send(message)

    return send_marked


def _name_of(host: str) -> str:
    """The name in a Host header, without the port."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _place_of(origin: str) -> str | None:
    """Host and port in an Origin header."""
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return None


def _same_site(headers: Headers, host: str) -> bool:
    """Whether a request comes from our own page, or from no page at all."""
    origin = headers.get("origin")
    if origin is not None and _place_of(origin) != host.lower():
        return False
    return headers.get("sec-fetch-site", "same-origin") in ("same-origin", "none")


def _is_part_of_another_page(headers: Headers) -> bool:
    """Whether a page of another site asks for a picture, a script or data, which it may not have: nothing is computed.

    Links to the page, and frames with previews, are navigations.
    """
    return headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate"


def _cookie_name(headers: Headers) -> str:
    """Where a browser keeps the token: it has one store for all ports of a host, so the port is in the name."""
    try:
        port = urlsplit(f"//{headers.get('host', '')}").port
    except ValueError:
        port = None
    return "faan-token" if port is None else f"faan-token-{port}"


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(_cookie_name(headers))
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _equal(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())
