from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

from faan.base import InputError
from faan.models import EvidenceConfig, methods, rows_of
from faan.models.faan import FaanConfig
from faan.paper import TABLES, Request, build_tables
from faan.paper.jobs import seconds_of
from faan.paper.published import published_figures
from faan.rank import Table, key_of, label_of, read_results, written
from faan.train import RunConfig

from .conftest import WriteResult


def row_of(table: Table, label: str) -> dict[str, str]:
    """The cells of a row by column; of columns with the same name the first."""
    for row in table.rows:
        if row[0] == label:
            return dict(reversed(list(zip(table.columns, row, strict=True))))
    raise AssertionError(f"{label} is not a row of {table.title}")


def test_figures_are_written_as_the_paper_writes_them() -> None:
    assert [written(figure) for figure in (0.279, 0.0, 1.0, 0.9999, None)] == [".279", ".000", "1.000", "1.000", ""]
    assert [written(figure, signed=True) for figure in (0.0911, -0.015, 0.0)] == ["+.091", "-.015", "+.000"]


def test_a_row_has_the_published_figure_and_the_difference(write_result: WriteResult) -> None:
    write_result("faan", 0.25)
    (table,) = build_tables(Request("main"))
    row = row_of(table, "FAAN")
    assert (row["MRR"], row["paper"], row["diff"]) == (".250", ".279", "-.029")
    assert (row["macro MRR"], row["dev MRR"], row["seeds"]) == (".310", ".150", "1")
    record = next(record for record in table.records if record["method"] == "FAAN")
    assert record["MRR difference"] == pytest.approx(0.25 - 0.279)


def test_all_methods_of_the_paper_have_a_row_even_without_results(home: Path) -> None:
    (table,) = build_tables(Request("main"))
    labels = [row[0] for row in table.rows]
    assert set(published_figures("main", "NELL-One")) <= set(labels)
    assert {"FAAN plus", "Translation", "Rules", "TailCounts"} <= set(labels)
    assert all(row_of(table, label)["MRR"] == "missing" for label in labels)
    assert "To compute: `faan reproduce main --dataset NELL-One --run`" in table.notes[-1]


def test_a_missing_row_has_the_command_that_gives_it(write_result: WriteResult) -> None:
    write_result("faan")
    (table,) = build_tables(Request("main", rows=["FAAN", "MetaR", "faan PLUS"]))
    assert [row[0] for row in table.rows] == ["FAAN", "MetaR", "FAAN plus"]
    assert table.notes[-1] == (
        "Missing: MetaR, FAAN plus. To compute: `faan reproduce main --dataset NELL-One --rows 'MetaR,FAAN plus' --run`"
    )
    (table,) = build_tables(Request("main", rows=["MetaR"], changes=["train.steps=9"]))
    assert table.notes[-1].endswith("--rows MetaR --set train.steps=9 --run`")


def test_any_method_that_has_results_gets_a_row(write_result: WriteResult) -> None:
    write_result("evidence", method="Evidence")
    write_result("a1", variant="A1")
    write_result("gmatching", method="GMatching", variant="MaxP")
    (table,) = build_tables(Request("main"))
    assert row_of(table, "Evidence")["MRR"] == ".250"
    assert row_of(table, "GMatching-MaxP")["MRR"] == ".250"
    assert "FAAN A1" not in [row[0] for row in table.rows]


def test_several_seeds_are_averaged_with_their_spread(write_result: WriteResult) -> None:
    for seed, mrr in enumerate((0.2, 0.3, 0.4)):
        write_result(f"faan-{seed}", mrr, seed=seed)
    write_result("metar", method="MetaR")
    (table,) = build_tables(Request("main"))
    assert (row_of(table, "FAAN")["MRR"], row_of(table, "FAAN")["seeds"]) == (".300 ± .100", "3")
    assert any("standard deviation" in note for note in table.notes)
    (table,) = build_tables(Request("main", seeds=2))
    assert row_of(table, "FAAN")["MRR"] == ".250 ± .071"
    assert any(note.startswith("Not all of the 2 seeds: MetaR.") for note in table.notes)


def test_protocols_are_never_mixed(write_result: WriteResult) -> None:
    write_result("strict", 0.2)
    write_result("open", 0.4, protocol="open")
    strict, opened = build_tables(Request("main"))
    assert row_of(strict, "FAAN")["MRR"] == ".200"
    assert (row_of(opened, "FAAN")["MRR"], opened.columns[2]) == (".400", "Hits@10")
    assert "open" in opened.title


def test_a_row_of_the_open_protocol_is_no_missing_one_of_the_strict(write_result: WriteResult) -> None:
    write_result("strict", 0.2)
    (strict,) = build_tables(Request("main"))
    assert "Evidence open" not in {row[0] for row in strict.rows}
    (opened,) = build_tables(Request("main", rows=["Evidence open"]))
    assert row_of(opened, "Evidence open")["MRR"] == "missing"
    assert any("faan reproduce main --dataset NELL-One --rows 'Evidence open' --run" in note for note in opened.notes)


