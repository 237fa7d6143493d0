from __future__ import annotations

import gzip
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.graph import read_graph, sources
from faan.graph.builder import DESCRIPTION, GraphBuilder
from faan.graph.entity_types import ragged_types
from faan.graph.numbering import best_of_each

NAMES = ("Peru", "Lima", "capital", "Q1", "http://www.wikidata.org/entity/P36", "nowhere")
RANKS = (0, 1, 7, DESCRIPTION, DESCRIPTION + 1)


@given(st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 3))))
def test_the_best_of_each_is_the_first_of_its_lowest_rank(given_rows: list[tuple[int, int]]) -> None:
    ids, ranks = np.array(given_rows, dtype=np.int32).reshape(-1, 2).T
    wanted = [
        min(
            (place for place, (id, _) in enumerate(given_rows) if id == one), key=lambda p: given_rows[p][1], default=-1
        )
        for one in range(5)
    ]
    assert best_of_each(ids, ranks, 5).tolist() == wanted


@given(st.lists(st.tuples(st.sampled_from(NAMES), st.text("ab", min_size=1, max_size=3), st.sampled_from(RANKS))))
def test_each_name_has_its_best_label_whatever_the_order(labels: list[tuple[str, str, int]]) -> None:
    direct, entity = "http://www.wikidata.org/prop/direct/P36", "http://www.wikidata.org/entity/P36"
    builder = GraphBuilder()
    builder.add(["Peru", "Lima"], ["capital", direct], ["Lima", "Peru"])
    builder.add_types(["Peru"], ["Q1"])
    for name, label, rank in labels:
        builder.add_labels([name], [label], [rank])
    graph = builder.finish()

    def best(name: str, low: int, high: int) -> str:
        ranked = [(rank, place, label) for place, (own, label, rank) in enumerate(labels) if own == name]
        return min((one for one in ranked if low <= one[0] < high), default=(0, 0, ""))[2]

    assert graph.types is not None
    shown = [graph.entity_label(0), graph.entity_label(1), graph.relation_label(0), graph.relation_label(1)]
    wanted = [best(name, 0, DESCRIPTION) or name for name in ("Peru", "Lima", "capital")]
    assert shown == [*wanted, best(entity, 0, DESCRIPTION) or direct]
    assert graph.types.label(0) == (best("Q1", 0, DESCRIPTION) or "Q1")
    assert graph.entity_description(1) == best("Lima", DESCRIPTION, 1 << 30)


def test_the_names_of_a_graph_are_held_once_when_it_is_finished() -> None:
    builder = GraphBuilder()
    builder.add(["Peru"], ["capital"], ["Lima"])
    builder.add_types(["Peru"], ["country"])
    builder.add_labels(["Peru"], ["Peru"])
    builder.finish()
    frames = [frame for kept in (*vars(builder).values(), builder._split.facts, builder._split.types)
              if isinstance(kept, list) for frame in kept if isinstance(frame, pl.DataFrame)]  # fmt: skip
    assert not any(isinstance(kind, pl.Categorical) for frame in frames for kind in frame.dtypes)


@given(st.lists(st.tuples(st.integers(0, 4), st.sampled_from("abc")), min_size=1))
def test_types_are_grouped_by_entity_in_the_order_of_their_first_use(pairs: list[tuple[int, str]]) -> None:
    owner, names = zip(*pairs, strict=True)
    types = ragged_types(np.array(owner), pl.Series(names).cast(pl.Categorical), 5)
    order = list(dict.fromkeys(names))
    assert list(types.names) == order
    for entity in range(5):
        wanted = sorted({order.index(name) for one, name in pairs if one == entity})
        assert types.of(entity).tolist() == wanted


def test_the_next_piece_of_a_compressed_file_is_unpacked_while_one_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Reader(ThreadPoolExecutor):
        def submit(self, call: Callable[..., Any], /, *given: Any, **more: Any) -> Future[Any]:
            started.append(len(seen))
            return super().submit(call, *given, **more)

    started: list[int] = []  # how many blocks had been given when the reading of each began
    seen: list[bytes] = []
    monkeypatch.setattr(sources, "ThreadPoolExecutor", Reader)
    lines = [f"head {i}\trelation\ttail {i}\n" for i in range(100)]
    (tmp_path / "graph.tsv.gz").write_bytes(gzip.compress("".join(lines).encode()))
    with sources.open_source(tmp_path / "graph.tsv.gz") as source:
        for block in source.blocks(500):
            seen.append(block)  # noqa: PERF402, `started` looks at it
    assert b"".join(seen) == "".join(lines).encode()
    assert started[:4] == [0, 0, 1, 2]
    assert read_graph(tmp_path / "graph.tsv.gz").num_triples == 100
