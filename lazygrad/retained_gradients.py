"""Tensors that are no leaves and keep their gradient nevertheless, as `retain_grad` asks.

What is kept is the gradient of what the tensor last was: a write in place gives it another value, and the gradient of
that is kept from then on.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakValueDictionary

from lazygrad.ir.node import Node

_retaining: WeakValueDictionary[int, Any] = WeakValueDictionary()


def retain(tensor: Any) -> None:
    """Keep the gradients of a `lazygrad.Tensor` from now on."""
    _retaining[id(tensor)] = tensor


def retains(tensor: Any) -> bool:
    """Whether `retain` was told of this very tensor."""
    return _retaining.get(id(tensor)) is tensor


def retained_among(nodes: list[Node]) -> list[tuple[Node, Any]]:
    """The tensors that keep their gradient and whose last value is one of ``nodes``. It costs nothing while none does.

    The last value of a view is the one that was read last: a write to its base alone gives it no other one yet.
    """
    if not _retaining:
        return []
    among = {*nodes}
    found = [(_last_value(tensor), tensor) for tensor in list(_retaining.values())]
    return [(node, tensor) for node, tensor in found if node in among and not tensor.is_leaf]


def _last_value(tensor: Any) -> Node | None:
    is_whole = not tensor._chain and not tensor._detached
    node: Node | None = tensor._storage.value if is_whole else tensor._node
    return node
