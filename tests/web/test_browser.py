"""The page in a real browser: a person's whole path, by keyboard and by mouse."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlencode

import pytest
from selenium import webdriver

from faan.complete import Completer, fit
from faan.graph import read_graph

from .browser import ENTER, READY, Window, window_of
from .conftest import land
from .serving import served_here

pytestmark = pytest.mark.slow


def test_a_new_relation_from_examples_to_a_file_by_keyboard_alone(page: str, window: Window) -> None:
    window.open(page)
    window.one("#start h1")
    window.press("?")
    window.wait_for_text("#help", "accept: the fact is true")
    window.press(ENTER)  # closes it
    window.press("/")
    window.press("capital")
    window.one("#examples-part summary").send_keys(" ")
    window.one("#example-head").click()
    for number in range(3):
        window.press(f"land{number}")
        window.choose(f"land{number}")
        window.press(f"town{number}a")
        window.choose(f"town{number}a")
        window.wait_for_text("#examples", f"land{number} → town{number}a")
    window.one("#relation").send_keys(ENTER)
    window.wait_for_text("#progress", "0 of 50 decided")
    window.wait_for_text(".fact-title", "capital")
    assert window.one(".canvas canvas").size["width"] > 100

    first = window.decide("a")
    window.wait_for_text("#progress", "1 accepted")
    window.decide("r")
    window.wait_for_text("#progress", "1 rejected")
    window.decide("s")
    window.wait_for_text("#progress", "1 skipped")
    window.wait_for_text("#progress", "precision 50 %")
    window.press("u")
    window.wait_for_text("#progress", "0 skipped")
    here = window.open_names()
    window.press("j")
    assert window.open_names() != here
    window.press("k")
    assert window.open_names() == here

    window.press("x")
    window.one("#export-format")
    window.one("#export-form button.primary").send_keys(ENTER)
    head, tail = first.split(" → ")
    assert window.saved("accepted.nt").startswith(f"<urn:faan:{head}> <urn:faan:capital> <urn:faan:{tail}> . # ")

    window.one(f"#use-decisions{READY}")
    window.press("e")  # accepted facts become examples
    window.wait_for_text("#progress", "of 48 decided")  # one land less lacks it
    assert "accepted=" in window.driver.current_url
    assert first not in window.verdicts()


def test_a_relation_of_the_graph_to_a_file_by_mouse(page: str, window: Window) -> None:
    window.open(page)
    window.type("#reviewer", "Ana")
    window.click('.relations a[href="/?relation=minted_in"]')
    window.wait_for_text(".ending", "Nothing found")  # every coin is minted somewhere
    window.click("#more-part summary")
    window.click("#known")
    window.type("#head", "coin3")
    window.wait_for_text(".options [role=option]:first-child", "coin3")
    window.click(".options [role=option]:first-child")
    window.wait_for_text("#heads", "coin3")
    window.click("#question .primary")
    window.wait_for_text("#progress", "of 3 decided")
    window.click("#suggestions li:nth-child(2) .fact")
    window.click("#suggestions li:nth-child(1) .fact")
    window.click(f"#accept{READY}")
    window.wait_for_text("#suggestions li:nth-child(1)", "accepted by Ana")
    window.click(f"#reject{READY}")
    window.wait_for_text("#progress", "1 rejected")
    window.click("#undo")
    window.wait_for_text("#progress", "0 rejected")
    window.click(f"#reject{READY}")
    window.wait_for_text("#progress", "1 rejected")
    link = window.driver.current_url
    window.click("#show-export")
    window.click("#export-decision option[value=all]")
    window.click("#export-form .primary")
    window.wait_for_text("#export-problem", "cannot mark rejected facts")
    window.click("#export-format option[value=ttl]")
    window.click("#export-form .primary")
    assert "Ana" in window.saved("all.ttl")
    window.click("#show-export")
    window.click("#export-format option[value=sparql]")
    window.click("#export-form .primary")
    assert "DELETE DATA" in window.saved("all.ru")

    window.open(link)  # as somebody else would
    window.wait_for_text("#suggestions li:nth-child(1)", "accepted by Ana")
    assert window.one("#reviewer").get_attribute("value") == "Ana"


def test_what_breaks_the_schema_can_be_left_out(tmp_path: Path, page: str, window: Window) -> None:
    schema = tmp_path / "schema.ttl"
    schema.write_text("<urn:x:next_to> <http://www.w3.org/2000/01/rdf-schema#range> <urn:x:city> .")
    rows = [row for row in land() if row[:2] != ("land1", "next_to")]
    graph = read_graph(rows, type_relations=["is"], schema=schema)
    fit(graph, method="rules").save(tmp_path / "ruled")
    with served_here(tmp_path / "ruled") as ruled:
        window.open(f"{ruled}/?relation=next_to&head=land1")
        window.wait_for_text("#progress", "of 3 decided")
        window.wait_for_text("#reasons", "and the schema allows city as tail")
        window.click("#more-part summary")
        window.click("#strict")
        window.click("#question .primary")
        window.wait_for_text(".ending", "or what breaks the schema")
        assert "schema=strict" in window.driver.current_url
        window.open(window.driver.current_url)
        window.wait_for_text(".ending", "Nothing found")
    window.open(page)
    window.click("#more-part summary")
    assert not window.driver.find_element("id", "strict").is_displayed()  # there is no schema


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_the_verdicts_are_in_view(page: str, window: Window, size: tuple[int, int]) -> None:
    window.show_as(*size)
    window.open(f"{page}/?relation=speaks&head=land1&known=show")
    window.one(f"#accept{READY}")
    place = "const box = document.getElementById('accept').getBoundingClientRect(); return box.bottom - innerHeight"
    assert window.driver.execute_script(place) <= 0


def test_names_that_look_like_scripts_are_only_names(evil_model: Path, window: Window) -> None:
    with served_here(evil_model) as page:
        window.open(page)
        window.click(".relations a")
        window.wait_for_text(".fact-title", "<img src=x onerror=alert(1)>")
        window.decide("a")
        window.wait_for_text("#progress", "1 accepted")
        assert "<img src=x onerror=alert(1)>" in window.text("#status")
        assert window.all("main img") == []


def test_what_is_wrong_is_said_on_the_page(page: str, window: Window) -> None:
    window.open(f"{page}/?relation=spekas")
    window.wait_for_text("#problem", "Did you mean 'speaks'?")


def test_a_relation_in_another_spelling_is_that_of_the_graph(page: str, window: Window) -> None:
    window.open(page)
    window.type("#relation", "Minted-In")
    window.press(ENTER)
    window.wait_for_text("#title", "minted_in")
    assert window.driver.current_url.startswith(f"{page}/?relation=minted_in")


def test_a_reversed_example_is_named_on_the_page(page: str, window: Window) -> None:
    pairs = [("town0a", "land0"), *((f"land{i}", f"town{i}a") for i in range(1, 5))]
    question = [("relation", "seat"), ("head", "land9"), *(("example", json.dumps(pair)) for pair in pairs)]
    window.open(f"{page}/?{urlencode(question)}")
    window.wait_for_text("#notes", "Note: the example town0a → land0 looks reversed")
    window.one(f"#accept{READY}")
    window.click(".brand")
    assert not any(note.is_displayed() for note in window.all("#notes"))


def test_names_without_labels_are_short_and_the_iri_is_their_tooltip(tmp_path: Path, window: Window) -> None:
    space = "http://www.example.org/data/2024/"

    def iri(name: str) -> str:
        return f"{space}{name[:4]}/{name}"  # of town0a: town

    rows = [(iri(head), f"{space}says/{relation}", iri(tail)) for head, relation, tail in land() if relation != "is"]
    fit(read_graph(rows), method="rules").save(tmp_path / "iris")
    with served_here(tmp_path / "iris") as page:
        window.open(f"{page}/?relation=speaks&head={iri('land1')}&known=show")
        window.one(f"#accept{READY}")
        assert window.text("#title") == "speaks"
        assert window.one("#suggestions .head").text.removeprefix("land/") == "land1"
        assert window.one("#suggestions .head").get_attribute("title") == iri("land1")
        assert space not in window.text("#suggestions")
        assert window.one(".fact-title span").get_attribute("title") == iri("land1")
        assert iri("land1") in window.text(".ends")


def test_a_phone_draws_the_fact_upright_and_enlarges_all_of_the_drawing(page: str, window: Window) -> None:
    window.show_as(390, 844)
    examples = [("example", json.dumps([f"land{i}", f"town{i}a"])) for i in range(3)]
    window.open(f"{page}/?{urlencode([('relation', 'capital'), *examples, ('head', 'land9')])}")
    window.one(f"#accept{READY}")
    assert window.one(".canvas").size["height"] >= 400
    small = "return document.querySelector('.canvas')._cyreg.cy"
    assert window.driver.execute_script(f"{small}.zoom()") > 0.8  # letters of 12 pixels and more
    assert window.driver.execute_script(f"{small}.nodes('[role = \"head\"]').position().y") < 0
    window.driver.execute_script("document.getElementById('enlarge').scrollIntoView({ block: 'center' })")
    window.click("#enlarge")
    large = "return document.querySelector('#enlarged .canvas')._cyreg.cy"
    assert window.driver.execute_script(f"{large}.zoom()") >= 0.75
    assert window.driver.execute_script(f"{large}.nodes().length") > window.driver.execute_script(
        f"{small}.nodes().length"
    )
    assert window.driver.execute_script("return document.documentElement.scrollWidth") <= 390
    window.click("#enlarged button")
    assert not window.all("dialog[open]")


@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_shows_the_page_without_scrolling_sideways(page: str, window: Window, dark: bool) -> None:
    window.show_as(360, 740, dark=dark)
    window.open(f"{page}/?relation=speaks&head=land1&known=show")
    window.wait_for_text("#suggestions li:nth-child(1) .fact-title", "land1")
    window.click(f"#accept{READY}")
    window.wait_for_text("#progress", "1 accepted")
    assert window.driver.execute_script("return document.documentElement.scrollWidth") <= 360


def test_a_phone_ranks_again_with_what_was_accepted(page: str, window: Window) -> None:
    window.show_as(390, 844)
    window.open(f"{page}/?relation=speaks&head=land1&head=land2&known=show")
    window.click(f"#accept{READY}")
    window.wait_for_text("#progress", "1 accepted")
    window.click(f"#use-decisions{READY}")
    window.one(f"#accept{READY}")
    assert "accepted=1" in window.driver.current_url
    window.wait_for_text("#suggestions .fact-title", "speaks")


# Pairs of things that lie over each other, one of which is the label of an edge.
OVERLAPS = """
const boxes = arguments[0];
const apart = (a, b) => a.x1 >= b.x2 || b.x1 >= a.x2 || a.y1 >= b.y2 || b.y1 >= a.y2;
return boxes.flatMap((a, i) => boxes.slice(i + 1).filter((b) => (a.caption || b.caption) && !apart(a, b))
  .map((b) => `${a.text} over ${b.text}`));
