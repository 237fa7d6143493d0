"""FAAN's second part: a Transformer over (head, relation, tail) whose middle place stands for the pair (eq. 5 to 7)."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from faan.models.dropout import Dropout
from faan.models.precision import Precision, products_in
from faan.models.triple_attention import attend, attend_inputs, in_32_bits

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
        repeats: int,
        attention: Attention,
        positions: Positions,
        dropout: float,
        start_as_identity: bool,
        precision: Precision,
    ) -> None:
        super().__init__()
        self.repeats, self.precision = repeats, precision
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
        """Sequences (3, n, d), their places first, to pairs (n, repeats * d)."""
        if self.positions is not None:
            sequence = sequence + self.positions[:, None]
        x = sequence.repeat(1, 1, self.repeats) if self.repeats > 1 else sequence
        with products_in(self.precision):
            for number, block in enumerate(self.blocks):
                x = block(x, folds=self.repeats if number == 0 else 1, middle_only=number == len(self.blocks) - 1)
        return x[0]


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
        """The places of n pairs, (3, n, w), to (3, n, w), or to (1, n, w) if only the middle one is needed.

        `folds`: x is a shorter vector repeated so many times, and so much of the first product can be saved.
        """
        weight, middle = self.project.weight, slice(MIDDLE, MIDDLE + 1)
        if folds > 1:
            weight = weight.unflatten(1, (folds, -1)).sum(1)
        short = x[..., : weight.shape[1]]
        if not middle_only:
            mixed = self._attend(short, weight)
        else:
            attend_once = self._attend_in_groups_once if self.published else self._attend_once
            x, mixed = x[middle], attend_once(short, weight)
        x = add_and_norm(x, self.mix(mixed).view(x.shape), self.dropout, self.norm_mix)
        return add_and_norm(x, self.outer(functional.gelu(self.inner(x))), self.dropout, self.norm_outer)

    def _attend(self, x: Tensor, weight: Tensor) -> Tensor:
        """Every place looks at all three places, once for each attention head: (3, n, w') to (3 n, w)."""
        places, pairs, _ = x.shape
        found = weight @ x.flatten(0, 1).T + self.project.bias[:, None]  # (3 w, 3 n)
        parts = found.view(3, self.heads, -1, places, pairs)  # queries, keys and values, (heads, s, 3, n) each
        size = parts.shape[2]
        if self.published:
            mixed = _by_head(self._attend_in_groups(parts.permute(0, 3, 1, 2, 4).flatten(1, 2)))
        else:
            mixed = attend(parts, size**-0.5, self.dropout.factors((pairs, places, self.heads, 3)))
        return mixed.reshape(self.heads * size, -1).T

    def _attend_in_groups(self, slices: Tensor) -> Tensor:
        """Attention inside groups of three consecutive slices in place of three places, as in the published runs.

        Their 3 * heads slices stood in the order (place, head); the axes were not swapped before the groups were cut.
        So a group holds slices of one or two places, not one slice of each. Queries, keys and values (3, slices, s, n)
        to (slices, s, n).
        """
        groups = slices.unflatten(1, (-1, 3)).transpose(2, 3)  # (3, groups, s, 3, n)
        _, count, size, _, pairs = groups.shape
        factors = self.dropout.factors((pairs, count, 3, 3)).transpose(1, 2).contiguous()
        return attend(groups, (size / self.heads) ** -0.5, factors).transpose(1, 2).flatten(0, 1)

    def _attend_in_groups_once(self, x: Tensor, weight: Tensor) -> Tensor:
        """Only those groups that hold slices of the middle place: (3, n, w') to (n, w).

        Of the head's slices these have the last few and of the tail's the first few, so no others are made.
        """
        few, size = self.heads % 3, len(weight) // (3 * self.heads)
        weights, biases = weight.view(3, self.heads, size, -1), self.project.bias.view(3, self.heads, size, 1)
        seen = slice(self.heads - few, None), slice(None), slice(few)  # of the head, the middle place and the tail
        slices = [
            (weights[:, own].flatten(0, 2) @ one.T).view(3, -1, size, len(one)) + biases[:, own]
            for one, own in zip(x, seen, strict=True)
        ]
        mixed = self._attend_in_groups(torch.cat(slices, 1))[few : few + self.heads]  # (heads, s, n)
        return mixed.flatten(0, 1).T

    def _attend_once(self, x: Tensor, weight: Tensor) -> Tensor:
        """The middle place alone looks at all three: (3, n, w') to (n, w).

        q . (W x + b) is (W' q) . x, but for a number that is the same for all places, and a weighted sum of W x + b is
        W times that of x, and b. So neither keys nor values are made of the inputs, of which there are three times as
        many as queries.
        """
        (weight_q, weight_k, weight_v), (bias_q, _, bias_v) = (each.chunk(3) for each in (weight, self.project.bias))
        by_head = self.heads, -1, x.shape[-1]
        queries = functional.linear(x[MIDDLE], weight_q, bias_q).unflatten(1, (self.heads, -1)).transpose(0, 1)
        size = queries.shape[-1]
        asked = queries @ weight_k.view(by_head)  # (heads, n, w')
        seen, shares = attend_inputs(asked, x, size**-0.5, self.dropout.factors((x.shape[1], self.heads, 3)))
        mixed = seen @ weight_v.view(by_head).mT + shares[..., None] * bias_v.view(self.heads, 1, size)  # (heads, n, s)
        return mixed.transpose(0, 1).flatten(1)


def add_and_norm(x: Tensor, added: Tensor, dropout: Dropout, norm: nn.LayerNorm) -> Tensor:
    """LayerNorm(x + dropout(added)) of vectors (places, n, w); the dropout bits of a pair are side by side."""
    factors = dropout.factors((x.shape[1], x.shape[0], x.shape[2]))
    added = in_32_bits(added)
    if len(factors):
        added = added * factors.transpose(0, 1)
    return functional.layer_norm(x + added, norm.normalized_shape, norm.weight, norm.bias, norm.eps)


def _by_head(slices: Tensor) -> Tensor:
    """Slices in the order (place, head) by head: (3 heads, s, n) to (heads, s, 3, n)."""
    places: Tensor = slices.unflatten(0, (3, -1)).permute(1, 2, 0, 3)
    return places


def sinusoids(places: int, dimension: int) -> Tensor:
    """Fixed positions: sines and cosines of falling frequency, (places, dimension) (Vaswani et al., 2017)."""
    place, coordinate = torch.arange(places)[:, None], torch.arange(dimension)[None]
    angle = place / 10000 ** ((coordinate - coordinate % 2) / dimension)
    return torch.where(coordinate % 2 == 0, angle.sin(), angle.cos())
