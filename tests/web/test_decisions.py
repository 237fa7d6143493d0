"""Decisions: kept, undone, never lost."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from faan.base import InputError
from faan.web import decisions_file
from faan.web.decision import (
    ConflictError,
    DamagedError,
    LockedError,
    NewDecision,
    StorageError,
    UnknownDecisionError,
    Verdict,
)
from faan.web.decisions import Decisions
from faan.web.sqlite import Readers

PERU = NewDecision("Ana", "currency", "Peru", "Sol", "accepted", 0.9, 2.5, 1)


@pytest.fixture
def decisions(tmp_path: Path) -> Decisions:
    return Decisions(tmp_path / "decisions.sqlite")


def test_a_decision_is_there_after_reopening(decisions: Decisions) -> None:
    made = decisions.decide(PERU)
    decisions.close()
    again = Decisions(decisions.path)
    assert again.current() == [made]
    assert (made.head, made.verdict, made.probability, made.rank) == ("Peru", "accepted", 0.9, 1)
    assert made.time.endswith("+00:00")
    assert again.of_fact("currency", "Peru", "Sol") == made
    assert again.of_fact("currency", "Peru", "Yen") is None


def test_a_decision_keeps_the_reasons_that_were_shown(decisions: Decisions) -> None:
    because = ["Peru ← money of — Sol: right for 4 of 5", 'against: "quoted"']
    made = decisions.decide(replace(PERU, reasons=because, key="once-only"))
    assert made.reasons == tuple(because)
    assert decisions.decide(replace(PERU, reasons=because, key="once-only")) == made
    decisions.decide(replace(PERU, verdict="rejected"))
    decisions.undo(2, "Ana")
    decisions.close()
    again = Decisions(decisions.path)
    assert again.current() == again.past() == [made]
    assert [state.decision for state in again.changes()] == [made]


def _first_version(path: Path) -> None:
    """A file as the first version of faan wrote it: the same events, no reasons, other views."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in ("DROP VIEW current", "DROP VIEW standing", "DROP VIEW told", "DROP TABLE shown"):
            connection.execute(statement)
        for statement in decisions_file._SCHEMAS[1]:
            if "CREATE VIEW" in statement:
                connection.execute(statement)
        connection.execute("PRAGMA user_version = 1")


def test_a_file_of_the_first_version_opens_with_all_its_decisions(decisions: Decisions) -> None:
    made = decisions.decide(PERU)
    identity = decisions.identity
    decisions.close()
    _first_version(decisions.path)
    again = Decisions(decisions.path)
    assert (again.current(), again.identity) == ([made], identity)
    told = again.decide(replace(PERU, verdict="rejected", reasons=["too far"]))
    assert again.current() == [told]
    again.close()
    assert Decisions(decisions.path).current() == [told]


