"""Verdicts in a real browser: a press decides about the fact that is shown, or the page says that it does not."""

from __future__ import annotations

import json
import sqlite3
import urllib.request
from pathlib import Path
from urllib.parse import urlencode

import pytest

from faan.web.decision import NewDecision, StorageError
from faan.web.decisions import Decisions

from .browser import READY, Window

pytestmark = pytest.mark.slow

THREE = "/?relation=speaks&head=land1&known=show"  # three facts
EXAMPLES = [("example", json.dumps([f"land{i}", f"town{i}a"])) for i in range(3)]
MANY = f"/?{urlencode([('relation', 'capital'), *EXAMPLES])}"  # fifty
ACCEPT, REJECT = f"#accept{READY}", f"#reject{READY}"
PRESSED = {"a": "accepted", "r": "rejected", "s": "skipped"}


def stored(page: str) -> dict[str, str]:
    """What the server holds for each fact."""
    with urllib.request.urlopen(f"{page}/api/decisions") as answer:
        facts = json.load(answer)["facts"]
    return {f"{fact['head']} → {fact['tail']}": fact["decision"]["verdict"] for fact in facts if fact["decision"]}


def opened(page: str, window: Window, query: str) -> list[str]:
    """Open a list and wait for its end; returns its facts, the first of which is open."""
    window.open(page + query)
    window.wait_for_text("#status", " suggestions")
    window.one(ACCEPT)
    return list(window.verdicts())


def test_what_is_pressed_while_others_are_saved_is_kept(page: str, window: Window) -> None:
    opened(page, window, MANY)
    window.hold("POST /api/decisions")
    pressed = {window.decide(key): PRESSED[key] for key in "arsra" * 3}
    window.wait_for_text("#progress", "15 being saved")
    assert len(pressed) == 15
    assert stored(page) == {}
    window.release()
    marked = {fact: f"{verdict} by anonymous" for fact, verdict in pressed.items()}
    window.until(lambda: marked.items() <= window.verdicts().items(), "not every row says what was pressed for it")
    window.wait_for_text("#progress", "6 accepted, 6 rejected, 3 skipped")
    assert stored(page) == pressed


# Presses a key five times a second, and notes each time which fact is shown and whether the buttons can be pressed.
FAST = """
const [keys, gap] = arguments;
window.notes = [];
[...keys].forEach((key, i) => setTimeout(() => {
  const fact = document.querySelector('.fact[aria-expanded="true"] .names')?.textContent;
  const ready = document.getElementById("accept").getAttribute("aria-disabled") === "false";
  const shown = document.querySelector(".fact-title")?.textContent;
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  window.notes.push({ key, fact, ready, shown, said: document.getElementById("status").textContent });
}, i * gap));
"""


def test_a_fast_person_decides_about_what_is_shown_and_is_told_about_the_rest(page: str, window: Window) -> None:
    opened(page, window, MANY)
    keys = "arsra" * 4
    window.driver.execute_script(FAST, keys, 200)
    notes = window.until(
        lambda: [n for n in [window.driver.execute_script("return window.notes")] if len(n) == len(keys)],
        "not every key was pressed",
    )[0]
    taken = {note["fact"]: PRESSED[note["key"]] for note in notes if note["ready"]}
    for note in notes:
        head, tail = note["fact"].split(" → ")
        if note["ready"]:
            assert note["shown"] == f"{head} capital {tail}"  # its own evidence
            assert note["said"] == f"{note['fact']}: {PRESSED[note['key']]}."
        else:
            assert note["said"].startswith(f"Not {PRESSED[note['key']]}: the evidence for {note['fact']}")
    window.until(lambda: stored(page) == taken, f"not saved as pressed: {taken}")
    assert len(taken) == sum(note["ready"] for note in notes) > 0


def test_reject_right_after_accept_is_about_the_next_fact(page: str, window: Window) -> None:
    first, second, third = opened(page, window, THREE)
    window.hold("POST /api/decisions")
    window.click(ACCEPT)
    window.click(REJECT)
    window.wait_for_text("#progress", "2 being saved")
    assert window.open_names() == third
    window.release()
    window.wait_for_text("#progress", "1 accepted, 1 rejected")
    assert stored(page) == {first: "accepted", second: "rejected"}


def test_reject_before_the_next_fact_is_shown_decides_nothing_and_says_so(page: str, window: Window) -> None:
    first, second, _ = opened(page, window, THREE)
    both = "document.getElementById('accept').click(); document.getElementById('reject').click()"
    window.driver.execute_script(both)  # faster than any screen
    assert window.text("#status") == f"Not rejected: the evidence for {second} was not shown yet."
    window.wait_for_text("#progress", "1 accepted")
    window.click(REJECT)
    window.wait_for_text("#progress", "1 accepted, 1 rejected")
    assert stored(page) == {first: "accepted", second: "rejected"}


