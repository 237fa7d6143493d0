from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.base import InputError
from faan.graph import Names

text = st.text(st.characters(codec="utf-8"), max_size=20)


@given(st.lists(text, max_size=50))
def test_every_string_comes_back_and_is_found(strings: list[str]) -> None:
    names = Names.from_strings(strings)
    assert list(names) == strings
    assert [names[i] for i in range(len(names))] == strings
    for string in strings:
        assert names.find_all(string) == [i for i, other in enumerate(strings) if other == string]
        assert names.find(string) == strings.index(string)


@given(st.lists(text, max_size=20), text)
def test_what_is_not_there_is_not_found(strings: list[str], other: str) -> None:
    assert (other in Names.from_strings(strings)) == (other in strings)


@given(st.lists(text, max_size=20), st.lists(text, max_size=20))
def test_finding_many_equals_finding_one_by_one(strings: list[str], wanted: list[str]) -> None:
    names = Names.from_strings(strings)
    found = names.find_each(Names.from_strings(wanted)).tolist()
    assert found == [-1 if (number := names.find(one)) is None else number for one in wanted]


def test_names_of_any_script_and_length_work() -> None:
    strings = ["東京", "Θεσσαλονίκη", "a b  c", "x" * 10_000, "é" * 10_000, "🗺"]
    names = Names.from_strings(strings)
    assert list(names) == strings
    assert [names.find(s) for s in strings] == list(range(len(strings)))


def test_the_hash_is_the_same_on_every_machine() -> None:
    # Saved indexes depend on it: if this fails, old graph folders can no longer be searched.
    names = Names.from_strings([f"entity {i}" for i in range(8)])
    assert names.members.tolist() == [5, 7, 2, 3, 0, 1, 4, 6]
    assert names.buckets.tolist() == [0, 2, 4, 5, 8]


def test_a_number_outside_is_an_error() -> None:
    names = Names.from_strings(["a"])
    for number in (-1, 1):
        with pytest.raises(IndexError):
            names[number]


def test_a_lone_surrogate_is_not_found_and_not_accepted() -> None:
    assert Names.from_strings(["a"]).find("\ud800") is None
    with pytest.raises(InputError, match="Unicode"):
        Names.from_strings(["\ud800"])


def test_nearest_names_are_the_ones_a_person_would_mean() -> None:
    names = Names.from_strings(["Lima", "Lisbon", "Liechtenstein", "Lithuania", "Peru", "South Africa"])
    assert names.nearest("Lichtenstein")[0] == "Liechtenstein"
    assert names.nearest("lima") == ["Lima"]
    assert names.nearest("Sud Africa") == ["South Africa"]
    assert names.nearest("Preu") == ["Peru"]
    assert names.nearest("xyz") == []
    assert Names.from_strings(["biolink:treats", "http://e.org/lies_in"]).nearest("lives_in") == [
        "http://e.org/lies_in"
    ]
    assert names.nearest("") == []


def test_names_that_hold_a_name_as_words_are_found_shortest_first() -> None:
    names = Names.from_strings(["Tokyo Tower, Japan", "Tokyo, Japan", "Asia/Tokyo", "Tokyoite", "São Tomé"])
    assert names.containing("tokyo") == ["Asia/Tokyo", "Tokyo, Japan", "Tokyo Tower, Japan"]
    assert names.containing("Tom") == []  # a letter follows, if one of two bytes
    assert names.containing("to") == []
    assert Names.from_strings(["pe", "ru"]).containing("peru") == []
    assert Names.from_strings(["one", "two", "three"]).containing("two") == ["two"]


@given(st.lists(st.text("ab é,", max_size=6), max_size=9), st.text("abé", min_size=3, max_size=3))
def test_names_that_hold_a_name_are_those_of_a_slow_search(strings: list[str], wanted: str) -> None:
    slow = {one for one in strings if re.search(rf"(?<!\w){wanted}(?!\w)", one)}
    assert set(Names.from_strings(strings).containing(wanted)) == slow


def test_nearest_names_do_not_count_letters_across_two_names() -> None:
    crowd = [
        "pe",
        "ru",
    ] * 300  # "er" would make each of them more like "peru", and only the likest two hundred are compared
    assert "peruvian" in Names.from_strings([*crowd, "peruvian"]).nearest("peru")


def test_parts_that_do_not_fit_are_an_error() -> None:
    arrays = Names.from_strings(["a", "b"]).arrays("x")
    arrays["x_members"] = np.array([0], dtype=np.uint32)
    with pytest.raises(InputError, match="do not fit"):
        Names.from_arrays(arrays, "x")
