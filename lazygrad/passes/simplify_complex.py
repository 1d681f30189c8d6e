"""Complex numbers taken apart and put together again."""

from __future__ import annotations

from lazygrad.ir import build
from lazygrad.ir.node import Node
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives.reinterpret import reinterpret


def conj_again(node: Node) -> Node | None:
    """The conjugate of a conjugate, or of a real number."""
    (x,) = node.inputs
    if x.op is ew.conj:
        return x.inputs[0]
    return x if _is_real(x) else None


def known_real(node: Node) -> Node | None:
    """The real part of a number made of known parts."""
    (x,) = node.inputs
    if x.op is ew.complex_:
        return build.expand(x.inputs[0], node.shape)
    if x.op is ew.conj:
        return ew.real(x.inputs[0])
    return build.cast(x.inputs[0], node.dtype) if _is_real(x) else None


def known_imag(node: Node) -> Node | None:
    """The imaginary part of a number made of known parts."""
    (x,) = node.inputs
    if x.op is ew.complex_:
        return build.expand(x.inputs[1], node.shape)
    if x.op is ew.conj:
        return ew.neg(ew.imag(x.inputs[0]))
    return build.zeros_like(node) if _is_real(x) else None


def _is_real(x: Node) -> bool:
    return x.op is ew.cast and not x.inputs[0].dtype.is_complex


def own_parts(node: Node) -> Node | None:
    """A number made of the parts of another one."""
    x, y = node.inputs
    if x.op is ew.real and y.op is ew.imag and x.inputs[0] is y.inputs[0]:
        return x.inputs[0]
    return None


def bytes_again(node: Node) -> Node | None:
    """Bytes reinterpreted, and reinterpreted back."""
    (x,) = node.inputs
    if x.op is reinterpret and x.inputs[0].type is node.type:
        return x.inputs[0]
    return None


def part_of_pairs(node: Node) -> Node | None:
    """One of the two parts sliced from complex numbers seen as pairs: an elementwise op, which fuses."""
    (x,) = node.inputs
    if x.op is not reinterpret or not x.inputs[0].dtype.is_complex or x.dtype is not x.inputs[0].dtype.to_real():
        return None
    if node.shape[-1] != 1:
        return None
    (z,) = x.inputs
    start, stop, step = (limits[:-1] for limits in node.attrs)
    part = ew.imag if node["start"][-1] else ew.real
    return mv.reshape(part(mv.slice_(z, start=start, stop=stop, step=step)), shape=node.shape)
