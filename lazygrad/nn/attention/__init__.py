"""PyTorch's words about which attention is computed, and attention whose scores a function changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from lazygrad.backends import SDPBackend, only_attention_of

__all__ = ["WARN_FOR_UNFUSED_KERNELS", "SDPBackend", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False
"""Accepted. Why attention is computed as it is, `lazygrad.explain_fusion` says."""


@contextmanager
def sdpa_kernel(backends: SDPBackend | list[SDPBackend], set_priority: bool = False) -> Iterator[None]:
    """Set the switches of `lazygrad.backends.cuda` that name kinds of attention, until the block ends.

    All kinds have the same values. lazygrad chooses one by the shapes, so the switches can be read and change nothing.

    Args:
        backends: the kinds that are on; all others are off.
        set_priority: whether their order says which is preferred.

    Raises:
        AssertionError: ``backends`` is neither a kind nor a list of them.
    """
    if not isinstance(backends, (list, SDPBackend)):
        raise AssertionError(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    with only_attention_of([backends] if isinstance(backends, SDPBackend) else backends):
        yield
