"""The options every creation function takes: ``dtype=``, ``device=``, ``requires_grad=``; and where values are put."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazygrad.host.allocator import why_unavailable
from lazygrad.host.buffer import Buffer
from lazygrad.host.dtypes import from_numpy as dtype_of_array
from lazygrad.ir.device import Device, device_of
from lazygrad.ir.dtype import Category, DType, bool_, complex128, float64, int64
from lazygrad.ir.node import tensor_type
from lazygrad.ir.origin import capture
from lazygrad.ir.primitives.leaf import buffer, leaf_node
from lazygrad.ir.shape import Shape
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.size import as_shape
from lazygrad.tensor import Tensor

_PYTHON_TYPES: dict[Any, DType] = {bool: bool_, int: int64, float: float64, complex: complex128}


def dtype_option(dtype: Any, default: DType | None = None) -> DType:
    """The dtype asked for; ``default``, or the default float dtype, for None. Python's number types stand for theirs.

    Raises:
        TypeError: not a dtype, such as its name.
    """
    if dtype is None:
        return default or get_default_dtype()
    if isinstance(dtype, DType):
        return dtype
    if dtype not in _PYTHON_TYPES:
        raise TypeError(f"argument 'dtype' must be a lazygrad.dtype such as lazygrad.float32, not {dtype!r}")
    return _PYTHON_TYPES[dtype]


def device_option(device: Any, default: Device | None = None) -> Device:
    """The device asked for; ``default``, or the default device, for None.

    Raises:
        RuntimeError: an unknown device, or one that nothing here can compute on.
    """
    named = device_of(default if device is None else device)
    if named.type == "cpu" and named.index:
        raise RuntimeError(f"there is one CPU, cpu or cpu:0, and no {str(named)!r}")
    found = named.place
    reason = why_unavailable(found) if found.computes else None
    if reason is not None:
        raise RuntimeError(
            f"no {found.type.upper()} device or back end is available, so nothing can be placed on {str(found)!r}: "
            f"{reason}; leave device out or use device='cpu' (device='meta' plans a program without computing it)"
        )
    return found


def shape_option(name: str, sizes: Sequence[Any], size: Any) -> Shape:
    """The shape given as separate ints, as one sequence, or by the keyword ``size``.

    Raises:
        TypeError: no size at all, both ways at once, or sizes that are not integers.
        RuntimeError: a negative size.
    """
    if size is not None:
        if sizes:
            raise TypeError(f"{name}() got its sizes twice: as positional arguments and as size={size!r}")
        sizes = (size,)
    elif not sizes:
        raise TypeError(f"{name}() missing 1 required argument: size, as ints or one sequence")
    shape = as_shape(sizes)
    if shape and min(shape) < 0:
        raise RuntimeError(f"{name}: Trying to create tensor with negative dimension {min(shape)}: {list(shape)}")
    return shape


def finished(result: Tensor, requires_grad: bool) -> Tensor:
    """The last step of every creation function.

    Raises:
        RuntimeError: gradients asked for of a dtype that has none.
    """
    if not requires_grad:
        return result
    require_differentiable(result)
    return result._set_requires_grad(True)


def require_differentiable(tensor: Tensor) -> None:
    """Raises RuntimeError where gradients are asked for of a new tensor whose dtype has none."""
    if not tensor.dtype.differentiable:
        raise RuntimeError(
            f"Only Tensors of floating point and complex dtype can require gradients, not {tensor.dtype.name}"
        )


def placed(array: np.ndarray, device: Device, shared: bool = False) -> Tensor:
    """A tensor over a row-major host array; on a device without values one that has only its shape and dtype."""
    if not device.computes:
        return valueless(array.shape, dtype_of_array(array.dtype), device)
    return Tensor.from_array(array, device, shared)


def valueless(shape: Shape, dtype: DType, device: Device) -> Tensor:
    """A tensor on a device that plans without computing."""
    node = leaf_node(buffer, (None,), tensor_type(shape, dtype, device))
    node.value = Buffer(None)
    node.origin = capture()
    return Tensor.from_node(node)


def require_numbers(dtype: DType, name: str) -> None:
    """Refuses bool where numbers are counted.

    Raises:
        NotImplementedError: ``dtype`` is bool.
    """
    if dtype.category is Category.BOOL:
        raise NotImplementedError(f"{name} not implemented for 'Bool'; choose a number dtype and compare")
