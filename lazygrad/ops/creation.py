"""Making tensors: from data, filled, counted."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazygrad.codegen.numpy_dtypes import from_numpy as dtype_of_array
from lazygrad.codegen.numpy_dtypes import to_numpy
from lazygrad.ir.device import Device, device_of
from lazygrad.ir.dtype import DType, Scalar
from lazygrad.ir.primitives import movement
from lazygrad.ir.shape import Shape
from lazygrad.ops.operands import common_dtype, get_default_dtype, scalar_node
from lazygrad.tensor import Tensor, as_shape, record


def finished(result: Tensor, requires_grad: bool) -> Tensor:
    """The last step of every creation function."""
    return result.requires_grad_() if requires_grad else result


def filled(shape: Shape, value: Scalar, dtype: DType, device: Device) -> Tensor:
    """A pending tensor of one number."""
    number = scalar_node(value, dtype, device)
    return record(movement.expand, (number,), (shape,)) if shape else Tensor.from_node(number)


def tensor(
    data: Any, *, dtype: DType | None = None, device: Device | str | None = None, requires_grad: bool = False
) -> Tensor:
    """A new tensor with a copy of ``data``: numbers, nested sequences, numpy arrays or tensors.

    Raises:
        TypeError, ValueError: data of mixed lengths or of a type without a dtype.
    """
    if isinstance(data, Tensor):
        data = data.detach().array()
    array = as_array(data, dtype)
    copy = np.array(array, dtype=to_numpy(dtype) if dtype else None, order="C", copy=True)
    return finished(Tensor.from_array(copy, device_of(device), shared=False), requires_grad)


def as_array(data: Any, dtype: DType | None) -> np.ndarray:
    """``data`` as numpy sees it, with PyTorch's dtypes for Python numbers."""
    if isinstance(data, np.ndarray | np.generic):
        array = np.asarray(data)
        return array if dtype else array.astype(to_numpy(dtype_of_array(array.dtype)), copy=False)
    array = _nested(data)
    if dtype is None and array.dtype == np.float64 and not _holds_numpy(data):
        array = array.astype(to_numpy(get_default_dtype()))
    return array


def _nested(data: Any) -> np.ndarray:
    if isinstance(data, list | tuple):
        if data and all(isinstance(item, Tensor) for item in data):
            return np.stack([item.detach().array() for item in data])
        if len(data) == 0:
            return np.empty(0, to_numpy(get_default_dtype()))
    try:
        return np.asarray(data)
    except ValueError as error:
        raise ValueError(f"tensor(): rows of {type(data).__name__} differ in length: {error}") from error


def _holds_numpy(data: Any) -> bool:
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return isinstance(data, np.ndarray | np.generic)


def zeros(*size: Any, dtype: DType | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros; ``size`` as separate ints or one sequence."""
    return finished(filled(as_shape(size), 0, dtype or get_default_dtype(), device_of(device)), requires_grad)


def ones(*size: Any, dtype: DType | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones; ``size`` as separate ints or one sequence."""
    return finished(filled(as_shape(size), 1, dtype or get_default_dtype(), device_of(device)), requires_grad)


def full(
    size: Any, fill_value: Scalar, *, dtype: DType | None = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor of one number; without ``dtype`` the number's own (bool, int64 or the default float)."""
    shape = as_shape(size if not isinstance(size, int) else (size,))
    return finished(filled(shape, fill_value, dtype or common_dtype(fill_value), device_of(device)), requires_grad)
