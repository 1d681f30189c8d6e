"""Python data as numpy arrays, with PyTorch's dtypes: floats get the default float dtype, ints int64."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

import numpy as np

from lazygrad.host.calls.float8 import cast_float8
from lazygrad.host.dtypes import from_numpy as dtype_of_array
from lazygrad.host.dtypes import to_numpy
from lazygrad.host.warn_once import warn_user_once
from lazygrad.ir.dtype import Category, DType, complex128, promote_types, scalar_dtype, uint64
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.tensor import Tensor

_NUMBER_KINDS = "biufc"
_SEQUENCES = (list, tuple, range, np.ndarray)
_PYTHON_NUMBERS = {bool, int, float, complex}


def array_of(data: Any, dtype: DType | None) -> np.ndarray:
    """A new row-major array with the numbers in ``data``.

    Args:
        data: a number, nested sequences of numbers (also of arrays, and of tensors of one element, which stand for
            that number), or a numpy array.
        dtype: the wanted dtype; None infers it as PyTorch does.

    Raises:
        TypeError, RuntimeError: ``data`` holds something that is not a number, or a sequence beside numbers.
        ValueError: rows differ in length; an integer does not fit into 64 bits; a tensor of several elements or none.
        RuntimeError: a Python number does not fit into ``dtype``.
    """
    if isinstance(data, np.ndarray | np.generic):
        found = np.asarray(data)
        if dtype is None or found.dtype.kind not in _NUMBER_KINDS:
            dtype_of_array(found.dtype)  # refuses what cannot be converted
    else:
        plain = _without_tensors(data, dtype)
        found = _array_of_python(plain, data) if dtype is not uint64 else _array_of_uint64(plain)
        if dtype is None:
            dtype = _inferred_dtype(found, data) if plain is data else _promoted_dtype(data)
        elif found.dtype.kind == "c" and not (dtype.is_complex or isinstance(data, Tensor)):
            raise TypeError(f"tensor(): complex numbers cannot become {dtype.name}: must be real number, not complex")
        elif dtype.category is Category.INTEGER and dtype is not uint64:
            _check_range(found, dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # too large for a float dtype is inf, as in PyTorch
        if dtype is not None and dtype.is_float8 and found.dtype != to_numpy(dtype):
            return _array_of_float8(found.astype(np.float32), dtype)
        return np.array(found, dtype=to_numpy(dtype) if dtype else None, order="C", copy=True)


def _array_of_float8(numbers: np.ndarray, dtype: DType) -> np.ndarray:
    made = np.empty(numbers.shape, to_numpy(dtype))
    cast_float8(made, numbers, dtype=dtype.name)
    return made


def _array_of_python(plain: Any, data: Any) -> np.ndarray:
    try:
        found = np.asarray(plain)
    except ValueError as error:
        _refuse_ragged(plain, _first_sizes(plain))
        raise ValueError(f"tensor(): rows of a nested sequence differ in length: {error}") from error
    if found.dtype.kind not in _NUMBER_KINDS:
        _refuse(found, data)
    return found


def _array_of_uint64(plain: Any) -> np.ndarray:
    """Integers of which numpy would make floats, where some need 64 bits and others a sign.

    Raises:
        TypeError: a number that is no integer.
        OverflowError: a negative one, or one of more than 64 bits.
    """
    found = np.asarray(plain, object)
    for number in found.flat:
        if not isinstance(number, (int, np.integer)):
            raise TypeError(f"{type(number).__name__!r} object cannot be interpreted as an integer")
        if number < 0:
            raise OverflowError("can't convert negative int to unsigned")
    return found.astype(np.uint64)


def _first_sizes(data: Any) -> tuple[int, ...]:
    """The lengths of a nested sequence, of its first element, and so on; the others must have the same."""
    sizes: list[int] = []
    while isinstance(data, _SEQUENCES) and not (isinstance(data, np.ndarray) and not data.ndim):
        sizes.append(len(data))
        if not len(data):
            break
        data = data[0]
    return tuple(sizes)


def _refuse_ragged(data: Any, sizes: tuple[int, ...], dim: int = 0) -> None:
    """Raises for the first part of a nested sequence that has not the lengths of the first ones."""
    is_sequence = isinstance(data, _SEQUENCES) and not (isinstance(data, np.ndarray) and not data.ndim)
    if dim == len(sizes):
        if is_sequence:
            raise TypeError(f"tensor(): expected a number at dim {dim}, not a {type(data).__name__}")
        return
    if not is_sequence:
        raise TypeError(f"tensor(): expected a sequence of length {sizes[dim]} at dim {dim}, not a "
                        f"{type(data).__name__}")  # fmt: skip
    if len(data) != sizes[dim]:
        raise ValueError(f"tensor(): rows of a nested sequence differ in length: expected sequence of length "
                         f"{sizes[dim]} at dim {dim} (got {len(data)})")  # fmt: skip
    for part in data:
        _refuse_ragged(part, sizes, dim + 1)


def _without_tensors(data: Any, dtype: DType | None) -> Any:
    """``data`` with the tensors in its nested sequences replaced by numbers; itself if there are none."""
    if isinstance(data, list | tuple) and not _only_python_numbers(data):
        return _replaced(data, dtype, len(_first_sizes(data)))
    return data


def _replaced(data: Any, dtype: DType | None, depth: int) -> Any:
    """``depth`` is how many sequences deep a number must lie from here; above that a tensor is a sequence, too."""
    if isinstance(data, Tensor):
        if depth <= 0 or not data.ndim:
            return _number(data, dtype)
        data = list(data.detach())
    if not isinstance(data, list | tuple) or _only_python_numbers(data):
        return data
    parts = [_replaced(item, dtype, depth - 1) for item in data]
    return data if all(map(operator.is_, parts, data)) else parts


def warn_of_gradient(tensor: Tensor) -> None:
    """PyTorch's warning where a tensor becomes a Python number that no gradient flows to."""
    if tensor.requires_grad:
        warn_user_once("Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
                       "Consider using tensor.detach() first.")  # fmt: skip


