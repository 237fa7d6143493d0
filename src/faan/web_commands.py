"""The commands around reviewing: the page, and the export of what was decided."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from faan.graph import InputError
from faan.printing import busy, talk, visible
from faan.web.decisions import DECISIONS_FILE, Decisions
from faan.web.export import FORMATS, Chosen, export, verdicts_of


def run_serve(folder: Path, host: str, port: int, token: str | None, decisions: Path | None) -> None:
    """Serve the review page and the HTTP interface until interrupted."""
    try:
        from faan.web.app import create_app
        from faan.web.server import check_access, listen, run, service_of
    except ModuleNotFoundError as error:
        raise InputError(f"the page needs more packages ({error.name}): pip install 'faan[web]'") from None
    check_access(host, token)
    with listen(host, port) as bound:
        with busy("opening the model") as progress:
            opened = contextlib.ExitStack()
            service = opened.enter_context(service_of(folder, decisions, progress))
        with opened:
            place = f"[{host}]" if ":" in host else host
            address = f"http://{place}:{bound.getsockname()[1]}/"
            talk.print(f"decisions are kept in {visible(str(service.decisions.path))}")
            talk.print(f"open {address}{f'?token={token}' if token else ''}  (Ctrl+C ends it)")
            run(create_app(service, token), bound)


def run_export(
    folder: Path, format: str, chosen: Chosen, relation: str | None, base: str, decisions: Path | None, output: Path | None
) -> None:
    """Write decided facts to a file or to standard output."""
    stored = Decisions(decisions or folder / DECISIONS_FILE, create=False)
    try:
        facts = stored.current(relation, verdicts_of(chosen))
        pieces = export(facts, format, chosen, base, stored.identity)
        if output is None:
            sys.stdout.writelines(pieces)
        else:
            with output.open("w", encoding="utf-8", newline="") as file:
                file.writelines(pieces)
    finally:
        stored.close()
    where = "" if output is None else f" to {visible(str(output))}"
    noun = "fact" if len(facts) == 1 else "facts"
    talk.print(f"{len(facts):,} {noun} as {FORMATS[format].name}{where}")
