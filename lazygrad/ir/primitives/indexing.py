"""Primitives that address elements by data: gathers, scatters, and the data movements that need a copy."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.callable_op import CallableOp
from lazygrad.ir.dtype import DType, dtype_named, int64
from lazygrad.ir.node import TensorType
from lazygrad.ir.op import Kind, Refusal
from lazygrad.ir.shape import Shape, ShapeError, broadcast_shapes
from lazygrad.ir.view import View

Result = tuple[Shape, DType]


def _check_index(name: str, *indices: TensorType) -> None:
    for index in indices:
        if index.dtype is not int64:
            raise IndexError(f"{name}: indices must be int64, not {index.dtype.name}")


def _take(attrs: tuple[Any, ...], x: TensorType, *indices: TensorType) -> Result:
    _check_index("take", *indices)
    if len(indices) > len(x.shape):
        raise IndexError(f"too many indices for tensor of dimension {len(x.shape)}: got {len(indices)}")
    return broadcast_shapes("index", *[i.shape for i in indices]) + x.shape[len(indices) :], x.dtype


def _put(attrs: tuple[Any, ...], x: TensorType, values: TensorType, *indices: TensorType) -> Result:
    shape, _ = _take((), x, *indices)
    if values.shape != shape or values.dtype is not x.dtype:
        raise ShapeError(f"index_put: values {values} do not match the indexed region {x.dtype.short}{list(shape)}")
    return x.shape, x.dtype


def _gather(attrs: tuple[Any, ...], x: TensorType, index: TensorType) -> Result:
    _check_index("gather", index)
    axis, _ = attrs
    if len(index.shape) != len(x.shape):
        raise ShapeError("gather: Index tensor must have the same number of dimensions as input tensor")
    for a, (have, want) in enumerate(zip(x.shape, index.shape, strict=True)):
        if a != axis and want > have:
            raise ShapeError(
                f"gather: size {want} of index exceeds size {have} of input at dimension {a} apart from "
                f"dimension {axis}"
            )
    return index.shape, x.dtype


def _scatter(attrs: tuple[Any, ...], x: TensorType, source: TensorType, index: TensorType) -> Result:
    _check_index("scatter", index)
    if source.dtype is not x.dtype:
        raise RuntimeError(
            f"scatter(): Expected self.dtype to be equal to src.dtype, but they are {x.dtype.name} and "
            f"{source.dtype.name}"
        )
    if not len(index.shape) == len(x.shape) == len(source.shape):
        raise ShapeError("scatter: index, source and input must have the same number of dimensions")
    axis = attrs[0]
    for a, wanted in enumerate(index.shape):
        if wanted > source.shape[a] or (a != axis and wanted > x.shape[a]):
            raise ShapeError(
                f"scatter: expected index {index.shape} to be no larger than self {x.shape} apart from "
                f"dimension {axis} and no larger than src {source.shape}"
            )
    return x.shape, x.dtype


take = CallableOp(
    "take",
    Kind.LIBRARY,
    _take,
    doc="x[i0, i1, …]: rows of the leading axes named by broadcast index tensors",
    refuses=Refusal.INDEX,
)
put = CallableOp(
    "put",
    Kind.LIBRARY,
    _put,
    ("accumulate",),
    doc="x with x[i0, i1, …] set to, or increased by, the values",
    refuses=Refusal.INDEX,
    starts_from_first=True,
)
gather = CallableOp(
    "gather",
    Kind.LIBRARY,
    _gather,
    ("axis", "wraps"),
    doc="x[.., index[..i..], ..] along one axis; negative indices count from the end if it wraps, or are refused",
    refuses=Refusal.INDEX,
)
scatter = CallableOp(
    "scatter",
    Kind.LIBRARY,
    _scatter,
    ("axis", "reduce"),
    doc="x with source written through index along one axis; reduce: set, sum, prod, amax or amin",
    refuses=Refusal.INDEX,
    starts_from_first=True,
)


def _pad(attrs: tuple[Any, ...], x: TensorType, value: TensorType) -> Result:
    before, after = attrs
    shape = tuple(b + size + a for b, size, a in zip(before, x.shape, after, strict=True))
    if any(size < 0 for size in shape):
        raise ShapeError(f"pad: padding {before}, {after} makes a size of {x} negative")
    return shape, x.dtype


def _concat(attrs: tuple[Any, ...], *parts: TensorType) -> Result:
    (axis,) = attrs
    first = parts[0]
    for i, part in enumerate(parts[1:], 1):
        sizes = zip(first.shape, part.shape, strict=False)
        mismatched = [a for a, (wanted, found) in enumerate(sizes) if a != axis and wanted != found]
        if len(part.shape) != len(first.shape):
            raise ShapeError(
                f"cat: Tensors must have same number of dimensions: got {len(first.shape)} and {len(part.shape)}, from "
                f"{first} and {part}"
            )
        if mismatched:
            raise ShapeError(
                f"cat: Sizes of tensors must match except in dimension {axis}. Expected size "
                f"{first.shape[mismatched[0]]} but got size {part.shape[mismatched[0]]} for tensor number {i} in the "
                f"list. Got {first} and {part}"
            )
        if part.dtype is not first.dtype:
            raise RuntimeError(f"cat: dtypes differ: {first} and {part}")
    return (*first.shape[:axis], sum(part.shape[axis] for part in parts), *first.shape[axis + 1 :]), first.dtype


def _update_view(attrs: tuple[Any, ...], base: TensorType, values: TensorType, *shift: TensorType) -> Result:
    shape, _, _ = attrs
    if values.shape != shape or values.dtype is not base.dtype:
        raise ShapeError(f"an in-place write of {values} does not fit the view {base.dtype.short}{list(shape)}")
    return base.shape, base.dtype


def _read_view(attrs: tuple[Any, ...], base: TensorType, *shift: TensorType) -> Result:
    return attrs[0], base.dtype


def _windows_adjoint(attrs: tuple[Any, ...], g: TensorType) -> Result:
    shape, size, stride, dilation = attrs
    expected = View.contiguous(shape).windows(size, stride, dilation).shape
    if g.shape != expected:
        raise ShapeError(f"windows_adjoint: {g} should have the shape {expected}")
    return shape, g.dtype


def _roll(attrs: tuple[Any, ...], x: TensorType, distance: TensorType) -> Result:
    _check_index("roll", distance)
    return x.shape, x.dtype


def _iota(attrs: tuple[Any, ...]) -> Result:
    return (attrs[0],), dtype_named(attrs[1])


pad = CallableOp(
    "pad", Kind.PADDING, _pad, ("before", "after"), doc="constant padding; a negative amount crops", number_inputs=(1,)
)
concat = CallableOp("concat", Kind.LIBRARY, _concat, ("axis",), doc="inputs one after another along an axis")
update_view = CallableOp(
    "update_view",
    Kind.LIBRARY,
    _update_view,
    ("shape", "strides", "offset"),
    doc="base with the elements of a strided view replaced; a third input, a number, is added to the offset",
    starts_from_first=True,
    number_inputs=(2,),
)
read_view = CallableOp(
    "read_view",
    Kind.LIBRARY,
    _read_view,
    ("shape", "strides", "offset"),
    doc="the elements of a strided view, copied; a second input, a number, is added to the offset",
    number_inputs=(1,),
)
roll = CallableOp(
    "roll",
    Kind.LIBRARY,
    _roll,
    ("axis", "backward"),
    doc="elements moved along an axis by a number, those pushed out coming back at the other end",
    number_inputs=(1,),
)
windows_adjoint = CallableOp(
    "windows_adjoint",
    Kind.LIBRARY,
    _windows_adjoint,
    ("shape", "size", "stride", "dilation"),
    doc="sums overlapping windows back into place",
)
iota = CallableOp("iota", Kind.LIBRARY, _iota, ("length", "dtype"), doc="0, 1, …, length-1")
