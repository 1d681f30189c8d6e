"""Which contents of storages an in-place write has replaced: what PyTorch's version counters say.

The graph still has the recorded values, so their gradient could be computed, and inside
`autograd.graph.allow_mutation_on_saved_tensors` it is. Otherwise `backward` refuses as PyTorch does, which has only the
new ones. A write marks the contents it replaces with its serial; what reads a value as a view or without gradient reads
the contents below.
"""

from __future__ import annotations

from lazygrad.autograd_meta import (
    CONTENTS,
    HELD_BY_SEVERAL,
    INFERENCE,
    INFERENCE_CONTENTS,
    TRACKED,
    TRACKED_CONTENTS,
    AutogradMeta,
    own_meta,
    tracked_contents,
)
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.reinterpret import reinterpret

_SEEN_AS_PARTS = frozenset({ew.real, ew.imag, ew.conj, reinterpret})


class _Writes:
    """The in-place writes that autograd counts.

    Attributes:
        latest: the serial that the latest of them has marked old contents with.
    """

    latest = 0


writes = _Writes()


def hold_as_contents(node: Node) -> None:
    """Say that one storage, or one more, holds ``node`` as its contents."""
    meta = node.autograd
    if meta is None:
        node.autograd = CONTENTS
    elif meta is TRACKED:
        node.autograd = TRACKED_CONTENTS
    elif meta is INFERENCE:
        node.autograd = INFERENCE_CONTENTS
    elif meta.call is not None and meta.shared and meta.superseded is None:
        node.autograd = tracked_contents(meta.call)
    elif meta.superseded != HELD_BY_SEVERAL:
        own_meta(node).superseded = 0 if meta.superseded is None else HELD_BY_SEVERAL


def let_go(node: Node) -> None:
    """Take back `hold_as_contents`: the storage that holds ``node`` is not used, and another is about to hold it."""
    meta = node.autograd
    if meta is CONTENTS:
        node.autograd = None
    elif meta is TRACKED_CONTENTS:
        node.autograd = TRACKED
    elif meta is INFERENCE_CONTENTS:
        node.autograd = INFERENCE
    elif meta is not None:
        own_meta(node).superseded = None


def superseded(node: Node) -> int | None:
    """Since when ``node`` is not a storage's contents any more, see `AutogradMeta`."""
    meta: AutogradMeta | None = node.autograd
    return meta.superseded if meta is not None else None


def supersede(node: Node, serial: int) -> None:
    """Mark contents that a write of this serial replaces, unless other storages hold them too."""
    if superseded(node) == 0:
        writes.latest = own_meta(node).superseded = serial


def is_modified(value: Node, reader: int) -> bool:
    """Whether the contents that ``value`` looks at were written to after the node of serial ``reader`` was recorded."""
    while (serial := superseded(value)) is None and value.inputs and looks_at_first_input(value):
        value = value.inputs[0]
    return serial is not None and serial > reader


def modified_error(value: Node) -> RuntimeError:
    """PyTorch's error for a value that was written to in place."""
    dtype, shape = value.dtype.name, list(value.shape)
    where = f", recorded at {value.origin}" if value.origin is not None else ""
    return RuntimeError(
        f"one of the variables needed for gradient computation has been modified by an inplace operation: a tensor of "
        f"dtype {dtype} and shape {shape}{where}. Call backward before the in-place write, write to a clone, or keep "
        f"the recorded values with `lazygrad.autograd.graph.allow_mutation_on_saved_tensors()`"
    )


def looks_at_first_input(node: Node) -> bool:
    """Whether ``node`` is a view: its elements are those of its first input, or parts of them."""
    return node.op.is_alias or node.op in _SEEN_AS_PARTS
