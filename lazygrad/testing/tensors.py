"""Tensors of random elements, for tests of what computes with them."""

from __future__ import annotations

from typing import Any

from lazygrad.ir.dtype import Category, DType, bool_
from lazygrad.ir.memory_format import MemoryFormat
from lazygrad.ir.shape import Shape, numel
from lazygrad.ops.arguments.dtypes import finfo
from lazygrad.ops.creation.filled import empty
from lazygrad.ops.pointwise.complex_numbers import complex, view_as_real
from lazygrad.ops.random.tensors import randint
from lazygrad.size import as_shape
from lazygrad.tensor import Tensor

_DEFAULT_LIMITS = {"bool": (0.0, 2.0), "unsigned": (0.0, 10.0), "signed": (-9.0, 10.0), "floats": (-9.0, 9.0)}


def make_tensor(
    *shape: Any,
    dtype: DType,
    device: Any,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: MemoryFormat | None = None,
) -> Tensor:
    """A tensor of uniform random elements; PyTorch's for the same seed.

    Args:
        shape: ints, or one sequence of ints.
        dtype: bool, an integer, floating or complex dtype.
        device: where to make it.
        low: the least element, or of complex numbers part; by default 0 for bools and unsigned integers, else -9.
        high: what all are less than; by default 2 for bools, 10 for integers, 9 otherwise.
        requires_grad: whether gradients are collected.
        noncontiguous: let every second element of a larger memory be one of the tensor's.
        exclude_zero: put the least positive number in place of zeros.
        memory_format: the order of dimensions in memory.

    Raises:
        ValueError: ``low`` is not less than ``high``; a memory format beside ``noncontiguous``; gradients of integers.
    """
    least, limit = _limits(dtype, low, high)
    if requires_grad and not dtype.differentiable:
        raise ValueError(f"make_tensor: requires_grad must be False for integral dtype {dtype}")
    if noncontiguous and memory_format is not None:
        raise ValueError(
            f"make_tensor: noncontiguous and memory_format are mutually exclusive, but got {memory_format}"
        )
    sizes = as_shape(shape)
    if noncontiguous and numel(sizes) > 1:
        made = _uniform((*sizes[:-1], 2 * sizes[-1]), dtype, device, least, limit)[..., 1::2]
    else:
        made = _uniform(sizes, dtype, device, least, limit)
    if memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        made[made == 0] = _least_positive(dtype)
    return made.requires_grad_(requires_grad) if requires_grad else made


def _limits(dtype: DType, low: float | None, high: float | None) -> tuple[float, float]:
    """The least element, and what all are less than, within what the dtype holds."""
    is_whole = dtype is bool_ or dtype.category is Category.INTEGER
    kind = "bool" if dtype is bool_ else "floats" if not is_whole else "signed" if dtype.signed else "unsigned"
    default = _DEFAULT_LIMITS[kind]
    least, limit = default[0] if low is None else low, default[1] if high is None else high
    if is_whole:
        least, limit = max(least, float(dtype.lowest.real)), min(limit, float(dtype.highest.real) + 1)
    if not least < limit:
        raise ValueError(f"make_tensor: low must be less than high, but got {least} and {limit}")
    return least, limit


def _uniform(shape: Shape, dtype: DType, device: Any, low: float, high: float) -> Tensor:
    if dtype is bool_ or dtype.category is Category.INTEGER:
        return randint(int(low), int(high), shape, dtype=dtype, device=device)
    made = empty(shape, dtype=dtype, device=device)
    (view_as_real(made) if dtype.is_complex else made).uniform_(low, high)
    return made


def _least_positive(dtype: DType) -> Any:
    if dtype.is_complex:
        tiny = finfo(dtype.to_real()).tiny
        return complex(empty((), dtype=dtype.to_real()).fill_(tiny), empty((), dtype=dtype.to_real()).fill_(tiny))
    return finfo(dtype).tiny if dtype.is_floating_point else 1
