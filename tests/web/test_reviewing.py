"""Reviewing many suggestions in a real browser: order, filter, many at once, past decisions, names."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from faan.complete import fit
from faan.graph import read_graph
from faan.web.decision import NewDecision
from faan.web.decisions import Decisions
from faan.web.rendering import percent

from .browser import ENTER, READY, Window
from .conftest import land
from .serving import served_here
from .test_verdicts import MANY, THREE, opened, stored

pytestmark = pytest.mark.slow
ACCEPT = f"#accept{READY}"
SHARES = """
const share = (row) => Number(row.parentElement.style.getPropertyValue("--share"));
return [...document.querySelectorAll(".fact")].map(share);
"""


def shares(window: Window) -> list[float]:
    """The probabilities in the list, from the top."""
    return list(window.driver.execute_script(SHARES))


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model whose relations have names that say nothing; only to be copied."""
    folder = tmp_path_factory.mktemp("labelled")
    nodes = folder / "nodes.tsv"
    names = {relation: f"P{number}" for number, relation in enumerate(dict.fromkeys(row[1] for row in land()))}
    lines = [f"{name}\tcalled {relation}\n" for relation, name in names.items()]
    lines += [f"land{i}\tLand of {i}\n" for i in range(20)]
    nodes.write_text("id\tname\n" + "".join(lines))
    rows = [(head, names[relation], tail) for head, relation, tail in land()]
    fit(read_graph(rows, nodes=nodes), method="rules").save(folder / "model")
    return folder / "model"


@pytest.fixture
def labelled_page(labelled: Path, tmp_path: Path) -> Iterator[str]:
    shutil.copytree(labelled, tmp_path / "labelled")
    with served_here(tmp_path / "labelled") as address:
        yield address


def test_the_surest_come_first_and_unlikely_ones_are_hidden(page: str, window: Window) -> None:
    opened(page, window, MANY)
    heads = [names.split(" → ")[0] for names in window.verdicts()]
    assert len(window.all(".group-title")) == len(set(heads)) < len(heads)
    window.press("o")
    assert shares(window) == sorted(shares(window), reverse=True)
    assert window.all(".group-title") == []
    assert "order=surest" in window.driver.current_url
    middle = sorted(shares(window))[25]
    window.press("f")
    window.press(f"{100 * middle:.4f}", ENTER)
    window.wait_for_text("#progress", "less likely ones hidden")
    assert min(shares(window)) >= middle - 1e-6
    window.driver.refresh()
    window.wait_for_text("#progress", "less likely ones hidden")  # the address holds what is seen
    window.wait_for_text("#status", " suggestions")
    assert shares(window) == sorted(shares(window), reverse=True)
    window.one(ACCEPT)


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_all_above_a_probability_are_accepted_and_undone_at_once(
    page: str, window: Window, size: tuple[int, int]
) -> None:
    window.show_as(*size)
    opened(page, window, MANY)
    ranked = sorted(shares(window), reverse=True)
    least = f"{100 * ranked[4] - 0.001:.3f}"
    wanted = [share for share in ranked if share >= float(least) / 100]
    if size[0] > 600:
        window.press("m")
    else:
        window.click("#accept-many")
    window.one("#many-least").clear()
    window.type("#many-least", least)
    wrong = sum(1 - share for share in wanted)
    window.wait_for_text("#many-says", f"{len(wanted)} undecided suggestions have")
    window.wait_for_text("#many-says", f"about {wrong:.1f} of them")
    window.wait_for_text("#many-accept", f"Accept {len(wanted)}, about {wrong:.1f} wrong")
    window.press(ENTER)
    window.wait_for_text("#progress", f"{len(wanted)} accepted, 0 rejected")
    assert len(stored(page)) == len(wanted)
    window.wait_for_text("#use-decisions", f"{len(wanted)} new decisions")
    if size[0] > 600:
        window.press("u")
    else:
        window.click(f"#undo{READY}")
    window.wait_for_text("#status", f"{len(wanted)} decisions undone.")
    window.wait_for_text("#progress", "0 of 50 decided")
    window.until(lambda: stored(page) == {}, "not all were undone")
    assert not window.all("#use-decisions")[0].is_displayed()


