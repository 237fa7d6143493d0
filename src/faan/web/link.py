"""Links from entities to pages that describe them, by the template of `faan serve --link`."""

from __future__ import annotations

from urllib.parse import quote, urlsplit

from faan.base import InputError
from faan.web.search import local_part

PLACE = "{id}"


class LinkTemplate:
    """An address with `{id}` in it, such as `https://www.wikidata.org/wiki/{id}`."""

    def __init__(self, template: str) -> None:
        try:
            parts = urlsplit(template)
            host, _ = parts.hostname, parts.port
        except ValueError:
            raise InputError(f"the link {template!r} is not an address; give one such as {_EXAMPLE}") from None
        if parts.scheme not in ("http", "https") or not host:
            raise InputError(f"the link {template!r} is not an http or https address; give one such as {_EXAMPLE}")
        if PLACE not in f"{parts.path}?{parts.query}#{parts.fragment}" or PLACE in parts.netloc:
            raise InputError(f"the link {template!r} lacks {PLACE} after its host: {_EXAMPLE}")
        if not template.isprintable() or " " in template:
            raise InputError(f"the link {template!r} has characters that no address has; percent-encode them")
        self._template = template

    def to(self, name: str) -> str:
        """The address for an entity: the last part of an IRI, or else its whole name, percent-encoded."""
        return self._template.replace(PLACE, quote(local_part(name), safe=":", errors="replace"))


_EXAMPLE = f"https://www.wikidata.org/wiki/{PLACE}"
