"""The command `export`: decided facts as a file, or sent to a SPARQL endpoint."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from faan.base import InputError, atomic_file, counted
from faan.cli.examples import ModelArgument, graph_of
from faan.cli.options import (
    Base,
    DecisionsFile,
    Force,
    KnowledgeSource,
    RelationBase,
    check_new_file,
    format_of,
    refuse,
    with_options,
)
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


@dataclass(frozen=True)
class FormatOptions:
    """Options of single formats."""

    reference: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PROPERTY=VALUE",
            help="A reference for QuickStatements, such as P248=Q5188229 (stated in) or P854=https://... (address); "
            "may be given several times. The day of the decision is added as P813 (retrieved).",
        ),
    ] = None
    knowledge_source: KnowledgeSource = None
    node_label: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The label of nodes in Cypher.  [default: Entity]")
    ] = None
    node_key: Annotated[
        str | None,
        typer.Option(
            metavar="PROPERTY",
            help="The property by which Cypher finds nodes; _id is Neo4j's internal number.  [default: id]",
        ),
    ] = None

    @property
    def key(self) -> NodeKey | None:
        """How Cypher finds nodes, if it was given."""
        if self.node_label is None and self.node_key is None:
            return None
        return NodeKey(self.node_label or "Entity", self.node_key or "id")

    @property
    def references(self) -> dict[str, str]:
        """The references as properties and values."""
        found = [text.partition("=") for text in self.reference or ()]
        if not all(equals for _, equals, _ in found):
            raise typer.BadParameter("expected PROPERTY=VALUE, such as P248=Q5188229", param_hint="--reference")
        return {name: value for name, _, value in found}

    def refuse_for_endpoint(self) -> None:
        """Refuse options that have no effect on an endpoint."""
        refuse("KGX", {"--knowledge-source": self.knowledge_source})
        refuse("Cypher", {"--node-label": self.node_label, "--node-key": self.node_key})


@dataclass(frozen=True)
class EndpointOptions:
    """Where to send facts instead of writing them."""

    to: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Send the facts to a SPARQL endpoint instead: `sparql+https://host/update`."
        ),
    ] = None
    query_at: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Where that endpoint answers queries, if faan cannot guess it from --to."),
    ] = None
    named_graph: Annotated[
        str | None, typer.Option("--graph", metavar="IRI", help="The named graph of the endpoint to change.")
    ] = None
    user: User = None
    yes: Annotated[bool, typer.Option("--yes", help="Send without asking.")] = False

    def refuse_for_files(self) -> None:
        """Refuse options that have no effect on a file."""
        given = {"--query-at": self.query_at, "--graph": self.named_graph, "--user": self.user, "--yes": self.yes}
        refuse("an endpoint (--to)", given)

    def send(self, facts: Sequence[Decision], terms: Terms) -> None:
        """Show what would change at an endpoint, ask, send, and look again."""
        if self.to is None or not is_endpoint(self.to):
            raise typer.BadParameter("expected an address such as sparql+https://host/update", param_hint="--to")
        endpoint = endpoint_of(None, None, self.user, None)
        asked, updated = Client(self.query_at or query_address(self.to), endpoint), Client(self.to, endpoint)
        graph = None if self.named_graph is None else iri(self.named_graph, "graph")
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
        if not self.yes and not sys.stdin.isatty():
            raise InputError("nothing was sent; repeat the command with --yes to send this")
        if not self.yes and not typer.confirm("send this?", err=True):
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
        talk.print(f"sent {counted(len(signed), 'fact')}; the endpoint is as decided")


_PLAIN, _NOWHERE = FormatOptions(), EndpointOptions()  # defaults; the command line always passes its own


@with_options("extras", FormatOptions)
@with_options("endpoint", EndpointOptions)
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
    extras: FormatOptions = _PLAIN,
    endpoint: EndpointOptions = _NOWHERE,
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
    if endpoint.to is None:
        endpoint.refuse_for_files()
    else:
        refuse("files, not for an endpoint", {"--format": format, "-o": output, "--force": force})
        extras.refuse_for_endpoint()
    form = format_of(format, output, {one.ending: name for name, one in FORMATS.items()}, default="nt")
    chosen = next((name for name in CHOSEN if name == decision), None)
    if chosen is None:
        raise typer.BadParameter(f"expected one of {', '.join(CHOSEN)}", param_hint="--decision")
    if decisions is None and not model.is_dir():
        raise InputError("there is no such model folder", source=str(model))
    if output is None:
        refuse("a file (-o)", {"--force": force})
    second = FORMATS[form].beside
    files = {} if output is None else {form: output}
    if output is not None and second is not None:
        files[second] = _nodes_beside(output)
    for path in files.values():
        check_new_file(path, force)
    if validate is None:
        refuse("facts that are checked (--validate)", {"--write-invalid": write_invalid})
    elif chosen == "rejected":
        raise typer.BadParameter("only accepted facts can be checked", param_hint="--validate")
    terms, references, key = Terms(base, relation_base), extras.references, extras.key
    stored = Decisions(model / DECISIONS_FILE if decisions is None else decisions.resolve(), create=False)
    with contextlib.closing(stored):
        graph = graph_of(model)
        called = None if relation is None else decided_relation(stored, graph, relation)
        if validate is not None:
            _validate(stored.current(called, ("accepted",)), validate, terms, graph, write_invalid)
        if endpoint.to is not None:
            endpoint.send(stored.current(called, ("accepted", "rejected") if chosen == "all" else (chosen,)), terms)
            return
        write = partial(
            export_facts, stored, chosen=chosen, terms=terms, relation=called, graph=graph, references=references
        )
        written = write(form, knowledge_source=extras.knowledge_source, node_key=key)
        if output is None:
            sys.stdout.writelines(written.pieces)
        for name, path in files.items():
            _write(written.pieces if name == form else write(name).pieces, path)
    talk.print(f"{counted(written.count, 'fact')} as {FORMATS[form].name}{_to(files.pop(form, None))}")
    for name, path in files.items():
        talk.print(f"their entities as {FORMATS[name].name}{_to(path)}")
    if written.left_out:
        talk.print(
            f"{counted(written.left_out, 'rejected suggestion is', 'rejected suggestions are')} left out: the graph "
            "does not state them, so there is nothing to remove"
        )


def _to(path: Path | None) -> str:
    return "" if path is None else f" to {visible(str(path))}"


def _nodes_beside(edges: Path) -> Path:
    """The file of nodes that belongs to a file of edges."""
    if "edges" in edges.name:
        return edges.with_name("nodes".join(edges.name.rsplit("edges", 1)))
    return edges.with_name(f"{edges.stem}_nodes{edges.suffix}")


def _validate(facts: Sequence[Decision], shapes: Path, terms: Terms, graph: Graph | None, go_on: bool) -> None:
    """Print which facts break shapes; an error unless --write-invalid is given."""
    with busy("checking"):
        found = validate_facts(facts, shapes, terms, graph)
    for one in found.new[:_VIOLATIONS]:
        what = ": ".join(visible(part) for part in (one.node, one.path, one.message) if part)
        talk.print(f"- {what}{f' (found: {visible(one.value)})' if one.value else ''}")
    if len(found.new) > _VIOLATIONS:
        talk.print(f"and {len(found.new) - _VIOLATIONS:,} more")
    for note in found.notes[:_NOTES]:
        talk.print(visible(note))
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


def _write(pieces: Iterable[str], output: Path) -> None:
    """Write a file atomically; write to pipes and devices directly."""
    is_file = output.is_file() or not output.exists()
    place = atomic_file(output.resolve()) if is_file else contextlib.nullcontext(output)
    with place as path, path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(pieces)
