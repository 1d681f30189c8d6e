"""Functions of the C library that the host calls outside plans, on memory of its own."""

from __future__ import annotations

import ctypes
from typing import Any

from lazygrad.targets.c import library

_NUMBERS: dict[str, tuple[Any, ...]] = {
    "lg_mersenne_words": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64),
    "lg_mersenne_less": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64),
    "lg_box_muller": (ctypes.c_void_p, ctypes.c_int64, ctypes.c_float, ctypes.c_float),
}


def host_function(name: str) -> Any | None:
    """A function of the library that returns nothing, or None while the library is not loaded; never waits."""
    if not library.is_loaded():
        return None
    function = getattr(library.load().handle, name)
    if function.argtypes is None:
        function.restype, function.argtypes = None, _NUMBERS[name]
    return function
