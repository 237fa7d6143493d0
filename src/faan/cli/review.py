"""The commands of a reviewer: serve, export. What needs torch or a web server is imported when it is called."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from faan.base import InputError, atomic_file, counted
from faan.cli.examples import ModelArgument, graph_of
from faan.cli.options import Base, Force, RelationBase, check_new_file, format_of, refuse
from faan.cli.printing import busy, talk, visible
from faan.cli.reading import User, endpoint_of
from faan.graph import DEFAULT_BASE, Client, Graph, Terms, iri, is_endpoint
from faan.web import (
    CHOSEN,
    DECISIONS_FILE,
    FORMATS,
    Decision,
    Decisions,
    NodeKey,
    decided_relation,
    plan,
    query_address,
    send,
)
from faan.web import export as export_facts
from faan.web import validate as validate_facts

_SHOWN = 10  # facts that will be sent
_VIOLATIONS, _NOTES = 20, 5  # that are shown

DecisionsFile = Annotated[
    Path | None,
    typer.Option("--decisions", metavar="FILE", help="The file of decisions, if it is not in the model folder."),
]


def serve(
    context: typer.Context,
    model: ModelArgument,
    host: Annotated[
        str, typer.Option(help="The address to listen on; needs a token if it is not of this machine alone.")
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
    try:
        from faan.web import (
            LinkTemplate,
            Sites,
            addresses,
            check_access,
            create_app,
            is_loopback,
            listen,
            reconcile_path,
            run,
            service_of,
        )
    except ModuleNotFoundError as error:
        raise InputError(f"the page needs more packages ({error.name}): pip install 'faan[web]'") from None
    check_access(host, token)
    described, sites = None if link is None else LinkTemplate(link), Sites(allow_origin or ())
    with listen(host, port) as bound, contextlib.ExitStack() as opened:
        with busy("opening the model") as on_progress:
            service = opened.enter_context(service_of(model, decisions, described, on_progress))

        def say_where() -> None:
            source = context.get_parameter_source("token")
            is_secret = source is not None and source.name == "ENVIRONMENT"  # which logs and screens must not show
            here, *elsewhere = addresses(host, bound.getsockname()[1], None if is_secret else token)
            talk.print(f"decisions are kept in {visible(str(service.decisions.path))}")
            talk.print(f"open {here}  (Ctrl+C ends it)")
            for address in elsewhere:
                talk.print(f"from other machines: {address}")
            if is_secret:
                talk.print("the page asks for the token, which is in FAAN_TOKEN, and shows the address for OpenRefine")
            if not is_loopback(host):
                talk.print("whoever can reach this machine and has the token can use the page", style="yellow")
            for address in () if is_secret else (here, *elsewhere):
                talk.print(f"for OpenRefine: {address.partition('/?')[0].rstrip('/')}{reconcile_path(token)}")

        run(create_app(service, token, sites), bound, say_where)


def export(
    model: ModelArgument,
    format: Annotated[
        str | None, typer.Option(help=f"{', '.join(FORMATS)}.  [default: by the file's ending, else nt]")
    ] = None,
    decision: Annotated[str, typer.Option(help=f"{', '.join(CHOSEN)}.")] = "accepted",
    relation: Annotated[str | None, typer.Option(metavar="NAME", help="Only this relation, by name or label.")] = None,
    base: Base = DEFAULT_BASE,
    relation_base: RelationBase = None,
    decisions: DecisionsFile = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="The file to write, if not standard output.")
    ] = None,
    force: Force = False,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROPERTY=VALUE",
            help="A reference for QuickStatements, such as P248=Q5188229 (stated in) or P854=https://... (address); "
            "may be given several times. The day of the decision is added as P813 (retrieved).",
        ),
    ] = None,
    knowledge_source: Annotated[
        str | None,
        typer.Option(metavar="INFORES", help="KGX's primary_knowledge_source of the facts, such as infores:my-lab."),
    ] = None,
    node_label: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The label of nodes in Cypher.  [default: Entity]")
    ] = None,
    node_key: Annotated[
        str | None,
        typer.Option(
            metavar="PROPERTY",
            help="The property by which Cypher finds nodes; _id is Neo4j's internal number.  [default: id]",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Send the facts to a SPARQL endpoint instead: `sparql+https://host/update`."
        ),
    ] = None,
    query_at: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Where that endpoint answers queries, if faan cannot guess it from --to."),
    ] = None,
    named_graph: Annotated[
        str | None, typer.Option("--graph", metavar="IRI", help="The named graph of the endpoint to change.")
    ] = None,
    user: User = None,
    yes: Annotated[bool, typer.Option("--yes", help="Send without asking.")] = False,
    validate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Check the accepted facts against these SHACL shapes (needs pySHACL); if one breaks them, nothing is "
            "written or sent.",
        ),
    ] = None,
    write_invalid: Annotated[
        bool, typer.Option("--write-invalid", help="Report facts that break the shapes, but write or send them.")
    ] = False,
) -> None:
    """Write the facts that were accepted on the review page (or rejected, or all), with their provenance."""
    if to is None:
        refuse("an endpoint (--to)", {"--query-at": query_at, "--graph": named_graph, "--user": user, "--yes": yes})
    else:
        refuse("files, not for an endpoint", {"--format": format, "-o": output, "--force": force})
        refuse("KGX", {"--knowledge-source": knowledge_source})
        refuse("Cypher", {"--node-label": node_label, "--node-key": node_key})
    form = format_of(format, output, {one.ending: name for name, one in FORMATS.items()}, default="nt")
    chosen = next((name for name in CHOSEN if name == decision), None)
    if chosen is None:
        raise typer.BadParameter(f"expected one of {', '.join(CHOSEN)}", param_hint="--decision")
    if decisions is None and not model.is_dir():
        raise InputError("there is no such model folder", source=str(model))
    second = FORMATS[form].beside if output is not None else None
    if output is not None:
        check_new_file(output, force)
        if second is not None:
            check_new_file(_nodes_beside(output), force)
    else:
        refuse("a file (-o)", {"--force": force})
    key = None if node_label is None and node_key is None else NodeKey(node_label or "Entity", node_key or "id")
    if validate is None:
        refuse("facts that are checked (--validate)", {"--write-invalid": write_invalid})
    elif chosen == "rejected":
        raise typer.BadParameter("only accepted facts can be checked", param_hint="--validate")
    references = dict(_reference(text) for text in reference or ())
    path = model / DECISIONS_FILE if decisions is None else decisions.resolve()
    stored = Decisions(path, create=False)
    with contextlib.closing(stored):
        graph = graph_of(model)
        called = None if relation is None else decided_relation(stored, graph, relation)
        if validate is not None:
            accepted = stored.current(called, ("accepted",))
            _validate(accepted, validate, Terms(base, relation_base), graph, write_invalid)
        if to is not None:
            facts = stored.current(called, ("accepted", "rejected") if chosen == "all" else (chosen,))
            _send(facts, Terms(base, relation_base), to, query_at, named_graph, user, yes)
            return
        terms = Terms(base, relation_base)
        write = partial(
            export_facts, stored, chosen=chosen, terms=terms, relation=called, graph=graph, references=references
        )
        written = write(form, knowledge_source=knowledge_source, node_key=key)
        if output is None:
            sys.stdout.writelines(written.pieces)
        else:
            _write(written.pieces, output)
            if second is not None:
                _write(write(second).pieces, _nodes_beside(output))
    where = "" if output is None else f" to {visible(str(output))}"
    talk.print(f"{counted(written.count, 'fact')} as {FORMATS[form].name}{where}")
    if output is not None and second is not None:
        talk.print(f"their entities as {FORMATS[second].name} to {visible(str(_nodes_beside(output)))}")
    if written.left_out:
        talk.print(
            f"{counted(written.left_out, 'rejected suggestion is', 'rejected suggestions are')} left out: the graph "
            "does not state them, so there is nothing to remove"
        )


def _nodes_beside(edges: Path) -> Path:
    """The file of nodes that belongs to a file of edges."""
    if "edges" in edges.name:
        return edges.with_name("nodes".join(edges.name.rsplit("edges", 1)))
    return edges.with_name(f"{edges.stem}_nodes{edges.suffix}")


def _validate(facts: Sequence[Decision], shapes: Path, terms: Terms, graph: Graph | None, go_on: bool) -> None:
    """Say which facts break shapes; an error unless they are wanted all the same."""
    with busy("checking"):
        found = validate_facts(facts, shapes, terms, graph)
    for one in found.new[:_VIOLATIONS]:
        what = ": ".join(visible(part) for part in (one.node, one.path, one.message) if part)
        talk.print(f"- {what}{f' (found: {visible(one.value)})' if one.value else ''}")
    if len(found.new) > _VIOLATIONS:
        talk.print(f"and {len(found.new) - _VIOLATIONS:,} more")
    for note in found.notes[:_NOTES]:
        talk.print(f"pySHACL says: {visible(note)}")
    if found.old:
        many = counted(found.old, "violation was", "violations were")
        talk.print(f"{many} in the graph before, at the same entities")
    said = f"{counted(len(facts), 'accepted fact')} against {visible(str(shapes))}"
    talk.print(f"checked {said}: {counted(len(found.new), 'violation') if found.new else 'no violation'}")
    if found.new and not go_on:
        raise InputError(
            "nothing was written, because accepted facts break the shapes; reject these on the review page, or repeat "
            "the command with --write-invalid"
        )


def _reference(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter("expected PROPERTY=VALUE, such as P248=Q5188229", param_hint="--reference")
    return name, value


def _send(
    facts: Sequence[Decision],
    terms: Terms,
    to: str,
    query_at: str | None,
    named_graph: str | None,
    user: str | None,
    yes: bool,
) -> None:
    """Show what would change at an endpoint, ask, send, and look again."""
    if not is_endpoint(to):
        raise typer.BadParameter("expected an address such as sparql+https://host/update", param_hint="--to")
    endpoint = endpoint_of(None, None, user, None)
    asked, updated = Client(query_at or query_address(to), endpoint), Client(to, endpoint)
    graph = None if named_graph is None else iri(named_graph, "graph")
    with busy("looking at the endpoint"):
        changes = plan(facts, terms, asked, graph)
    talk.print(
        f"{visible(updated.name)}: {counted(len(changes.insert), 'fact')} to insert, "
        f"{len(changes.delete):,} to delete, {changes.unchanged:,} already as decided"
    )
    signed = [*(("+", fact) for fact in changes.insert), *(("-", fact) for fact in changes.delete)]
    for sign, fact in signed[:_SHOWN]:
        talk.print(f"{sign} {visible(str(fact))} .")
    if len(signed) > _SHOWN:
        talk.print(f"and {len(signed) - _SHOWN:,} more")
    if not signed:
        return
    if not yes and not sys.stdin.isatty():
        raise InputError("nothing was sent; repeat the command with --yes to send this")
    if not yes and not typer.confirm("send this?", err=True):
        talk.print("nothing was sent")
        return
    with busy("sending"):
        send(changes, updated, graph)
        missing = plan(facts, terms, asked, graph).count
    if missing:
        raise InputError(
            f"the server took the update, but {counted(missing, 'fact is', 'facts are')} not as sent; "
            "does --query-at see the same graph?",
            source=updated.name,
        )
    talk.print(f"sent {counted(len(signed), 'fact')}; the endpoint has them as decided")


def _write(pieces: Iterable[str], output: Path) -> None:
    """Write a file as a whole; what stands there and is no file, such as a pipe, is written to."""
    is_file = output.is_file() or not output.exists()
    place = atomic_file(output.resolve()) if is_file else contextlib.nullcontext(output)
    with place as path, path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(pieces)
