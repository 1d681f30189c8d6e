"""Functions in C that the host calls outside plans, on memory of its own: one small object, compiled on demand.

What only compiling needs is imported where it is used, as in `target`.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any

from lazygrad.host import background

_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "lg_mersenne_words": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64),
    "lg_mersenne_less": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64),
    "lg_mersenne_uniform_f32": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, *(ctypes.c_float,) * 3),
    "lg_mersenne_uniform_f64": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, *(ctypes.c_double,) * 3),
    "lg_mersenne_normal_f32": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, *(ctypes.c_float,) * 2),
    "lg_mersenne_permutation": (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64),
    "lg_box_muller": (ctypes.c_void_p, ctypes.c_int64, ctypes.c_float, ctypes.c_float),
    **{f"lg_{name}": (ctypes.c_void_p, ctypes.c_int64) for name in ("exp", "log", "log1p", "sin", "cos", "tan")},
    **{
        f"lg_outside_{number}": (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
        for number in ("i32", "i64")
    },
}


class _State:
    """The functions that are loaded, by name, and which process has asked for them."""

    def __init__(self) -> None:
        self.functions: dict[str, Any] = {}
        self.wanted_in: int | None = None


_state = _State()


def host_function(name: str) -> Any | None:
    """A function that returns nothing, or None while it is not there; never waits."""
    return _state.functions.get(name)


def want() -> None:
    """Have the functions compiled and loaded in the background, once. Where there is no compiler they stay away."""
    process = os.getpid()
    if _state.wanted_in != process and not _state.functions:
        _state.wanted_in = process
        background.submit("host functions", _load_if_possible)


def load() -> None:
    """Compile the functions, unless the cache on disk has them, and load them.

    Raises:
        BuildError: they cannot be compiled or loaded.
    """
    from lazygrad.targets.c.build import build, include_folder, load_object

    sources = sorted((include_folder() / "host").glob("*.c"))
    handle = load_object(build("\n".join(source.read_text(encoding="utf-8") for source in sources), "host"))
    functions = {name: getattr(handle, name) for name in _ARGUMENTS}
    for name, function in functions.items():
        function.restype, function.argtypes = None, _ARGUMENTS[name]
    _state.functions = functions


def _load_if_possible() -> None:
    from lazygrad.targets.c.build import BuildError

    try:
        load()
    except BuildError:
        return  # plans say so, in a warning