"""
ON_THE_PAGE = """
return document.querySelector(".canvas")._cyreg.cy.nodes().map((node) => {
  const box = node.boundingBox({ includeOverlays: false });
  return { ...box, caption: node.data("role") === "caption", text: node.data("label") };
});
"""
IN_THE_PICTURE = """
return [...document.querySelectorAll("text, circle")].map((one) => {
  const { left, right, top, bottom } = one.getBoundingClientRect();
  const caption = one.classList.contains("caption");
  return { x1: left, x2: right, y1: top, y2: bottom, caption, text: one.textContent };
});
"""


@pytest.mark.parametrize("size", [(1280, 900), (390, 844)])
def test_labels_of_edges_lie_under_nothing_on_the_page(page: str, window: Window, size: tuple[int, int]) -> None:
    window.show_as(*size)
    examples = [("example", json.dumps([f"land{i}", f"town{i}a"])) for i in range(3)]
    window.open(f"{page}/?{urlencode([('relation', 'capital'), *examples, ('head', 'land9')])}")
    window.one(f"#accept{READY}")
    boxes = window.driver.execute_script(ON_THE_PAGE)
    edges = window.driver.execute_script("return document.querySelector('.canvas')._cyreg.cy.edges().length")
    captions = [box["text"] for box in boxes if box["caption"]]
    assert {"lies_in", "sits_in", "judges", "capital"} <= set(captions)
    assert edges - 1 <= len(captions) <= edges  # what only resembles an example has no label
    assert window.driver.execute_script(OVERLAPS, boxes) == []


def test_labels_of_edges_lie_under_nothing_in_a_picture(fitted: Path, window: Window, tmp_path: Path) -> None:
    explanation = Completer.load(fitted).explain("land9", "town9a", [(f"land{i}", f"town{i}a") for i in range(5)])
    explanation.save(tmp_path / "why.svg")
    window.open((tmp_path / "why.svg").as_uri())
    boxes = window.driver.execute_script(IN_THE_PICTURE)
    assert sum(box["caption"] for box in boxes) == sum(bool(edge.label) for edge in explanation.draw().edges)
    assert window.driver.execute_script(OVERLAPS, boxes) == []


def test_the_window_of_a_test_has_nothing_of_earlier_ones_at_the_same_address(
    page: str, chrome: webdriver.Chrome, tmp_path: Path
) -> None:
    with window_of(chrome, tmp_path) as earlier:
        earlier.open(page + "/?relation=speaks")
        earlier.type("#reviewer", "Ana\t")
    with window_of(chrome, tmp_path) as window:
        window.open(page + "/?relation=speaks")
        assert window.one("#reviewer").get_attribute("value") == ""
