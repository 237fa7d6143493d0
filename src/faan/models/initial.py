"""Initial values of FAAN with which pairs are matched by translation before any training.

All is within the paper's equations; only where training begins is chosen:

- An entity is nearly its own vector: W1 and W2 start small. A neighbour counts by how its relation fits the task's.
- In the first block one attention head looks at the tail's place and the next at the head's, whatever stands there:
  their queries are constant, and the positions differ in the one direction that their keys read. What they find is
  added to the middle place, tail minus a share of the head: the task relation t - h  (eq. 1).
- All else that the blocks add starts at zero.
- The mask token x_r is long beside what is added to it. So all pairs lie in a small part of the sphere onto which the
  last norm puts them, where q . s = |q| |s| - |q - s|^2 / 2: the product of the matching (eq. 10) ranks by the distance
  of two translations, as TransE does, not by their angle.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from faan.base import InputError
from faan.models.neighbours import NeighbourEncoder
from faan.models.pairs import Block, PairEncoder

_POSITION = 6.0  # how far the places of head and tail are from the middle one, in the direction that tells them apart
_ADDED = 0.3  # how long what is added to the middle place is beside the mask token
_SHARES = 0.6, 1.0  # of the head that is taken from the tail, in the first and in the last repeat of the input
_SCALE = 1.4  # of the pairs, so that differences of scores are of the size of the paper's margin
_SMALL = 0.1  # W1 and W2 beside their usual initial values
_FIT = 0.1  # how much a neighbour's likeness to the task relation counts


@torch.no_grad()
def start_neighbours(encoder: NeighbourEncoder) -> None:
    """An entity is nearly what it is itself, if it has a vector of its own in it."""
    if encoder.own is not None:
        for parameter in (*encoder.own.parameters(), *encoder.context.parameters()):
            parameter.mul_(_SMALL)
    if encoder.weighing == "adaptive":
        encoder.fit.copy_(_FIT * torch.eye(len(encoder.fit)))


@torch.no_grad()
def start_pairs(encoder: PairEncoder, token: Tensor) -> None:
    """The middle place is the mask token and, added to it, the tail minus a share of the head."""
    first = encoder.blocks[0]
    assert isinstance(first, Block)
    if first.published or first.heads < 2:
        raise InputError(
            "initial = 'translation' needs attention = 'standard' and two attention heads at least, one for the head"
            " and one for the tail: set model.heads, or initial = 'random'"
        )
    aside = functional.normalize(torch.randn(len(token)), dim=0)  # the direction of the positions
    token.normal_()
    token.sub_(aside * (aside @ token))
    if encoder.positions is not None:
        encoder.positions.copy_(torch.stack([-_POSITION * aside, 0 * aside, _POSITION * aside]))
    _look_at_both(first, encoder.repeats, aside)
    last = encoder.blocks[-1]
    assert isinstance(last, Block)
    last.norm_outer.weight.fill_(_SCALE)


def _look_at_both(block: Block, repeats: int, aside: Tensor) -> None:
    """Attention heads 0, 2, ... bring the tail, heads 1, 3, ... the head, each pair of them a slice of it."""
    d, heads, size = len(aside), block.heads, len(block.mix.weight) // block.heads
    weights, biases = block.project.weight.view(3, heads, size, repeats, d), block.project.bias.view(3, heads, size)
    values, to_places = (torch.eye(d) - torch.outer(aside, aside)) * _ADDED / repeats, torch.eye(d)
    slices = [(i * size + torch.arange(size)) % d for i in range(heads // 2)]  # coordinates that each pair carries
    carriers = torch.bincount(torch.cat(slices), minlength=d)  # by how many pairs
    mix = block.mix.weight.view(repeats, d, heads, size)
    shares = torch.linspace(*_SHARES, repeats) if repeats > 1 else torch.tensor([sum(_SHARES) / 2])
    for i, own in enumerate(slices):
        for head, sign in ((2 * i, 1), (2 * i + 1, -1)):
            weights[0, head, 0], biases[0, head, 0] = 0, sign * math.sqrt(size)  # queries ask for a direction,
            weights[1, head, 0], biases[1, head, 0] = aside / repeats, 0  # keys say how far a place is that way
            weights[2, head], biases[2, head] = values[own][:, None].expand(-1, repeats, -1), 0
            for repeat, share in enumerate(shares):
                amount = 1 if sign > 0 else -share
                mix[repeat, :, head] = amount * to_places[:, own] / carriers[own]
