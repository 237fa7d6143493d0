"""Telephony, from Google's libphonenumber: calling codes, emergency numbers, dialling prefixes."""

import re
from collections import Counter

from phonenumbers.data import _COUNTRY_CODE_TO_REGION_CODE as REGIONS
from phonenumbers.phonemetadata import PhoneMetadata
from phonenumbers.tzdata import TIMEZONE_DATA

from world.graph import World

EMERGENCY_CANDIDATES = [str(number).zfill(length) for length in (2, 3) for number in range(10**length)]
SHARED = 8  # countries


def add_calling_codes(world: World) -> None:
    """Add each country's calling code and the time zones that numbers under the code are in."""
    homes = {(zone, country) for zone, relation, country in world.triples if relation == "zone_in_country"}
    for calling_code, regions in REGIONS.items():
        code = world.entity("calling code", f"+{calling_code}")
        members = [world.countries[region] for region in regions if region in world.countries]
        for country in members:
            world.add(country, "calling_code", code)
        for prefix, zones in TIMEZONE_DATA.items():
            if prefix.startswith(str(calling_code)):
                for zone in {world.zones[zone] for zone in zones if zone in world.zones}:
                    if any((zone, country) in homes for country in members):  # some prefixes list a neighbour's
                        world.add(code, "calling_code_in_zone", zone)


def add_emergency_numbers(world: World) -> None:
    """Add the numbers of police, fire brigade and ambulance, those that several countries have in common."""
    numbers: dict[str, list[str]] = {}
    for code in world.countries:
        data = PhoneMetadata.short_metadata_for_region(code)
        pattern = data.emergency.national_number_pattern if data and data.emergency else None
        numbers[code] = [number for number in EMERGENCY_CANDIDATES if pattern and re.fullmatch(pattern, number)]
    users = Counter(number for found in numbers.values() for number in found)
    for code, found in numbers.items():
        for number in found:
            if users[number] >= SHARED:
                world.add(world.countries[code], "emergency_number", world.entity("emergency number", number))


def add_prefixes(world: World) -> None:
    """Add what one dials first for a call abroad and for a call within the country."""
    for code, country in world.countries.items():
        data = PhoneMetadata.metadata_for_region(code)
        if data is None:
            continue
        abroad = data.preferred_international_prefix or data.international_prefix or ""
        if re.fullmatch(r"[\d~]+", abroad):
            prefix = world.entity("dialling prefix", f"dial {abroad.replace('~', ' ')} first")
            world.add(country, "call_abroad_prefix", prefix)
        if data.national_prefix:
            prefix = world.entity("dialling prefix", f"dial {data.national_prefix} first")
            world.add(country, "call_inland_prefix", prefix)
