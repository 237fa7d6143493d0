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
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException

from faan import __version__
from faan.base import InputError, UnknownNameError, in_words
from faan.web import api, page, reconcile
from faan.web.answers import Problem
from faan.web.decision import ConflictError, DamagedError, LockedError, StorageError, UnknownDecisionError
from faan.web.gate import BusyError
from faan.web.guard import Guard, reconcile_path
from faan.web.limits import THREADS
from faan.web.search import PreparingError
from faan.web.service import Service
from faan.web.sites import Sites

_STATIC = Path(__file__).parent / "static"
_log = logging.getLogger("faan.web")
_problem = TypeAdapter(Problem)
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
    app.add_middleware(Guard, token=token, token_page=page.token_page(), sites=sites)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
    yield


def _answer(status: int, problem: Problem, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse(_problem.dump_python(problem), status_code=status, headers=headers)


def _wrong_input(request: Request, error: Exception) -> JSONResponse:
    match error:
        case ConflictError():
            return _answer(409, Problem(error=str(error), standing=error.standing))
        case UnknownDecisionError():
            return _answer(404, Problem(error=str(error)))
        case LockedError():
            _log.error("%s", error)
            return _answer(503, Problem(error=str(error)), {"retry-after": "5"})
        case PreparingError():
            return _answer(503, Problem(error=str(error)), {"retry-after": "30"})
        case DamagedError():
            _log.error("%s", error)
            return _answer(503, Problem(error=str(error)))
        case StorageError():
            _log.error("%s", error)
            return _answer(507, Problem(error=str(error)))
        case UnknownNameError():
            return _answer(422, Problem(error=str(error), nearest=error.nearest))
    return _answer(422, Problem(error=str(error)))


def _wrong_request(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["type"] == "json_invalid":  # its place is a number of letters
        return _answer(400, Problem(error=f"the body {in_words(first)}, from letter {first['loc'][-1]} on"))
    place = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    return _answer(422, Problem(error=f"{place or 'the body'}: {in_words(first)}"))


def _wrong_address(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return _answer(error.status_code, Problem(error=str(error.detail)), dict(error.headers or {}))


def _busy(request: Request, error: Exception) -> JSONResponse:
    return _answer(429, Problem(error=str(error)), {"retry-after": "5"})


def _broken(request: Request, error: Exception) -> JSONResponse:
    """An error in faan itself; the traceback is in the log."""
    return _answer(500, Problem(error="an error in faan, not in the request; the server's log has the details"))
