"""What an operation reads where code outside this package may write: a copy of what is there when it is recorded.

Nothing tells when numpy writes to memory, and the operation may be computed much later. So a recorded operation never
reads such memory itself. Its operand is a snapshot, which is copied once as long as the memory stays the same and
somebody still needs it; of a view, only the elements that it names. A result that needs no gradient is computed at once
instead where copying the operand would cost more.
"""

from __future__ import annotations

import numpy as np

from lazygrad.autograd_meta import is_tracked, look_through, memory_seen_outside, own_meta, track
from lazygrad.grad_mode import _mode
from lazygrad.host.buffer import POOLED, Buffer, duplicate, host_view
from lazygrad.host.strides import as_strided
from lazygrad.ir.node import Node, TensorType, make_node
from lazygrad.ir.primitives.leaf import buffer, detach, leaf_node, straight_through
from lazygrad.ir.primitives.movement import apply_to_view, reshape
from lazygrad.ir.shape import numel
from lazygrad.ir.view import View
from lazygrad.levels import levels
from lazygrad.runtime.realize import realize
from lazygrad.runtime.recording import forward_mode_is_open
from lazygrad.runtime.seen_memory import SeenMemory, seen_memory_of

# Up to here copying an operand takes less time than running a plan of its own.
_COPIED_AT_MOST = 1 << 20  # bytes
_COMPARED_AS_BYTES = 1 << 16  # more take longer than by numpy, whose call takes longer for fewer


def as_of_now(node: Node) -> Node:
    """``node`` as an operand of an operation that is recorded now: a snapshot, if outside code may write to its memory.

    Gradients that arrive at a snapshot go on to ``node``.
    """
    memory: SeenMemory | None = memory_seen_outside(node)
    if memory is None:
        return node
    if not memory.is_seen:
        own_meta(node).say_seen(None)
        return node
    contents = None if _is_view_with_gradient(node) else _elements(node)
    if contents is None:
        return _of_snapshot(node)
    known = memory.snapshot_of(node)
    if known is not None and known.value is not None and _same_bytes(host_view(known.value), contents):
        return known
    snapshot = _copied(node, contents)
    memory.keep_snapshot(node, snapshot)
    return snapshot


def is_read_at_once(inputs: tuple[Node, ...]) -> bool:
    """Whether an operation on ``inputs`` is better computed now than recorded with snapshots of them."""
    if not any([_is_large(node) for node in inputs]):
        return False
    # Otherwise its operands are needed later.
    return not (forward_mode_is_open() or levels.active or (_mode.enabled and any(map(is_tracked, inputs))))


def compute_at_once(node: Node) -> None:
    """Compute a node that reads memory which outside code may write to."""
    realize([node])
    if seen_memory_of(node.value) is not None:
        node.value = duplicate(node.value, node.type)


def _is_large(node: Node) -> bool:
    memory: SeenMemory | None = memory_seen_outside(node)
    return memory is not None and numel(node.shape) * node.dtype.itemsize > _COPIED_AT_MOST and memory.is_seen


def _elements(node: Node) -> np.ndarray | None:
    """The elements of seen memory that ``node`` names, strided; None if it is not just some of them."""
    base, steps = node, []
    while seen_memory_of(base.value) is None:
        if not base.inputs or not base.op.is_alias:
            return None
        if base.op.is_view:
            steps.append((base.op, base.attrs))
        base = base.inputs[0]
    if all(op is reshape for op, _ in steps):
        return host_view(base.value).reshape(node.shape)
    view: View | None = View.contiguous(base.shape)
    for op, attrs in reversed(steps):
        view = apply_to_view(view, op, attrs) if view is not None else None
    if view is None or numel(view.shape) > numel(base.shape):
        return None
    flat = host_view(base.value).reshape(-1)
    if view.is_contiguous:
        return flat[view.offset : view.offset + numel(view.shape)].reshape(view.shape)
    strides = tuple([stride * flat.itemsize for stride in view.strides])
    return as_strided(flat[view.offset :], view.shape, strides)


def _is_view_with_gradient(node: Node) -> bool:
    return node.op.is_view and is_tracked(node)


def _copied(node: Node, contents: np.ndarray) -> Node:
    data = leaf_node(buffer, (None,), node.type)
    data.origin, data.value = node.origin, _buffer_with(contents, node.type)
    if not is_tracked(node):
        return data
    snapshot = make_node(straight_through, (data, node), (), node.origin)
    snapshot.value = data.value
    track(snapshot)
    return snapshot


def _buffer_with(contents: np.ndarray, type: TensorType) -> Buffer:
    if contents.nbytes < POOLED:
        return Buffer(contents.copy())
    made = Buffer.empty(type)
    np.copyto(host_view(made), contents)
    return made


def _of_snapshot(node: Node) -> Node:
    """``node`` computed from a snapshot of what it looks at; itself if that lies in memory of its own."""
    source = as_of_now(node.inputs[0]) if node.inputs else None
    if source is None or source is node.inputs[0]:
        own_meta(node).say_seen(None)
        return node
    copy = make_node(node.op, (source, *node.inputs[1:]), node.attrs, node.origin)
    if node.op is not detach:
        look_through(copy, source)
    return copy


def _same_bytes(first: np.ndarray, second: np.ndarray) -> bool:
    if first.nbytes <= _COMPARED_AS_BYTES:
        return first.tobytes() == second.tobytes()
    return np.array_equal(_bytes_of(first), _bytes_of(second))


def _bytes_of(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
