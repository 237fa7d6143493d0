"""Wikidata's two dumps, in the layouts of the real ones, give the same graph."""

from __future__ import annotations

import bz2
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from faan.base import InputError
from faan.graph import Graph, read_graph, sources

Write = Callable[[str, str | bytes], Path]
WD, WDT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
LABEL, SCHEMA = "http://www.w3.org/2000/01/rdf-schema#label", "http://schema.org/"
# Q number: labels by language, statements (property, value, rank)
ITEMS: dict[str, tuple[dict[str, str], list[tuple[str, str, str]]]] = {
    "Q419": (
        {"en": "Peru", "es": "Perú"},
        [("P31", "Q6256", "normal"), ("P36", "Q2868", "preferred"), ("P36", "Q5582862", "normal")],
    ),
    "Q2868": ({"en": "Lima"}, [("P31", "Q515", "normal"), ("P17", "Q419", "normal"), ("P1082", "9,751,717", "normal")]),
    "Q17": (
        {"mul": "Japan", "fr": "Japon"},
        [("P31", "Q6256", "normal"), ("P36", "Q1490", "normal"), ("P36", "Q34600", "deprecated")],
    ),
    "Q1490": ({"fr": "Tokyo"}, [("P31", "Q515", "normal"), ("P17", "Q17", "normal")]),
    "Q6256": ({"en": "country"}, []),
    "Q515": ({"en": "city"}, []),
    "P36": ({"en": "capital"}, []),
    "P17": ({"en": "country of"}, []),
}
FACTS = {("Q419", "P36", "Q2868"), ("Q2868", "P17", "Q419"), ("Q17", "P36", "Q1490"), ("Q1490", "P17", "Q17")}


def best(statements: list[tuple[str, str, str]]) -> list[tuple[str, str]]:
    preferred = {prop for prop, _, rank in statements if rank == "preferred"}
    return [(p, value) for p, value, rank in statements if rank == ("preferred" if p in preferred else "normal")]


def truthy() -> str:
    lines = ["<http://wikiba.se/ontology#Dump> <http://creativecommons.org/ns#license> <http://x.org/zero/1.0/> ."]
    for name, (labels, statements) in ITEMS.items():
        item = f"<{WD}{name}>"
        lines.append(f"<https://www.wikidata.org/wiki/Special:EntityData/{name}> <{SCHEMA}about> {item} .")
        lines.append(f"{item} <{RDF}type> <http://wikiba.se/ontology#Item> .")
        for relation in (LABEL, "http://www.w3.org/2004/02/skos/core#prefLabel", f"{SCHEMA}name"):
            lines += [f'{item} <{relation}> "{label}"@{language} .' for language, label in labels.items()]
        lines.append(f'{item} <{SCHEMA}description> "something"@en .')
        for prop, value in best(statements):
            tail = f"<{WD}{value}>" if value.startswith("Q") else f'"{value}"'
            lines.append(f"{item} <{WDT}{prop}> {tail} .")
        lines.append(f"<https://en.wikipedia.org/wiki/{name}> <{SCHEMA}about> {item} .")
    return "\n".join(lines) + "\n"


def statement(prop: str, value: str, rank: str) -> dict[str, Any]:
    is_item = value.startswith("Q")
    content = {"entity-type": "item", "numeric-id": int(value[1:]), "id": value} if is_item else value
    kind = "wikibase-entityid" if is_item else "string"
    snak = {"snaktype": "value", "property": prop, "datavalue": {"value": content, "type": kind}}
    return {"mainsnak": snak, "type": "statement", "rank": rank}


def entities(as_list: bool) -> str:
    lines = []
    for name, (labels, statements) in ITEMS.items():
        claims: dict[str, list[dict[str, Any]]] = {}
        for prop, value, rank in statements:
            claims.setdefault(prop, []).append(statement(prop, value, rank))
        texts = {language: {"language": language, "value": label} for language, label in labels.items()}
        kind = "item" if name.startswith("Q") else "property"
        lines.append(json.dumps({"type": kind, "id": name, "labels": texts, "claims": claims or [], "sitelinks": {}}))
    return "[\n" + ",\n".join(lines) + "\n]\n" if as_list else "\n".join(lines) + "\n"


