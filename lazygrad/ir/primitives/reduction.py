"""Reductions keep the reduced axes as size 1, so a result broadcasts back against what it was reduced from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import Category, DType, Scalar, int64
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Folding, Kind, Op
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.shape import Shape


def _infer(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
    axes = attrs[0]
    return tuple(1 if axis in axes else size for axis, size in enumerate(x.shape)), x.dtype


def _check_order(name: str, x: TensorType, error: type[Exception] = RuntimeError) -> None:
    if x.dtype.is_complex:
        raise error(f"{name} does not support {x.dtype.name}: complex numbers have no order")


def _reduction(name: str, combine: Op, neutral: Callable[[DType], Scalar], doc: str) -> CallableOp:
    needs_elements = combine.is_exact  # it picks one: an empty axis has none

    def infer(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
        if needs_elements:
            _check_order(name, x, NotImplementedError)
        if needs_elements and any(x.shape[axis] == 0 for axis in attrs[0]):
            raise IndexError(f"{name}: cannot reduce an axis of size 0 of {x}: the operation has no identity")
        return _infer(attrs, x)

    return CallableOp(
        name, Kind.REDUCTION, infer, ("axes",), doc, is_exact=combine.is_exact, folding=Folding(combine, neutral)
    )


reduce_sum = _reduction("reduce_sum", ew.add, lambda dtype: 0, "sum over axes")
reduce_prod = _reduction("reduce_prod", ew.mul, lambda dtype: 1, "product over axes")
reduce_max = _reduction(
    "reduce_max", ew.maximum, lambda dtype: dtype.lowest, "maximum over axes; NaN wins; logical or of bools"
)
reduce_min = _reduction(
    "reduce_min", ew.minimum, lambda dtype: dtype.highest, "minimum over axes; NaN wins; logical and of bools"
)


def _infer_arg(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
    axis = attrs[0]
    _check_order("argmax/argmin", x)
    if x.shape[axis] == 0:
        raise IndexError(f"argmax/argmin: expected reduction dim {axis} of {x} to have non-zero size")
    return tuple(1 if a == axis else size for a, size in enumerate(x.shape)), int64


argmax = CallableOp(
    "argmax", Kind.LIBRARY, _infer_arg, ("axis",), doc="index of the first maximum along an axis; NaN wins"
)
argmin = CallableOp(
    "argmin", Kind.LIBRARY, _infer_arg, ("axis",), doc="index of the first minimum along an axis; NaN wins"
)


def _infer_scan(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
    if x.dtype.category is Category.BOOL:
        raise RuntimeError("a scan of bool is taken in int64: cast first")
    return x.shape, x.dtype


def _infer_order(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
    _check_order("sorting", x)
    return x.shape, int64


cumsum = CallableOp("cumsum", Kind.LIBRARY, _infer_scan, ("axis",), doc="running sum along an axis")
cumprod = CallableOp("cumprod", Kind.LIBRARY, _infer_scan, ("axis",), doc="running product along an axis")


def _infer_log_scan(attrs: tuple[Any, ...], x: TensorType) -> tuple[Shape, DType]:
    if not x.dtype.differentiable:
        raise RuntimeError(f"logcumsumexp not implemented for '{x.dtype.scalar_type}'; cast the operand first")
    return x.shape, x.dtype


logcumsumexp = CallableOp(
    "logcumsumexp", Kind.LIBRARY, _infer_log_scan, ("axis",), doc="ln of the running sum of eˣ, without overflow"
)
cummax_index = CallableOp(
    "cummax_index",
    Kind.LIBRARY,
    _infer_order,
    ("axis",),
    doc="index of the running maximum (the last one on ties, as PyTorch)",
)
argsort = CallableOp(
    "argsort",
    Kind.LIBRARY,
    _infer_order,
    ("axis", "descending"),
    doc="indices that sort an axis, stable; NaN sorts as the largest",
)
