"""LAPACK one matrix at a time, and how results are packed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec, module_from_spec
from math import prod
from types import ModuleType
from typing import Any

import numpy as np

from lazygrad.host.blas import serial_blas
from lazygrad.host.strides import strided
from lazygrad.ir.view import contiguous_strides

_PREFIXES = {"f4": "s", "f8": "d", "c8": "c", "c16": "z"}


@cache
def routine(name: str, dtype: np.dtype) -> Callable[..., Any]:
    """scipy's wrapper of a LAPACK routine for a dtype."""
    function: Callable[..., Any] = getattr(_wrappers("lapack"), _PREFIXES[dtype.str[1:]] + name)
    return function


@cache
def blas_routine(name: str, dtype: np.dtype) -> Callable[..., Any]:
    """scipy's wrapper of a BLAS routine for a dtype."""
    function: Callable[..., Any] = getattr(_wrappers("blas"), _PREFIXES[dtype.str[1:]] + name)
    return function


@cache
def _wrappers(library: str) -> ModuleType:
    """scipy's compiled wrappers of LAPACK or BLAS.

    `scipy.linalg` takes a fifth of a second to import, for which a first training step should not wait; the extension
    module inside it is loaded alone where it lies in a folder, under a name that does not stand in scipy's way.
    """
    extension = _extension(f"_f{library}")
    if f"scipy.linalg.{library}" not in sys.modules and extension is not None and extension.loader is not None:
        with suppress(ImportError):  # it may need what its package sets up first
            module = module_from_spec(extension)
            extension.loader.exec_module(module)
            return module
    return import_module(f"scipy.linalg.{library}")


@cache
def scipy_linalg() -> ModuleType:
    """``scipy.linalg``, whose BLAS is kept to one thread from now on."""
    _extension("_flapack")
    return import_module("scipy.linalg")


def _extension(name: str) -> ModuleSpec | None:
    """Where one of scipy's extension modules lies; the BLAS that it calls is kept to one thread from now on."""
    package = find_spec("scipy")
    folders = [os.path.join(folder, "linalg") for folder in (package and package.submodule_search_locations) or ()]
    extension = PathFinder.find_spec(f"{__package__}.{name}", folders)
    if extension is not None and extension.origin is not None:
        serial_blas.add(extension.origin)
    return extension


def matrices(x: np.ndarray) -> np.ndarray:
    """The batch as one axis."""
    return x.reshape(prod(x.shape[:-2]), *x.shape[-2:])


class Parts:
    """Views of the parts of a packed output, whose batch is one axis.

    Args:
        out: row-major, the last axis packed.
        shapes: of the parts, without the batch.
    """

    def __init__(self, out: np.ndarray, shapes: tuple[tuple[int, ...], ...]) -> None:
        batch, item = prod(out.shape[:-1]), out.itemsize
        self.views: list[np.ndarray] = []
        start = 0
        for shape in shapes:
            strides = (out.shape[-1] * item, *[stride * item for stride in contiguous_strides(shape)])
            self.views.append(strided(out, (batch, *shape), strides, start * item))
            start += prod(shape)

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self.views)


def first_failure(info: np.ndarray) -> tuple[str, int] | None:
    """Where the first factorization broke down: a phrase that names the batch element, and the step; or None."""
    if not info.any():
        return None
    failed = np.flatnonzero(info)
    place = f"(Batch element {failed[0]}): " if info.size > 1 else ""
    return place, int(info[failed[0]].real)
