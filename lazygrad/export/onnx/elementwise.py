"""Translations of elementwise operations. Those of ONNX broadcast as ours do."""

from __future__ import annotations

from math import log

from lazygrad.export.onnx.translator import Translator, translates
from lazygrad.export.program import ExportError
from lazygrad.ir.dtype import Category
from lazygrad.ir.node import Node
from lazygrad.ir.op import Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import leaf

_SAME: dict[Op, str] = {
    ew.abs_: "Abs", ew.acos: "Acos", ew.acosh: "Acosh", ew.asin: "Asin", ew.asinh: "Asinh", ew.atan: "Atan",
    ew.atanh: "Atanh", ew.ceil: "Ceil", ew.cos: "Cos", ew.cosh: "Cosh", ew.erf: "Erf", ew.exp: "Exp",
    ew.floor: "Floor", ew.isnan: "IsNaN", ew.log: "Log", ew.neg: "Neg", ew.round_: "Round", ew.sign: "Sign",
    ew.sin: "Sin", ew.sinh: "Sinh", ew.sqrt: "Sqrt", ew.tan: "Tan", ew.tanh: "Tanh", ew.add: "Add", ew.sub: "Sub",
    ew.mul: "Mul", ew.div: "Div", ew.pow_: "Pow", ew.eq: "Equal", ew.lt: "Less", ew.le: "LessOrEqual",
    ew.gt: "Greater", ew.ge: "GreaterOrEqual", ew.where: "Where",
}  # fmt: skip
_OF_BOOLS: dict[Op, str] = {ew.bitwise_and: "And", ew.bitwise_or: "Or", ew.bitwise_xor: "Xor", ew.invert: "Not",
             ew.maximum: "Or", ew.minimum: "And", ew.mul: "And", ew.add: "Or"}  # fmt: skip
_OF_INTEGERS: dict[Op, str] = {ew.bitwise_and: "BitwiseAnd", ew.bitwise_or: "BitwiseOr", ew.bitwise_xor: "BitwiseXor",
                ew.invert: "BitwiseNot"}  # fmt: skip


@translates(*_SAME)
def _same(t: Translator, node: Node) -> str:
    if node.dtype.category is Category.BOOL and node.op in _OF_BOOLS:
        return t.add(_OF_BOOLS[node.op], *t.operands(node))
    return t.add(_SAME[node.op], *t.operands(node))


@translates(ew.maximum, ew.minimum)
def _extreme(t: Translator, node: Node) -> str:
    if node.dtype.category is Category.BOOL:
        return t.add(_OF_BOOLS[node.op], *t.operands(node))
    return t.add("Max" if node.op is ew.maximum else "Min", *t.operands(node))


@translates(*_OF_INTEGERS)
def _bits(t: Translator, node: Node) -> str:
    if node.dtype.category is Category.BOOL:
        return t.add(_OF_BOOLS[node.op], *t.operands(node))
    if t.model.opset < 18:
        raise ExportError(f"ONNX has no {node.op.name} of integers before opset 18 ({node.origin or 'origin unknown'})")
    return t.add(_OF_INTEGERS[node.op], *t.operands(node))


@translates(ew.ne)
def _ne(t: Translator, node: Node) -> str:
    return t.add("Not", t.add("Equal", *t.operands(node)))


@translates(ew.exp2)
def _exp2(t: Translator, node: Node) -> str:
    return t.add("Pow", t.number(2, node.dtype), *t.operands(node))


@translates(ew.expm1)
def _expm1(t: Translator, node: Node) -> str:
    return t.add("Sub", t.add("Exp", *t.operands(node)), t.number(1, node.dtype))


@translates(ew.log1p)
def _log1p(t: Translator, node: Node) -> str:
    return t.add("Log", t.add("Add", *t.operands(node), t.number(1, node.dtype)))


@translates(ew.log2, ew.log10)
def _log_of_base(t: Translator, node: Node) -> str:
    base = 2 if node.op is ew.log2 else 10
    return t.add("Div", t.add("Log", *t.operands(node)), t.number(log(base), node.dtype))


@translates(ew.erfc)
def _erfc(t: Translator, node: Node) -> str:
    return t.add("Sub", t.number(1, node.dtype), t.add("Erf", *t.operands(node)))


@translates(ew.trunc)
def _trunc(t: Translator, node: Node) -> str:
    (x,) = t.operands(node)
    return t.add("Mul", t.add("Sign", x), t.add("Floor", t.add("Abs", x)))


@translates(ew.floor_div)
def _floor_div(t: Translator, node: Node) -> str:
    x, y = t.operands(node)
    if node.dtype.category is Category.INTEGER:
        return t.add("Div", t.add("Sub", x, t.add("Mod", x, y)), y)  # Mod has the sign of y, so this is exact
    return t.add("Floor", t.add("Div", x, y))


@translates(ew.remainder)
def _remainder(t: Translator, node: Node) -> str:
    x, y = t.operands(node)
    if node.dtype.category is Category.INTEGER:
        return t.add("Mod", x, y)
    return t.add("Sub", x, t.add("Mul", y, t.add("Floor", t.add("Div", x, y))))


@translates(ew.fmod)
def _fmod(t: Translator, node: Node) -> str:
    return t.add("Mod", *t.operands(node), fmod=1)


@translates(ew.copysign)
def _copysign(t: Translator, node: Node) -> str:
    x, y = t.operands(node)
    size = t.add("Abs", x)
    return t.add("Where", t.add("Less", y, t.number(0, node.inputs[1].dtype)), t.add("Neg", size), size)


@translates(ew.cast)
def _cast(t: Translator, node: Node) -> str:
    return t.cast(t.operands(node)[0], node.dtype)


@translates(ew.clone, ew.contiguous, leaf.detach)
def _unchanged(t: Translator, node: Node) -> str:
    return t.operands(node)[0]


@translates(ew.require)
def _require(t: Translator, node: Node) -> str:
    """What it would refuse is not refused."""
    return t.operands(node)[1]


@translates(leaf.constant, leaf.scalar)
def _number(t: Translator, node: Node) -> str:
    value = node.attrs[0] if node.op is leaf.scalar else t.attr(node, "value")
    return t.number(value, node.dtype)
