"""How tensors are indexed inside `vmap`."""

from __future__ import annotations

from contextlib import nullcontext


class TransformGetItemToIndex(nullcontext[None]):
    """Inside PyTorch's `vmap` an index that is a tensor without dimensions becomes a number, but for this context.

    lazygrad always looks it up as a tensor, so the context changes nothing.
    """
