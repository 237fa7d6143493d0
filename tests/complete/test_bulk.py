"""Suggestions in bulk: all heads of all relations, as parts that an interrupted job keeps."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tools.attack.small_graph import facts

from faan.base import InputError
from faan.complete import BulkQuestion, BulkSettings, Completer, all_relations, fit, suggest_in_bulk
from faan.complete.bulk import read_job
from faan.complete.types import Described, Examples, Extended

from .conftest import CAPITALS, rows_of

pytestmark = pytest.mark.slow
Run = Callable[..., tuple[int, str, str]]
LATE = {str(number) for number in range(20, 30)}
LIKELY = BulkSettings(top=3, min_probability=0.3)


@pytest.fixture(scope="module")
def completer() -> Completer:
    """Of a land whose last ten countries lack most facts."""
    return fit(
        [row for row in facts() if not (row[0][4:] in LATE and row[1] in ("speaks", "next_to", "custom1"))],
        method="rules",
    )


@pytest.fixture(scope="module")
def model(completer: Completer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("bulk") / "model"
    completer.save(folder)
    return folder


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("faan.complete.bulk._HEADS", 7)


def test_every_relation_is_completed_as_one_at_a_time_is(completer: Completer, model: Path, tmp_path: Path) -> None:
    job = suggest_in_bulk(completer, model, tmp_path / "job", all_relations(completer), LIKELY)
    frames = []
    for question in all_relations(completer):
        found = completer.suggest(question.relation, top=3, progress=False).to_polars()
        frames.append(found.with_columns(relation=pl.lit(question.relation)).filter(pl.col("probability") >= 0.3))
    one_by_one = pl.concat(frames).sort("relation", "head", "rank")
    assert_frame_equal(rows_of(tmp_path / "job"), one_by_one, check_column_order=False)
    assert job.rows == len(one_by_one) > 0
    assert len(job.blocks) > 5
    assert read_job(tmp_path / "job") == job


def test_an_interrupted_job_goes_on_and_keeps_its_parts(completer: Completer, model: Path, tmp_path: Path) -> None:
    questions, folder = all_relations(completer), tmp_path / "job"

    def break_off(what: str, share: float) -> None:
        if what == "suggesting" and len(list(folder.glob("*.parquet"))) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        suggest_in_bulk(completer, model, folder, questions, LIKELY, on_progress=break_off)
    kept = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.parquet")}
    assert len(kept) == 4
    assert read_job(folder).rows is None
    with pytest.raises(InputError, match="continue it with --resume"):
        suggest_in_bulk(completer, model, folder, questions, LIKELY)
    told: list[float] = []
    suggest_in_bulk(
        completer, model, folder, questions, LIKELY, resume=True, on_progress=lambda _, share: told.append(share)
    )
    assert {name: (folder / name).stat().st_mtime_ns for name in kept} == kept
    assert told[-1] == 1.0
    whole = tmp_path / "whole"
    suggest_in_bulk(completer, model, whole, questions, LIKELY)
    assert_frame_equal(rows_of(folder), rows_of(whole))


def test_another_job_is_not_continued(completer: Completer, model: Path, tmp_path: Path) -> None:
    question = BulkQuestion(relation="speaks", examples="speaks")
    suggest_in_bulk(completer, model, tmp_path / "job", [question])
    with pytest.raises(InputError, match="another model, or of other relations or settings"):
        suggest_in_bulk(completer, model, tmp_path / "job", [question], LIKELY, resume=True)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("mine")
    with pytest.raises(InputError, match="exists and is not empty"):
        suggest_in_bulk(completer, model, tmp_path / "other", [question])


@pytest.mark.parametrize(
    "examples",
    [
        "speaks",
        tuple(CAPITALS[:3]),
        Extended("speaks", (("land1", "tongue2"),)),
        Described("rules over", (("land1", "town1a"),), ("speaks",)),
        Described("rules over"),
    ],
)
def test_examples_of_every_kind_survive_the_file(completer: Completer, examples: Examples) -> None:
    question = BulkQuestion(relation="r", examples=examples)
    assert BulkQuestion.model_validate_json(question.model_dump_json()) == question


@pytest.mark.parametrize("content", ["{}", "[", '{"format": "faan-suggestions", "version": 2}', "\x00" * 50])
def test_a_damaged_job_is_refused(completer: Completer, model: Path, tmp_path: Path, content: str) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "job.json").write_text(content)
    with pytest.raises(InputError, match="is not what `faan suggest` wrote"):
        suggest_in_bulk(completer, model, tmp_path / "job", all_relations(completer), resume=True)


def test_a_job_that_was_killed_before_it_began_is_begun(completer: Completer, model: Path, tmp_path: Path) -> None:
    (tmp_path / "job" / ".job.json-faan-abcdefgh" / "part").mkdir(parents=True)
    question = BulkQuestion(relation="speaks", examples="speaks")
    suggest_in_bulk(completer, model, tmp_path / "job", [question], resume=True)
    assert [path.name for path in tmp_path.glob("job/.*")] == []


@pytest.mark.parametrize("content", [b"\xff{", b'{"a":' * 100_000])
def test_a_job_that_is_no_text_or_larger_than_the_own_one_is_refused(
    completer: Completer, model: Path, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "job.json").write_bytes(content)
    with pytest.raises(InputError, match=r"not UTF-8 text|another model, or of other relations or settings"):
        suggest_in_bulk(completer, model, tmp_path / "job", all_relations(completer), resume=True)


def test_parts_that_are_damaged_or_of_another_block_are_computed_again(
    completer: Completer, model: Path, tmp_path: Path
) -> None:
    questions, folder, whole = all_relations(completer), tmp_path / "a=[job]", tmp_path / "whole"
    job = suggest_in_bulk(completer, model, whole, questions, LIKELY)
    suggest_in_bulk(completer, model, folder, questions, LIKELY)
    parts = sorted(folder.glob("*.parquet"))
    relations = [job.questions[block.question].relation for block in job.blocks]
    has_rows = [bool(pl.read_parquet(part.read_bytes()).height) for part in parts]
    other = next(i for i, relation in enumerate(relations) if relation != relations[0] and has_rows[i])
    parts[1].write_bytes(parts[1].read_bytes()[:-9])
    parts[2].write_bytes(b"PAR1" + bytes(1000))
    parts[3].unlink()
    parts[3].symlink_to("/etc/hostname")
    pl.DataFrame({"relation": ["x"]}).write_parquet(parts[4])
    parts[5].unlink()
    parts[5].symlink_to("/dev/zero")
    pl.concat([pl.read_parquet(parts[other].read_bytes())] * 50).write_parquet(parts[0])
    suggest_in_bulk(completer, model, folder, questions, LIKELY, resume=True)
    assert not any(part.is_symlink() for part in parts)
    assert_frame_equal(rows_of(folder), rows_of(whole))


def test_the_command_completes_a_graph(faan: Run, model: Path, tmp_path: Path) -> None:
    folder = tmp_path / "all"
    code, _, said = faan("suggest", model, "--all-relations", "-o", folder, "--min-probability", "0.3", "--top", "3")
    assert code == 0
    rows = json.loads((folder / "job.json").read_text(encoding="utf-8"))["rows"]
    assert f"{rows:,} suggestions in" in said.replace("\n", " ")
    assert len(rows_of(folder)) == rows
    code, _, said = faan("suggest", model, "--all-relations", "-o", folder, "--min-probability", "0.3", "--top", "3")
    assert code == 1
    assert "--resume" in said


def test_the_command_completes_a_new_relation(faan: Run, model: Path, tmp_path: Path) -> None:
    pairs = [option for pair in CAPITALS[:5] for option in ("--example", ",".join(pair))]
    code, _, said = faan("suggest", model, *pairs, "--format", "parquet", "-o", tmp_path / "out", "--name", "capital")
    assert code == 0, said
    found = rows_of(tmp_path / "out").filter(pl.col("rank") == 1)
    assert set(found["relation"]) == {"capital"}
    assert set(zip(found["head"], found["tail"], strict=True)) >= set(CAPITALS[5:])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--all-relations"], "-o FOLDER"),
        (["--all-relations", "--relation", "speaks", "-o", "x"], "only for one relation"),
        (["--all-relations", "--not-like", "speaks", "-o", "x"], "only for one relation"),
        (["--all-relations", "--format", "tsv", "-o", "x"], "written as parquet"),
        (["--all-relations", "--head", "land1", "-o", "x"], "other than parquet"),
        (["--all-relations", "--workers", "2", "-o", "x"], "only for --engine ray"),
        (["--relation", "speaks", "--engine", "ray"], "only for parquet"),
        (["--example", "land1,town1a", "--format", "parquet", "-o", "x"], "--name"),
    ],
)
def test_options_that_make_no_sense_are_refused(faan: Run, model: Path, options: list[str], message: str) -> None:
    code, _, said = faan("suggest", model, *options)
    assert code == 2
    assert message in " ".join(said.replace("│", " ").split())