def test_nothing_is_decided_before_its_evidence_is_shown(page: str, window: Window) -> None:
    window.open(page + THREE, hold="POST /evidence", after=1)
    window.wait_for_text("#status", "3 suggestions")
    first = window.decide("a")
    second = window.open_names()
    for button in ("accept", "reject", "skip"):
        assert window.one(f"#{button}").get_attribute("aria-disabled") == "true"
    for key, verdict in PRESSED.items():
        window.press(key)
        assert window.text("#status") == f"Not {verdict}: the evidence for {second} was not shown yet."
    window.click("#skip")
    window.wait_for_text("#progress", "1 of 3 decided")
    assert stored(page) == {first: "accepted"}
    window.release()
    assert window.decide("r") == second
    window.wait_for_text("#progress", "1 accepted, 1 rejected")
    assert stored(page) == {first: "accepted", second: "rejected"}


def test_a_double_click_decides_about_one_fact(page: str, window: Window) -> None:
    first, second, _ = opened(page, window, THREE)
    window.click_twice(ACCEPT, gap=0.1)
    window.wait_for_text("#status", "A double click counts once.")
    window.wait_for_text("#progress", "1 accepted")
    assert window.decide("s") == second
    window.wait_for_text("#progress", "1 skipped")
    assert stored(page) == {first: "accepted", second: "skipped"}


def test_who_clicks_fast_but_not_twice_decides_about_two_facts(page: str, window: Window) -> None:
    first, second, _ = opened(page, window, THREE)
    window.click_twice(ACCEPT, gap=0.4)
    window.wait_for_text("#progress", "2 accepted")
    assert stored(page) == {first: "accepted", second: "accepted"}


def test_a_key_that_is_held_decides_about_one_fact(page: str, window: Window) -> None:
    first, second, _ = opened(page, window, THREE)
    window.press("a")
    window.one(ACCEPT)
    window.keep_pressed("a")
    assert window.text("#status") == "A key that is held counts once."
    assert window.decide("r") == second
    window.wait_for_text("#progress", "1 accepted, 1 rejected")
    assert stored(page) == {first: "accepted", second: "rejected"}


def test_keys_after_the_last_fact_change_nothing(page: str, window: Window) -> None:
    facts = opened(page, window, THREE)
    assert [window.decide("a") for _ in facts] == facts
    window.wait_for_text("#reasons", "All are decided.")
    for key in "rs":
        window.press(key)
        assert window.text("#status") == f"Not {PRESSED[key]}: no suggestion is open."
    window.wait_for_text("#progress", "3 accepted")
    assert stored(page) == dict.fromkeys(facts, "accepted")
    window.click(f"#undo{READY}")
    window.wait_for_text("#progress", "2 accepted")
    assert window.decide("r") == facts[-1]
    window.wait_for_text("#progress", "2 accepted, 1 rejected")


def test_undo_right_after_a_decision_takes_that_decision_back(page: str, model: Path, window: Window) -> None:
    first, second, _ = opened(page, window, THREE)
    window.hold("POST /api/decisions")
    window.decide("a")
    window.decide("r")
    window.press("u")
    assert window.open_names() == second
    window.press("a")
    assert window.text("#status") == f"Not accepted: {second} is still being saved."
    window.press("u")
    assert window.open_names() == first
    window.release()
    window.one(ACCEPT)
    window.wait_for_text("#progress", "0 of 3 decided")
    assert stored(page) == {}
    with sqlite3.connect(model / "decisions.sqlite") as connection:
        events = [row[0] for row in connection.execute("SELECT verdict FROM event ORDER BY id")]
    connection.close()
    assert events == ["accepted", "rejected", "undone", "undone"]
    window.press("u")
    assert window.text("#status") == "You have no decision to undo."


def test_an_answer_that_is_older_than_what_was_undone_is_not_believed(page: str, window: Window) -> None:
    first, *_ = opened(page, window, THREE)
    window.hold("GET /api/decisions", answers=True)
    window.decide("a")
    window.until(lambda: window.verdicts()[first] == "accepted by anonymous", "it is never saved")
    window.until(lambda: stored(page) == {first: "accepted"}, "it is never stored")
    window.press("u")
    window.one(ACCEPT)  # it is undone
    window.release()  # tells of the decision
    window.decide("a")
    window.wait_for_text("#progress", "1 accepted")
    for said in ("Undone.", "You have no decision to undo."):
        window.press("u")
        assert window.text("#status") == said


