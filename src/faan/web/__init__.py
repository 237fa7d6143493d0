"""The review page, the HTTP service, the decisions of reviewers and their export."""

from typing import TYPE_CHECKING

from faan.base import lazy_names
from faan.web.cypher import NodeKey, cypher_statements
from faan.web.decision import Decision
from faan.web.decisions import DECISIONS_FILE, Decisions
from faan.web.export import CHOSEN, FORMATS, decided_relation, export
from faan.web.link import LinkTemplate
from faan.web.sending import plan, query_address, send
from faan.web.sites import Sites, is_loopback
from faan.web.validating import validate

if TYPE_CHECKING:  # imported when first used: torch takes seconds to load
    from faan.web.app import create_app
    from faan.web.guard import reconcile_path
    from faan.web.server import addresses, check_access, listen, run, service_of
else:
    __getattr__ = lazy_names(__name__)

__all__ = [
    "CHOSEN",
    "DECISIONS_FILE",
    "FORMATS",
    "Decision",
    "Decisions",
    "LinkTemplate",
    "NodeKey",
    "Sites",
    "addresses",
    "check_access",
    "create_app",
    "cypher_statements",
    "decided_relation",
    "export",
    "is_loopback",
    "listen",
    "plan",
    "query_address",
    "reconcile_path",
    "run",
    "send",
    "service_of",
    "validate",
]
