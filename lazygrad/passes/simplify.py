"""Local algebra: identities that hold bit for bit (or as PyTorch itself computes them), constant folding, cast folding.

Rules never use x·0 = 0 or x + 0 = x on floats: NaN, infinities and signed zeros stay as written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import isfinite
from typing import TypeGuard

from lazygrad.ir import build
from lazygrad.ir.dtype import Category, DType, Scalar, dtype_named
from lazygrad.ir.graph import Graph
from lazygrad.ir.node import Node
from lazygrad.ir.op import Kind, Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import indexing as ix
from lazygrad.ir.primitives import movement as mv
from lazygrad.ir.primitives import reduction as rd
from lazygrad.ir.primitives.reinterpret import reinterpret
from lazygrad.ir.watching import applied
from lazygrad.passes import simplify_complex as cx
from lazygrad.passes.rewrite import RewriteRule, rewrite
from lazygrad.passes.simplify_movement import simplify_movement, sink_squeeze, uniform_value, without_expand
from lazygrad.passes.simplify_padding import simplify_padding, view_of_padding


def _fits(x: Node, node: Node) -> bool:
    return x.type is node.type


def _add(node: Node) -> Node | None:
    if node.dtype.category >= Category.FLOAT:
        return None  # -0.0 + 0.0 is 0.0
    x, y = node.inputs
    if uniform_value(y) == 0 and _fits(x, node):
        return x
    return y if uniform_value(x) == 0 and _fits(y, node) else None


def _sub(node: Node) -> Node | None:
    x, y = node.inputs
    return x if uniform_value(y) == 0 and _fits(x, node) else None


def _mul(node: Node) -> Node | None:
    x, y = node.inputs
    if node.dtype.is_complex:
        return None  # the other factor's imaginary 0 takes part: ∞ · 0 is NaN
    if uniform_value(y) == 1 and _fits(x, node):
        return x
    if uniform_value(x) == 1 and _fits(y, node):
        return y
    if uniform_value(y) == -1 and _fits(x, node):
        return ew.neg(x)
    return ew.neg(y) if uniform_value(x) == -1 and _fits(y, node) else None


def _div(node: Node) -> Node | None:
    x, y = node.inputs
    return x if uniform_value(y) == 1 and _fits(x, node) and not node.dtype.is_complex else None


def _neg(node: Node) -> Node | None:
    (x,) = node.inputs
    return x.inputs[0] if x.op is ew.neg else None


def _pow(node: Node) -> Node | None:
    """Small exponents as PyTorch computes them: products, square roots and reciprocals."""
    x, exponent = node.inputs
    power = uniform_value(exponent)
    if power is None or not _fits(x, node):
        return None
    floating = node.dtype.category >= Category.FLOAT
    if power == 1:
        return x
    if power == 2:
        return x * x
    if power == 3:
        return x * x * x
    if power == 4:
        square = x * x
        return square * square
    if not floating:
        return None
    if power == 0.5:
        return ew.sqrt(x)
    if power == -0.5:
        return 1.0 / ew.sqrt(x)
    if power == -1:
        return 1.0 / x
    return 1.0 / (x * x) if power == -2 else None


def _is_finite(value: Scalar | None) -> TypeGuard[float]:
    """Whether there is a number, and it is a finite real one."""
    return value is not None and not isinstance(value, complex) and isfinite(value)


def _lossless(source: DType, target: DType) -> bool:
    if source is target or source.category is Category.BOOL:
        return True
    if source.is_floating_point and target.is_complex:
        return 2 * source.itemsize <= target.itemsize
    if source.category is not target.category:
        return False
    if source.category >= Category.FLOAT:
        return source.itemsize < target.itemsize
    if source.signed == target.signed:
        return source.itemsize <= target.itemsize
    return target.signed and source.itemsize < target.itemsize


def _cast(node: Node) -> Node | None:
    (x,) = node.inputs
    if x.dtype is node.dtype:
        return x
    if x.op is ew.cast and _lossless(x.inputs[0].dtype, x.dtype):
        return build.cast(x.inputs[0], node.dtype)
    value = uniform_value(x)
    if _is_finite(value):
        target = dtype_named(node["dtype"])
        if target.category is not Category.INTEGER or _in_range(value, target):
            return build.filled(node.shape, value, node)
    return None


def _in_range(value: Scalar, dtype: DType) -> bool:
    bits = 8 * dtype.itemsize - dtype.signed
    return -(2**bits if dtype.signed else 0) <= int(value.real) < 2**bits


def _where(node: Node) -> Node | None:
    condition, x, y = node.inputs
    chosen = uniform_value(condition)
    if chosen is None:
        return None
    return build.expand(x if chosen else y, node.shape)


def _require(node: Node) -> Node | None:
    condition, x = node.inputs
    return x if uniform_value(condition) and _fits(x, node) else None


def _contiguous(node: Node) -> Node | None:
    (x,) = node.inputs
    return None if x.op.kind in (Kind.MOVEMENT, Kind.LEAF) else x


def _reduce(node: Node) -> Node | None:
    (x,) = node.inputs
    if all(x.shape[axis] == 1 for axis in node["axes"]):
        return x
    value = uniform_value(x)
    if not _is_finite(value):
        return None
    if node.op is rd.reduce_sum:
        count = 1
        for axis in node["axes"]:
            count *= x.shape[axis]
        total = value * count
        exact = node.dtype.category is Category.FLOAT or _in_range(total, node.dtype)
        return build.filled(node.shape, total, x) if exact else None
    return build.filled(node.shape, value, x) if node.op.is_exact else None


def _reduce_prod(node: Node) -> Node | None:
    (x,) = node.inputs
    return x if x.shape == node.shape else None


def _concat(node: Node) -> Node | None:
    parts = tuple(part for part in node.inputs if part.shape[node["axis"]] != 0)
    if len(parts) == 1:
        return parts[0]
    return ix.concat(*parts, axis=node["axis"]) if 0 < len(parts) < len(node.inputs) else None


_FOLDABLE: dict[Op, Callable[..., Scalar]] = {
    ew.neg: lambda x: -x,
    ew.add: lambda x, y: x + y,
    ew.sub: lambda x, y: x - y,
    ew.mul: lambda x, y: x * y,
    ew.sqrt: lambda x: x**0.5 if x >= 0 else float("nan"),
}


def _fold(node: Node) -> Node | None:
    """Arithmetic on constants, in double precision for floats. Results that are not plain numbers stay computed."""
    fold = _FOLDABLE.get(node.op)
    if fold is None or node.dtype.category is Category.BOOL or node.dtype.is_half or node.dtype.is_complex:
        return None
    values = [uniform_value(source) for source in node.inputs]
    if None in values:
        return None
    result = fold(*values)
    plain = _is_finite(result) and (result != 0 or node.dtype.category is Category.INTEGER)
    if not plain or (node.dtype.category is Category.INTEGER and not _in_range(result, node.dtype)):
        return None
    return build.filled(node.shape, result, node)


_RULES: dict[Op, RewriteRule] = {
    ew.add: _add,
    ew.sub: _sub,
    ew.mul: _mul,
    ew.div: _div,
    ew.neg: _neg,
    ew.pow_: _pow,
    ew.cast: _cast,
    ew.where: _where,
    ew.require: _require,
    ew.contiguous: _contiguous,
    rd.reduce_sum: _reduce,
    rd.reduce_prod: _reduce_prod,
    rd.reduce_max: _reduce,
    rd.reduce_min: _reduce,
    ix.concat: _concat,
    ix.pad: simplify_padding,
    ew.conj: cx.conj_again,
    ew.real: cx.known_real,
    ew.imag: cx.known_imag,
    ew.complex_: cx.own_parts,
    reinterpret: cx.bytes_again,
}


@cache
def _rules_of(op: Op) -> tuple[RewriteRule, ...]:
    """The rules for nodes of an op, in the order in which they are tried."""
    if op.kind is Kind.LEAF:
        return ()
    if op.kind is Kind.MOVEMENT:
        return (*([cx.part_of_pairs] if op is mv.slice_ else []), simplify_movement, view_of_padding)
    own = [_RULES[op]] if op in _RULES else []
    return (*own, _fold, without_expand, sink_squeeze) if op.kind is Kind.ELEMENTWISE else tuple(own)


def _simplify_node(node: Node) -> Node | None:
    for rule in _rules_of(node.op):
        simpler = rule(node)
        if simpler is not None:
            applied(rule.__name__.strip("_").replace("_", " "))
            return simpler
    return None


def simplify(graph: Graph) -> Graph:
    """Every rule of this file, of `simplify_movement` and of `simplify_padding`, bottom-up, until none applies."""
    return rewrite(graph, _simplify_node)