def test_a_decision_waits_for_a_server_that_does_not_answer(page: str, window: Window) -> None:
    first, second, _ = opened(page, window, THREE)
    window.lose("POST /api/decisions")
    window.decide("a")
    window.wait_for_text("#problem", "Not saved yet: the server does not answer.")
    window.decide("r")
    window.wait_for_text("#progress", "2 being saved")
    assert stored(page) == {}
    window.release()
    window.wait_for_text("#progress", "1 accepted, 1 rejected")
    assert not window.all("#problem")[0].is_displayed()
    assert stored(page) == {first: "accepted", second: "rejected"}


def test_ranking_again_waits_for_decisions_that_are_being_saved(page: str, window: Window) -> None:
    opened(page, window, THREE)
    window.decide("a")
    window.wait_for_text("#progress", "1 accepted")
    window.hold("POST /api/decisions")
    window.decide("a")
    window.click("#use-decisions")
    assert window.text("#status") == "Not ranked again: decisions are still being saved."
    assert "accepted=" not in window.driver.current_url
    window.release()
    window.click(f"#use-decisions{READY}")
    window.until(lambda: "accepted=2" in window.driver.current_url, "it is not ranked again")


def test_what_the_server_refuses_is_said_and_can_be_decided_again(
    page: str, window: Window, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Decisions, new: NewDecision) -> None:
        raise StorageError("nothing was decided: the file cannot be written (disk full). Make room and try again.")

    first, second, _ = opened(page, window, THREE)
    with monkeypatch.context() as patch:
        patch.setattr(Decisions, "decide", full)
        window.decide("a")
        window.wait_for_text("#problem", f"{first}: nothing was decided: the file cannot be written")
    window.wait_for_text("#progress", "0 of 3 decided")
    assert "being saved" not in "".join(window.verdicts().values())
    assert window.open_names() == second
    window.press("k")
    assert window.decide("a") == first
    window.wait_for_text("#progress", "1 accepted")
    assert not window.all("#problem")[0].is_displayed()


def two_windows(page: str, window: Window) -> tuple[list[str], str, str]:
    """Bo's window, which does not ask what others decide, and Ana's, in which she has accepted the first fact."""
    facts = opened(page, window, THREE)
    bo = window.driver.current_window_handle
    window.type("#reviewer", "Bo\t")
    window.hold("GET /api/decisions")
    window.driver.switch_to.new_window("window")
    ana = window.driver.current_window_handle
    opened(page, window, THREE)
    window.one("#reviewer").clear()
    window.type("#reviewer", "Ana\t")
    window.press("k")  # out of the field
    assert window.decide("a") == facts[0]
    window.wait_for_text("#suggestions li:nth-child(1)", "accepted by Ana")
    window.switch_to(bo)
    return facts, bo, ana


def test_who_has_not_seen_a_decision_is_told_instead_of_overwriting_it(page: str, window: Window) -> None:
    facts, _, _ = two_windows(page, window)
    assert window.decide("r") == facts[0]
    window.wait_for_text("#problem", f"{facts[0]}: Ana accepted this meanwhile; look again and decide")
    window.wait_for_text("#suggestions li:nth-child(1)", "accepted by Ana")
    assert stored(page) == {facts[0]: "accepted"}


def test_who_has_seen_a_decision_may_change_it_and_the_other_window_learns_of_it(page: str, window: Window) -> None:
    facts, _, ana = two_windows(page, window)
    window.release()
    window.wait_for_text("#suggestions li:nth-child(1)", "accepted by Ana")
    assert window.decide("r") == facts[0]
    window.wait_for_text("#suggestions li:nth-child(1)", "rejected by Bo")
    assert stored(page) == {facts[0]: "rejected"}
    window.switch_to(ana)
    window.wait_for_text("#suggestions li:nth-child(1)", "rejected by Bo")


@pytest.mark.parametrize("size", [(1280, 800), (1000, 700), (390, 844), (360, 640)])
def test_what_the_page_says_covers_nothing_that_can_be_pressed(
    page: str, window: Window, size: tuple[int, int]
) -> None:
    window.show_as(*size)
    first, *_ = opened(page, window, MANY)
    says = ["suggestions", "You have no decision to undo.", f"{first}: accepted."]
    for key, text in zip((None, "u", "a"), says, strict=True):
        if key:
            window.press(key)
        window.wait_for_text("#status", text)
        window.one(ACCEPT)
        for place in ("0", "document.documentElement.scrollHeight"):
            window.driver.execute_script(
                f"scrollTo(0, {place}); document.getElementById('evidence').scrollTop = {place}"
            )
            assert window.covered_by("#status") == []
        window.driver.execute_script("document.getElementById('status').scrollIntoView({ block: 'nearest' })")
        assert window.covered_by("#status") == []
    assert window.covered_by("#accept") == ["accept"]  # the test can tell
