"""The web application: the HTTP interface, the page, and the answers to errors."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio.to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException

from faan import __version__
from faan.base import InputError, UnknownNameError, in_words
from faan.web import api, page, reconcile
from faan.web.answers import refusal
from faan.web.decision import ConflictError, DamagedError, LockedError, StorageError, UnknownDecisionError
from faan.web.gate import BusyError
from faan.web.guard import HEADERS, Guard, reconcile_path
from faan.web.limits import THREADS
from faan.web.rendering import render
from faan.web.search import PreparingError
from faan.web.service import Service
from faan.web.sites import Sites

_STATIC = Path(__file__).parent / "static"
_log = logging.getLogger("faan.web")
_THIS_MACHINE = Sites()


def create_app(service: Service, token: str | None = None, sites: Sites = _THIS_MACHINE) -> FastAPI:
    """The application for a model; with a token, every request needs it.

    Pages of some sites may call the reconciliation service.
    """
    app = FastAPI(
        title="faan",
        description="Missing facts of a relation from a few examples, with reasons, to accept or reject.",
        version=__version__,
        docs_url=None,  # that page would load scripts from elsewhere
        redoc_url=None,
        lifespan=_lifespan,
    )
    app.state.service = service
    app.state.reconciler = reconcile.Reconciler(service)
    app.state.reconcile_path = reconcile_path(token)
    app.include_router(api.router)
    app.include_router(reconcile.router)
    app.include_router(page.router)
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    app.add_exception_handler(InputError, _wrong_input)
    app.add_exception_handler(RequestValidationError, _wrong_request)
    app.add_exception_handler(HTTPException, _wrong_address)
    app.add_exception_handler(BusyError, _busy)
    app.add_exception_handler(Exception, _broken)
    app.add_middleware(Guard, token=token, token_page=render("token.html"), sites=sites)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    yield


def _wrong_input(request: Request, error: Exception) -> JSONResponse:
    text = str(error)
    if isinstance(error, StorageError):
        _log.error("%s", text)
    match error:
        case ConflictError():
            return refusal(409, text, standing=error.standing)
        case UnknownDecisionError():
            return refusal(404, text)
        case LockedError():
            return refusal(503, text, {"retry-after": "5"})
        case PreparingError():
            return refusal(503, text, {"retry-after": "30"})
        case DamagedError():
            return refusal(503, text)
        case StorageError():
            return refusal(507, text)
        case UnknownNameError():
            return refusal(422, text, nearest=error.nearest)
    return refusal(422, text)


def _wrong_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":  # its place is a number of letters
        return refusal(400, f"the body {in_words(first)}, from letter {first['loc'][-1]} on")
    place = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    return refusal(422, f"{place or 'the body'}: {in_words(first)}")


def _wrong_address(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return refusal(error.status_code, str(error.detail), dict(error.headers or {}))


def _busy(request: Request, error: Exception) -> JSONResponse:
    return refusal(429, str(error), {"retry-after": "5"})


def _broken(request: Request, error: Exception) -> JSONResponse:
    """Answer after an error in faan itself, whose traceback is in the log; this answer does not pass the guard."""
    return refusal(500, "an error in faan, not in the request; the server's log has the details", HEADERS)
