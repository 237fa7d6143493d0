"""Which other sites' pages may call the reconciliation service; no other part of the server allows other sites.

A client such as OpenRefine is a page of its own: it asks across sites (CORS) and shows previews in a frame. Pages of
this very machine may do that by default, because programs of this machine can ask the server anyway.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from faan.base import InputError

_ORIGIN = re.compile(r"https?://(?:[a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?")
_LOCAL = "http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:*"


def is_loopback(host: str) -> bool:
    """Whether an address is a loopback address, which no other machine can reach."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class Sites:
    """Pages of this machine, and of the sites of `faan serve --allow-origin`."""

    def __init__(self, origins: Sequence[str] = ()) -> None:
        self._origins = tuple(map(_origin, origins))

    def allow(self, origin: str) -> bool:
        """Whether a page of a site may call the reconciliation service."""
        if origin in self._origins:
            return True
        try:
            return bool(_ORIGIN.fullmatch(origin)) and is_loopback(urlsplit(origin).hostname or "")
        except ValueError:
            return False

    def headers(self, origin: str | None, policy: str) -> dict[str, str]:
        """What an answer of the reconciliation service says to the browser, given the policy of all other answers."""
        ancestors = " ".join(["frame-ancestors 'self'", _LOCAL, *self._origins])
        found = {"vary": "Origin", "content-security-policy": policy.replace("frame-ancestors 'none'", ancestors)}
        if origin is not None and self.allow(origin):
            found["access-control-allow-origin"] = origin
            found["access-control-allow-methods"] = "GET, POST"
            found["access-control-allow-headers"] = "authorization, content-type"
        return found


def _origin(text: str) -> str:
    origin = text.strip().rstrip("/").lower()
    if not _ORIGIN.fullmatch(origin):
        raise InputError(f"expected a site such as https://refine.example.org, found {text!r}")
    return origin
