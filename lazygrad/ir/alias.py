"""How a tensor sees the storage it shares: a chain of steps, each of which can be read and written through.

Most steps are movements: they name some of the elements. Four change what an element is: the real and the imaginary
part, the conjugate, and the same bytes as another dtype. A write through a chain gives the new contents of the whole:
what the chain names is replaced where it lies in memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazygrad.ir.dtype import DType, dtype_named
from lazygrad.ir.node import Node, TensorType, derived_origin, make_node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing
from lazygrad.ir.primitives.movement import apply_to_view
from lazygrad.ir.primitives.reinterpret import reinterpret
from lazygrad.ir.view import View

Step = tuple[Op, tuple[Any, ...]]


def is_movement(step: Step) -> bool:
    """Whether a step only names elements."""
    return step[0].is_view


def keeps_memory(chain: Sequence[Step]) -> bool:
    """Whether what a chain reads lies in the storage as it is; a conjugate does not, nor does its imaginary part."""
    is_conjugate = False
    for op, _ in chain:
        if op is ew.conj:
            is_conjugate = not is_conjugate
        elif op is ew.real:
            is_conjugate = False
        elif op is ew.imag and is_conjugate:
            return False
    return not is_conjugate


def _node(op: Op, *inputs: Node, attrs: tuple[Any, ...] = ()) -> Node:
    return make_node(op, inputs, attrs, derived_origin())


def dtype_through(chain: Sequence[Step], dtype: DType) -> DType:
    """The dtype of the elements seen through ``chain`` in a whole of ``dtype``."""
    for op, attrs in chain:
        if not op.is_view:
            dtype = _dtype_seen(op, attrs, dtype)
    return dtype


def _dtype_seen(op: Op, attrs: tuple[Any, ...], dtype: DType) -> DType:
    if op is reinterpret:
        return dtype_named(attrs[0])
    return dtype if op is ew.conj else dtype.to_real()


def view_through(chain: Sequence[Step], whole: TensorType) -> View:
    """Where in ``whole`` the elements seen through ``chain`` lie, counted in elements of the dtype that is seen."""
    view: View | None = View.contiguous(whole.shape)
    dtype = whole.dtype
    for op, attrs in chain:
        assert view is not None
        if op.is_view:
            view = apply_to_view(view, op, attrs)
            continue
        if op is reinterpret:
            view = view.with_elements(dtype.itemsize, dtype_named(attrs[0]).itemsize)
        elif op is not ew.conj:
            pairs = view.with_elements(2, 1)
            view = View(view.shape, pairs.strides[:-1], pairs.offset + (op is ew.imag))
        dtype = _dtype_seen(op, attrs, dtype)
    assert view is not None
    return view


def written_through(chain: Sequence[Step], whole: Node, value: Node) -> Node:
    """``whole`` with the elements seen through ``chain`` replaced by ``value``.

    They are replaced where they lie in memory: a part of an expanded view is one of its elements under any dtype.
    """
    if not chain:
        return value
    value, have, want = _as_it_lies(chain, value), value.dtype.itemsize, whole.dtype.itemsize
    view = view_through(chain, whole.type)
    if have < want:
        parts = _reinterpreted(whole, value.dtype)
        return _reinterpreted(_updated(parts, value, view), whole.dtype)
    return _updated(whole, _reinterpreted(value, whole.dtype), view.with_elements(have, want))


def _as_it_lies(chain: Sequence[Step], value: Node) -> Node:
    """What has to lie in memory for ``chain`` to see ``value``."""
    is_conjugated = False
    for op, _ in chain:
        if op is ew.conj:
            is_conjugated = not is_conjugated
        elif is_conjugated and op in (ew.real, ew.imag):  # nothing else changes what a conjugate is
            is_conjugated = False
            value = _node(ew.neg, value) if op is ew.imag else value
    return _node(ew.conj, value) if is_conjugated else value


def _updated(whole: Node, value: Node, view: View) -> Node:
    return _node(indexing.update_view, whole, value, attrs=(view.shape, view.strides, view.offset))


def _reinterpreted(x: Node, dtype: DType) -> Node:
    return x if x.dtype is dtype else _node(reinterpret, x, attrs=(dtype.name,))
