"""PyTorch's words about which attention is computed, and attention whose scores a function changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum

from lazygrad import backends as _backends

__all__ = ["WARN_FOR_UNFUSED_KERNELS", "SDPBackend", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False
"""Accepted. Why attention is computed as it is, `lazygrad.explain_fusion` says."""


class SDPBackend(IntEnum):
    """Ways to compute attention that PyTorch chooses from."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


_KINDS = {
    "cudnn": SDPBackend.CUDNN_ATTENTION,
    "flash": SDPBackend.FLASH_ATTENTION,
    "mem_efficient": SDPBackend.EFFICIENT_ATTENTION,
    "math": SDPBackend.MATH,
}


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
    wanted = [backends] if isinstance(backends, SDPBackend) else backends
    before = {kind: getattr(_backends.cuda, f"{kind}_sdp_enabled")() for kind in _KINDS}
    try:
        for kind, backend in _KINDS.items():
            getattr(_backends.cuda, f"enable_{kind}_sdp")(backend in wanted)
        yield
    finally:
        for kind, was_enabled in before.items():
            getattr(_backends.cuda, f"enable_{kind}_sdp")(was_enabled)
