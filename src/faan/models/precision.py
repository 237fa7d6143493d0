"""Matrix products in bfloat16; everything else keeps 32 bits.

Weights, sums, norms, softmax and gradients that are added up keep 32 bits: only the factors of a product, and what it
gives, have the 8 significant bits of bfloat16.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

import torch
from llvmlite import binding

Precision = Literal["float32", "bfloat16"]


def products_in(precision: Precision) -> torch.autocast:
    """A block in which matrix products have this precision, if the processor has instructions for it."""
    return torch.autocast("cpu", torch.bfloat16, enabled=precision == "bfloat16" and has_bfloat16())


@cache
def has_bfloat16() -> bool:
    """Whether the processor has bfloat16 instructions; emulated, bfloat16 is slower than 32 bits."""
    features = binding.get_host_cpu_features()
    return any(features.get(name, False) for name in ("avx512bf16", "amx-bf16", "bf16"))
