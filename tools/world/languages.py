"""Languages, the scripts they are written in, their relatives, and where they are official."""

import gzip
import json
import re
from collections import Counter, defaultdict
from functools import cache
from typing import Any

from babel import Locale, localedata
from babel.core import get_global
from fontTools.unicodedata import script_horizontal_direction

from world import cldr
from world.corrections import LANGUAGE_NAMES, NO_HOME, NOT_FAMILIES, OFFICIAL_STATUS, SCRIPT_TYPES
from world.graph import World
from world.sources import data_file

ENGLISH = Locale("en")
SCRIPT_NAMES = {**ENGLISH.scripts, "Beng": "Bengali"}
DIRECTIONS = {"LTR": "left to right", "RTL": "right to left"}
LARGE_GROUP = 8
SCRIPT_AREAS = {
    "African": "Africa",
    "American": "North America",
    "Central Asian": "Central Asia",
    "East Asian": "Eastern Asia",
    "European": "Europe",
    "Indic": "Southern Asia",
    "Middle Eastern": "Western Asia",
    "Southeast Asian": "Southeast Asia",
}
NATIVE_DIGITS = {"arab": "Arabic-Indic", "arabext": "Extended Arabic-Indic", "hanidec": "Chinese"}


@cache
def _registry() -> dict[str, dict[str, str]]:
    """Return IANA's language subtag registry: code -> its fields, the first description where there are several."""
    text = data_file("language-data", "language_data/data/language-subtag-registry.txt").read_text(encoding="utf-8")
    table = {}
    for record in text.split("%%\n"):
        fields: dict[str, str] = {}
        for key, value in re.findall(r"^([\w-]+): (.*)$", record, re.MULTILINE):
            fields.setdefault(key, value)
        if fields.get("Type") == "language" and "Deprecated" not in fields and ".." not in fields["Subtag"]:
            table[fields["Subtag"]] = fields
    return table


def _macrolanguages() -> dict[str, str]:
    """Map the code of each language to that of the macrolanguage it belongs to, such as cmn to zh."""
    return {code: fields["Macrolanguage"] for code, fields in _registry().items() if "Macrolanguage" in fields}


def add_language_names(world: World) -> None:
    """Register the languages that CLDR says something about, and the members of macrolanguages among them."""
    codes = {language for _, language, _, _ in cldr.territory_languages()}
    codes |= {language for language, _ in cldr.language_scripts()}
    codes |= {member for member, whole in _macrolanguages().items() if whole in codes}
    taken: set[str] = set()
    codes.discard("und")  # "unknown language"
    for code in sorted(codes & _registry().keys(), key=lambda code: (len(code), code)):
        name = LANGUAGE_NAMES.get(code) or ENGLISH.languages.get(code) or _registry()[code]["Description"]
        if name not in taken:  # two codes under one name: the shorter code is the better known language
            taken.add(name)
            world.languages[code] = world.entity("language", name)


def add_speakers(world: World) -> None:
    """Add official languages, languages official in a part of the country, and other languages spoken there."""
    relations = {"official": "official_language", "de_facto_official": "official_language"}
    relations["official_regional"] = "regional_language"
    strongest: dict[tuple[str, str], str] = {}
    for code, language, status, _ in cldr.territory_languages():
        if code in world.countries and language in world.languages:
            relation = relations.get(OFFICIAL_STATUS.get((code, language), status), "spoken_language")
            known = strongest.get((code, language), relation)
            strongest[code, language] = min(known, relation)  # official < regional < spoken, also by the alphabet
    for (code, language), relation in strongest.items():
        world.add(world.countries[code], relation, world.languages[language])


def add_macrolanguages(world: World) -> None:
    """Add which languages count as one for some purposes: Mandarin Chinese and Cantonese as Chinese."""
    for code, whole in _macrolanguages().items():
        if code in world.languages and whole in world.languages:
            world.add(world.languages[code], "macrolanguage", world.languages[whole])


def add_second_languages(world: World) -> None:
    """Add which other language CLDR offers to readers of a language, such as French to readers of Breton."""
    for row in cldr.language_matches():
        head, tail = world.languages.get(row["desired"]), world.languages.get(row["supported"])
        macro = _macrolanguages().get(row["desired"]) == row["supported"]
        if head and tail and head != tail and not macro:
            world.add(head, "readers_also_read", tail)


def add_scripts(world: World) -> None:
    """Add the scripts of each language, and each script's type, region and direction."""
    for code, name in sorted(SCRIPT_NAMES.items()):
        world.scripts[code] = world.entity("script", name if name.endswith("script") else f"{name} script")
    for language, script in cldr.language_scripts():
        if language in world.languages and script in world.scripts:
            world.add(world.languages[language], "written_in", world.scripts[script])
    for entity in _linguistic_data()["entities"].values():
        if entity["__class__"] == "Script" and entity["iso_15924"] in world.scripts:
            code = entity["iso_15924"]
            kind = SCRIPT_TYPES.get(code, entity["script_type"])
            if kind and entity["unicode_alias"]:
                world.add(world.scripts[code], "script_type", world.entity("script type", kind))
            if entity["unicode_alias"]:
                direction = DIRECTIONS[script_horizontal_direction(code)]
                world.add(world.scripts[code], "writing_direction", world.entity("writing direction", direction))
    for path in sorted(data_file("gflanguages", "gflanguages/data/scripts").glob("*.textproto")):
        family = re.search(r'^family: "(\w[^"]*)"', path.read_text(encoding="utf-8"), re.MULTILINE)
        if family and path.stem in world.scripts:
            group = world.entity("script group", f"{family[1]} scripts")
            world.add(world.scripts[path.stem], "script_group", group)
            if family[1] in SCRIPT_AREAS:
                world.add(group, "area", SCRIPT_AREAS[family[1]])


