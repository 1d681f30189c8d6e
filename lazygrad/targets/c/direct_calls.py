"""Calls of the library from Python, one at a time, on numpy's arrays; for programs that are not compiled yet."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from lazygrad.host.addresses import address_of
from lazygrad.host.dtypes import from_numpy
from lazygrad.host.threads import get_num_threads
from lazygrad.targets.c import library
from lazygrad.targets.c.library_functions import ATTRIBUTES, MAX_RANK, SERIAL_ELEMENTS, names_of
from lazygrad.targets.compiled_calls import CompiledCall

# `enum dtype` of library.h. What is computed has floats, and so have its operands, but for masks and indices.
_FLOATS = {np.dtype(np.float32): 8, np.dtype(np.float64): 9}
_DTYPES = _FLOATS | {np.dtype(np.bool_): 0, np.dtype(np.int32): 4, np.dtype(np.int64): 5}
_MOST_OF_ALL = 4  # how many times as large as all others an operand may be
_SECONDS_BETWEEN_LOOKS = 0.1  # at a library that is not there; to find out which files a function needs takes a while
_OK = 0
_attributes = {op.name: attributes for op, attributes in ATTRIBUTES.items()}


class _Array(ctypes.Structure):
    """`array` of library.h."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("sizes", ctypes.c_int64 * MAX_RANK),
        ("strides", ctypes.c_int64 * MAX_RANK),
    )


class _State:
    """The functions that were found by op and dtype, and when those were looked for last that were not."""

    def __init__(self) -> None:
        self.functions: dict[tuple[str, np.dtype[Any]], Any] = {}
        self.looked_for: dict[tuple[str, np.dtype[Any]], float] = {}


_state = _State()


def compiled_call(name: str) -> CompiledCall:
    """The library's function for an op, where it is there. The first program that is compiled builds it."""
    return partial(_call, name)


def _function(name: str, dtype: np.dtype[Any]) -> Any | None:
    """The library's function, loaded with what it needs for a dtype; None while it is not there.

    What an earlier process built is loaded now: a thread in the background would wait for this one at each file.
    """
    key = name, dtype
    function = _state.functions.get(key)
    return function if function is not None else _looked_for(key)


def _looked_for(key: tuple[str, np.dtype[Any]]) -> Any | None:
    """A function that was not there when it was looked for last; a program asks for it hundreds of times a step."""
    now, before = time.monotonic(), _state.looked_for.get(key)
    if before is not None and now < before + _SECONDS_BETWEEN_LOOKS:
        return None
    _state.looked_for[key] = now
    name, dtype = key
    names = names_of(name, from_numpy(dtype))
    if before is None:
        library.load_if_built(names)
    if not library.is_loaded(names):
        return None
    function = _state.functions[key] = library.function(f"lg_{name}")
    function.restype = ctypes.c_int32
    return function


def _call(
    name: str,
    out: np.ndarray,
    operands: Sequence[np.ndarray],
    attributes: Mapping[str, Any],
) -> bool:
    given = [x if isinstance(x, np.ndarray) else np.asarray(x, out.dtype) for x in operands]
    if attributes.get("is_projected") or out.dtype not in _FLOATS or not all([x.dtype in _DTYPES for x in given]):
        return False  # as `in_library` says of nodes
    sizes = [out.size, *[x.size for x in given]]
    elements = sum(sizes)
    if max(sizes) > _MOST_OF_ALL * (elements - max(sizes)):
        return False  # a product with a large weight: BLAS is the faster one
    function = _function(name, out.dtype)
    if function is None:
        return False
    numbers = [int(number) for number in _attributes[name](attributes)]
    threads = ctypes.c_int32(1 if elements < SERIAL_ELEMENTS else get_num_threads())
    inputs = (_Array * len(given))(*map(_described, given))
    outcome = function(
        ctypes.byref(threads),
        ctypes.byref(_described(out)),
        inputs,
        len(given),
        (ctypes.c_int64 * max(len(numbers), 1))(*numbers),
    )
    return bool(outcome == _OK)  # numpy says why another one was refused


def _described(x: np.ndarray) -> _Array:
    described = _Array(address_of(x), _DTYPES[x.dtype], x.ndim)
    described.sizes[: x.ndim] = x.shape
    described.strides[: x.ndim] = [step // x.itemsize for step in x.strides]
    return described