def test_a_row_of_the_open_protocol_is_found_in_every_table_that_is_asked_for_it(write_result: WriteResult) -> None:
    write_result("open", 0.4, method="Evidence", variant="open", protocol="open")
    table, _ = build_tables(Request("shots", rows=["Evidence open"]))
    assert row_of(table, "Evidence open")["K=5"] == ".400"


def test_rows_that_are_no_variants_are_refused_in_the_ablation(write_result: WriteResult) -> None:
    write_result("metar", method="MetaR")
    with pytest.raises(InputError, match="MetaR"):
        build_tables(Request("ablation", rows=["MetaR"]))
    for name in ("A1", "seeing", "Evidence metar"):
        (table,) = build_tables(Request("ablation", rows=[name]))
        assert len(table.rows) == 1


def test_how_long_a_row_takes_is_told_by_the_nearest_results(write_result: WriteResult) -> None:
    def about(label: str, dataset: str, rankings: int = 1) -> float | None:
        return seconds_of(read_results(Path("results")), label, label.split()[0], dataset, rankings)

    write_result("faan", dataset="World", seconds={"embed": 60.0, "train": 40.0})
    for label in ("FAAN", "FAAN A1"):
        assert about(label, "NELL-One") == 100
    write_result("a1", variant="A1", dataset="World", seconds={"train": 70.0})
    write_result("nell", seconds={"train": 10.0})
    assert about("FAAN", "NELL-One") == about("FAAN A1", "NELL-One") == 10
    assert about("FAAN A1", "World") == 70
    assert about("MetaR", "NELL-One") is None
    write_result("nell", seconds={"train": 10.0, "evaluate": 3.0})
    assert about("FAAN", "NELL-One", rankings=10) == 40


def test_a_result_without_dev_tasks_is_shown(write_result: WriteResult) -> None:
    write_result("faan", 0.3, dev={})
    (table,) = build_tables(Request("main"))
    assert (row_of(table, "FAAN")["MRR"], row_of(table, "FAAN")["dev MRR"]) == (".300", "")


FIGURES = {"mrr": 0.2, "hits@10": 0.4, "hits@5": 0.3, "hits@1": 0.2}


@pytest.mark.parametrize(
    "damage",
    [
        {"test": FIGURES | {"mrr": float("nan")}},
        {"test": FIGURES | {"mrr": 27.7}},
        {"test": FIGURES | {"mrr": True}},
        {"test": FIGURES | {"macro_mrr": ".3"}},
        {"relations": {"r": FIGURES | {"queries": 3}}},
        {"relations": {"r": {"queries": 3, "candidates": 9}}},
        {"command": "faan train 'x"},
    ],
)
def test_figures_that_cannot_be_are_refused(write_result: WriteResult, damage: dict[str, Any]) -> None:
    write_result("faan", **damage)
    with pytest.raises(InputError, match=r"faan\.json: is not a result file"):
        build_tables(Request("main"))


def test_files_that_are_too_deep_are_refused(write_result: WriteResult) -> None:
    write_result("faan").write_text("[" * 100_000 + "]" * 100_000)
    with pytest.raises(InputError, match="is damaged"):
        build_tables(Request("main"))


def test_methods_that_are_not_trained_have_one_seed(write_result: WriteResult) -> None:
    write_result("rules", method="Rules", command="faan evaluate Rules", config="")
    (table,) = build_tables(Request("main", rows=["Rules"], seeds=3))
    assert not any("seeds" in note for note in table.notes)


def test_two_results_of_the_same_run_are_refused(write_result: WriteResult) -> None:
    write_result("one")
    write_result("two")
    with pytest.raises(InputError, match=r"two\.json: holds a second result of FAAN, 5-shot, seed 0; the first is"):
        build_tables(Request("main"))


def test_the_configuration_of_a_row_gives_results_with_the_name_of_that_row() -> None:
    rows = [row for method in methods() for row in method.all_rows() if row.kind == "trained" and row.config]
    assert len(rows) > 10
    for row in rows:
        settings = RunConfig.from_toml(row.config).changed([f"variant={row.variant}"] if row.variant else [])
        assert key_of(label_of(settings.model.display_name, settings.variant)) == key_of(row.label)


def test_the_ablation_has_the_variants_of_the_model(write_result: WriteResult) -> None:
    own = [row for row in rows_of("ablation") if row.variant]
    variants = [row.variant for row in own if row.method == "FAAN"]
    assert variants == list(FaanConfig.variants)
    changed = [row.variant for row in own if row.method == "Evidence"]
    assert [*changed, "open"] == list(EvidenceConfig.variants)  # that one is in a table of its own
    write_result("faan", 0.3)
    write_result("a1", 0.2, variant="A1", command="faan train x --set variant=A1 --set model.neighbours=mean")
    table, evidence = build_tables(Request("ablation"))
    assert len(table.rows) == len(variants) + 1
    assert row_of(evidence, "no-paths: without paths and links")["MRR"] == "missing"
    assert row_of(table, "A1: neighbours averaged")["diff"] == "+.062"
    assert "All trained rows have one schedule (faan); training ended after 4,000 steps." in table.notes
    write_result("evidence", method="Evidence", config="configs/evidence.toml", steps=250)
    assert "training ended after 250 trees." in build_tables(Request("ablation"))[1].notes[0]