@cache
def _linguistic_data() -> dict[str, Any]:
    """Return the database of qwanqwa; only what it has from Glottolog and Wikidata is used here."""
    data: dict[str, Any] = json.loads(gzip.decompress(data_file("qwanqwa", "qq/data/db.json.gz").read_bytes()))
    return data


def _ancestors(code: str) -> list[str]:
    """Return a language's groups in Glottolog, the smallest first and the family last."""
    entities, ids = _linguistic_data()["entities"], _linguistic_data()["resolver"]["id_to_canonical"]
    current, groups = ids.get(f"bcp_47:{code}"), []
    while current and (parents := entities[current]["relations"].get("parent")):
        current = parents[0]["target_id"]
        groups.append(current)
    return groups


def _groups_of_languages(world: World) -> dict[str, list[str]]:
    """Map each language to its groups; a macrolanguage has those that all its members share."""
    members = defaultdict(list)
    for code, whole in _macrolanguages().items():
        members[whole].append(code)
    groups = {}
    for code in world.languages:
        chain = _ancestors(code)
        if not chain and (chains := [found for member in members[code] if (found := _ancestors(member))]):
            count = Counter(group for found in chains for group in found)
            chain = [group for group in chains[0] if count[group] == len(chains)]
        if chain and _linguistic_data()["entities"][chain[-1]]["name"] not in NOT_FAMILIES:
            groups[code] = chain
    return groups


def add_families(world: World) -> None:
    """Add each language's group, each group's family, and the family of languages with a two-letter code.

    Glottolog's tree is deep. A language's group here is the smallest one above it that holds LARGE_GROUP languages of
    this graph or more; where that is the whole family, the family is what the language is linked to.
    """
    chains = _groups_of_languages(world)
    size = Counter(group for chain in chains.values() for group in chain)
    tops = {chain[-1] for chain in chains.values()}
    entities = _linguistic_data()["entities"]
    names = {
        group: world.entity(
            "language family" if group in tops else "language group", f"{entities[group]['name']} languages"
        )
        for group in sorted(size)
    }
    for code, chain in chains.items():
        language, family = world.languages[code], chain[-1]
        group = next((group for group in chain if size[group] >= LARGE_GROUP), family)
        if len(code) == 2:
            world.add(language, "language_family", names[family])
        if group != family:
            world.add(language, "language_group", names[group])
            world.add(names[group], "group_in_family", names[family])
        elif len(code) > 2:
            world.add(language, "language_group", names[family])
    _add_largest_languages(world, chains, names)


def _add_largest_languages(world: World, chains: dict[str, list[str]], names: dict[str, str]) -> None:
    """Add the language with the most speakers in each group, at any depth.

    Only where CLDR counts the speakers of half the languages or more: it counts Chinese but not Mandarin, so among the
    Sinitic languages below Chinese the largest one is missing.
    """
    speakers = cldr.speakers()
    linked = {tail for _, relation, tail in world.triples if relation == "language_group"}
    members = defaultdict(list)
    for code, chain in sorted(chains.items()):
        for group in chain[:-1]:
            members[names[group]].append(code)
    for group in linked & members.keys():
        counted = [code for code in members[group] if speakers[code]]
        if 2 * len(counted) >= len(members[group]):
            world.add(group, "largest_language", world.languages[max(counted, key=speakers.__getitem__)])


def add_homes(world: World) -> None:
    """Add the likely country and language of a script, and the likely country of a language, as CLDR guesses them.

    Languages only where CLDR has no count of their speakers: for others the graph says where they are spoken.
    """
    counted = cldr.speakers()
    for code, guess in sorted(get_global("likely_subtags").items()):
        language, script, country = guess.split("_")
        if country not in world.countries or code in NO_HOME:
            continue
        if code in world.languages and code not in counted:
            world.add(world.languages[code], "language_home", world.countries[country])
        elif code == f"und_{script}" and script in world.scripts and script not in NO_HOME:
            world.add(world.scripts[script], "script_home", world.countries[country])
            if language in world.languages:
                world.add(world.scripts[script], "script_main_language", world.languages[language])


def add_digits(world: World) -> None:
    """Add the digits of its own that a language has."""
    for code, language in world.languages.items():
        system = Locale(code).other_numbering_systems.get("native", "latn") if localedata.exists(code) else "latn"
        name = NATIVE_DIGITS.get(system) or SCRIPT_NAMES.get(system.capitalize(), "")
        if name and system != "latn":
            world.add(language, "native_digits", world.entity("digits", f"{name} digits"))
