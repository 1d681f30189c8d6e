"""What an in-place write makes of a storage: a new value, in which what the written tensor names is replaced."""

from __future__ import annotations

from collections.abc import Sequence

from lazygrad.autograd_meta import is_tracked, mark_tracked, memory_seen_outside, new_leaf, track
from lazygrad.grad_mode import _mode
from lazygrad.ir.alias import Step, view_through, written_through
from lazygrad.ir.node import Node, deriving_from, make_node, next_serial
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.leaf import detach, straight_through
from lazygrad.runtime.seen_memory import seen_memory_of
from lazygrad.snapshots import as_of_now
from lazygrad.storage import Storage


def contents_after_write(storage: Storage, chain: Sequence[Step], detached: bool, value: Node, name: str) -> Node:
    """What ``storage`` holds after function ``name`` wrote ``value`` to the elements that a tensor names.

    Args:
        storage: the tensor's.
        chain: the steps through which the tensor sees it.
        detached: whether the tensor sees it without gradient.
        value: of the tensor's shape and dtype.
        name: for errors.

    Raises:
        RuntimeError: a leaf that requires gradients (or a view of one) is written while gradients are recorded;
            several elements of an expanded view share one place; ``value`` is on another device.
    """
    old = storage.value
    leaf = storage.leaf if storage.leaf is not None and storage.leaf() is not None else None
    if leaf is not None and _mode.enabled and not detached:
        what = "a view of a leaf Variable" if chain else "a leaf Variable"
        raise RuntimeError(
            f"{name}: {what} that requires grad is being used in an in-place operation. "
            f"Update it inside `with lazygrad.no_grad():`, or compute a new tensor instead"
        )
    if value.type.device is not old.type.device:
        raise RuntimeError(
            f"{name}: a value on {value.device} cannot be written to a tensor on {old.device}; copy_ copies it there"
        )
    unseen = detached or not _mode.enabled
    if chain:
        require_distinct_elements(storage, chain, name)
        new = _written_through(chain, old, value, unseen)
    else:
        new = value
    if memory_seen_outside(new) is not None or seen_memory_of(new.value) is not None:
        new = _copied(as_of_now(new))  # it lies in another storage's memory, which outside code may write to
    if leaf is not None:
        new = new_leaf(new, leaf)
    elif unseen and not is_tracked(old):
        new = _untracked(new)
    elif unseen:
        new = make_node(straight_through, (_untracked(new), old), (), new.origin)
        track(new)
    return new


def value_after_write(storage: Storage, chain: Sequence[Step], old: Node, value: Node, name: str) -> Node:
    """``old``, contents of ``storage``, with ``value`` in place of what ``chain`` names, and the gradients of both.

    Raises:
        RuntimeError: several elements of an expanded view share one place.
    """
    if not chain:
        return value
    require_distinct_elements(storage, chain, name)
    return _written_through(chain, old, value, False)


def require_distinct_elements(storage: Storage, chain: Sequence[Step], name: str) -> None:
    """Raises RuntimeError for a view that names an element twice: the function ``name`` cannot write to it."""
    if chain and view_through(chain, storage.value.type).overlaps:
        raise RuntimeError(
            f"{name}: unsupported operation: more than one element of the written-to tensor refers to a single "
            f"memory location. Please clone() the tensor before performing the operation."
        )


def _written_through(chain: Sequence[Step], old: Node, value: Node, unseen: bool) -> Node:
    first_new = next_serial()
    with deriving_from(capture()):
        node = written_through(chain, old, value)
    if not unseen and (is_tracked(old) or is_tracked(value)):
        mark_tracked([node], first_new)
    return node


def _copied(node: Node) -> Node:
    copy = make_node(ew.clone, (node,), (), node.origin)
    track(copy, is_tracked(node) and _mode.enabled)
    return copy


def _untracked(node: Node) -> Node:
    return make_node(detach, (node,), (), node.origin) if is_tracked(node) else node
