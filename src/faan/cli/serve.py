"""The command `serve`: the review page. What needs torch or a web server is imported when it is called."""

from __future__ import annotations

import contextlib
from typing import Annotated

import typer

from faan.base import InputError
from faan.cli.examples import ModelArgument
from faan.cli.loading import load_lightgbm
from faan.cli.options import DecisionsFile
from faan.cli.printing import busy, talk, visible
from faan.web import LinkTemplate, Sites, is_loopback


def serve(
    context: typer.Context,
    model: ModelArgument,
    host: Annotated[
        str, typer.Option(help="The address to listen on; other machines can reach it only with a token.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 picks a free one.")] = 8000,
    token: Annotated[
        str | None, typer.Option(envvar="FAAN_TOKEN", show_envvar=True, help="Required to use the page.")
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SITE",
            help="A site whose pages may call the reconciliation service, such as https://refine.example.org; may be "
            "given several times. Pages of this machine always may.",
        ),
    ] = None,
    decisions: DecisionsFile = None,
    link: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="A page that describes an entity, with {id} for its name: 'https://www.wikidata.org/wiki/{id}'.",
        ),
    ] = None,
) -> None:
    """Open the review page: suggestions with their reasons, to accept or reject; also an HTTP interface."""
    load_lightgbm()
    try:
        from faan.web import addresses, check_access, create_app, listen, reconcile_path, run, service_of
    except ModuleNotFoundError as error:
        raise InputError(f"the page needs more packages ({error.name}): pip install 'faan[web]'") from None
    check_access(host, token)
    described, sites = None if link is None else LinkTemplate(link), Sites(allow_origin or ())
    with listen(host, port) as bound, contextlib.ExitStack() as opened:
        with busy("opening the model") as on_progress:
            service = opened.enter_context(service_of(model, decisions, described, on_progress, _say_built))

        def say_where() -> None:
            source = context.get_parameter_source("token")
            is_secret = source is not None and source.name == "ENVIRONMENT"  # must not appear in logs or on screens
            here, *elsewhere = addresses(host, bound.getsockname()[1], None if is_secret else token)
            talk.print(f"decisions are kept in {visible(str(service.decisions.path))}")
            if not service.naming.search.is_complete:
                talk.print("the index of names is being built; until then parts of names find important entities only")
            talk.print(f"open {here}  (Ctrl+C ends it)")
            for address in elsewhere:
                talk.print(f"from other machines: {address}")
            if is_secret:
                talk.print("the page asks for the token, which is in FAAN_TOKEN, and shows the address for OpenRefine")
            if not is_loopback(host):
                talk.print("anyone who can reach this machine and has the token can use the page", style="yellow")
            for address in () if is_secret else (here, *elsewhere):
                talk.print(f"for OpenRefine: {address.partition('/?')[0].rstrip('/')}{reconcile_path(token)}")

        run(create_app(service, token, sites), bound, say_where)


def _say_built() -> None:
    talk.print("the index of names is built")