def test_a_file_of_the_first_version_with_a_trigger_is_refused_and_left_alone(decisions: Decisions) -> None:
    decisions.close()
    _first_version(decisions.path)
    with closing(sqlite3.connect(decisions.path, isolation_level=None)) as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON event BEGIN UPDATE event SET verdict = 'accepted'; END")
    with pytest.raises(InputError, match="its schema differs in t"):
        Decisions(decisions.path)
    with closing(sqlite3.connect(decisions.path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)


@pytest.mark.parametrize(
    "reasons", ["none", "{}", "[1]", "[[]]", b"[]", "[" * 3000, r'["\ud800"]', '["' + "a" * (1 << 19) + '"]']
)
def test_reasons_that_faan_would_not_write_are_refused(decisions: Decisions, reasons: str | bytes) -> None:
    decisions.decide(PERU)
    decisions.close()
    with closing(sqlite3.connect(decisions.path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO shown VALUES (1, ?)", (reasons,))
    with pytest.raises(InputError, match="reasons are not as faan writes them"):
        Decisions(decisions.path)


def test_reasons_of_no_decision_are_refused(decisions: Decisions) -> None:
    decisions.close()
    with closing(sqlite3.connect(decisions.path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO shown VALUES (7, '[]')")
    with pytest.raises(InputError, match="reasons are not as faan writes them"):
        Decisions(decisions.path)


def test_the_last_decision_holds_and_undoing_brings_the_one_before_back(decisions: Decisions) -> None:
    first = decisions.decide(PERU)
    second = decisions.decide(replace(PERU, reviewer="Bo", verdict="rejected"))
    assert decisions.current() == [second]
    assert decisions.undo(second.id, "Bo").decision == first
    assert decisions.undo(first.id, "Bo").decision is None
    assert decisions.current() == []
    with closing(sqlite3.connect(decisions.path)) as connection:
        (count,) = connection.execute("SELECT count(*) FROM event").fetchone()
    assert count == 4  # nothing is forgotten


def test_undoing_twice_is_undoing_once(decisions: Decisions) -> None:
    first = decisions.decide(PERU)
    assert decisions.undo(first.id, "Ana") == decisions.undo(first.id, "Ana")
    assert decisions.last == 2


def test_what_is_not_there_or_does_not_hold_cannot_be_undone(decisions: Decisions) -> None:
    first = decisions.decide(PERU)
    with pytest.raises(UnknownDecisionError, match="no decision 99"):
        decisions.undo(99, "Ana")
    decisions.decide(replace(PERU, reviewer="Bo", verdict="rejected"))
    with pytest.raises(ConflictError, match="Bo rejected this meanwhile"):
        decisions.undo(first.id, "Ana")


def test_who_has_not_seen_the_latest_decision_does_not_overwrite_it(decisions: Decisions) -> None:
    first = decisions.decide(replace(PERU, seen=0))
    with pytest.raises(ConflictError, match="Ana accepted this meanwhile") as conflict:
        decisions.decide(replace(PERU, reviewer="Bo", verdict="rejected", seen=0))
    assert conflict.value.standing == first
    assert decisions.decide(replace(PERU, reviewer="Bo", verdict="rejected", seen=first.id)).verdict == "rejected"


def test_the_same_key_decides_once(decisions: Decisions) -> None:
    first = decisions.decide(replace(PERU, key="k" * 8, seen=0))
    assert decisions.decide(replace(PERU, key="k" * 8, seen=0)) == first
    with pytest.raises(ConflictError, match="used for another decision"):
        decisions.decide(replace(PERU, key="k" * 8, verdict="rejected"))


def test_changes_since_an_event_say_what_holds_now(decisions: Decisions) -> None:
    peru = decisions.decide(PERU)
    japan = decisions.decide(replace(PERU, head="Japan", tail="Yen"))
    decisions.decide(replace(PERU, relation="capital", tail="Lima"))
    decisions.undo(peru.id, "Ana")
    states = decisions.changes("currency")
    assert [(state.head, state.decision) for state in states] == [("Japan", japan), ("Peru", None)]
    assert [state.head for state in decisions.changes("currency", after=japan.id)] == ["Peru"]
    assert len(decisions.changes(limit=1)) == 1
    assert decisions.changes(after=decisions.last) == []


def test_precision_counts_what_was_accepted_or_rejected(decisions: Decisions) -> None:
    assert decisions.tally().precision is None
    verdicts: list[Verdict] = ["accepted", "accepted", "rejected", "skipped"]
    for number, verdict in enumerate(verdicts):
        decisions.decide(replace(PERU, tail=str(number), verdict=verdict, probability=number / 10))
    tally = decisions.tally("currency")
    assert (tally.accepted, tally.rejected, tally.skipped) == (2, 1, 1)
    assert tally.precision == pytest.approx(2 / 3)
    assert tally.expected == pytest.approx(0.1)
    assert decisions.tally("capital").precision is None


def test_files_that_are_not_ours_are_refused(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no database " * 1000)
    with pytest.raises(InputError, match="cannot be used as a file of decisions"):
        Decisions(text)
    other = tmp_path / "other"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE t (x)")
    with pytest.raises(InputError, match="is not a file of decisions"):
        Decisions(other)
    newer = tmp_path / "newer"
    Decisions(newer).close()
    with closing(sqlite3.connect(newer)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(InputError, match=r"newer version of faan \(format 99"):
        Decisions(newer)
    with pytest.raises(InputError, match="--decisions FILE"):
        Decisions(tmp_path / "nowhere" / "file")
    with pytest.raises(InputError, match="nothing was reviewed yet"):
        Decisions(tmp_path / "missing", create=False)


def test_a_full_disk_decides_nothing_and_says_so(decisions: Decisions) -> None:
    decisions.decide(PERU)
    decisions._writer.connection.execute("PRAGMA max_page_count = 1")
    with pytest.raises(StorageError, match=r"^nothing was decided: decisions\.sqlite cannot be written"):  # no folders
        for number in range(200):
            decisions.decide(replace(PERU, tail=str(number), examples="x" * 1000))
    decisions._writer.connection.execute("PRAGMA max_page_count = 1000000")
    before = len(decisions.current())
    decisions.decide(replace(PERU, tail="after"))
    assert len(decisions.current()) == before + 1


def test_many_threads_and_two_connections_lose_nothing(decisions: Decisions) -> None:
    other = Decisions(decisions.path)

    def work(store: Decisions, name: str) -> None:
        for number in range(25):
            store.decide(replace(PERU, reviewer=name, tail=f"{name}{number}"))

    threads = [threading.Thread(target=work, args=(store, f"{i}")) for i, store in enumerate([decisions, other] * 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(decisions.current()) == 100


WRITER = """
import sys
from faan.web.decision import NewDecision
from faan.web.decisions import Decisions
decisions = Decisions(sys.argv[1])
for number in range(100000):
    made = decisions.decide(NewDecision("Ana", "r", "h", str(number), "accepted"))
    print(made.id, flush=True)
"""


def test_a_killed_process_has_lost_no_decision_that_it_acknowledged(tmp_path: Path) -> None:
    path = tmp_path / "decisions.sqlite"
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        acknowledged = [int(writer.stdout.readline()) for _ in range(20)]
        writer.send_signal(signal.SIGKILL)
        acknowledged += [int(line) for line in writer.stdout.read().splitlines() if line.strip()]
    stored = {decision.id for decision in Decisions(path).current()}
    assert len(acknowledged) >= 20
    assert set(acknowledged) <= stored


Step = tuple[Literal["decide", "undo"], int, int]


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.sampled_from(["decide", "undo"]), st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=20
    )
)
def test_what_holds_is_what_a_slow_list_says(tmp_path_factory: pytest.TempPathFactory, steps: list[Step]) -> None:
    decisions = Decisions(tmp_path_factory.mktemp("d") / "decisions.sqlite")
    verdicts: list[Verdict] = ["accepted", "rejected", "skipped"]
    stacks: dict[int, list[int]] = {}
    for action, fact, verdict in steps:
        stack = stacks.setdefault(fact, [])
        if action == "decide":
            stack.append(decisions.decide(replace(PERU, tail=str(fact), verdict=verdicts[verdict])).id)
        elif stack:
            decisions.undo(stack.pop(), "Ana")
    assert {d.id for d in decisions.current()} == {stack[-1] for stack in stacks.values() if stack}
    states = {state.tail: state.decision for state in decisions.changes()}
    for fact, stack in stacks.items():
        if str(fact) in states:
            held = states[str(fact)]
            assert (held.id if held else None) == (stack[-1] if stack else None)
    decisions.close()


@contextmanager
def write_lock(path: Path) -> Iterator[None]:
    """Another program that does not end its transaction."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        yield


def test_while_another_program_writes_nothing_waits_but_decisions(
    decisions: Decisions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faan.web.sqlite.PATIENCE", 60.0)  # the test would not end in time if a reader waited
    made = decisions.decide(PERU)
    outcome: list[object] = []
    with write_lock(decisions.path):
        waiting = threading.Thread(target=lambda: outcome.append(decisions.decide(replace(PERU, tail="Yen"))))
        waiting.start()
        while not decisions._writer._lock.locked():
            time.sleep(0.001)
        assert decisions.current() == [made]
        assert decisions.of_fact("currency", "Peru", "Sol") == made
        assert decisions.tally().accepted == 1
        with closing(Decisions(decisions.path)) as other:  # nor does a second server when it starts
            assert other.last == 1
    waiting.join()
    assert [getattr(one, "tail", None) for one in outcome] == ["Yen"]


def test_a_lock_that_stays_is_named(decisions: Decisions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faan.web.sqlite.PATIENCE", 0.05)
    with write_lock(decisions.path):
        for _ in range(2):
            with pytest.raises(LockedError, match=r"^decisions\.sqlite is locked: another program") as locked:
                decisions.decide(PERU)
            assert "room" not in str(locked.value)
            (waits,) = decisions._writer.connection.execute("PRAGMA busy_timeout").fetchone()
            assert waits <= 50  # milliseconds
    assert decisions.decide(PERU).id == 1


def test_a_decision_waits_no_longer_behind_another_that_does_not_end(
    decisions: Decisions, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("faan.web.sqlite.PATIENCE", 0.05)
    with decisions._writer._lock, pytest.raises(LockedError, match="is locked"):
        decisions.decide(PERU)
    assert decisions.decide(PERU).id == 1


def test_a_file_that_is_damaged_later_is_named_with_what_to_do(decisions: Decisions) -> None:
    for number in range(300):
        decisions.decide(replace(PERU, tail=str(number), examples="x" * 500))
    decisions.close()
    again = Decisions(decisions.path)
    with decisions.path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 100_000)
    with pytest.raises(DamagedError, match=r"^decisions\.sqlite is damaged .* put a copy of the file back"):
        again.current()


def test_a_connection_that_is_in_use_when_all_are_closed_is_closed_after_its_query() -> None:
    made: list[sqlite3.Connection] = []

    def connect() -> sqlite3.Connection:
        made.append(sqlite3.connect(":memory:", check_same_thread=False))
        made[-1].create_function("close_all", 0, readers.close)
        return made[-1]

    readers = Readers(connect)
    assert readers.query("SELECT close_all()") == [(None,)]
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        made[0].execute("SELECT 1")
