"""The bundled graph World: its size, its shape, facts that everybody can check, and its split into tasks."""

import csv
import json
import lzma
import re
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[2] / "src" / "faan" / "data"
TYPE = "rdf:type"
RARE = range(50, 501)

Triple = tuple[str, str, str]


@pytest.fixture(scope="module")
def rows() -> list[Triple]:
    with lzma.open(DATA / "world.tsv.xz", "rt", encoding="utf-8", newline="") as file:
        return [
            (head, relation, tail) for head, relation, tail in csv.reader(file, "excel-tab", quoting=csv.QUOTE_NONE)
        ]


@pytest.fixture(scope="module")
def types(rows: list[Triple]) -> dict[str, list[str]]:
    found = defaultdict(list)
    for head, relation, tail in rows:
        if relation == TYPE:
            found[head].append(tail)
    return dict(found)


@pytest.fixture(scope="module")
def triples(rows: list[Triple]) -> list[Triple]:
    return [row for row in rows if row[1] != TYPE]


@pytest.fixture(scope="module")
def frequency(triples: list[Triple]) -> Counter[str]:
    return Counter(relation for _, relation, _ in triples)


@pytest.fixture(scope="module")
def split() -> dict[str, list[str]]:
    loaded: dict[str, list[str]] = json.loads((DATA / "world_split.json").read_text(encoding="utf-8"))
    return loaded


def test_file_is_small() -> None:
    assert (DATA / "world.tsv.xz").stat().st_size < 3_000_000


def test_size_is_within_the_bars(types: dict[str, list[str]], frequency: Counter[str]) -> None:
    assert 20_000 <= len(types) <= 60_000
    assert len(frequency) >= 40
    assert sum(count in RARE for count in frequency.values()) >= 25


def test_rows_are_sorted_and_unique(rows: list[Triple]) -> None:
    assert all(before < after for before, after in pairwise(rows))


def test_every_entity_of_a_fact_has_a_type_and_every_typed_name_a_fact(
    triples: list[Triple], types: dict[str, list[str]]
) -> None:
    assert {name for head, _, tail in triples for name in (head, tail)} == types.keys()


def test_a_name_denotes_one_kind_of_thing(types: dict[str, list[str]]) -> None:
    assert [name for name, kinds in types.items() if len(kinds) != 1] == []


def test_names_are_clean(rows: list[Triple]) -> None:
    bad = [
        name for row in rows for name in row if not name or name != name.strip() or re.search(r"\s\s|[\t\r\n]", name)
    ]
    assert bad == []


def test_no_fact_links_an_entity_to_itself(triples: list[Triple]) -> None:
    assert [triple for triple in triples if triple[0] == triple[2]] == []


@pytest.mark.parametrize(
    "fact",
    [
        ("Japan", "currency", "Japanese Yen"),
        ("Bulgaria", "currency", "Euro"),
        ("Peru", "currency", "Peruvian Sol"),
        ("Germany", "former_currency", "German Mark"),
        ("Italian Lira", "replaced_by", "Euro"),
        ("Japanese Yen", "currency_symbol", "¥"),
        ("France", "capital", "Paris, France"),
        ("Australia", "capital", "Canberra, Australia"),
        ("Kazakhstan", "capital", "Astana, Kazakhstan"),
        ("Singapore", "capital", "Singapore (city)"),
        ("Brazil", "official_language", "Portuguese"),
        ("Switzerland", "official_language", "Romansh"),
        ("Spain", "regional_language", "Catalan"),
        ("Japan", "calling_code", "+81"),
        ("Canada", "calling_code", "+1"),
        ("United Kingdom", "emergency_number", "999"),
        ("Kenya", "subregion", "Eastern Africa"),
        ("France", "borders", "Germany"),
        ("France", "member_of", "European Union"),
        ("Hindi", "language_family", "Indo-European languages"),
        ("Russian", "written_in", "Cyrillic script"),
        ("Breton", "readers_also_read", "French"),
        ("Arabic script", "writing_direction", "right to left"),
        ("Asia/Tokyo", "utc_offset", "UTC+09:00"),
        ("Asia/Kolkata", "zone_in_country", "India"),
        ("United States", "first_day_of_week", "Sunday"),
        ("Saudi Arabia", "weekend_starts_on", "Friday"),
        ("Switzerland", "subdivision_kind", "canton"),
        ("Osaka, Japan", "city_in_country", "Japan"),
        ("Portland, Oregon, United States", "city_in_subdivision", "Oregon, United States"),
        ("Osaka, Japan", "city_in_subdivision", "Osaka (prefecture), Japan"),
        ("Kansai International Airport (KIX)", "airport_in_country", "Japan"),
        ("Charles de Gaulle International Airport (CDG)", "airport_time_zone", "Europe/Paris"),
        ("Polonium", "discovered_in", "France"),
        ("Neon", "element_series", "noble gases"),
        ("Copper", "top_producer", "Chile"),
        ("Mexico", "public_holiday", "New Year's Day"),
        ("São Paulo (state), Brazil", "largest_city_of_state", "São Paulo, Brazil"),
        ("Bavaria, Germany", "largest_city_of_state", "Munich, Germany"),
        ("Finland", "nearest_capital_abroad", "Tallinn, Estonia"),
        ("Austria", "nearest_capital_abroad", "Bratislava, Slovakia"),
        ("Portugal", "nearest_capital_abroad", "Madrid, Spain"),
        ("Mexico", "most_populous_neighbour", "United States"),
        ("Bolivia", "highest_airport", "El Alto International Airport (LPB)"),
        ("Hydrogen", "next_element", "Helium"),
        ("Carbon", "element_below", "Silicon"),
        ("Europe/Stockholm", "same_clock_as", "Europe/Berlin"),
        ("Europe/Istanbul", "former_utc_offset", "UTC+02:00"),
        ("Pacific/Apia", "former_utc_offset", "UTC-11:00"),
        ("Etruscan", "language_home", "Italy"),
        ("Hangul script", "script_home", "South Korea"),
        ("Cyrillic script", "script_main_language", "Russian"),
        ("Slavic languages", "largest_language", "Russian"),
    ],
    ids=" ".join,
)
def test_known_fact(fact: Triple, triples: list[Triple]) -> None:
    assert fact in set(triples)


