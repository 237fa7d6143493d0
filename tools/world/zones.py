"""Time zones of the IANA database: where they are, how far from UTC, and what others call them."""

import zoneinfo
from collections import Counter, defaultdict
from datetime import datetime, timedelta
from functools import cache
from itertools import groupby

from babel import Locale
from babel.core import get_global
from tzlocal.windows_tz import tz_win

from world.geography import Geography
from world.graph import World
from world.sources import data_file

THIS_YEAR = 2026
FIRST_YEAR = 1970  # IANA vouches for nothing earlier
LASTING = 3  # years


@cache
def _links() -> dict[str, str]:
    """Map each old name of a time zone to the name that stands for it, by tzdata.zi's lines `L TARGET NAME`."""
    lines = data_file("tzdata", "tzdata/zoneinfo/tzdata.zi").read_text(encoding="utf-8").splitlines()
    links = {}
    for line in lines:
        if line.startswith("L "):
            _, target, name = line.split()
            links[name] = target
    return links


def _table() -> list[tuple[str, str]]:
    """Return (country code, zone) for each zone of zone.tab."""
    text = data_file("tzdata", "tzdata/zoneinfo/zone.tab").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return [(row[0], row[2]) for row in rows]


def add_zone_names(world: World) -> None:
    """Register the zones of zone.tab, and let their old names lead to them."""
    for _, zone in _table():
        world.zones[zone] = world.entity("time zone", zone)
    for old, target in sorted(_links().items()):
        if old not in world.zones and target in world.zones:
            world.zones[old] = world.zones[target]


def _standard_offset(zone: str, year: int = THIS_YEAR) -> str:
    """Return the zone's distance from UTC outside daylight saving time, such as UTC+09:00."""
    zoneinfo.reset_tzpath(to=())  # the pinned package tzdata, not the machine's own tables
    info = zoneinfo.ZoneInfo(zone)
    offsets = [info.utcoffset(datetime(year, month, 15)) for month in (1, 7)]
    offset = min(value for value in offsets if value is not None)
    sign = "-" if offset < timedelta(0) else "+"
    minutes = abs(offset) // timedelta(minutes=1)
    return f"UTC{sign}{minutes // 60:02}:{minutes % 60:02}"


def add_zones(world: World, geography: Geography) -> None:
    """Add each zone's country, offset, names elsewhere, and the city it is named after."""
    english = Locale("en")
    meta_zones = get_global("meta_zones")
    for code, zone in _table():
        entity = world.zones[zone]
        world.add(entity, "zone_in_country", world.countries[code])
        world.add(entity, "utc_offset", world.entity("UTC offset", _standard_offset(zone)))
        if zone in tz_win:
            world.add(entity, "windows_zone", world.entity("Windows time zone", f"{tz_win[zone]} (Windows)"))
        names = english.meta_zones.get(meta_zones.get(zone, ""), {}).get("long", {})
        name = names.get("standard") or names.get("generic")
        if name:
            world.add(entity, "zone_name", world.entity("zone name", name))
        exemplar = english.time_zones.get(zone, {}).get("city") or zone.rsplit("/", 1)[-1].replace("_", " ")
        city = geography.find(code, exemplar)
        if city is not None:
            world.add(entity, "zone_named_after", city)
    for relation in ("windows_zone", "zone_name"):
        _add_common_offset(world, relation)


def add_zone_history(world: World) -> None:
    """Add which zone another one has agreed with since 1970, and the offsets that a zone had for some years."""
    for _, zone in _table():
        if zone in _links():
            world.add(world.zones[zone], "same_clock_as", world.zones[_links()[zone]])
        else:  # an earlier offset of a zone that shares its clock is that clock's
            for offset in _former_offsets(zone):
                if offset in world.kind_of:  # that is, one that some zone has today
                    world.add(world.zones[zone], "former_utc_offset", offset)


def _former_offsets(zone: str) -> set[str]:
    """Return the standard offsets, other than today's, that a zone had for LASTING years in a row."""
    info = zoneinfo.ZoneInfo(zone)
    years = [year for year in range(FIRST_YEAR, THIS_YEAR) if info.tzname(datetime(year, 7, 15)) != "-00"]  # inhabited
    runs = [list(run) for _, run in groupby(_standard_offset(zone, year) for year in years)]
    return {run[0] for run in runs if len(run) >= LASTING} - {_standard_offset(zone)}


def _add_common_offset(world: World, relation: str) -> None:
    """Add the offset that most time zones of one Windows zone or one name have."""
    offset_of = {zone: offset for zone, name, offset in world.triples if name == "utc_offset"}
    offsets: dict[str, Counter[str]] = defaultdict(Counter)
    for zone, name, whole in world.triples:
        if name == relation:
            offsets[whole][offset_of[zone]] += 1
    for whole, count in offsets.items():
        world.add(whole, f"{relation}_offset", max(sorted(count), key=count.__getitem__))
