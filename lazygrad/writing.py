"""What an in-place write makes of a storage: a new value, in which what the tensor names is replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lazygrad.autograd_meta import is_tracked, mark_tracked, track
from lazygrad.grad_mode import _mode
from lazygrad.ir.alias import written_through
from lazygrad.ir.node import Node, deriving_from, make_node, next_serial
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.leaf import detach, straight_through
from lazygrad.runtime.seen_memory import seen_memory_of
from lazygrad.storage import new_leaf

if TYPE_CHECKING:
    from lazygrad.tensor import Tensor


def contents_after_write(tensor: Tensor, value: Node, name: str) -> Node:
    """What the storage of ``tensor`` holds after function ``name`` wrote ``value`` to the elements the tensor names.

    Args:
        tensor: any tensor.
        value: of its shape and dtype.
        name: for errors.

    Raises:
        RuntimeError: a leaf that requires gradients (or a view of one) is written while gradients are recorded;
            several elements of an expanded view share one place.
    """
    storage = tensor._storage
    old = storage.value
    leaf = storage.leaf() if storage.leaf is not None else None
    if leaf is not None and _mode.enabled and not tensor._detached:
        what = "a view of a leaf Variable" if tensor._chain else "a leaf Variable"
        raise RuntimeError(
            f"{name}: {what} that requires grad is being used in an in-place operation. "
            f"Update it inside `with lazygrad.no_grad():`, or compute a new tensor instead"
        )
    new = value if not tensor._chain else _written_through(tensor, old, value, name)
    unseen = tensor._detached or not _mode.enabled
    if seen_memory_of(new.value) is not None:
        new = _copied(new)  # it lies in another storage's memory, which outside code may write to
    if leaf is not None:
        new = new_leaf(new, leaf)
    elif unseen and not is_tracked(old):
        new = _untracked(new)
    elif unseen:
        new = make_node(straight_through, (_untracked(new), old), (), new.origin)
        track(new)
    return new


def _written_through(tensor: Tensor, old: Node, value: Node, name: str) -> Node:
    tensor.require_distinct_elements(name)
    first_new = next_serial()
    with deriving_from(capture()):
        node = written_through(tensor._chain, old, value)
    if (is_tracked(old) or is_tracked(value)) and _mode.enabled and not tensor._detached:
        mark_tracked([node], first_new)
    return node


def _copied(node: Node) -> Node:
    copy = make_node(ew.clone, (node,), (), node.origin)
    track(copy, is_tracked(node) and _mode.enabled)
    return copy


def _untracked(node: Node) -> Node:
    return make_node(detach, (node,), (), node.origin) if is_tracked(node) else node
