"""Making tensors: from data, filled, counted, and like others."""

from __future__ import annotations

from math import ceil, isfinite
from typing import Any

import numpy as np

from lazygrad.codegen.numpy_dtypes import to_numpy
from lazygrad.grad_mode import is_grad_enabled
from lazygrad.ir.build import iota
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import Category, DType, Scalar, complex128, float32, float64, int64
from lazygrad.ir.node import Node
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement
from lazygrad.ir.shape import Shape
from lazygrad.ops.operands import (
    as_real_scalar,
    as_scalar,
    cast_node,
    common_dtype,
    get_default_dtype,
    scalar_node,
    tensor_argument,
)
from lazygrad.ops.options import (
    device_option,
    dtype_option,
    finished,
    placed,
    require_numbers,
    shape_option,
    valueless,
)
from lazygrad.ops.out import creates_out
from lazygrad.ops.python_data import array_of
from lazygrad.ops.registering import method
from lazygrad.ops.sharing import from_numpy
from lazygrad.tensor import Tensor, as_shape, record, record_node

# fmt: off
__all__ = [
    "tensor", "as_tensor", "asarray", "zeros", "ones", "empty", "full", "scalar_tensor", "arange", "linspace",
    "logspace", "eye", "tril_indices", "triu_indices", "zeros_like", "ones_like", "empty_like", "full_like",
]
# fmt: on

# From data.


