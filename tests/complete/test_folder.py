"""Model folders: whole or not there, safe to load, refused with a clear word when something is wrong."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import NoReturn

import pytest

import faan
from faan.base import InputError
from faan.complete import Completer, read_about
from faan.complete.checksums import CHECKSUMS_FILE
from faan.complete.folder import SELF_TESTS_FILE
from faan.complete.selftest import NOTHING
from faan.complete.stored_tests import StoredTests

from .conftest import CAPITALS

FIVE = CAPITALS[:5]


@pytest.fixture
def folder(completer: Completer, tmp_path: Path) -> Path:
    completer.save(tmp_path / "model")
    return tmp_path / "model"


def test_a_loaded_model_says_the_same(completer: Completer, folder: Path) -> None:
    loaded = faan.load(folder)
    assert loaded.about == completer.about == read_about(folder)
    assert list(loaded.suggest(FIVE)) == list(completer.suggest(FIVE))
    assert loaded.explain("land9", "town9a", FIVE) == completer.explain("land9", "town9a", FIVE)


def test_a_model_is_replaced_but_nothing_beside_it(completer: Completer, folder: Path) -> None:
    completer.save(folder)
    (folder / "entities.sqlite").write_text("an index that is built again")
    completer.save(folder)
    assert not (folder / "entities.sqlite").exists()  # it was the old graph's
    (folder / "decisions.sqlite").write_text("what reviewers decided")
    with pytest.raises(InputError, match=r"holds more than a model: decisions\.sqlite"):
        completer.save(folder)
    assert (folder / "decisions.sqlite").read_text() == "what reviewers decided"
    other = folder.parent / "other"
    other.mkdir()
    (other / "thesis.tex").touch()
    with pytest.raises(InputError, match="choose another folder"):
        completer.save(other)


def test_a_full_disk_loses_nothing(completer: Completer, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> NoReturn:
        raise OSError(28, "No space left on device")

    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for place in ("faan.complete.folder.save_graph", "faan.complete.folder.write_text"):
        with monkeypatch.context() as patch:
            patch.setattr(place, full)
            with pytest.raises(InputError, match="No space left on device"):
                completer.save(folder)
            with pytest.raises(InputError, match="No space left on device"):
                completer.save(folder.parent / "second")
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
    assert sorted(path.name for path in folder.parent.iterdir()) == ["model"]


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(InputError, match="`faan fit` makes one"):
            Completer.load(folder)


def test_a_newer_model_is_refused(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"version": 3, "future": True}))
    with pytest.raises(InputError, match=r"newer version of faan \(format 3, this one reads 2\); update faan"):
        Completer.load(folder)


def test_an_older_model_is_to_be_fitted_again(folder: Path) -> None:
    (folder / "config.json").write_text('{"format": "faan-model", "version": 1}')
    with pytest.raises(InputError, match="saved by an older version of faan; fit it again"):
        Completer.load(folder)


def test_an_unknown_method_is_named(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    config["about"]["method"] = "oracle"
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="'oracle', which this version of faan does not have"):
        Completer.load(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"format": "faan-model", "version": 2}', '{"format": 7}'])
def test_a_damaged_description_is_one_error(folder: Path, content: str) -> None:
    (folder / "config.json").write_text(content)
    with pytest.raises(InputError, match=r"damaged \(config.json: .*fit it again"):
        Completer.load(folder)


@pytest.fixture(scope="module")
def evidence(trained: Completer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The default method, whose folder has everything in it."""
    folder = tmp_path_factory.mktemp("evidence") / "model"
    trained.save(folder)
    return folder


def files_of(folder: Path) -> list[Path]:
    return sorted(
        path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and path.name != CHECKSUMS_FILE
    )


