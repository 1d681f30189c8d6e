"""Storages whose memory code outside this package sees: how they come to have it, and how writes get there."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import ref

from lazygrad.autograd_meta import is_tracked, new_leaf, own_meta, track
from lazygrad.host.buffer import Buffer, duplicate, host_view
from lazygrad.ir.node import Node, make_node
from lazygrad.ir.primitives.leaf import buffer, detach, leaf_node, straight_through
from lazygrad.runtime.ownership import contents_are_alone, has_value_alone, is_sole_owner
from lazygrad.runtime.realize import realize
from lazygrad.runtime.recording import forward_mode_is_open
from lazygrad.runtime.seen_memory import SeenMemory, expected_writes, seen_memory_of
from lazygrad.storage import Storage
from lazygrad.versions import superseded

if TYPE_CHECKING:
    import numpy as np


def expose(storage: Storage, fixed: bool) -> SeenMemory:
    """The memory of a storage's contents, which are computed, for outside code to see.

    It becomes the storage's alone. What an equal value elsewhere shares, or what something was recorded from, is
    copied first: outside code may write to the memory from now on.

    Args:
        storage: any storage.
        fixed: whether outside code keeps it for good.
    """
    memory = seen_memory_of(storage.value.value)
    if memory is not None and not memory.belongs_to(storage.value):
        memory = None
    if memory is not None and memory.is_seen and superseded(storage.value) == 0:
        if fixed:
            memory.fix()
        return memory
    if memory is not None and _is_only_looked_at_here(storage, memory):
        own_meta(storage.value).say_seen(memory)
        _let_views_look_again(storage)
        if fixed:
            memory.fix()
        return memory
    earlier = storage.value
    # A result that has a gradient, or may have a tangent, stays the node that these are asked of.
    is_result = storage.leaf is None and (is_tracked(earlier) or forward_mode_is_open())
    if superseded(earlier) != 0 or not (is_result or contents_are_alone(storage)):
        _hold_alone(storage)
    if memory is None:
        memory = _lay_in_own_memory(storage, fixed)
    else:  # while nobody saw it, it was read as other memory is
        memory.let_readers_go()
        memory.lay(storage.value)
        _let_views_look_again(storage)
    if storage.value is not earlier:
        memory.earlier.add(earlier)
    if fixed:
        memory.fix()
    return memory


def _is_only_looked_at_here(storage: Storage, memory: SeenMemory) -> bool:
    """Whether nothing but the storage refers to its contents, and nothing but these to what lies in the memory."""
    if not has_value_alone(storage) or superseded(storage.value) != 0 or is_tracked(storage.value):
        return False
    return memory.is_only_read_by(storage.value) and has_value_alone(storage.value)


def _lay_in_own_memory(storage: Storage, fixed: bool) -> SeenMemory:
    is_alone = type(storage.value.value) is Buffer and is_sole_owner(storage.value)
    value = storage.value.value
    contents = host_view(value)
    memory = SeenMemory(contents if is_alone else contents.copy(), fixed)
    memory.owner = ref(storage)
    value.shared = value.shared or is_alone  # outside code has it now: it is not handed out again
    memory.lay(storage.value)
    return memory


def move_to(storage: Storage, array: np.ndarray) -> None:
    """Let the contents of a storage, which ``array`` holds too, lie there from now on."""
    if superseded(storage.value) != 0:
        _hold_alone(storage)
    memory = SeenMemory(array, fixed=True)
    memory.owner = ref(storage)
    memory.lay(storage.value)


def _hold_alone(storage: Storage) -> None:
    """Let a storage hold its contents as a node of its own."""
    old = storage.value
    node = _same_contents(old, storage.leaf)
    node.value = duplicate(old.value, old.type)
    storage.hold(node)
    _let_views_look_again(storage)


def _let_views_look_again(storage: Storage) -> None:
    storage.version += 1
    storage.unseen_writes += 1


def _same_contents(old: Node, leaf: ref[object] | None) -> Node:
    if leaf is not None and leaf() is not None:
        return new_leaf(old, leaf)
    if is_tracked(old):
        node = make_node(straight_through, (make_node(detach, (old,), (), old.origin), old), (), old.origin)
        track(node)
        return node
    node = leaf_node(buffer, (None,), old.type)
    node.origin = old.origin
    return node


def land_writes() -> None:
    """Bring what was written to storages whose memory outside code sees into that memory."""
    if expected_writes:
        waiting, expected_writes[:] = expected_writes[:], []
        for storage, memory in waiting:
            _land(storage, memory)


def _land(storage: Storage, memory: SeenMemory) -> None:
    """Compute the contents and write them into ``memory``, unless nobody sees that any more."""
    if storage.value.value is None:
        realize([storage.value])
    value = storage.value.value
    if value is None:
        expected_writes.append((storage, memory))  # a recorded call computes it at its end
    elif seen_memory_of(value) is not memory and memory.is_seen and memory.takes(host_view(value)):
        if superseded(storage.value) != 0:
            _hold_alone(storage)
        memory.write(host_view(storage.value.value))
        memory.lay(storage.value)
