"""How a tensor sees the storage it shares: a chain of steps, each of which can be read and written through.

Most steps are movements: they name some of the elements. Four change what an element is: the real and the imaginary
part, the conjugate, and the same bytes as another dtype. A write through a chain gives the new contents of the whole:
what the innermost steps name is replaced, and every step outside puts it back where it was read.
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
    """``whole`` with the elements seen through ``chain`` replaced by ``value``."""
    moves = next((i for i, step in enumerate(chain) if not is_movement(step)), len(chain))
    if moves:
        view = view_through(chain[:moves], whole.type)
        if moves < len(chain):
            value = written_through(chain[moves:], _read(whole, chain[:moves]), value)
        return _node(indexing.update_view, whole, value, attrs=(view.shape, view.strides, view.offset))
    if not chain:
        return value
    return _put(chain[0][0], whole, written_through(chain[1:], _read(whole, chain[:1]), value))


def _read(x: Node, chain: Sequence[Step]) -> Node:
    for op, attrs in chain:
        x = _node(op, x, attrs=attrs)
    return x


def _put(op: Op, x: Node, seen: Node) -> Node:
    """The ``x`` of which ``op`` gives ``seen``."""
    if op is ew.real:
        return _node(ew.complex_, seen, _node(ew.imag, x))
    if op is ew.imag:
        return _node(ew.complex_, _node(ew.real, x), seen)
    if op is ew.conj:
        return _node(ew.conj, seen)
    return _node(reinterpret, seen, attrs=(x.dtype.name,))
