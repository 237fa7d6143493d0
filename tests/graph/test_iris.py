from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from faan.graph.iris import Terms


@pytest.mark.parametrize("base", ["urn:faan:", "https://example.org/id/"])
@given(st.text())
def test_what_was_written_keeps_its_iri_when_it_is_read_and_written_again(base: str, name: str) -> None:
    terms = Terms(base)
    written = terms.of(name)
    assert terms.of(written.value) == written