def harmed(content: bytes, harm: str) -> bytes | None:
    """The content of a file after some harm; None where it is gone."""
    ways = {"missing": None, "cut": content[: len(content) // 2], "nonsense": b"\x93nonsense" * 9, "empty": b""}
    return ways[harm]


def copy_with(model: Path, copy: Path, file: Path, content: bytes | None) -> Path:
    """A copy of a model without checksums, in which one file is another."""
    shutil.copytree(model, copy)
    (copy / CHECKSUMS_FILE).unlink(missing_ok=True)
    (copy / file).unlink()
    if content is not None:
        (copy / file).write_bytes(content)
    return copy


def test_any_file_that_is_missing_or_damaged_is_one_error(evidence: Path, tmp_path: Path) -> None:
    files = files_of(evidence)
    assert {path.suffix for path in files} <= {".json", ".npy", ".safetensors", ".txt"}  # nothing that is executed
    for file in files:
        for harm in ("missing", "cut", "nonsense", "empty"):
            copy = copy_with(evidence, tmp_path / "copy", file, harmed((evidence / file).read_bytes(), harm))
            shutil.copy(evidence / CHECKSUMS_FILE, copy)
            with pytest.raises(InputError):
                Completer.load(copy)
            shutil.rmtree(copy)


@pytest.mark.parametrize(
    "name", ["graph/tails.npy", "graph/entity_names_data.npy", "method/ranker.json", "config.json"]
)
def test_a_flipped_bit_is_noticed_and_the_file_named(evidence: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(evidence, tmp_path / "copy")
    file = tmp_path / "copy" / name
    content = bytearray(file.read_bytes())
    content[-9] ^= 1  # in the middle of a number or a name
    file.write_bytes(content)
    told = rf"{name} is not what was written|config.json: is not JSON"
    with pytest.raises(InputError, match=rf"damaged \(({told}.*)\); fit it again"):
        Completer.load(tmp_path / "copy")


@pytest.mark.parametrize("content", ["", "[]", '{"evidence": 7}', '{"evidence": ["no such"]}'])
def test_what_a_model_without_checksums_lacks_is_told_in_words(evidence: Path, tmp_path: Path, content: str) -> None:
    shutil.copytree(evidence, tmp_path / "copy")
    (tmp_path / "copy" / CHECKSUMS_FILE).unlink()
    (tmp_path / "copy" / "method" / "ranker.json").write_text(content)
    with pytest.raises(InputError, match=r"damaged \(method/ranker.json: (does not say which|needs) evidence") as told:
        Completer.load(tmp_path / "copy")
    assert "Error" not in str(told.value)


def test_damaged_checksums_are_one_error(folder: Path) -> None:
    for content in ("", "[]", '{"config.json": "x"}', '{"../elsewhere": 1}'):
        (folder / "checksums.json").write_text(content)
        with pytest.raises(InputError, match=r"damaged \((checksums.json does not|../elsewhere is missing)"):
            Completer.load(folder)


def test_a_model_without_checksums_opens_and_files_beside_it_do_no_harm(folder: Path) -> None:
    (folder / "decisions.sqlite").write_text("what reviewers decided")
    Completer.load(folder)
    (folder / "checksums.json").unlink()
    Completer.load(folder)


def test_the_default_method_is_saved_and_loaded(evidence: Path) -> None:
    loaded = Completer.load(evidence)
    assert loaded.about.method == "evidence"
    found = loaded.explain("land9", "town9a", FIVE)
    assert found.suggestion.rank <= 3
    assert {piece.name for piece in found.evidence} & {"all paths", "short paths", "fitted relation"}


def test_a_small_file_that_is_huge_is_refused_before_it_is_held(evidence: Path, tmp_path: Path) -> None:
    """Blanks at the end are no fault in JSON, so what refuses them is the limit."""
    notes = [path for path in files_of(evidence) if path.suffix == ".json"]
    assert len(notes) >= 5  # of the model, its graph, its ranker and its vectors
    for file in notes:
        copy = copy_with(evidence, tmp_path / "copy", file, (evidence / file).read_bytes() + b" " * (1 << 24))
        with pytest.raises(InputError, match=r"damaged|does not say which evidence"):
            Completer.load(copy)
        shutil.rmtree(copy)


def test_huge_checksums_are_refused_before_they_are_held(folder: Path) -> None:
    with (folder / CHECKSUMS_FILE).open("ab") as file:
        file.write(b" " * (1 << 24))
    with pytest.raises(InputError, match=r"checksums.json does not hold checksums"):
        Completer.load(folder)


@pytest.mark.parametrize("name", ["trees.txt", "ranker.json", "transe/config.json"])
def test_a_pipe_in_the_place_of_a_file_of_the_method_is_refused(evidence: Path, tmp_path: Path, name: str) -> None:
    copy = copy_with(evidence, tmp_path / "copy", Path("method", name), None)
    os.mkfifo(copy / "method" / name)
    with pytest.raises(InputError, match="damaged"):
        Completer.load(copy)


def test_stored_tests_that_are_a_pipe_count_as_none(evidence: Path, tmp_path: Path) -> None:
    shutil.copytree(evidence, tmp_path / "copy")
    os.mkfifo(tmp_path / "copy" / SELF_TESTS_FILE)
    loaded = Completer.load(tmp_path / "copy")
    assert StoredTests(loaded.graph, tmp_path / "copy").get("lies_in") is None


def test_a_self_test_stays_in_memory_where_checksums_cannot_be_read(
    evidence: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(folder: Path) -> int:
        raise PermissionError(folder)

    monkeypatch.setattr("faan.complete.stored_tests.fingerprint", refuse)
    tests = StoredTests(Completer.load(evidence).graph, evidence)
    tests.put("lies_in", NOTHING)
    assert tests.get("lies_in") is NOTHING
