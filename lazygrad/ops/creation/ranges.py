"""Numbers in a row, and matrices that follow from row and column numbers."""

from __future__ import annotations

from math import ceil, isfinite
from typing import Any, Unpack

from lazygrad.host.dtypes import to_numpy
from lazygrad.ir.build import iota
from lazygrad.ir.device import Device
from lazygrad.ir.dtype import Category, DType, Scalar, complex128, float32, float64, int64
from lazygrad.ir.node import Node
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives import elementwise as ew
from lazygrad.ir.primitives import movement
from lazygrad.ir.user_warning import warn_user
from lazygrad.ops.arguments.creation_options import TensorOptions, chosen, takes_options
from lazygrad.ops.arguments.kinds import Operand
from lazygrad.ops.arguments.operands import as_real_scalar, as_scalar, cast_node, get_default_dtype, scalar_node
from lazygrad.ops.arguments.options import require_numbers
from lazygrad.ops.arguments.out import creates_out
from lazygrad.ops.arguments.tracing import traced
from lazygrad.ops.creation.filled import filled
from lazygrad.size import as_shape
from lazygrad.tensor import Tensor
from lazygrad.tensor_base import record, record_node

__all__ = ["arange", "range", "linspace", "logspace", "eye"]


def _in_exact_arithmetic(dtype: DType) -> DType:
    """The dtype in which positions are counted before they are rounded to ``dtype``."""
    return int64 if dtype.category is Category.INTEGER else float64


