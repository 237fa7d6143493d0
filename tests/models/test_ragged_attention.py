"""The compiled loops are what torch's own operations say: values and gradients, in any number of threads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck

from faan.models.dropout import Dropout
from faan.models.ragged_attention import Edges, products_of_edges, softmax_of_edges, weighted_sum

SHARE = 0.4
OFFSETS = np.array([0, 3, 3, 4, 9])  # the second entity has no edges
ROWS = np.array([3, 0, 1, 0, 2])  # entities that see the edges above; one sees the same as another


class Fixed(Dropout):
    """Dropout with the same bits each time, and of any precision."""

    def factors(self, shape: object) -> Tensor:
        torch.manual_seed(1)
        return super().factors(shape).double()  # type: ignore[arg-type]


@pytest.fixture(params=[1, 2], autouse=True)
def threads(request: pytest.FixtureRequest) -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def edges() -> Edges:
    random = np.random.default_rng(0)
    relations, entities = random.integers(0, 4, 9), random.integers(0, 6, 9)
    return Edges(OFFSETS[:-1], OFFSETS, relations, entities).of_rows(ROWS)


def owners(edges: Edges) -> list[int]:
    return np.repeat(np.arange(len(edges)), edges.degrees).tolist()


def numbers(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.double, requires_grad=True)


def test_rows_share_the_edges_that_are_stored(edges: Edges) -> None:
    assert edges.degrees.tolist() == [5, 3, 0, 3, 1]
    assert edges.places.tolist() == [4, 5, 6, 7, 8, 0, 1, 2, 0, 1, 2, 3]


def test_products_of_edges(edges: Edges) -> None:
    left, table = numbers(5, 7), numbers(4, 7)
    expected = (left[owners(edges)] * table[edges.relations[edges.places]]).sum(-1)
    assert torch.allclose(products_of_edges(edges, left, edges.relations, table), expected)
    assert gradcheck(lambda a, b: products_of_edges(edges, a, edges.relations, b), (left, table))


def test_softmax_of_edges(edges: Edges) -> None:
    psi = numbers(12)
    found = softmax_of_edges(edges, psi)
    for start, end in zip(edges.offsets, edges.offsets[1:], strict=False):
        assert torch.allclose(found[start:end], psi[start:end].softmax(0))
    assert gradcheck(lambda x: softmax_of_edges(edges, x), (psi,))


def test_an_entity_whose_edges_are_all_hidden_has_weights_of_zero(edges: Edges) -> None:
    psi = torch.zeros(12).index_fill(0, torch.tensor([0, 11]), -torch.inf)
    assert softmax_of_edges(edges, psi).tolist() == pytest.approx([0, *[0.25] * 4, *[1 / 3] * 6, 0])


def test_not_a_number_stays_one(edges: Edges) -> None:
    psi = torch.zeros(12).index_fill(0, torch.tensor([2]), torch.nan)
    found = softmax_of_edges(edges, psi)
    assert found[:5].isnan().all()
    assert found[5:].isfinite().all()


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.0, SHARE])
def test_weighted_sum(edges: Edges, share: float) -> None:
    dropout, weights, table = Fixed(share), numbers(12), numbers(6, 7)
    rows = dropout(table[edges.entities])[edges.places]  # those who share an edge share its bits
    expected = torch.zeros(5, 7).double().index_add(0, torch.tensor(owners(edges)), weights[:, None] * rows)
    assert torch.allclose(weighted_sum(edges, edges.entities, table, weights, dropout), expected)
    assert gradcheck(lambda w, t: weighted_sum(edges, edges.entities, t, w, dropout), (weights, table))
