"""PyTorch's names that lazygrad leaves out on purpose, each with what to use instead.

Asking for one gives a function, or a class, that raises NotImplementedError with this text when it is called, so that
a program that merely mentions the name still runs.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

_NOT_THERE = "Not there: "
_SIZES = "sizes are plain numbers; mark_dynamic says which of them change"
_HALVES = "complex numbers have 64 or 128 bits; use complex64"
_FILES = "load(path) reads PyTorch's files, with mmap=True without reading their tensors"
_SCRIPTS = "call lazygrad.compile(module) instead: it records whole calls and replays them"
# What programs also compare with, or ask for by isinstance.
_CLASSES = {
    **dict.fromkeys(("SymInt", "SymFloat", "SymBool"), _SIZES),
    **dict.fromkeys(("complex32", "chalf"), _HALVES),
    "PyTorchFileReader": _FILES,
    "ScriptModule": _SCRIPTS,
}
LEFT_OUT = {
    "set_num_interop_threads": "plans run one after another; lazygrad.set_num_threads says how many threads one uses",
    **_CLASSES,
}


@cache
def _left_out_class(name: str) -> type:
    return stand_in_class(name, _CLASSES[name])


def stand_in(name: str, instead: str | None = None) -> Callable[..., NoReturn]:
    """A function, or one of a few classes, that says why ``name`` is not there.

    Args:
        name: what it is called, a key of `LEFT_OUT` unless ``instead`` is given.
        instead: the reason, and what to use.
    """
    if instead is None and name in _CLASSES:
        return _left_out_class(name)
    reason = LEFT_OUT[name] if instead is None else instead

    def absent(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"lazygrad has no {name}: {reason}")

    absent.__name__ = absent.__qualname__ = name.rpartition(".")[2]
    absent.__doc__ = f"{_NOT_THERE}{reason}."
    return absent


def stand_in_class(name: str, instead: str) -> type:
    """A class that can be named, inherited from and asked for by ``isinstance``, but not made; see `stand_in`."""
    absent = stand_in(name, instead)
    own = name.rpartition(".")[2]
    return type(own, (), {"__init__": lambda self, *args, **kwargs: absent(), "__doc__": absent.__doc__})


def is_stand_in(obj: Any) -> bool:
    """Whether this is what stands for a function or class that is not there, and says so."""
    return str(getattr(obj, "__doc__", "")).startswith(_NOT_THERE)
