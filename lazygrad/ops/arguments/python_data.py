"""Python data as numpy arrays, with PyTorch's dtypes: floats get the default float dtype, ints int64."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazygrad.codegen.numpy_dtypes import from_numpy as dtype_of_array
from lazygrad.codegen.numpy_dtypes import to_numpy
from lazygrad.ir.dtype import Category, DType, complex128
from lazygrad.ops.arguments.operands import get_default_dtype
from lazygrad.tensor import Tensor

_NUMBER_KINDS = "biufc"
_PYTHON_NUMBERS = {bool, int, float, complex}


def array_of(data: Any, dtype: DType | None) -> np.ndarray:
    """A new row-major array with the numbers in ``data``.

    Args:
        data: a number, nested sequences of numbers (also of 0-dim tensors and arrays), or a numpy array.
        dtype: the wanted dtype; None infers it as PyTorch does.

    Raises:
        TypeError, RuntimeError: ``data`` holds something that is not a number.
        ValueError: rows differ in length; an integer does not fit into 64 bits.
        RuntimeError: a Python number does not fit into ``dtype``.
    """
    if isinstance(data, np.ndarray | np.generic):
        found = np.asarray(data)
        if dtype is None or found.dtype.kind not in _NUMBER_KINDS:
            dtype_of_array(found.dtype)  # refuses what cannot be converted
    else:
        found = _array_of_python(data)
        if dtype is None:
            dtype = _inferred_dtype(found, data)
        elif found.dtype.kind == "c" and not (dtype.is_complex or isinstance(data, Tensor)):
            raise TypeError(f"tensor(): complex numbers cannot become {dtype.name}: must be real number, not complex")
        elif dtype.category is Category.INTEGER:
            _check_range(found, dtype)
    with np.errstate(over="ignore", invalid="ignore"):  # too large for a float dtype is inf, as in PyTorch
        return np.array(found, dtype=to_numpy(dtype) if dtype else None, order="C", copy=True)


def _array_of_python(data: Any) -> np.ndarray:
    plain = _without_tensors(data)
    try:
        found = np.asarray(plain)
    except ValueError as error:
        raise ValueError(f"tensor(): {_raggedness(plain)}") from error
    if found.dtype.kind not in _NUMBER_KINDS:
        _refuse(found, data)
    return found


def _raggedness(data: Any) -> str:
    """Where a nested sequence is not rectangular, in PyTorch's words."""
    rows, dim = [data], 0
    while isinstance(rows[0], list | tuple | np.ndarray):
        wanted = len(rows[0])
        for row in rows:
            if not isinstance(row, list | tuple | np.ndarray):
                return f"expected sequence of length {wanted} at dim {dim} (got a number)"
            if len(row) != wanted:
                return f"expected sequence of length {wanted} at dim {dim} (got {len(row)})"
        rows, dim = [item for row in rows for item in row], dim + 1
        if not rows:
            break
    return f"expected numbers at dim {dim}, but found sequences beside them; all rows must have one length"


def _without_tensors(data: Any) -> Any:
    """``data`` with the tensors in its nested sequences replaced by numpy arrays."""
    if isinstance(data, Tensor):
        return data.detach().array()
    if not isinstance(data, list | tuple) or _only_python_numbers(data):
        return data
    return [_without_tensors(item) for item in data]


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
    """Whether a numpy number, array or tensor in the data asks for ``dtype``; Python numbers do not."""
    if isinstance(item, list | tuple):
        return not _only_python_numbers(item) and any(_holds(dtype, part) for part in item)
    if isinstance(item, Tensor):
        return to_numpy(item.dtype) == dtype
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
