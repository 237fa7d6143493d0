from __future__ import annotations

import numpy as np
import pytest
import torch
from pykeen.nn.modules import (
    ComplExInteraction,
    DistMultInteraction,
    RotatEInteraction,
    SimplEInteraction,
    TransEInteraction,
)
from torch import Tensor

from faan.embed import Embeddings

from .conftest import MODELS, small

D, B = 12, 7


def as_complex(rows: Tensor) -> Tensor:
    real, imaginary = rows.chunk(2, -1)
    return torch.complex(real, imaginary)


def pykeen_scores(model: str, norm: int, h: Tensor, r: Tensor, t: Tensor) -> Tensor:
    scores: Tensor
    if model == "transe":
        scores = TransEInteraction(p=norm)(h, r, t)
    elif model == "distmult":
        scores = DistMultInteraction()(h, r, t)
    elif model == "complex":
        scores = ComplExInteraction()(as_complex(h), as_complex(r), as_complex(t))
    elif model == "rotate":
        scores = RotatEInteraction()(as_complex(h), torch.polar(torch.ones_like(r), r), as_complex(t))
    else:
        # PyKEEN's tuples are (in the forward role, in the backward role): a tail is forward as tail, backward as head
        scores = SimplEInteraction()(h.chunk(2, -1), r.chunk(2, -1), t.chunk(2, -1)[::-1])
    return scores


@pytest.fixture(params=[("transe", 1), ("transe", 2), *((m, 1) for m in MODELS[1:])], ids=lambda p: f"{p[0]}-{p[1]}")
def embeddings(request: pytest.FixtureRequest) -> Embeddings:
    model, norm = request.param
    return Embeddings.first(30, 5, small(model, norm=norm, dimension=D, init_scale=1.0))


@pytest.fixture
def ids(rng: np.random.Generator) -> tuple[Tensor, Tensor, Tensor]:
    heads, tails = torch.from_numpy(rng.integers(0, 30, (2, B)))
    return heads, torch.from_numpy(rng.integers(0, 5, B)), tails


def test_scores_are_those_of_pykeen(embeddings: Embeddings, ids: tuple[Tensor, Tensor, Tensor]) -> None:
    h, r, t = ids
    expected = pykeen_scores(
        embeddings.config.model,
        embeddings.config.norm,
        embeddings.entities[h],
        embeddings.relations[r],
        embeddings.entities[t],
    )
    torch.testing.assert_close(embeddings.score(h, r, t), expected)


def test_one_against_many_equals_triple_by_triple(embeddings: Embeddings, ids: tuple[Tensor, Tensor, Tensor]) -> None:
    h, r, t = ids
    everyone = torch.arange(30)
    by_tail = torch.stack([embeddings.score(h[i].expand(30), r[i].expand(30), everyone) for i in range(B)])
    by_head = torch.stack([embeddings.score(everyone, r[i].expand(30), t[i].expand(30)) for i in range(B)])
    torch.testing.assert_close(embeddings.score_tails(h, r), by_tail, atol=1e-3, rtol=1e-4)
    torch.testing.assert_close(embeddings.score_heads(r, t), by_head, atol=1e-3, rtol=1e-4)
    some = torch.tensor([4, 29, 4])
    torch.testing.assert_close(embeddings.score_tails(h, r, some), by_tail[:, some], atol=1e-3, rtol=1e-4)


def test_with_inverse_relations_heads_are_asked_for_as_tails_of_the_inverse() -> None:
    embeddings = Embeddings.first(30, 5, small("complex", inverse_relations=True))
    assert embeddings.num_relations == 5
    assert len(embeddings.relations) == 10
    r, t = torch.tensor([0, 3]), torch.tensor([7, 8])
    torch.testing.assert_close(embeddings.score_heads(r, t), embeddings.score_tails(t, r + 5))
    torch.testing.assert_close(embeddings.score(r, r, t), embeddings.score_tails(r, r).gather(1, t[:, None])[:, 0])


def test_first_values_have_the_asked_spread() -> None:
    embeddings = Embeddings.first(2000, 50, small("rotate", dimension=20, init_scale=0.3))
    assert embeddings.entities.std().item() == pytest.approx(0.3, rel=0.02)
    assert embeddings.relations.abs().max().item() <= np.pi + 1e-6


def test_a_triple_and_its_inverse_score_alike(embeddings: Embeddings, ids: tuple[Tensor, Tensor, Tensor]) -> None:
    h, r, t = ids
    relations = embeddings.with_inverses()
    forward = embeddings.model.score(embeddings.entities[h], relations[r], embeddings.entities[t])
    inverse = relations[r + embeddings.num_relations]
    torch.testing.assert_close(embeddings.model.score(embeddings.entities[t], inverse, embeddings.entities[h]), forward)
