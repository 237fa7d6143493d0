"""The chemical elements: their place in the periodic table, where they were found, who produces them."""

import re
import sqlite3
from itertools import pairwise

from world.corrections import DISCOVERED_IN, PLACES
from world.graph import World
from world.sources import data_file

CRYSTALS = {
    "BCC": "body-centred cubic",
    "CUB": "cubic",
    "DIA": "diamond cubic",
    "FCC": "face-centred cubic",
    "HEX": "hexagonal",
    "MCL": "monoclinic",
    "ORC": "orthorhombic",
    "RHL": "rhombohedral",
    "SC": "simple cubic",
    "TET": "tetragonal",
}
GOLDSCHMIDT = {
    "atmophile": "atmophile elements",
    "chalcophile": "chalcophile elements",
    "litophile": "lithophile elements",
    "siderophile": "siderophile elements",
}
QUERY = """
    SELECT elements.name, period, block, group_id, series.name, lattice_structure, goldschmidt_class,
           discovery_location, top_3_producers
    FROM elements LEFT JOIN series ON series.id = elements.series_id ORDER BY atomic_number
"""


CRYSTAL_SYSTEMS = {
    "body-centred cubic": "cubic",
    "diamond cubic": "cubic",
    "face-centred cubic": "cubic",
    "rhombohedral": "trigonal",
    "simple cubic": "cubic",
}
BLOCKS = {"s": range(1, 3), "d": range(3, 13), "p": range(13, 19)}
SERIES_IN_BLOCK = {
    "actinides": "f",
    "alkali metals": "s",
    "alkaline earth metals": "s",
    "halogens": "p",
    "lanthanides": "f",
    "metalloids": "p",
    "noble gases": "p",
    "poor metals": "p",
    "transition metals": "d",
}


def add_table(world: World) -> None:
    """Add how the periodic table is laid out and which system a crystal structure belongs to."""
    for block, groups in BLOCKS.items():
        for group in groups:
            world.add(
                world.entity("group", f"group {group}"), "group_in_block", world.entity("block", f"{block}-block")
            )
    for series, block in SERIES_IN_BLOCK.items():
        world.add(world.entity("element series", series), "series_in_block", world.entity("block", f"{block}-block"))
    for structure in CRYSTALS.values():
        system = world.entity("crystal system", f"{CRYSTAL_SYSTEMS.get(structure, structure)} crystal system")
        world.add(world.entity("crystal structure", structure), "crystal_system", system)


def add_elements(world: World) -> None:
    """Add the facts of mendeleev's table that a chemistry book has, and the countries behind the elements."""
    path = data_file("mendeleev", "mendeleev/elements.db")
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        rows = database.execute(QUERY).fetchall()
    _add_order(world, [(row[0], row[3]) for row in rows])
    for name, period, block, group, series, lattice, goldschmidt, location, producers in rows:
        element = world.entity("element", name)
        facts = [
            ("element_period", "period", f"period {period}"),
            ("element_block", "block", f"{block}-block"),
            ("element_group", "group", group and f"group {group}"),
            ("element_series", "element series", series.lower()),
            ("crystal_structure", "crystal structure", CRYSTALS.get(lattice)),
            ("goldschmidt_class", "Goldschmidt class", GOLDSCHMIDT.get(goldschmidt)),
        ]
        for relation, kind, tail in facts:
            if tail:
                world.add(element, relation, world.entity(kind, tail))
        for country in DISCOVERED_IN.get(name, re.split(r"/", location or "")):
            _add_country(world, element, "discovered_in", country)
        for country in re.findall(r"\d\) ([^\d]+?)(?: \(likely\))?(?=\s+\d\)|$)", producers or ""):
            _add_country(world, element, "top_producer", country)


def _add_order(world: World, elements: list[tuple[str, int | None]]) -> None:
    """Add which element has the next atomic number and which one is next in the column, from (name, group) in order."""
    columns: dict[int, list[str]] = {}
    for name, group in elements:
        world.entity("element", name)
        if group:
            columns.setdefault(group, []).append(name)
    for name, following in pairwise(name for name, _ in elements):
        world.add(name, "next_element", following)
    for column in columns.values():
        for name, below in pairwise(column):
            world.add(name, "element_below", below)


def _add_country(world: World, element: str, relation: str, place: str) -> None:
    """Add a fact about a country that the source may spell in its own way."""
    country = PLACES.get(place.strip(), place.strip())
    if country:
        if world.kind_of.get(country) != "country":
            raise ValueError(f"{element} {relation} {country!r}, which is no country here")
        world.add(element, relation, country)
