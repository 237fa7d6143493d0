"""The campaign of `make attack`: what it keeps, and how its pieces add up."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from random import Random

from tools.attack.campaign import Finding, Record, Tally
from tools.attack.inputs import keep
from tools.attack.jobs import harm
from tools.attack.soak import judge_memory


def test_pieces_of_a_campaign_add_up(tmp_path: Path) -> None:
    for _ in range(2):
        record = Record(tmp_path / "record", seed=7)
        known = record.of("graphs")
        known.add(Tally("graphs", 3, Counter(read=1, refused=2), [Finding("crash", "it ended")], 0.5, 100.0))
        record.save(known)
    again = Record(tmp_path / "record", seed=9)
    assert again.seed == 7
    assert again.of("graphs").tried == 6
    assert again.of("graphs").outcomes == {"read": 2, "refused": 4}
    assert [one.what for one in again.of("graphs").findings] == ["crash", "crash"]


def test_huge_files_and_pipes_are_not_kept(tmp_path: Path) -> None:
    made = tmp_path / "model"
    made.mkdir()
    (made / "small").write_text("x")
    os.mkfifo(made / "pipe")
    for huge in (made / "huge", tmp_path / "graph.nt"):
        with huge.open("wb") as file:
            file.truncate(1 << 33)
    kept = Path(keep(made, tmp_path / "kept"))
    assert [path.name for path in kept.iterdir()] == ["small"]
    assert "not kept" in keep(tmp_path / "graph.nt", tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == [kept]


def test_memory_counts_once_the_cache_of_questions_is_full() -> None:
    growing, steady = [500.0 + second for second in range(100)], [500.0] * 100
    judged = {}
    for name, memory, asked in (
        ("leak", growing, [10 * second for second in range(100)]),
        ("steady", steady, [10 * second for second in range(100)]),
        ("cache not full", growing, list(range(100))),
    ):
        tally = Tally("soak")
        judge_memory(tally, memory, asked)
        judged[name] = [*tally.notes, *(finding.what for finding in tally.findings)]
    assert judged["leak"] == ["memory"]
    assert judged["steady"] == []
    assert judged["cache not full"] == ["memory not judged: fewer than 100 questions in the first half"]


def test_a_sparse_file_of_a_job_is_not_read(tmp_path: Path) -> None:
    sparse = tmp_path / "job.json"
    with sparse.open("wb") as file:
        file.truncate(1 << 40)  # no machine can read it
    for seed in range(20):
        harm(sparse, Random(seed))
    assert sparse.stat().st_size == 1 << 40