def test_rows_that_were_not_trained_alike_come_with_a_warning(write_result: WriteResult) -> None:
    write_result("faan")
    write_result("a1", variant="A1", command="faan train x --set train.steps=10")
    table, _ = build_tables(Request("ablation"))
    assert "WARNING: the rows were not trained alike" in table.notes[0]
    assert "FAAN A1: train.steps=10" in table.notes[0]


def test_a_row_whose_training_broke_off_comes_with_a_note(write_result: WriteResult) -> None:
    write_result("faan", broken_off="the loss is not finite at step 8.")
    write_result("metar", method="MetaR")
    for kind in ("main", "relations", "shots"):
        notes = build_tables(Request(kind))[0].notes
        assert "Training broke off, and these are its best weights until then: FAAN." in notes


def test_a_table_with_a_schedule_of_its_own_reads_its_own_folder(write_result: WriteResult) -> None:
    write_result("faan", 0.3)
    write_result("faan", 0.2, folder="results/ablation")
    table, _ = build_tables(Request("ablation"))
    assert row_of(table, "FAAN")["MRR"] == ".200"
    assert row_of(build_tables(Request("main"))[0], "FAAN")["MRR"] == ".300"


def test_quick_results_are_apart_and_marked(write_result: WriteResult) -> None:
    write_result("faan", 0.1, folder="results/quick")
    assert row_of(build_tables(Request("main"))[0], "FAAN")["MRR"] == "missing"
    (table,) = build_tables(Request("main", quick=True))
    assert row_of(table, "FAAN")["MRR"] == ".100"
    assert "QUICK" in table.title


def test_shots_are_columns(write_result: WriteResult) -> None:
    for shots in (1, 5):
        write_result(f"rules-{shots}", shots / 10, method="Rules", shots=shots, config="", folder="results/shots")
    table, hits = build_tables(Request("shots"))
    row = row_of(table, "Rules")
    assert (row["K=1"], row["K=2"], row["K=5"]) == (".100", "missing", ".500")
    assert row_of(table, "FAAN")["paper, K=5"] == ".279"
    assert hits.title.startswith("Hits@10")
    assert table.chart is not None
    assert list(table.chart.series["Rules"])[:2] == [0.1, None]


def test_relations_are_told_by_their_candidates(write_result: WriteResult) -> None:
    write_result("faan", 0.25)
    table, _ = build_tables(Request("relations"))
    assert list(table.columns[:6]) == ["relation", "candidates", "MetaR", "paper", "FAAN", "paper"]
    assert list(table.rows[0][:6]) == ["concept:sportsgamesport", "123", "missing", ".971", ".250", ".974"]


@pytest.mark.parametrize("kind", TABLES)
def test_another_benchmark_has_no_published_figures(kind: str, home: Path) -> None:
    for table in build_tables(Request(kind, dataset="World")):
        assert "paper" not in table.columns


def test_an_unknown_row_lists_the_nearest() -> None:
    with pytest.raises(InputError, match=r"no row is called 'Rulez'\. Did you mean 'Rules'"):
        build_tables(Request("main", rows=["Rulez"]))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is damaged"),
        ("{}", "is not a result file"),
        ("[]", "is not a result file"),
        (b"\xff", "is not UTF-8 text"),
    ],
)
def test_a_damaged_result_is_named(content: str | bytes, message: str, home: Path) -> None:
    (home / "results" / "x.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=rf"x\.json: {message}"):
        build_tables(Request("main"))


def test_a_result_without_a_figure_is_refused(write_result: WriteResult) -> None:
    write_result("faan", test={"mrr": None})
    with pytest.raises(InputError, match="test: expected a number from 0 to 1 for mrr"):
        build_tables(Request("main"))


def test_tables_are_written_as_markdown_and_csv(write_result: WriteResult) -> None:
    write_result("odd", method="A|B")
    write_result("faan", 0.25)
    (table,) = build_tables(Request("main"))
    lines = table.as_markdown().splitlines()
    assert lines[0] == "## All methods, NELL-One, 5-shot, strict"
    assert lines[2].startswith("| method | MRR | paper | diff | Hits@10 |")
    assert any(line.startswith("| FAAN | .250 | .279 | -.029 |") for line in lines)
    assert any(line.startswith("| A\\|B | .250 |") for line in lines)
    rows = {row["method"]: row for row in csv.DictReader(io.StringIO(table.as_csv()))}
    assert (rows["FAAN"]["MRR"], rows["FAAN"]["MRR published"]) == ("0.25", "0.279")
    assert (rows["MetaR"]["MRR"], rows["MetaR"]["seeds"]) == ("", "0")