def _number(tensor: Tensor, dtype: DType | None) -> Any:
    if dtype is not None and dtype.category is Category.INTEGER and tensor.dtype.category > Category.INTEGER:
        raise TypeError(f"tensor(): a tensor of {tensor.dtype.name} in a sequence cannot be interpreted as an integer")
    if tensor.numel() != 1:
        raise ValueError("tensor(): only one element tensors can be converted to Python scalars; use stack() or cat() "
                         "to join larger ones")  # fmt: skip
    warn_of_gradient(tensor)
    number = tensor.item()
    return number.real if isinstance(number, complex) and dtype is not None and not dtype.is_complex else number


def _promoted_dtype(item: Any) -> DType:
    """The dtype that all numbers in nested sequences can be cast to; some of them are tensors."""
    if isinstance(item, Tensor):
        return item.dtype
    if isinstance(item, np.ndarray | np.generic):
        return dtype_of_array(item.dtype)
    if isinstance(item, _SEQUENCES):
        found = [_promoted_dtype(part) for part in item]
        return reduce(promote_types, found) if found else get_default_dtype()
    return scalar_dtype(item, get_default_dtype())


def _only_python_numbers(data: list[Any] | tuple[Any, ...]) -> bool:
    """The common case, found without looking at each item in Python."""
    return set(map(type, data)) <= _PYTHON_NUMBERS


def _refuse(found: np.ndarray, data: Any) -> None:
    """Raises for numpy arrays of strings and objects; a dtype of ml_dtypes passes."""
    if found.dtype.kind in "US":
        if isinstance(data, str | bytes):
            raise TypeError(f"new(): invalid data type {type(data).__name__!r}; encode text as numbers first")
        raise ValueError("tensor(): the data holds text; encode it as numbers first")
    if found.dtype.kind == "O":
        leaves = found.reshape(-1).tolist()
        strange = [type(leaf).__name__ for leaf in leaves if not isinstance(leaf, int | float | complex)]
        if not strange:
            raise ValueError("tensor(): an integer does not fit into 64 bits; pass it as a float")
        raise RuntimeError(f"tensor(): Could not infer dtype of {strange[0]}; pass numbers")
    dtype_of_array(found.dtype)


def _inferred_dtype(found: np.ndarray, data: Any) -> DType:
    if found.dtype.kind == "u" and found.dtype.itemsize == 8:
        raise ValueError("tensor(): an integer does not fit into int64; pass it as a float")
    if found.dtype == np.float64 and not _holds(np.float64, data):
        return get_default_dtype()
    if found.dtype == np.complex128 and not _holds(np.complex128, data):
        return complex128 if _holds(np.float64, data) else get_default_dtype().to_complex()
    return dtype_of_array(found.dtype)


def _holds(dtype: type[np.generic], item: Any) -> bool:
    """Whether a numpy number or array in the data asks for ``dtype``; Python numbers do not."""
    if isinstance(item, list | tuple):
        return not _only_python_numbers(item) and any(_holds(dtype, part) for part in item)
    return isinstance(item, np.ndarray | np.generic) and item.dtype == dtype


def _check_range(found: np.ndarray, dtype: DType) -> None:
    """Python numbers must fit; negative ones wrap in unsigned dtypes, as in PyTorch."""
    if found.dtype.kind == "b" or found.size == 0:
        return
    limits = np.iinfo(to_numpy(dtype))
    lowest = limits.min if dtype.signed else -limits.max
    smallest, largest = found.min().item(), found.max().item()
    if not (lowest - 1 < smallest and largest < limits.max + 1):
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow: the data reaches from "
                           f"{smallest} to {largest}")  # fmt: skip
