"""Unicode CLDR's supplemental data: what is usual in which territory.

The XML file ships with the package `language_data`. A value for territory 001 (the world) is the default for every
territory that the element does not name.
"""

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterator
from functools import cache

from world.sources import data_file

WORLD = "001"
OFFICIAL = {"official", "de_facto_official"}


@cache
def supplemental() -> ET.Element:
    """Return the parsed supplementalData.xml."""
    return ET.fromstring(data_file("language-data", "language_data/data/supplementalData.xml").read_bytes())


@cache
def language_matches() -> list[dict[str, str]]:
    """Return the rows "who wants to read this language can do with that one", new-style matching only."""
    root = ET.fromstring(data_file("language-data", "language_data/data/languageInfo.xml").read_bytes())
    table = root.find("languageMatching/languageMatches[@type='written_new']")
    if table is None:
        raise ValueError("languageInfo.xml holds no languageMatches of type written_new")
    return [dict(match.attrib) for match in table.iter("languageMatch")]


def values_by_territory(path: str, attribute: str, territories: list[str]) -> dict[str, str]:
    """Map each territory to its value of an element such as weekData/firstDay, the world's default included."""
    known = {}
    for element in supplemental().iterfind(path):
        if "alt" not in element.attrib:
            where = element.get("territories") or element.get("regions") or ""
            known.update(dict.fromkeys(where.split(), element.attrib[attribute]))
    return {code: known.get(code, known[WORLD]) for code in territories}


def containment() -> dict[str, list[str]]:
    """Map each region and grouping (UN M49 number, EU, EZ, UN) to the codes it contains, deprecated ones left out."""
    groups: dict[str, list[str]] = {}
    for group in supplemental().iterfind("territoryContainment/group"):
        if group.get("status") != "deprecated":
            groups.setdefault(group.attrib["type"], []).extend(group.attrib["contains"].split())
    return groups


def territory_languages() -> Iterator[tuple[str, str, str, float]]:
    """Yield (territory, language, status, share of the population in percent)."""
    for territory in supplemental().iterfind("territoryInfo/territory"):
        for row in territory.iterfind("languagePopulation"):
            language = row.attrib["type"].split("_")[0]
            share = float(row.attrib["populationPercent"])
            yield territory.attrib["type"], language, row.get("officialStatus", "none"), share


def speakers() -> Counter[str]:
    """Return how many people speak each language, in all territories together."""
    people = {row.attrib["type"]: int(row.attrib["population"]) for row in supplemental().iterfind("territoryInfo/*")}
    count: Counter[str] = Counter()
    for territory, language, _, share in territory_languages():
        count[language] += round(people[territory] * share / 100)
    return count


def language_scripts() -> Iterator[tuple[str, str]]:
    """Yield (language, script) for every script that a language is written in."""
    for row in supplemental().iterfind("languageData/language"):
        for script in row.get("scripts", "").split():
            yield row.attrib["type"], script


def territory_currencies() -> Iterator[tuple[str, str, str, str]]:
    """Yield (territory, currency, first day, last day or "") for every currency that was legal tender."""
    for region in supplemental().iterfind("currencyData/region"):
        for row in region.iterfind("currency"):
            if row.get("tender") != "false":
                yield region.attrib["iso3166"], row.attrib["iso4217"], row.get("from", ""), row.get("to", "")