def test_the_rest_of_a_head_is_rejected_and_comes_back_by_one_undo(page: str, window: Window) -> None:
    first, *others = opened(page, window, THREE)
    window.decide("a")
    window.wait_for_text(".group-title button", "Reject the other 2")
    window.one(ACCEPT)
    window.press("h")
    window.wait_for_text("#progress", "1 accepted, 2 rejected")
    assert stored(page) == {first: "accepted", **dict.fromkeys(others, "rejected")}
    window.wait_for_text("#reasons", "All are decided.")
    window.press("u")
    window.wait_for_text("#progress", "1 accepted, 0 rejected")
    window.click(".group-title button")
    window.wait_for_text("#progress", "1 accepted, 2 rejected")
    window.click(f"#undo{READY}")
    window.until(lambda: stored(page) == {first: "accepted"}, "not all were undone")


def test_past_decisions_are_listed_and_undone(page: str, model: Path, window: Window) -> None:
    first, second, _ = opened(page, window, THREE)
    window.decide("a")
    window.decide("r")
    window.wait_for_text("#progress", "1 accepted, 1 rejected")
    window.press("d")
    window.wait_for_text("#past-list li:nth-child(1)", second)
    window.wait_for_text("#past-list li:nth-child(2)", f"{first}\nUndo\nspeaks: accepted by anonymous")
    window.click("#past-list li:nth-child(2) summary")
    window.wait_for_text("#past-list li:nth-child(2) details", "is the tail of")
    window.click("#past-list li:nth-child(1) button")
    window.until(lambda: len(window.all("#past-list li")) == 1, "it is still listed")
    assert stored(page) == {first: "accepted"}
    window.click("#close-past")
    window.wait_for_text("#progress", "1 accepted, 0 rejected")
    window.press("u")  # what was undone in the list is not undone again
    window.wait_for_text("#progress", "0 of 3 decided")
    with sqlite3.connect(model / "decisions.sqlite") as connection:
        undone = connection.execute("SELECT undoes FROM event WHERE undoes IS NOT NULL ORDER BY id").fetchall()
    connection.close()
    assert undone == [(2,), (1,)]
    window.open(page)
    window.click("#show-past")  # from the start page, of all relations
    window.wait_for_text("#past", "Nothing is decided yet.")


def decide_often(model: Path) -> None:
    """More decisions than the list of past ones shows at first."""
    with contextlib.closing(Decisions(model / "decisions.sqlite")) as decisions:
        for number in range(70):
            decisions.decide(NewDecision("Ana", "speaks", f"land{number}", "tongue0", "accepted"))


def test_a_second_click_does_not_list_past_decisions_twice(page: str, model: Path, window: Window) -> None:
    decide_often(model)
    window.open(page)
    window.click("#show-past")
    window.until(lambda: len(window.all("#past-list li")) == 50, "the first page is not listed")
    window.driver.execute_script("const more = document.getElementById('past-more'); more.click(); more.click();")
    window.until(lambda: not window.all("#past-more")[0].is_displayed(), "the rest is not listed")
    assert len(window.all("#past-list li")) == 70


def test_more_past_decisions_are_not_offered_while_the_list_begins_anew(page: str, model: Path, window: Window) -> None:
    decide_often(model)
    window.open(page)
    window.click("#show-past")
    window.until(window.one("#past-more").is_displayed, "no more are offered")
    anew = "document.getElementById('past-relation').dispatchEvent(new Event('change'));"
    assert window.driver.execute_script(f"{anew} return document.getElementById('past-more').hidden;")
    window.until(window.one("#past-more").is_displayed, "no more are offered")
    assert len(window.all("#past-list li")) == 50


def test_percentages_of_the_list_are_those_of_the_evidence(page: str, window: Window) -> None:
    window.open(page)
    shares = [0, 1e-9, 0.005, 0.125, 0.5, 0.625, 0.994, 0.995, 1]
    script = "const [shares, done] = arguments; "
    script += "import('/static/suggestions.js').then(({ percent }) => done(shares.map(percent)));"
    assert window.driver.execute_async_script(script, shares) == [percent(share) for share in shares]


