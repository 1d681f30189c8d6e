"""Values that a gradient needs and that were written to in place since it was recorded.

The graph still has the recorded values, so their gradient could be computed, and inside
`autograd.graph.allow_mutation_on_saved_tensors` it is. Otherwise `backward` refuses as PyTorch does, which has only the
new ones. Writes mark the contents they replace (`Storage.replace`); what reads a value as a view or without gradient
reads the contents below.
"""

from __future__ import annotations

from lazygrad.autograd_meta import superseded
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives.reinterpret import reinterpret

_SEEN_AS_PARTS = frozenset({ew.real, ew.imag, ew.conj, reinterpret})


def is_modified(value: Node, reader: int) -> bool:
    """Whether the contents that ``value`` looks at were written to after the node of serial ``reader`` was recorded."""
    while (serial := superseded(value)) is None and value.inputs and _looks_at_first_input(value):
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


def _looks_at_first_input(node: Node) -> bool:
    return node.op.kind in (Kind.MOVEMENT, Kind.IDENTITY) or node.op in _SEEN_AS_PARTS
