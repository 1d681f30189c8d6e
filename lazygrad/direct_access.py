"""Memory that is read and written directly, because nothing that is recorded can tell the difference.

A view of computed contents is no more than a place in memory until an operation reads it. A write to a part of contents
that nothing else refers to changes them where they are. What is pending, followed by a gradient, a transform or a
listener, goes the other way, through nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lazygrad.autograd_meta import CONTENTS, is_tracked, look_through
from lazygrad.grad_mode import _mode, inference
from lazygrad.host.buffer import Buffer, host_view
from lazygrad.host.dtypes import to_numpy
from lazygrad.host.elements import elements
from lazygrad.ir.alias import keeps_memory
from lazygrad.ir.device import CPU
from lazygrad.ir.node import Node, TensorType, typed_node
from lazygrad.ir.origin import Origin
from lazygrad.ir.primitives.leaf import buffer
from lazygrad.ir.shape import numel
from lazygrad.ir.view import View
from lazygrad.levels import levels
from lazygrad.runtime.listening import listening
from lazygrad.runtime.ownership import has_node_alone, has_value_alone
from lazygrad.runtime.realize import SMALL_PIECE
from lazygrad.runtime.recording import forward_mode_is_open
from lazygrad.runtime.seen_memory import expected_writes, seen_memory_of
from lazygrad.storage import Storage

if TYPE_CHECKING:
    import numpy as np


def is_plain_memory(contents: Node, without_gradient: bool) -> bool:
    """Whether contents are computed, lie in the host's memory, and nobody follows what is done with them.

    Args:
        contents: of a storage.
        without_gradient: whether a gradient that flows to them does not count.
    """
    return (
        contents.value is not None
        and contents.type.device is CPU
        and (contents.autograd is CONTENTS or without_gradient or not is_tracked(contents))
        and not contents.type.dtype.is_complex  # of which a view may name conjugates
        and listening.listener is None
        and not levels.active
        and not forward_mode_is_open()
    )


def forget_unread_node(view: Any) -> None:
    """Drop the node that a view, a `lazygrad.Tensor`, got while its contents were pending: ``zeros(3, 5)[0][0] = 1``.

    Where no other node reads it, it would be all that still refers to them, and the view is a place in memory by now.
    """
    if not is_tracked(view._node) and has_node_alone(view):
        view._node = None


def memory_of(tensor: Any) -> np.ndarray | None:
    """The elements of a `lazygrad.Tensor` to be read now, where they lie; None where `is_plain_memory` does not hold,
    or a gradient flows to them."""
    contents, chain = tensor._storage.value, tensor._chain
    if not is_plain_memory(contents, True):
        return None
    if (contents.autograd is not CONTENTS or tensor._detached) and _mode.enabled and tensor.requires_grad:
        return None
    memory = host_view(contents.value)
    if not chain:
        return memory
    return elements(memory, tensor.view_of_storage(), to_numpy(tensor.dtype)) if keeps_memory(chain) else None


def copied_elements(contents: Node, view: View, type_seen: TensorType, origin: Origin) -> Node | None:
    """A leaf with a copy of what a view names of plain contents; None where that is much, or all of them.

    Args:
        contents: for which `is_plain_memory` holds.
        view: of them, that names no conjugates.
        type_seen: of what it names.
        origin: of the view.
    """
    count = numel(view.shape)
    if count > SMALL_PIECE or type(contents.value) is not Buffer or count == numel(contents.type.shape):
        return None
    node = typed_node(buffer, (), (None,), type_seen, origin, None)
    node.value = Buffer(elements(host_view(contents.value), view, to_numpy(type_seen.dtype)).copy())
    if inference.used:
        look_through(node, contents)
    return node


def writable_memory(storage: Storage, is_unseen: bool = False) -> np.ndarray | None:
    """The memory of contents that may be changed where they are; None where somebody may need them as they are.

    Args:
        storage: whose contents they are.
        is_unseen: whether the write has no gradient. The contents of a leaf that requires one may then be changed,
            too: that they are one is said by the node, which stays.

    Whatever could read the old contents later refers to their node or to their buffer: a pending operation, a history
    that is kept, another storage, a recorded call. So if nothing but the storage does, nobody can tell.
    """
    if not has_value_alone(storage):  # before its value gets a name here
        return None
    contents, leaf = storage.value, storage.leaf
    if leaf is not None and not (is_unseen and leaf() is not None):
        return None
    if not is_plain_memory(contents, leaf is not None) or contents.op is not buffer or expected_writes:
        return None
    if inference.used and storage.is_inference and not _mode.inference:
        return None  # it will be refused
    if not has_value_alone(contents):
        return None
    memory = seen_memory_of(contents.value)
    if contents.value.shared if memory is None else not memory.is_only_read_by(contents):
        return None
    return host_view(contents.value)
