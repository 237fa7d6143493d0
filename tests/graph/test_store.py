from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from faan.base import InputError
from faan.graph import Graph, Names, open_graph, read_graph, save_graph

TURTLE = """\
@prefix ex: <http://example.org/> .
ex:Peru a ex:Country ; ex:capital ex:Lima ; <http://www.w3.org/2000/01/rdf-schema#label> "Peru"@en .
ex:capital <http://www.w3.org/2000/01/rdf-schema#label> "has capital" .
"""


@pytest.fixture
def graph(tmp_path: Path) -> Graph:
    path = tmp_path / "graph.ttl"
    path.write_text(TURTLE)
    return read_graph(path)


def test_a_saved_graph_is_the_same_graph(graph: Graph, tmp_path: Path) -> None:
    save_graph(graph, tmp_path / "saved")
    for opened in (open_graph(tmp_path / "saved"), read_graph(tmp_path / "saved")):
        assert list(opened.triples()) == list(graph.triples())
        assert opened.report == graph.report
        assert opened.entity("Peru") == graph.entity("Peru")
        assert opened.relation("has capital") == graph.relation("has capital")
        assert opened.types is not None
        assert graph.types is not None
        assert list(opened.types.names) == list(graph.types.names)
        assert opened.types.of(0).tolist() == graph.types.of(0).tolist()
        assert [a.tolist() for a in opened.neighbours.of(0)] == [a.tolist() for a in graph.neighbours.of(0)]


def test_a_saved_graph_stays_on_disk_until_it_is_used(graph: Graph, tmp_path: Path) -> None:
    save_graph(graph, tmp_path / "saved")
    opened = open_graph(tmp_path / "saved")
    for array in (opened.heads, opened.entity_names.data, opened.neighbours.entities):
        assert isinstance(array, np.memmap)