def test_what_was_rejected_is_not_suggested_again_and_the_counts_are_fresh(page: str, window: Window) -> None:
    first, *_ = opened(page, window, MANY)
    window.decide("r")
    window.wait_for_text("#use-decisions", "1 new decision")
    window.press("e")
    window.wait_for_text("#status", " suggestions")
    window.one(ACCEPT)
    assert first not in window.verdicts()
    assert not window.all("#use-decisions")[0].is_displayed()
    window.decide("a")
    window.wait_for_text("#use-decisions", "1 new decision")


def test_a_new_relation_without_examples_asks_for_them(page: str, window: Window) -> None:
    window.open(page)
    window.type("#relation", f"capitl{ENTER}")
    window.wait_for_text("#problem", "add a few examples")
    window.one("#example-head")
    assert window.driver.switch_to.active_element.get_attribute("id") == "example-head"
    for head, tail in (("land1", "town1a"), ("land2", "town2a")):
        window.press(head, ENTER)
        window.press(tail, ENTER)
        window.wait_for_text("#examples", f"{head} → {tail}")
    assert not window.all("#problem")[0].is_displayed()
    window.press(ENTER)  # an empty field asks
    window.wait_for_text(".fact-title", "capitl")
    assert not window.all("#problem")[0].is_displayed()


def test_an_unknown_entity_is_no_example(page: str, window: Window) -> None:
    window.open(page)
    window.click("#examples-part summary")
    window.type("#example-head", "land1")
    window.type("#example-tail", "town1x")
    window.click("#add-example")
    window.wait_for_text("#example-problem", "no entity is called 'town1x'. Did you mean")
    assert window.all("#examples li") == []
    window.type("#example-tail", "\b" + "a")
    window.click("#add-example")
    window.wait_for_text("#examples", "land1 → town1a")
    assert not window.all("#example-problem")[0].is_displayed()


def test_labels_are_shown_wherever_names_were_picked(labelled_page: str, window: Window) -> None:
    window.open(labelled_page)

    def in_the_field() -> bool:
        focused = bool(window.driver.execute_script("return document.activeElement.id === 'relation'"))
        if not focused:
            window.press("/")  # again, where the page was not ready for keys
        return focused

    window.until(in_the_field, "the key / never leads to the field")
    window.press("lies")
    window.choose("called lies_in")
    window.wait_for_text("#title", "called lies_in")
    assert window.one("#relation").get_attribute("value") == "called lies_in"
    window.click("#more-part summary")
    window.click("#known")
    window.type("#head", f"town3a{ENTER}")
    window.wait_for_text("#heads", "town3a")
    window.type("#tail", "land of 3")
    window.choose("Land of 3")
    window.wait_for_text("#tails", "Land of 3")
    window.click("#question .primary")
    window.wait_for_text(".fact-title", "town3a called lies_in Land of 3")
    assert "tail=land3" in window.driver.current_url
    window.driver.refresh()  # the address has names only
    window.until(lambda: window.one("#relation").get_attribute("value") == "called lies_in", "it shows the name")
    window.click("#more-part summary")
    window.wait_for_text("#tails", "Land of 3")


def test_the_first_tail_is_completed_by_name_and_later_ones_by_kind(page: str, window: Window) -> None:
    window.open(page)
    window.click("#examples-part summary")
    window.type("#example-head", f"land1{ENTER}")
    window.type("#example-tail", f"coin1{ENTER}")
    window.wait_for_text("#examples", "land1 → coin1")
    window.type("#example-head", f"land2{ENTER}")
    window.type("#example-tail", "co")
    window.wait_for_text(".options [role=option]:first-child", "coin")  # not a court, nor a country
    offered = [item.text for item in window.all(".options [role=option]")]
    assert all(text.startswith("coin") for text in offered)


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_what_percentages_are_worth_is_a_key_away(page: str, window: Window, size: tuple[int, int]) -> None:
    window.show_as(*size)
    opened(page, window, THREE)
    if size[0] > 600:
        window.press("t")
    else:
        window.click("#show-trust")
    window.wait_for_text("#worth", "The percentages rest on this: ")
    assert window.driver.execute_script("return document.documentElement.scrollWidth") <= size[0]
    window.click("#close-trust")
    window.decide("a")
    window.wait_for_text("#progress", "1 accepted")
