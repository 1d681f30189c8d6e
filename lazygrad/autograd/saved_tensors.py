"""Tensors kept for the backward pass, as they are now whatever is written to them later, through a user's hooks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

from lazygrad.grad_mode import no_grad
from lazygrad.ir.node import Node, next_serial
from lazygrad.tensor import Tensor
from lazygrad.versions import is_modified, modified_error

Pack = Callable[[Tensor], Any]
Unpack = Callable[[Any], Tensor]


class _Hooks(threading.local):
    """The hooks of `saved_tensors_hooks` that a thread has entered, innermost last."""

    active: tuple[tuple[Pack, Unpack], ...] = ()
    forbidden: str | None = None


hooks = _Hooks()


class SavedTensor(NamedTuple):
    """One saved tensor.

    Attributes:
        packed: itself, or what a ``pack`` hook made of it.
        node: its value then; None with a hook, and of a sparse tensor, whose later contents are not noticed.
        serial: of then.
        unpack: the hook that makes a tensor of ``packed``, or None.
    """

    packed: Any
    node: Node | None
    serial: int
    unpack: Unpack | None


def save(tensor: Tensor) -> SavedTensor:
    """Save ``tensor`` for a gradient; the innermost of the hooks says how."""
    if not hooks.active:
        return SavedTensor(tensor, None if tensor.is_sparse else tensor.node(), next_serial(), None)
    pack, unpack = hooks.active[-1]
    with no_grad():
        return SavedTensor(pack(tensor), None, 0, unpack)


def unpack(item: SavedTensor) -> Tensor:
    """What was saved.

    Raises:
        RuntimeError: the tensor was written to in place since it was saved.
        TypeError: the ``unpack`` hook returned something else than a tensor.
    """
    if item.unpack is None:
        tensor: Tensor = item.packed
        if item.node is None:
            return tensor
        if is_modified(item.node, item.serial):
            raise modified_error(item.node)
        return tensor if tensor.node() is item.node else Tensor.from_node(item.node)
    with no_grad():
        result = item.unpack(item.packed)
    if not isinstance(result, Tensor):
        raise TypeError(
            f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(result)}"
        )
    return result