@creates_out
@takes_options(TensorOptions)
def arange(
    start: Operand = 0,
    end: Operand | None = None,
    step: Operand = 1,
    **options: Unpack[TensorOptions],
) -> Tensor:
    """start, start + step, … below ``end``; one positional argument is the end.

    Without ``dtype``: int64 if all numbers are integers, otherwise the default float dtype.

    Raises:
        RuntimeError: a step of 0 or away from the end; an endpoint that is not finite.
        ValueError: an int64 range in steps between -1 and 1.
    """
    if end is None:
        start, end = 0, start
    first, last, by = (as_real_scalar(number, "arange") for number in (start, end, step))
    inferred = get_default_dtype() if any(isinstance(number, float) for number in (first, last, by)) else int64
    made = chosen("arange", options, inferred)
    wanted = made.dtype
    if wanted.is_complex:
        raise NotImplementedError(f"arange not implemented for '{wanted.scalar_type}'")
    require_numbers(wanted, "arange")
    if not (isfinite(first) and isfinite(last) and isfinite(by)):
        raise RuntimeError(f"arange: unsupported range: {first} -> {last} in steps of {by}")
    if by == 0:
        raise RuntimeError("arange: step must be nonzero")
    if wanted is int64:
        first, last, by = int(first), int(last), int(by)
        if by == 0:
            raise ValueError("arange: step must be nonzero, also when it is rounded to an integer")
    if (last - first) * by < 0:
        raise RuntimeError(
            f"arange: upper bound and lower bound inconsistent with step sign: {first} to {last} by {by}"
        )
    steps = -((first - last) // by) if wanted is int64 else ceil((last - first) / by)
    exact = _in_exact_arithmetic(wanted)
    if exact is int64:
        first, by = int(first), int(by)
    numbers = _counted(int(steps), exact, made.device, by)
    if first != 0:
        numbers = record_node(ew.add, (numbers, scalar_node(first, exact, numbers.device)))
    return made.finished(Tensor.from_node(cast_node(numbers, made.dtype)))


@creates_out
@takes_options(TensorOptions)
def range(
    start: Operand = 0, end: Operand | None = None, step: Operand = 1, **options: Unpack[TensorOptions]
) -> Tensor:
    """start, start + step, … up to and with ``end``, in the default float dtype; `arange` is the usual choice.

    Raises:
        RuntimeError: a step of 0 or away from the end; an endpoint that is not finite.
    """
    warn_user("torch.range is deprecated, because it includes its end. Use arange instead.")
    if end is None:
        start, end = 0, start
    first, last, by = (as_real_scalar(number, "range") for number in (start, end, step))
    made = chosen("range", options)
    if not (isfinite(first) and isfinite(last)) or by == 0 or (last - first) * by < 0:
        raise RuntimeError(f"range: upper bound and lower bound inconsistent with step sign: {first} to {last} by {by}")
    count = int((last - first) / by) + 1
    exact = _in_exact_arithmetic(made.dtype)
    numbers = _counted(count, exact, made.device, int(by) if exact is int64 else by)
    offset = scalar_node(int(first) if exact is int64 else first, exact, made.device)
    return made.finished(Tensor.from_node(cast_node(record_node(ew.add, (numbers, offset)), made.dtype)))


def _counted(steps: int, dtype: DType, device: Device, by: Scalar = 1) -> Node:
    """0, by, 2·by, …"""
    index = iota(steps, dtype.to_real(), device)
    index.origin = capture()
    index = cast_node(index, dtype)
    return index if by == 1 else record_node(ew.mul, (index, scalar_node(by, dtype, device)))


@creates_out
@takes_options(TensorOptions)
def linspace(
    start: Operand,
    end: Operand,
    steps: int,
    **options: Unpack[TensorOptions],
) -> Tensor:
    """``steps`` evenly spaced numbers from ``start`` to ``end``, both included.

    Raises:
        RuntimeError: a negative number of steps.
    """
    made = chosen("linspace", options, _spaced_dtype(start, end))
    holds_tensors = isinstance(start, Tensor) or isinstance(end, Tensor)  # whose values decide what is recorded
    spaced = _linear if holds_tensors else _linear_between_numbers
    return made.finished(spaced(start, end, steps, made.dtype, made.device))


def _linear(start: Operand, end: Operand, steps: int, dtype: DType, device: Device) -> Tensor:
    exact = float32 if dtype is float32 else complex128 if dtype.is_complex else float64
    numbers = _evenly_spaced("linspace", start, end, steps, dtype, exact, device)
    return Tensor.from_node(cast_node(numbers, dtype))


_linear_between_numbers = traced(_linear)


def _spaced_dtype(start: Operand, end: Operand) -> DType:
    """The default dtype: that of floats, or of complex numbers where an end is one."""
    default = get_default_dtype()
    return default.to_complex() if isinstance(start, complex) or isinstance(end, complex) else default


def _evenly_spaced(
    name: str, start: Operand, end: Operand, steps: Any, dtype: DType, exact: DType, device: Device
) -> Node:
    """The first half is counted from the start and the second from the end, so that both are met exactly."""
    require_numbers(dtype, name)
    if any(isinstance(number, Tensor) and number.ndim for number in (start, end)):
        raise RuntimeError(f"{name} only supports 0-dimensional start and end tensors")
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
    if dtype.is_half:
        first, last = (to_numpy(dtype).type(number).item() for number in (first, last))  # PyTorch rounds the ends first
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
@takes_options(TensorOptions)
def logspace(
    start: Operand,
    end: Operand,
    steps: int,
    base: float = 10.0,
    **options: Unpack[TensorOptions],
) -> Tensor:
    """``base`` to the power of ``steps`` evenly spaced exponents from ``start`` to ``end``.

    Raises:
        RuntimeError: a negative number of steps.
    """
    made = chosen("logspace", options, _spaced_dtype(start, end))
    exact = complex128 if made.dtype.is_complex else float64
    exponents = _evenly_spaced("logspace", start, end, steps, made.dtype, exact, made.device)
    powers = record_node(ew.pow_, (scalar_node(base, exact, exponents.device), exponents))
    return made.finished(Tensor.from_node(cast_node(powers, made.dtype)))


@creates_out
@takes_options(TensorOptions)
def eye(n: int, m: int | None = None, **options: Unpack[TensorOptions]) -> Tensor:
    """The identity matrix with ``n`` rows and ``m`` columns (``n`` by default).

    Raises:
        RuntimeError: a negative size.
    """
    rows, columns = as_shape((n, n if m is None else m))
    if rows < 0 or columns < 0:
        raise RuntimeError(f"eye: the numbers of rows and columns must not be negative, got {rows} and {columns}")
    made = chosen("eye", options)
    return made.finished(_identity(rows, columns, made.dtype, made.device))


@traced
def _identity(rows: int, columns: int, dtype: DType, device: Device) -> Tensor:
    row = record_node(movement.reshape, (iota(rows, int64, device),), ((rows, 1),))
    on_diagonal = record_node(ew.eq, (row, iota(columns, int64, device)))
    return Tensor.from_node(cast_node(on_diagonal, dtype))
