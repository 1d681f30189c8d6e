"""Hooks on the tensors that operations save for their gradients."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lazygrad.autograd.saved_tensors import Pack, Unpack, hooks
from lazygrad.grad_mode import _mode
from lazygrad.tensor import Tensor


class saved_tensors_hooks:
    """Within this context ``pack_hook(tensor)`` is called for every tensor that an operation saves for its gradient.

    What it returns is saved instead, and ``unpack_hook`` turns that into a tensor again when the gradient is computed.

    Args:
        pack_hook: gets a tensor and returns anything.
        unpack_hook: gets what ``pack_hook`` returned, and returns a tensor of the same shape and values.

    Raises:
        RuntimeError: on entering, inside `disable_saved_tensors_hooks`.
    """

    def __init__(self, pack_hook: Pack, unpack_hook: Unpack) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if hooks.forbidden is not None:
            raise RuntimeError(hooks.forbidden)
        from lazygrad.autograd.saved_pullback import save_for_backward  # loads the compiler half of the package

        hooks.active = (*hooks.active, (self.pack_hook, self.unpack_hook))
        _mode.save_for_backward = save_for_backward

    def __exit__(self, *_: object) -> None:
        hooks.active = hooks.active[:-1]
        if not hooks.active:
            _mode.save_for_backward = None


class save_on_cpu(saved_tensors_hooks):
    """Within this context, tensors saved for gradients are moved to the CPU, where ours are already.

    Args:
        pin_memory: accepted as PyTorch does; there is no device that would read pinned memory.
        device_type: likewise.
    """

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        super().__init__(_to_cpu, _to_device)


def _to_cpu(tensor: Tensor) -> tuple[Any, Tensor]:
    return tensor.device, tensor.detach().to("cpu")


def _to_device(packed: tuple[Any, Tensor]) -> Tensor:
    device, tensor = packed
    return tensor.to(device)


@contextmanager
def disable_saved_tensors_hooks(error_message: str) -> Iterator[None]:
    """Within this context `saved_tensors_hooks` raises RuntimeError with ``error_message``."""
    outer = hooks.forbidden
    hooks.forbidden = error_message
    try:
        yield
    finally:
        hooks.forbidden = outer
