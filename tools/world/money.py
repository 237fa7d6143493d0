"""Currencies: who uses them, who used them, what came after, and their symbols."""

from collections import Counter, defaultdict
from datetime import date
from functools import cache

from babel import Locale, UnknownLocaleError, localedata
from babel.numbers import get_currency_symbol

from world import cldr
from world.corrections import CURRENCY_NAMES, CURRENCY_PERIODS, NOT_REPLACED, SPARSE_LOCALES
from world.graph import World

ENGLISH = Locale("en")
TODAY = "2026-01-01"
LIVING_MEMORY = "1950"
NO_MONEY = {"XXX", "XUA", "XSU"}


@cache
def _periods(countries: frozenset[str]) -> dict[str, list[tuple[str, str, str]]]:
    """Map each country to its legal tenders as (first day, last day or "", currency), in order."""
    periods: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for code, currency, first, last in cldr.territory_currencies():
        if code in countries and currency not in NO_MONEY and (code, currency) not in CURRENCY_PERIODS:
            periods[code].append((first, last, currency))
    for (code, currency), (first, last) in CURRENCY_PERIODS.items():
        periods[code].append((first, last, currency))
    return {code: sorted(rows) for code, rows in periods.items()}


def add_currencies(world: World) -> None:
    """Add the currencies that are legal tender today, and those that were."""
    for code, rows in sorted(_periods(frozenset(world.countries)).items()):
        current = {currency for first, last, currency in rows if first <= TODAY and (not last or last > TODAY)}
        for _, last, currency in rows:
            world.currencies[currency] = world.entity(
                "currency", CURRENCY_NAMES.get(currency, ENGLISH.currencies[currency])
            )
            if currency in current:
                world.add(world.countries[code], "currency", world.currencies[currency])
            elif last >= LIVING_MEMORY:
                world.add(world.countries[code], "former_currency", world.currencies[currency])


def add_successors(world: World) -> None:
    """Add which currency replaced which, where one ended near the other's start, or both ran for a while."""
    in_use = {tail for _, relation, tail in world.triples if relation == "currency"}
    for rows in _periods(frozenset(world.countries)).values():
        for first, last, currency in rows:
            if world.currencies[currency] in in_use:  # given up by one country, not replaced
                continue
            later = [row for row in rows if row[0] > first and row[2] != currency and (not row[1] or row[1] > last)]
            if last >= LIVING_MEMORY and later:
                gap, successor = min((abs(_days(row[0]) - _days(last)), row[2]) for row in later)
                if gap <= 1300 and (currency, successor) not in NOT_REPLACED:
                    world.add(world.currencies[currency], "replaced_by", world.currencies[successor])


def _days(day: str) -> int:
    """Return the day's number; CLDR writes some days as a year or a month only."""
    year, month, day_of_month = [*map(int, day.split("-")), 1, 1][:3]
    return date(year, month, day_of_month).toordinal()


def add_symbols(world: World) -> None:
    """Add the symbol a currency has at home, and the languages that have a symbol of their own for it."""
    periods = _periods(frozenset(world.countries))
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for code, rows in sorted(periods.items()):
        locale = main_locale(code)
        for _, last, currency in rows:
            symbol = "" if last or locale is None else _plain(get_currency_symbol(currency, locale))
            if symbol not in {"", currency}:
                votes[currency][symbol] += 1
    for currency, symbols in votes.items():
        symbol = world.entity("currency symbol", max(sorted(symbols), key=symbols.__getitem__))
        world.add(world.currencies[currency], "currency_symbol", symbol)
    for identifier in sorted(localedata.locale_identifiers()):
        language = world.languages.get(identifier.split("_")[0])
        home = {currency for _, last, currency in periods.get(identifier.split("_")[-1], []) if not last}
        inherited = localedata.load(identifier.rpartition("_")[0] or "root")["currency_symbols"]
        for currency, symbol in localedata.load(identifier)["currency_symbols"].items():
            own = symbol != currency and (symbol != inherited.get(currency) or currency in home)
            if language and own and currency in world.currencies:
                world.add(language, "has_symbol_for", world.currencies[currency])
                if _plain(symbol):
                    world.add(language, "uses_symbol", world.entity("currency symbol", _plain(symbol)))


def _plain(symbol: str) -> str:
    """Return the symbol without invisible marks, with ordinary blanks and the ordinary yen sign."""
    return (
        "".join(char for char in symbol if char not in "\u200b\u200e\u200f\u061c")
        .replace("\u202f", " ")
        .replace("￥", "¥")
    )


def main_locale(code: str) -> Locale | None:
    """Return the locale of a country's most spoken official language, if CLDR has it."""
    languages = [
        (-share, language)
        for territory, language, status, share in cldr.territory_languages()
        if territory == code and status in cldr.OFFICIAL and language not in SPARSE_LOCALES
    ]
    for _, language in sorted(languages):
        try:
            locale = Locale.parse(f"{language}_{code}")
        except UnknownLocaleError:
            continue
        return locale
    return None