DUMPS: dict[str, str | bytes] = {
    "truthy.nt": truthy(),
    "latest-truthy.nt.bz2": bz2.compress(truthy().encode()),
    "latest-all.json.gz": gzip.compress(entities(as_list=True).encode()),
    "entities.jsonl": entities(as_list=False),
}


def short(graph: Graph) -> set[tuple[str, str, str]]:
    return {(h.removeprefix(WD), r.removeprefix(WDT), t.removeprefix(WD)) for h, r, t in graph.triples()}


@pytest.mark.parametrize("name", DUMPS)
def test_a_dump_gives_facts_between_items_with_labels_and_types(write: Write, name: str) -> None:
    graph = read_graph(write(name, DUMPS[name]))
    assert short(graph) == FACTS
    assert graph.report.format.startswith("wikidata")
    assert graph.entity_label(graph.entity(f"{WD}Q419")) == "Peru"
    assert graph.relation_label(graph.relation(f"{WDT}P36")) == "capital"
    assert graph.entity_label(graph.entity(f"{WD}Q1490")) == f"{WD}Q1490"  # no English label
    assert graph.types is not None
    assert {graph.types.label(kind) for kind in range(len(graph.types.names))} == {"country", "city"}


@pytest.mark.parametrize("name", DUMPS)
def test_properties_and_classes_are_chosen_while_reading(
    write: Write, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faan.graph.ntriples._BLOCK", 100)  # items straddle blocks
    monkeypatch.setattr(sources, "_BLOCK", 100)
    path = write(name, DUMPS[name])
    for capital in ("P36", "wdt:P36", f"{WDT}P36"):
        assert short(read_graph(path, predicates=[capital])) == {fact for fact in FACTS if fact[1] == "P36"}
    graph = read_graph(path, classes=["Q515"])
    assert short(graph) == {fact for fact in FACTS if fact[1] == "P17"}
    assert graph.types is not None
    peru = graph.types.of(graph.entity(f"{WD}Q419"))
    assert [graph.types.label(int(kind)) for kind in peru] == ["country"], "tails keep their types"


@pytest.mark.parametrize("name", DUMPS)
def test_labels_are_in_the_chosen_languages(write: Write, name: str) -> None:
    graph = read_graph(write(name, DUMPS[name]), languages=["es", "fr"])
    labels = {one: graph.entity_label(graph.entity(WD + one)) for one in ("Q419", "Q17", "Q1490")}
    assert labels == {"Q419": "Perú", "Q17": "Japon", "Q1490": "Tokyo"}


@pytest.mark.parametrize("name", DUMPS)
def test_a_label_for_all_languages_is_better_than_none(write: Write, name: str) -> None:
    graph = read_graph(write(name, DUMPS[name]))
    assert graph.entity_label(graph.entity(f"{WD}Q17")) == "Japan"


def test_statements_about_values_are_counted(write: Write) -> None:
    assert read_graph(write("entities.jsonl", DUMPS["entities.jsonl"])).report.literals == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"type": "item", "labels": {}', "line 9: not an entity of Wikidata in JSON"),
        ('{"type": "item"}', "line 9: not an entity"),
        ("[1, 2]", "line 9: not an entity"),
        ('{"id": "Q1", "claims": {"P36": [{"rank": "normal"}]}}', "line 9: not an entity"),
    ],
)
def test_a_bad_line_is_named_or_skipped(write: Write, line: str, message: str) -> None:
    path = write("entities.jsonl", entities(as_list=False) + line + "\n")
    with pytest.raises(InputError, match=message):
        read_graph(path)
    graph = read_graph(path, skip_bad_lines=True)
    assert short(graph) == FACTS
    assert graph.report.skipped == 1


def test_a_property_that_does_not_occur_is_an_error(write: Write) -> None:
    for name in DUMPS:
        with pytest.raises(InputError, match=r"there is no triple of P9999 in it|no relation is called 'P9999'"):
            read_graph(write(name, DUMPS[name]), predicates=["P9999"])