def tensor(data: Any, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A new tensor with a copy of ``data``: a number, nested sequences, a numpy array or a tensor.

    Raises:
        TypeError, ValueError, RuntimeError: rows of different lengths, something that is not a number, a Python
            number that does not fit into ``dtype``.
    """
    wanted = None if dtype is None else dtype_option(dtype)
    if isinstance(data, Tensor):
        copy = copied(data.detach(), wanted or data.dtype, device_option(device, data.device))
    else:
        copy = placed(array_of(data, wanted), device_option(device))
    return finished(copy, requires_grad)


def as_tensor(data: Any, dtype: DType | None = None, device: Any = None) -> Tensor:
    """``data`` as a tensor, copied only where that cannot be avoided; numpy arrays share their memory."""
    return asarray(data, dtype=dtype, device=device)


def asarray(
    obj: Any,
    *,
    dtype: DType | None = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """``obj`` as a tensor.

    Args:
        obj: a tensor, a numpy array, a number or nested sequences.
        dtype, device: what the result has; by default what ``obj`` has.
        copy: True always copies, False never does, None copies where that cannot be avoided.
        requires_grad: whether a result made from data records gradients.

    Raises:
        ValueError: ``copy=False`` where only a copy has the wanted dtype or device.
    """
    wanted = None if dtype is None else dtype_option(dtype)
    if isinstance(obj, np.ndarray):
        source = from_numpy(obj)
    elif isinstance(obj, Tensor):
        source = obj
    elif copy is False:
        raise ValueError(f"asarray: can't alias the memory of a {type(obj).__name__}; leave copy=False out")
    else:
        return tensor(obj, dtype=wanted, device=device, requires_grad=requires_grad)
    wanted, place = wanted or source.dtype, device_option(device, source.device)
    if copy or wanted is not source.dtype or place is not source.device:
        if copy is False:
            raise ValueError(
                f"asarray: can't alias {source.dtype.name} on {source.device} as {wanted.name} on {place}: it must copy"
            )
        source = copied(source, wanted, place)
    return finished(source, requires_grad)


def copied(source: Tensor, dtype: DType, device: Device) -> Tensor:
    """A copy of ``source`` as ``dtype`` on ``device``, which gradients flow through unless the device changes.

    Raises:
        RuntimeError: values, or gradients, asked to leave or enter the null device, which has none.
    """
    if device is not source.device:
        if source.requires_grad and is_grad_enabled():
            raise RuntimeError(
                f"gradients cannot flow from {device} back to {source.device}: detach() the tensor first"
            )
        if source.device.type == "null":
            raise RuntimeError(f"a tensor on the null device has no values that could be moved to {device}")
        return valueless(source.shape, dtype)
    node = source.node()
    copy = Tensor.from_node(cast_node(node, dtype)) if dtype is not node.dtype else record(ew.clone, (node,))
    memory = source._storage.value.value
    if memory is not None and memory.shared:
        copy.realize()  # before code outside writes to that memory
    return copy


# Filled with one number.


def filled(shape: Shape, value: Scalar, dtype: DType, device: Device) -> Tensor:
    """A pending tensor of one number."""
    number = scalar_node(value, dtype, device)
    return record(movement.expand, (number,), (shape,)) if shape else Tensor.from_node(number)


@creates_out
def zeros(
    *sizes: Any, size: Any = None, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of zeros; the size as separate ints or one sequence."""
    shape = shape_option("zeros", sizes, size)
    return finished(filled(shape, 0, dtype_option(dtype), device_option(device)), requires_grad)


@creates_out
def ones(
    *sizes: Any, size: Any = None, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of ones; the size as separate ints or one sequence."""
    shape = shape_option("ones", sizes, size)
    return finished(filled(shape, 1, dtype_option(dtype), device_option(device)), requires_grad)


@creates_out
def empty(
    *sizes: Any, size: Any = None, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor whose values do not matter; they are zeros, which cost nothing until they are read."""
    shape = shape_option("empty", sizes, size)
    return finished(filled(shape, 0, dtype_option(dtype), device_option(device)), requires_grad)


@creates_out
def full(
    size: Any, fill_value: Any, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of one number; without ``dtype`` the number's own (bool, int64 or the default float).

    Raises:
        RuntimeError: the number does not fit into ``dtype``.
    """
    value = as_scalar(fill_value, "full")
    shape = shape_option("full", (size,), None)
    result = filled(shape, value, dtype_option(dtype, common_dtype(value)), device_option(device))
    return finished(result, requires_grad)


def scalar_tensor(s: Any, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A 0-dim tensor of a number, in the default float dtype unless ``dtype`` says otherwise."""
    return full((), s, dtype=dtype_option(dtype), device=device, requires_grad=requires_grad)


# Counted.


def _in_exact_arithmetic(dtype: DType) -> DType:
    """The dtype in which positions are counted before they are rounded to ``dtype``."""
    return int64 if dtype.category is Category.INTEGER else float64


@creates_out
def arange(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """start, start + step, … below ``end``; one positional argument is the end.

    Without ``dtype``: int64 if all numbers are integers, otherwise the default float dtype.

    Raises:
        RuntimeError: a step of 0 or away from the end; an endpoint that is not finite.
    """
    if end is None:
        start, end = 0, start
    first, last, by = (as_real_scalar(number, "arange") for number in (start, end, step))
    if dtype is not None and dtype_option(dtype).is_complex:
        raise NotImplementedError(f"arange is not implemented for {dtype.name}")
    inferred = get_default_dtype() if any(isinstance(number, float) for number in (first, last, by)) else int64
    wanted = dtype_option(dtype, inferred)
    require_numbers(wanted, "arange")
    if not (isfinite(first) and isfinite(last) and isfinite(by)):
        raise RuntimeError(f"arange: unsupported range: {first} -> {last} in steps of {by}")
    if wanted is int64:
        first, last, by = int(first), int(last), int(by)
    if by == 0:
        raise RuntimeError("arange: step must be nonzero")
    if (last - first) * by < 0:
        raise RuntimeError(f"arange: upper bound {last} and lower bound {first} inconsistent with step {by}")
    steps = -((first - last) // by) if wanted is int64 else ceil((last - first) / by)
    exact = _in_exact_arithmetic(wanted)
    if exact is int64:
        first, by = int(first), int(by)
    numbers = _counted(int(steps), exact, device_option(device), by)
    if first != 0:
        numbers = record_node(ew.add, (numbers, scalar_node(first, exact, numbers.device)))
    return finished(Tensor.from_node(cast_node(numbers, wanted)), requires_grad)


def _counted(steps: int, dtype: DType, device: Device, by: Scalar = 1) -> Node:
    """0, by, 2·by, …"""
    index = iota(steps, dtype.to_real(), device)
    index.origin = capture()
    index = cast_node(index, dtype)
    return index if by == 1 else record_node(ew.mul, (index, scalar_node(by, dtype, device)))


@creates_out
def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """``steps`` evenly spaced numbers from ``start`` to ``end``, both included.

    Raises:
        RuntimeError: a negative number of steps.
    """
    wanted = _spaced_dtype(dtype, start, end)
    exact = float32 if wanted is float32 else complex128 if wanted.is_complex else float64
    numbers = _evenly_spaced("linspace", start, end, steps, wanted, exact, device_option(device))
    return finished(Tensor.from_node(cast_node(numbers, wanted)), requires_grad)


def _spaced_dtype(dtype: DType | None, start: Any, end: Any) -> DType:
    """The dtype asked for; by default that of floats, or of complex numbers where an end is one."""
    default = get_default_dtype()
    return dtype_option(
        dtype, default.to_complex() if isinstance(start, complex) or isinstance(end, complex) else default
    )


def _evenly_spaced(name: str, start: Any, end: Any, steps: Any, dtype: DType, exact: DType, device: Device) -> Node:
    """The first half is counted from the start and the second from the end, so that both are met exactly."""
    require_numbers(dtype, name)
    if not hasattr(steps, "__index__"):
        raise TypeError(f"{name}(): argument 'steps' must be int, not {type(steps).__name__}")
    count = steps.__index__()
    if count < 0:
        raise RuntimeError(f"{name}: number of steps must be non-negative, not {count}")
    first, last = as_scalar(start, name), as_scalar(end, name)
    if dtype.category is Category.INTEGER:
        first, last = int(as_real_scalar(first, name)), int(as_real_scalar(last, name))
    if count <= 1:
        return filled((count,), first, exact, device).node()
    step = (last - first) / (count - 1)
    upwards = record(ew.add, (scalar_node(first, exact, device), _counted(count, exact, device, step)))
    place = iota(count, exact.to_real(), device)
    to_end = record_node(ew.sub, (scalar_node(count - 1, place.dtype, device), place))
    to_end = cast_node(to_end, exact)
    back = record_node(ew.mul, (to_end, scalar_node(step, exact, device)))
    downwards = record(ew.sub, (scalar_node(last, exact, device), back))
    in_first_half = record_node(ew.lt, (place, scalar_node(count // 2, place.dtype, device)))
    return record_node(ew.where, (in_first_half, upwards.node(), downwards.node()))


@creates_out
def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """``base`` to the power of ``steps`` evenly spaced exponents from ``start`` to ``end``.

    Raises:
        RuntimeError: a negative number of steps.
    """
    wanted = _spaced_dtype(dtype, start, end)
    exact = complex128 if wanted.is_complex else float64
    exponents = _evenly_spaced("logspace", start, end, steps, wanted, exact, device_option(device))
    powers = record_node(ew.pow_, (scalar_node(base, exact, exponents.device), exponents))
    return finished(Tensor.from_node(cast_node(powers, wanted)), requires_grad)


@creates_out
def eye(
    n: int, m: int | None = None, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """The identity matrix with ``n`` rows and ``m`` columns (``n`` by default).

    Raises:
        RuntimeError: a negative size.
    """
    rows, columns = as_shape((n, n if m is None else m))
    if rows < 0 or columns < 0:
        raise RuntimeError(f"eye: the numbers of rows and columns must not be negative, got {rows} and {columns}")
    device = device_option(device)
    row = record_node(movement.reshape, (iota(rows, int64, device),), ((rows, 1),))
    on_diagonal = record_node(ew.eq, (row, iota(columns, int64, device)))
    return finished(Tensor.from_node(cast_node(on_diagonal, dtype_option(dtype))), requires_grad)


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: DType = int64, device: Any = None) -> Tensor:
    """Row and column numbers, as shape (2, count), of a matrix's elements on and below a diagonal."""
    return _indices(_on_or_below(row, col, offset), dtype, device)


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: DType = int64, device: Any = None) -> Tensor:
    """Row and column numbers, as shape (2, count), of a matrix's elements on and above a diagonal."""
    return _indices(~_on_or_below(row, col, offset - 1), dtype, device)


def _on_or_below(row: int, col: int, offset: int) -> np.ndarray:
    rows, columns = as_shape((row, col))
    if rows < 0 or columns < 0:
        raise RuntimeError(f"row and col must be non-negative, got {row} and {col}")
    return np.tri(rows, columns, offset, dtype=bool)


def _indices(wanted: np.ndarray, dtype: DType, device: Any) -> Tensor:
    if dtype_option(dtype).category is not Category.INTEGER:
        raise NotImplementedError(f"indices are integers; {dtype} is not an integer dtype")
    return placed(np.stack(np.nonzero(wanted)).astype(to_numpy(dtype)), device_option(device))


# Like another tensor.


def zeros_like(input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Zeros of ``input``'s shape, and its dtype and device unless others are given."""
    return full_like(input, 0, dtype=dtype, device=device, requires_grad=requires_grad)


def ones_like(input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones of ``input``'s shape, and its dtype and device unless others are given."""
    return full_like(input, 1, dtype=dtype, device=device, requires_grad=requires_grad)


def empty_like(input: Tensor, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor like ``input`` whose values do not matter."""
    return full_like(input, 0, dtype=dtype, device=device, requires_grad=requires_grad)


def full_like(
    input: Tensor, fill_value: Any, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """One number in ``input``'s shape, and its dtype and device unless others are given."""
    type = tensor_argument(input, "full_like").node().type
    value = as_scalar(fill_value, "full_like")
    result = filled(type.shape, value, dtype_option(dtype, type.dtype), device_option(device, type.device))
    return finished(result, requires_grad)


@method()
def new_zeros(
    input: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Zeros of another size with ``input``'s dtype and device unless others are given."""
    shape = shape_option("new_zeros", sizes, size)
    return new_full(input, shape, 0, dtype=dtype, device=device, requires_grad=requires_grad)


@method()
def new_ones(
    input: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Ones of another size with ``input``'s dtype and device unless others are given."""
    shape = shape_option("new_ones", sizes, size)
    return new_full(input, shape, 1, dtype=dtype, device=device, requires_grad=requires_grad)


@method()
def new_empty(
    input: Tensor,
    *sizes: Any,
    size: Any = None,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """A tensor of another size, with ``input``'s dtype and device, whose values do not matter."""
    shape = shape_option("new_empty", sizes, size)
    return new_full(input, shape, 0, dtype=dtype, device=device, requires_grad=requires_grad)


@method()
def new_full(
    input: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """One number in another size with ``input``'s dtype and device unless others are given."""
    place = device_option(device, input.device)
    return full(size, fill_value, dtype=dtype_option(dtype, input.dtype), device=place, requires_grad=requires_grad)


@method()
def new_tensor(
    input: Tensor, data: Any, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A copy of ``data`` with ``input``'s dtype and device unless others are given."""
    place = device_option(device, input.device)
    return tensor(data, dtype=dtype_option(dtype, input.dtype), device=place, requires_grad=requires_grad)
