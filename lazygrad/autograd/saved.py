"""Tensors kept for the backward pass, as they are now whatever is written to them later, through a user's hooks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from lazygrad.autograd.mutation import is_modified, modified_error
from lazygrad.grad_mode import _mode, no_grad
from lazygrad.ir.node import Node, next_serial
from lazygrad.tensor import Tensor

Pack = Callable[[Tensor], Any]
Unpack = Callable[[Any], Tensor]


class _Hooks(threading.local):
    active: tuple[tuple[Pack, Unpack], ...] = ()
    forbidden: str | None = None


_hooks = _Hooks()


class Saved(NamedTuple):
    """One kept tensor.

    Attributes:
        kept: itself, or what a ``pack`` hook made of it.
        node: its value then; None with a hook.
        serial: of then.
        unpack: the hook that makes a tensor of ``kept``, or None.
    """

    kept: Any
    node: Node | None
    serial: int
    unpack: Unpack | None


def saved(tensor: Tensor) -> Saved:
    """Keep ``tensor``; the innermost `saved_tensors_hooks` says how."""
    if not _hooks.active:
        return Saved(tensor, tensor.node(), next_serial(), None)
    pack, unpack = _hooks.active[-1]
    with no_grad():
        return Saved(pack(tensor), None, 0, unpack)


def restored(item: Saved) -> Tensor:
    """What was kept.

    Raises:
        RuntimeError: the tensor was written to in place since it was kept.
        TypeError: the ``unpack`` hook returned something else than a tensor.
    """
    if item.unpack is None:
        tensor: Tensor = item.kept
        assert item.node is not None
        if is_modified(item.node, item.serial):
            raise modified_error(item.node)
        return tensor if tensor.node() is item.node else Tensor.from_node(item.node)
    with no_grad():
        result = item.unpack(item.kept)
    if not isinstance(result, Tensor):
        raise TypeError(
            f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(result)}"
        )
    return result


class saved_tensors_hooks:
    """Within this context ``pack_hook(tensor)`` is called for every tensor that an operation keeps for its gradient.

    What it returns is kept instead, and ``unpack_hook`` turns that into a tensor again when the gradient is computed.

    Args:
        pack_hook: gets a tensor and returns anything.
        unpack_hook: gets what ``pack_hook`` returned, and returns a tensor of the same shape and values.

    Raises:
        RuntimeError: on entering, inside `disable_saved_tensors_hooks`.
    """

    def __init__(self, pack_hook: Pack, unpack_hook: Unpack) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if _hooks.forbidden is not None:
            raise RuntimeError(_hooks.forbidden)
        from lazygrad.autograd.keeping import keep_for_gradient  # loads the compiler half of the package

        _hooks.active = (*_hooks.active, (self.pack_hook, self.unpack_hook))
        _mode.keep = keep_for_gradient

    def __exit__(self, *_: object) -> None:
        _hooks.active = _hooks.active[:-1]
        if not _hooks.active:
            _mode.keep = None


class save_on_cpu(saved_tensors_hooks):
    """Within this context, tensors kept for gradients are moved to the CPU, where ours are already.

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
    outer = _hooks.forbidden
    _hooks.forbidden = error_message
    try:
        yield
    finally:
        _hooks.forbidden = outer