def test_saving_replaces_a_graph_but_nothing_else(graph: Graph, countries: Graph, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    save_graph(graph, folder)
    save_graph(countries, folder)
    assert open_graph(folder).num_triples == countries.num_triples
    other = tmp_path / "thesis"
    other.mkdir()
    (other / "thesis.tex").write_text("years of work")
    with pytest.raises(InputError, match="exists and is not a saved graph"):
        save_graph(graph, other)
    assert (other / "thesis.tex").read_text() == "years of work"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["graph.ttl", "saved", "thesis"]


def test_an_older_graph_survives_when_saving_fails(graph: Graph, countries: Graph, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    save_graph(graph, folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "save", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(InputError, match="No space left on device"):
            save_graph(countries, folder)
    assert list(open_graph(folder).triples()) == list(graph.triples())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["graph.ttl", "saved"]


def test_a_damaged_folder_is_an_error_that_says_what_to_do(graph: Graph, tmp_path: Path) -> None:
    folder = tmp_path / "saved"

    def damaged(file: str, content: bytes | None) -> str:
        save_graph(graph, folder)
        if content is None:
            (folder / file).unlink()
        else:
            (folder / file).write_bytes(content)
        with pytest.raises(InputError) as caught:
            open_graph(folder)
        return str(caught.value)

    assert "damaged" in damaged("heads.npy", None)
    assert "damaged" in damaged("heads.npy", b"\x93NUMPY\x01\x00")
    assert "damaged" in damaged("heads.npy", b"")
    assert "damaged" in damaged("graph.json", b"{")
    assert "does not describe a graph" in damaged("graph.json", b'{"format": "x"}')
    short = tmp_path / "short.npy"
    np.save(short, graph.heads[:0])
    assert "do not fit together" in damaged("heads.npy", short.read_bytes())
    np.save(short, np.array([{"a": 1}]), allow_pickle=True)
    assert "damaged" in damaged("heads.npy", short.read_bytes())


def test_a_graph_that_is_not_there_is_not_called_damaged(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no saved graph: graph.json is missing"):
        open_graph(tmp_path)


def test_a_folder_of_a_newer_version_is_not_read(graph: Graph, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    save_graph(graph, folder)
    mark = json.loads((folder / "graph.json").read_text())
    (folder / "graph.json").write_text(json.dumps(mark | {"version": 99}))
    with pytest.raises(InputError, match=r"newer version of faan \(format 99, this one reads 1\)"):
        open_graph(folder)


def test_array_names_cannot_lead_out_of_the_folder(graph: Graph, tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    save_graph(graph, folder)
    np.save(tmp_path / "secret.npy", graph.heads)
    mark = json.loads((folder / "graph.json").read_text())
    (folder / "graph.json").write_text(json.dumps(mark | {"arrays": [*mark["arrays"], "../secret"]}))
    with pytest.raises(InputError, match="damaged"):
        open_graph(folder)


@pytest.mark.parametrize("name", ["heads", "relations", "tails", "neighbour_entities", "neighbour_relations"])
@pytest.mark.parametrize("wrong", [-1, 1_500_000_000])
def test_numbers_out_of_range_are_noticed_before_loops_run_over_them(
    graph: Graph, tmp_path: Path, name: str, wrong: int
) -> None:
    save_graph(graph, tmp_path / "saved")
    array = np.load(tmp_path / "saved" / f"{name}.npy")
    np.save(tmp_path / "saved" / f"{name}.npy", np.full_like(array, wrong))
    opened = open_graph(tmp_path / "saved")  # at once: nothing is read yet
    with pytest.raises(InputError, match=r"the graph is damaged .* read it from its source again"):
        _ = opened.neighbours


def test_offsets_that_fall_are_noticed(countries: Graph, tmp_path: Path) -> None:
    save_graph(countries, tmp_path / "saved")
    offsets = np.load(tmp_path / "saved" / "neighbour_offsets.npy")
    offsets[1] = offsets[-1] + 7
    np.save(tmp_path / "saved" / "neighbour_offsets.npy", offsets)
    with pytest.raises(InputError, match="its neighbours are out of range"):
        _ = open_graph(tmp_path / "saved").neighbours


def test_a_part_of_a_damaged_graph_is_checked_too(countries: Graph, tmp_path: Path) -> None:
    damaged = replace(countries, tails=np.full_like(countries.tails, countries.num_entities))
    with pytest.raises(InputError, match="a tail is none of its"):
        _ = damaged.neighbours


def test_names_that_are_no_texts_are_noticed(countries: Graph, tmp_path: Path) -> None:
    for file, place, byte in (("entity_names_data", 0, 0xFF), ("relation_names_offsets", 1, 10**6)):
        save_graph(countries, tmp_path / "saved")
        array = np.load(tmp_path / "saved" / f"{file}.npy")
        array[place] = byte
        np.save(tmp_path / "saved" / f"{file}.npy", array)
        with pytest.raises(InputError, match="its names are not valid text"):
            open_graph(tmp_path / "saved").check()
    halved = Names.from_strings(["é", ""])
    halved.offsets[1] = 1
    with pytest.raises(InputError, match="its names are not valid text"):
        halved.check()


def test_neighbours_that_are_in_range_but_not_those_of_the_triples_are_noticed(
    countries: Graph, tmp_path: Path
) -> None:
    for file in ("neighbour_relations", "neighbour_entities"):
        save_graph(countries, tmp_path / "saved")
        open_graph(tmp_path / "saved").check()
        array = np.load(tmp_path / "saved" / f"{file}.npy")
        array[0] = (array[0] + 1) % (array.max() + 1)
        np.save(tmp_path / "saved" / f"{file}.npy", array)
        with pytest.raises(InputError, match="its neighbours are not those of its triples"):
            open_graph(tmp_path / "saved").check()


@pytest.mark.parametrize("file", ["heads.npy", "graph.json"])
def test_a_pipe_in_the_place_of_a_file_is_refused(countries: Graph, tmp_path: Path, file: str) -> None:
    save_graph(countries, tmp_path / "saved")
    (tmp_path / "saved" / file).unlink()
    os.mkfifo(tmp_path / "saved" / file)
    with pytest.raises(InputError, match=r"heads.npy is not a file|graph.json is missing"):
        open_graph(tmp_path / "saved")
