"""Things without labels are shown by short forms of their IRIs, which stay distinct."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from faan.graph import read_graph
from faan.web.shortening import ShortNames

from .conftest import MakeService, client_of

CITY, LAND, OTHER, SAYS = "http://x.org/city/", "http://x.org/land/", "http://y.org/city/", "http://x.org/says#"
ROWS = [(f"{CITY}{i}", f"{SAYS}in", f"{LAND}{i % 3}") for i in range(9)]
ROWS += [(f"{OTHER}1", f"{SAYS}near", f"{CITY}1"), (f"{LAND}1", "http://schema.org/name", "plain")]


def test_the_most_common_space_is_left_out_and_others_are_cut_to_what_tells_them_apart() -> None:
    short = ShortNames(read_graph(ROWS))
    assert [short.of(f"{space}1") for space in (CITY, LAND, OTHER)] == ["1", "land/1", "y.org/city/1"]
    assert [short.of(name) for name in (f"{SAYS}in", "http://schema.org/name", "plain")] == [
        "in",
        "schema:name",
        "plain",
    ]
    assert short.of("http://z.org/unheard/of") == "http://z.org/unheard/of"
    assert short.in_text(f"{LAND}1 ← in — {CITY}4: right for 2") == "land/1 ← in — 4: right for 2"


def test_a_short_form_that_is_the_name_or_label_of_another_is_not_used(write: Callable[[str, str], Path]) -> None:
    labels = write("labels.tsv", f"{LAND}0\t3\n")
    short = ShortNames(read_graph([*ROWS, ("2", f"{SAYS}near", f"{CITY}1")], labels=[labels]))
    assert [short.of(f"{CITY}{i}") for i in (1, 2, 3)] == ["1", f"{CITY}2", f"{CITY}3"]


PARTS = st.sampled_from(["a", "b", "c"])
NAMES = st.builds(
    "{}{}/{}{}{}".format, st.sampled_from(["http://", "https://"]), PARTS, PARTS, st.sampled_from("/#"), PARTS
)


@given(st.lists(st.tuples(NAMES | PARTS, NAMES, NAMES | PARTS), min_size=1, max_size=20))
def test_short_forms_are_distinct_and_lead_back(rows: list[tuple[str, str, str]]) -> None:
    graph = read_graph(rows)
    short = ShortNames(graph)
    for names in (graph.entity_names, graph.relation_names):
        assert len({short.of(name) for name in names}) == len(names)
    for number, name in enumerate(graph.entity_names):
        assert short.entity(short.of(name)) in (number, None if short.of(name) == name else number)


def test_the_service_shows_short_forms_and_takes_them(make_service: MakeService) -> None:
    rows = [(f"{LAND}{i}", f"{SAYS}coin", f"{CITY}{i % 2}") for i in range(5)] + [
        (f"{LAND}9", f"{SAYS}near", f"{CITY}1")
    ]
    client = client_of(make_service(read_graph(rows)))
    (row,) = client.post("/api/suggest", json={"relation": "coin", "heads": ["9"], "top": 1}).json()["suggestions"]
    assert (row["head"], row["head_label"]) == (f"{LAND}9", "9")
    assert row["tail_label"] == f"city/{row['tail'][-1]}"
    found = client.post("/api/names", json={"relation": f"{SAYS}coin", "entities": ["city/1"]}).json()
    assert found["relation"] == {"name": f"{SAYS}coin", "label": "coin", "facts": 5}
    assert found["entities"][0]["entity"]["name"] == f"{CITY}1"
    (entity,) = client.get("/api/entities", params={"q": "9"}).json()["entities"]
    assert (entity["name"], entity["label"]) == (f"{LAND}9", "9")
    evidence = client.post("/evidence", json={"relation": "coin", "head": "9", "tail": "city/1"}).text
    assert f'<span title="{LAND}9">9</span>' in evidence
    assert f'<dd class="name">{CITY}1</dd>' in evidence
