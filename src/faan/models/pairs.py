"""FAAN's second part: a Transformer over (head, relation, tail) whose middle place stands for the pair (eq. 5 to 7)."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from faan.models.dropout import Dropout
from faan.models.places import add_and_norm, attend

Attention = Literal["standard", "published"]
Positions = Literal["fixed", "learnt", "none"]

HEAD, MIDDLE, TAIL = range(3)  # the places of a sequence


class PairEncoder(nn.Module):
    """Blocks over three places; what the last block makes of the middle one represents the pair.

    With `repeats` the input is repeated so many times, and the blocks are that much wider: the paper's runs have as
    many repeats as attention heads.
    """

    positions: Tensor | None

    def __init__(
        self,
        dimension: int,
        layers: int,
        heads: int,
        *,
        repeats: int = 1,
        attention: Attention = "standard",
        positions: Positions = "fixed",
        dropout: float = 0.0,
        start_as_identity: bool = False,
    ) -> None:
        super().__init__()
        self.repeats = repeats
        if positions == "learnt":
            self.positions = nn.Parameter(torch.zeros(3, dimension))
        else:
            self.register_buffer(
                "positions", sinusoids(3, dimension) if positions == "fixed" else None, persistent=False
            )
        self.blocks = nn.ModuleList(
            Block(dimension * repeats, heads, attention, dropout, start_as_identity) for _ in range(layers)
        )

    def forward(self, sequence: Tensor) -> Tensor:
        """Sequences (n, 3, d) to pairs (n, repeats * d)."""
        if self.positions is not None:
            sequence = sequence + self.positions
        x = sequence.flatten(0, 1)
        x = x.repeat(1, self.repeats) if self.repeats > 1 else x
        for number, block in enumerate(self.blocks):
            x = block(x, folds=self.repeats if number == 0 else 1, middle_only=number == len(self.blocks) - 1)
        return x


class Block(nn.Module):
    """Attention and a feed-forward layer, each added to its input and normalised after (post-norm), with GELU."""

    def __init__(self, width: int, heads: int, attention: Attention, dropout: float, start_as_identity: bool) -> None:
        super().__init__()
        self.heads, self.published = heads, attention == "published"
        self.project = nn.Linear(width, 3 * width)  # queries, keys and values
        self.mix = nn.Linear(width, width)
        self.inner, self.outer = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.norm_mix, self.norm_outer = nn.LayerNorm(width), nn.LayerNorm(width)
        self.dropout = Dropout(dropout)
        if start_as_identity:
            for layer in (self.mix, self.outer):
                nn.init.zeros_(layer.weight)
                nn.init.zeros_(layer.bias)

    def forward(self, x: Tensor, *, folds: int = 1, middle_only: bool = False) -> Tensor:
        """The places of n pairs, (3 n, w), to (3 n, w), or, where nobody looks at the outer ones any more, to (n, w).

        `folds`: x is a shorter vector repeated so many times, and so much of the first product can be saved.
        """
        weight, bias = self.project.weight, self.project.bias
        if folds > 1:
            weight = weight.unflatten(1, (folds, -1)).sum(1)
        short, width = x[:, : weight.shape[1]], x.shape[1]
        (weight_q, weight_kv), (bias_q, bias_kv) = (each.split([width, 2 * width]) for each in (weight, bias))
        keys_values = functional.linear(short, weight_kv, bias_kv)  # (3 n, 2 w)
        if middle_only and not self.published:
            short = short[MIDDLE::3]
        queries = functional.linear(short, weight_q, bias_q)  # (3 n, w) or (n, w)
        mixed = self._published(queries, keys_values) if self.published else self._standard(queries, keys_values)
        if middle_only:
            x = x[MIDDLE::3]
            mixed = mixed[MIDDLE::3] if self.published else mixed
        x = add_and_norm(x, self.mix(mixed), self.dropout, self.norm_mix)
        return add_and_norm(x, self.outer(functional.gelu(self.inner(x))), self.dropout, self.norm_outer)

    def _standard(self, queries: Tensor, keys_values: Tensor) -> Tensor:
        """Every place looks at all three places, once for each attention head."""
        kv = keys_values.view(len(keys_values) // 3, 3, 2, self.heads, -1)  # (n, 3, 2, heads, s)
        q = queries.view(len(kv), -1, *kv.shape[3:])  # (n, 3, heads, s) or (n, 1, heads, s)
        return attend(q, kv, q.shape[-1] ** -0.5, self.dropout).view(queries.shape)

    def _published(self, queries: Tensor, keys_values: Tensor) -> Tensor:
        """As in the runs that were published: attention inside groups of three consecutive slices.

        The 3 * heads slices stand in the order (place, head); the axes were not swapped before the groups were cut. So
        a group holds slices of one or two places, not one slice of each. The scale is theirs too.
        """
        size = queries.shape[1] // self.heads
        q, k, v = (part.reshape(-1, 3, 1, size) for part in (queries, *keys_values.chunk(2, -1)))
        scale = (size / self.heads) ** -0.5
        return attend(q, torch.stack([k, v], 2), scale, self.dropout).view(queries.shape)


def sinusoids(places: int, dimension: int) -> Tensor:
    """Fixed positions: sines and cosines of falling frequency, (places, dimension) (Vaswani et al., 2017)."""
    place, coordinate = torch.arange(places)[:, None], torch.arange(dimension)[None]
    angle = place / 10000 ** ((coordinate - coordinate % 2) / dimension)
    return torch.where(coordinate % 2 == 0, angle.sin(), angle.cos())
