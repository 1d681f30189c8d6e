"""What classes say about their instances' state."""

from __future__ import annotations

from typing import Any

from lazygrad.compiling.purity import is_pure_module

_PACKAGE = __name__.partition(".")[0]


def in_package(cls: type) -> bool:
    """Whether lazygrad defines the class."""
    return cls.__module__.partition(".")[0] == _PACKAGE


def is_descriptor(value: Any) -> bool:
    """Whether reading a class's attribute gives something else than what the class holds."""
    return hasattr(type(value), "__get__") and not isinstance(value, type)


def class_names(cls: type) -> set[str]:
    """Names that an attribute of an instance would hide."""
    return {name for base in cls.__mro__ if not is_pure_module(base.__module__) for name in vars(base)}


def slot_names(cls: type) -> list[str]:
    """Attributes that instances keep outside their dictionary."""
    names: list[str] = []
    for base in cls.__mro__:
        slots = vars(base).get("__slots__", ())
        names += [slots] if isinstance(slots, str) else list(slots)
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def has_hidden_state(cls: type) -> bool:
    """Whether instances are larger than what Python attributes take: they keep something in C."""
    pointer = 8
    known = object.__basicsize__ + pointer * len(slot_names(cls))
    known += pointer * ((cls.__dictoffset__ > 0) + (cls.__weakrefoffset__ > 0))
    return cls.__basicsize__ > known