@pytest.mark.parametrize(
    "falsehood",
    [
        ("Germany", "currency", "German Mark"),
        ("Croatia", "currency", "Croatian Kuna"),
        ("Sri Lanka", "capital", "Colombo, Sri Lanka"),
        ("Cuba", "borders", "United States"),
        ("Qatar", "member_of", "OPEC"),
        ("United Kingdom", "member_of", "European Union"),
        ("Ukraine", "official_language", "Russian"),
        ("Asia/Tokyo", "former_utc_offset", "UTC+09:00"),
        ("Finland", "nearest_capital_abroad", "Mariehamn, Åland Islands"),
    ],
    ids=" ".join,
)
def test_known_falsehood_is_absent(falsehood: Triple, triples: list[Triple]) -> None:
    assert falsehood not in set(triples)


@pytest.mark.parametrize("name", ["Netherlands Antilles", "Serbia and Montenegro"])
def test_dissolved_countries_are_absent(name: str, types: dict[str, list[str]]) -> None:
    assert name not in types


def test_borders_run_both_ways(triples: list[Triple]) -> None:
    borders = {(head, tail) for head, relation, tail in triples if relation == "borders"}
    assert borders == {(tail, head) for head, tail in borders}


def test_no_relation_is_another_one_under_a_new_name_or_backwards(triples: list[Triple]) -> None:
    pairs = defaultdict(set)
    for head, relation, tail in triples:
        pairs[relation].add((head, tail))
    sets = [frozenset(found) for found in pairs.values()]
    backwards = [frozenset((tail, head) for head, tail in found) for found in pairs.values()]
    assert len(set(sets)) == len(sets)
    assert [one for i, one in enumerate(sets) for j, other in enumerate(backwards) if i != j and one == other] == []


def test_split_names_rare_relations_once(split: dict[str, list[str]], frequency: Counter[str]) -> None:
    tasks = [relation for relations in split.values() for relation in relations]
    assert list(split) == ["train", "dev", "test"]
    assert len(tasks) == len(set(tasks))
    assert [relation for relation in tasks if frequency[relation] not in RARE] == []
    assert len(split["train"]) >= 15
    assert 3 <= len(split["dev"]) <= 4
    assert len(split["test"]) >= 6


def test_tasks_are_between_entities_that_the_background_knows(
    split: dict[str, list[str]], triples: list[Triple]
) -> None:
    tasks = {relation for relations in split.values() for relation in relations}
    known = {name for head, relation, tail in triples if relation not in tasks for name in (head, tail)}
    total, usable = Counter[str](), Counter[str]()
    for head, relation, tail in triples:
        if relation in tasks:
            total[relation] += 1
            usable[relation] += head in known and tail in known
    assert {relation for relation in tasks if usable[relation] < 0.9 * total[relation]} == set()


def test_tasks_have_more_candidates_than_training_asks_for(
    split: dict[str, list[str]], triples: list[Triple], types: dict[str, list[str]]
) -> None:
    """Few-shot training leaves out a task whose tails have the types of 20 entities or fewer."""
    tasks = {relation for relations in split.values() for relation in relations}
    known = {name for head, relation, tail in triples if relation not in tasks for name in (head, tail)}
    size = Counter(types[name][0] for name in known)
    tail_types = defaultdict(set)
    for _, relation, tail in triples:
        if relation in tasks and tail in known:
            tail_types[relation].add(types[tail][0])
    assert [relation for relation in tasks if sum(size[kind] for kind in tail_types[relation]) <= 20] == []


def test_no_test_pair_is_a_training_pair(split: dict[str, list[str]], triples: list[Triple]) -> None:
    seen = {frozenset((head, tail)) for head, relation, tail in triples if relation in split["train"]}
    assert [row for row in triples if row[1] in split["test"] and frozenset((row[0], row[2])) in seen] == []


def test_test_pairs_are_not_linked_elsewhere(split: dict[str, list[str]], triples: list[Triple]) -> None:
    """A capital lies in its country, which says little among many cities; all other test pairs are new."""
    relations_between = defaultdict(set)
    for head, relation, tail in triples:
        relations_between[frozenset((head, tail))].add(relation)
    linked, total = Counter[str](), Counter[str]()
    for head, relation, tail in triples:
        if relation in split["test"]:
            total[relation] += 1
            linked[relation] += len(relations_between[frozenset((head, tail))]) > 1
    assert {relation for relation in total if linked[relation] > 0.02 * total[relation]} == {"capital"}


def test_readme_counts_every_relation(frequency: Counter[str]) -> None:
    text = (DATA / "README.md").read_text(encoding="utf-8")
    documented = {
        name: int(count.replace(",", "")) for name, count in re.findall(r"^\| `(\w+)` \| ([\d,]+) \|", text, re.M)
    }
    assert documented == dict(frequency)
