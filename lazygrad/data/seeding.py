"""Seeds drawn from a generator's stream, so that ``manual_seed`` decides the order of an epoch."""

from __future__ import annotations

from lazygrad.ir.dtype import int64
from lazygrad.ops.creation.filled import empty
from lazygrad.ops.random.tensors import Generator


def draw_seed(generator: Generator | None = None) -> int:
    """Draws one 63-bit seed, as PyTorch's loaders do: it advances ``generator``, or the global one if None."""
    return int(empty((), dtype=int64).random_(generator=generator).item())
